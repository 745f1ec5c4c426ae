/** `premath issue compact`: one row an issue, sorted by id. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { snapshotRefOf } from "../memory/snapshot.js";
import { issuesInput, changingMemory, onlyFiles } from "../calls/issues.js";
import { mutationInput } from "./mutation-input.js";
import { counted } from "./text-layout.js";

export const issueCompact = defineOperation({
  names: {
    id: "op/issue.compact",
    action: "issue.compact",
    command: ["issue", "compact"],
    tool: "issue_compact",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Rewrite issue memory with one row an issue, sorted by id.",
  description:
    "Replaces the file atomically. Rows that a later row of the same id replaced go; comment lines and rows without an " +
    "id stay, and every row keeps its bytes, so no issue changes. It happens by itself when replaced rows dominate.",
  examples: [{ command: "premath issue compact", says: "before a commit, for a small diff" }],
  input: Type.Object(
    { ...issuesInput, actor: mutationInput.actor, instructionId: mutationInput.instructionId },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.compact"),
    issuesPath: Type.String(),
    changed: Type.Boolean(),
    rowsBefore: Type.Integer(),
    rowsAfter: Type.Integer(),
    snapshotRef: Type.Optional(
      Type.String({ description: "The digest of the issues, which compaction leaves as it was." }),
    ),
  }),
  run: (input, call) =>
    changingMemory(input, call, async (memory, place) => {
      if (memory.file === undefined) return onlyFiles("compacted");
      const compaction = await memory.file.compact();
      if (isRefusal(compaction)) return compaction;
      // A row that is no issue leaves memory without a digest.
      const snapshotRef = snapshotRefOf(await memory.file.graph());
      return {
        action: "issue.compact" as const,
        issuesPath: place.shown,
        ...compaction,
        ...(typeof snapshotRef === "string" ? { snapshotRef } : {}),
      };
    }),
  present({ changed, rowsBefore, rowsAfter, issuesPath }, paint) {
    const rows = (count: number) => counted(count, "row", "rows");
    const says = changed
      ? `${rows(rowsBefore)} became ${rows(rowsAfter)}`
      : `${rows(rowsAfter)}, nothing to compact`;
    return `  ${says} ${paint.dim(issuesPath)}`;
  },
});
