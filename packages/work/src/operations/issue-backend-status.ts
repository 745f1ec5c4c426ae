/** `premath issue backend-status`: what issue memory is made of, and in what state it is. */
import { resolve } from "node:path";
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { damageKinds, locateRoot, grouped } from "@bridle/record";
import * as Type from "typebox";
import type { DriverState } from "../git/driver.js";
import { snapshotRefOf } from "../memory/snapshot.js";
import { resolveCommand } from "../store/issue-refusals.js";
import { DamagedPlace } from "../types.js";
import { count, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { issuesInput, onlyFiles, withMemory } from "../calls/issues.js";
import { counted, factLines } from "./text-layout.js";

const Holder = Type.Object({
  pid: Type.Integer(),
  host: Type.String(),
  liveness: Type.Enum(["alive", "stopped", "gone", "unknown"]),
});

export const IssueBackendStatus = Type.Object({
  action: Type.Literal("issue.backend-status"),
  issuesPath: issuesPathAnswer,
  repoRoot: Type.String({ description: "The folder whose memory it is." }),
  queryBackend: Type.Literal("jsonl"),
  canonicalMemory: Type.Object({
    path: issuesPathAnswer,
    exists: Type.Boolean(),
    format: Type.Literal("jsonl"),
    bytes: count("Size of the file."),
    rowCount: count("Rows in the file."),
    issueCount: count("Issues: the last row of each id."),
    rowsWithoutId: count("Rows that are no issues because they have no id."),
    garbageRowCount: count("Rows that a later row of the same id replaced."),
    garbageShare: Type.Number({ minimum: 0, maximum: 1, description: "Of all rows." }),
    snapshotRef: orNull(
      Type.String({ description: "Digest of the issues; null when a row is none or the file is damaged." }),
    ),
    damageCount: count("Places that are no rows."),
    damage: listOf(DamagedPlace, "The first of them."),
    lockHolder: orNull(Holder),
    twoSides: orNull(
      Type.Enum(["index", "markers", "rows"], {
        description: "Where it shows that git left two sides; null for a memory that is one.",
      }),
    ),
    mergeDriver: orNull(
      Type.Enum(["missing", "stale", "sound"], {
        description: "Git's merge driver for the file in this clone; null where there is no repository.",
      }),
    ),
  }),
  queryProjection: Type.Null({
    description: "Always null: there is one representation, and it is the file.",
  }),
});

export const issueBackendStatus = defineOperation({
  names: {
    id: "op/mcp.issue_backend_status",
    action: "issue.backend_status",
    command: ["issue", "backend-status"],
    tool: "issue_backend_status",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Say what issue memory is made of and in what state it is.",
  description:
    "Issues have one representation, the JSONL file; there is no second one that could differ from it. Tells its " +
    "size, how much of it is rows that were replaced, what is damaged, and who holds its lock. A file that is not " +
    "there is an answer, not an error.",
  examples: [
    { command: "premath issue backend-status", says: "how is the memory?" },
    { command: "premath issue backend-status --repo . --json", says: "the same for a program" },
  ],
  input: Type.Object(
    {
      repo: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "folder",
          "x-path": true,
          description: "The repository, for repoRoot; the folder of .premath when left out.",
        }),
      ),
      projection: Type.Optional(
        Type.String({
          "x-placeholder": "path",
          "x-path": true,
          description: "Accepted and not used: there is no projection beside the file.",
        }),
      ),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueBackendStatus,
  run: (input, call) =>
    withMemory(input, call, async ({ file: memory }, place) => {
      if (memory === undefined) return onlyFiles("asked what its file is made of");
      const [lockHolder, repoRoot] = [(await memory.lockHolder()) ?? null, await repoRootOf(input, call)];
      if (input.projection !== undefined) {
        call.warn("--projection is not used: the file is the only representation of issues");
      }
      const graph = await memory.graph();
      const { bytes, rowCount, rowsWithoutId, damage, damageCount } = memory.findings;
      const garbageRowCount = rowCount - graph.size - rowsWithoutId;
      const snapshotRef = damageCount === 0 && memory.exists ? snapshotRefOf(graph) : undefined;
      return {
        action: "issue.backend-status" as const,
        issuesPath: place.shown,
        repoRoot,
        queryBackend: "jsonl" as const,
        canonicalMemory: {
          path: place.shown,
          exists: memory.exists,
          format: "jsonl" as const,
          bytes,
          rowCount,
          issueCount: graph.size,
          rowsWithoutId,
          garbageRowCount,
          garbageShare: rowCount === 0 ? 0 : garbageRowCount / rowCount,
          snapshotRef: typeof snapshotRef === "string" ? snapshotRef : null,
          damageCount,
          damage: damage.map(({ line, at, damage: kind }) => ({
            line,
            byte: at,
            problem: damageKinds[kind],
          })),
          lockHolder,
          twoSides: (await memory.twoSides())?.where ?? null,
          mergeDriver: (await memory.mergeDriver()) ?? null,
        },
        queryProjection: null,
      };
    }),
  present({ canonicalMemory: memory, repoRoot }, paint) {
    if (!memory.exists) return `  there is no issue memory at ${memory.path}`;
    const share = `${Math.round(memory.garbageShare * 100)} %`;
    const { lockHolder: holder, damage } = memory;
    return factLines(
      [
        ["issues", counted(memory.issueCount, "issue", "issues")],
        ["file", `${memory.path}, ${grouped(memory.bytes)} bytes, jsonl, the only representation`],
        ["rows", `${grouped(memory.rowCount)}, ${share} replaced by later ones`],
        ["no id", memory.rowsWithoutId === 0 ? undefined : counted(memory.rowsWithoutId, "row", "rows")],
        ["snapshot", memory.snapshotRef],
        [
          "damage",
          memory.damageCount === 0
            ? paint.good("none")
            : damage.map(({ line, byte, problem }) => paint.bad(`line ${line} (byte ${byte}): ${problem}`)),
        ],
        ["lock", holder === null ? "free" : `process ${holder.pid} on ${holder.host}, ${holder.liveness}`],
        ["sides", memory.twoSides === null ? undefined : paint.bad(`two: \`${resolveCommand}\``)],
        ["merge driver", driverWords(memory.mergeDriver, paint)],
        ["root", repoRoot],
      ],
      paint,
    ).join("\n");
  },
});

function driverWords(state: DriverState | null, paint: Paint): string | undefined {
  if (state === null) return undefined;
  return state === "sound" ? paint.good(state) : `${paint.note(state)}: \`premath issue merge --install\``;
}

async function repoRootOf(
  { repo, root }: { readonly repo?: string; readonly root?: string },
  { cwd, env, ports: { files } }: Call,
): Promise<string> {
  if (repo !== undefined) return resolve(cwd, repo);
  return locateRoot({ files, cwd, env, ...(root === undefined ? {} : { root }) });
}
