/** `premath issue import`: issues from another program's file, all of them or none. */
import { resolve } from "node:path";
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { Failure, isRefusal, refuse, grouped } from "@bridle/record";
import * as Type from "typebox";
import { importFormats, importIssues, readImport } from "../interchange/import.js";
import { workLimits } from "../limits.js";
import { IssueGraph } from "../memory/graph.js";
import { readSource } from "../interchange/source-file.js";
import { issuesInput, changingMemory } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { cell, counted } from "./text-layout.js";

export const issueImport = defineOperation({
  names: {
    id: "op/issue.import",
    action: "issue.import",
    command: ["issue", "import"],
    tool: "issue_import",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Take issues over from beads or GitHub.",
  description:
    "beads: its issues.jsonl; values that we do not have (a type `bug`, a status `deferred`, a dependency of its own " +
    "kind) become the nearest of ours and are kept, so that an export puts them back to the byte. github: what " +
    "`gh issue list|view --json …` prints, or GitHub's REST answer without its pull requests; an issue becomes gh-<number>, and only a line `Depends on #12` or " +
    "`Blocked by #12` makes a dependency. New ids are added, others are merged: the later updated_at wins and what " +
    "loses is kept in metadata; an issue that somebody holds keeps its status, assignee and lease. An id that means " +
    "another issue here is renamed, with its references. All of it is one change; a bad line refuses all of it.",
  examples: [
    {
      command: "premath issue import --from .beads/issues.jsonl --format beads",
      says: "takes over beads' issues",
    },
    {
      command: "premath issue import --from issues.json --format github --dry-run",
      says: "says what an import would do",
    },
  ],
  input: Type.Object(
    {
      from: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "file",
          "x-path": true,
          "x-cli-only": true,
          description: "The file to read; - for the standard input.",
        }),
      ),
      content: Type.Optional(
        Type.String({ "x-placeholder": "text", description: "What the file would hold, instead of a file." }),
      ),
      format: Type.Enum([...importFormats], { description: "What it is." }),
      dryRun: Type.Optional(Type.Boolean({ description: "Say what would be done, and change nothing." })),
      actor: mutationInput.actor,
      instructionId: mutationInput.instructionId,
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.import"),
    issuesPath: Type.String(),
    from: Type.Union([Type.String(), Type.Null()], {
      description: "The file; null where content was given.",
    }),
    format: Type.Enum([...importFormats]),
    dryRun: Type.Boolean(),
    added: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    addedIds: Type.Array(Type.String()),
    updatedIds: Type.Array(Type.String()),
    renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
    warnings: Type.Array(Type.String()),
  }),
  async run(input, call) {
    const { ports } = call;
    const { from, content } = input;
    if ((from === undefined) === (content === undefined)) {
      return refuse("input_invalid", {
        message: "an import has one source: a file or content",
        hint: "Name the file with --from.",
      });
    }
    const shown = from === "-" ? "the standard input" : (from ?? "content");
    const bytes =
      from === undefined
        ? Buffer.from(content ?? "")
        : from === "-"
          ? await fromStdin(call)
          : await readSource(resolve(call.cwd, from), from, ports);
    const source = readImport(bytes, shown, input.format);
    if (isRefusal(source)) return source;
    const decide = importIssues(
      source,
      asActor({ ...(input.actor === undefined ? {} : { actor: input.actor }) }, call),
    );
    return changingMemory(input, call, async (memory, place) => {
      const dryRun = input.dryRun === true;
      const outcome = dryRun
        ? decide((await memory.graph()) ?? new IssueGraph(), await ports.clock.now())
        : await memory.change(decide, { create: true });
      if (isRefusal(outcome)) return outcome;
      const answer = "rows" in outcome ? outcome.answer : outcome;
      for (const sentence of answer.warnings) call.warn(sentence);
      return {
        action: "issue.import" as const,
        issuesPath: place.shown,
        from: from ?? null,
        format: input.format,
        dryRun,
        added: answer.added.length,
        updated: answer.updated.length,
        unchanged: answer.unchanged,
        addedIds: [...answer.added],
        updatedIds: [...answer.updated],
        renamed: [...answer.renamed],
        warnings: [...answer.warnings],
      };
    });
  },
  present(answer, paint) {
    const { added, updated, unchanged, addedIds, updatedIds, renamed, dryRun, issuesPath } = answer;
    const head = `${grouped(added)} added · ${grouped(updated)} updated · ${counted(unchanged, "unchanged", "unchanged")}`;
    return [
      `  ${dryRun ? paint.note(`would be: ${head}`) : paint.good(head)}  ${paint.dim(issuesPath)}`,
      ...named("added", addedIds, paint),
      ...named("updated", updatedIds, paint),
      ...renamed.map(({ from, to }) => `  ${paint.dim("renamed")}  ${from} → ${to}`),
    ].join("\n");
  },
});

async function fromStdin(call: Call): Promise<Uint8Array> {
  const bytes = await call.stdin?.();
  if (bytes === undefined) throw new Failure("input_invalid", { message: "there is no standard input here" });
  if (bytes.length <= workLimits.issuesBytesMax) return bytes;
  throw new Failure("issue_memory_too_large", {
    message: `the standard input has more than ${grouped(workLimits.issuesBytesMax)} bytes`,
    hint: "Is this the file that you mean?",
  });
}

function named(what: string, ids: readonly string[], paint: Paint): string[] {
  return ids.length === 0 ? [] : [`  ${paint.dim(what)}  ${cell(ids.join(" "))}`];
}
