/** `bridle log repair`: keeps every row, sets everything else aside verbatim, and lets changes happen again. */
import { resolve } from "node:path";
import { type Call, columns, defineOperation } from "@bridle/operation";
import { counted, grouped } from "@bridle/record";
import { engineFor, unmergedFailure } from "@bridle/work";
import * as Type from "typebox";
import { tellDamage } from "./damage.js";
import { commentsInput, DamageOutput, isIssues, logMissing, openLog, pathInput } from "./place.js";

export const logRepair = defineOperation({
  names: { id: "op/log.repair", action: "log.repair", command: ["log", "repair"], tool: "log_repair" },
  family: "bridle",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Set aside what is damaged in a log and keep every row.",
  description:
    "The log is replaced in one step, under its lock. What is no row is kept verbatim in a file beside it, so nothing " +
    "is lost. Issue memory that holds two sides is refused: `premath issue merge --resolve` makes them one. Rows that differ from the checksum of their index are kept as they stand.",
  examples: [
    {
      command: "bridle log repair .premath/harness_trajectory.jsonl",
      says: "mends the log, and says what was set aside",
    },
  ],
  input: Type.Object({ path: pathInput, comments: commentsInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("log.repair"),
    path: Type.String(),
    changed: Type.Boolean(),
    rowsKept: Type.Integer(),
    removedCount: Type.Integer(),
    removed: Type.Array(DamageOutput),
    checksumMismatches: Type.Array(DamageOutput),
    setAside: Type.Union([Type.String(), Type.Null()]),
  }),
  async run(input, call) {
    const log = await openLog(input, call);
    try {
      // Looking first, because taking the lock to repair would create a file that is not there.
      if ((await call.ports.files.stat(log.local.path)) === undefined) return logMissing(input.path);
      if (isIssues(input)) await refuseTwoSides(input.path, call);
      call.progress({ doing: `repairing ${input.path}` });
      const { removed, checksumMismatches, ...report } = await log.repair();
      return {
        action: "log.repair" as const,
        path: input.path,
        ...report,
        removed: removed.map(tellDamage),
        checksumMismatches: checksumMismatches.map(tellDamage),
      };
    } finally {
      await log.close();
    }
  },
  present({ path, changed, rowsKept, removedCount, removed, checksumMismatches, setAside }, paint) {
    const kept = counted(rowsKept, "row", "rows");
    const lines = changed
      ? [
          `  ${path}: ${kept} kept, ${paint.note(counted(removedCount, "place", "places"))} set aside in ${setAside}`,
        ]
      : [`  ${path}: ${paint.good("nothing to set aside")}, ${kept}`];
    lines.push(
      ...columns(
        removed.map(({ line, byte, says }) => [`line ${grouped(line)}`, `byte ${grouped(byte)}`, says]),
      ),
    );
    if (removedCount > removed.length) lines.push(`  and ${grouped(removedCount - removed.length)} more`);
    for (const { line } of checksumMismatches) {
      lines.push(
        paint.note(
          `  rows from line ${grouped(line)} on differ from their checksum; they were kept, look at them`,
        ),
      );
    }
    return lines.join("\n");
  },
});

/** To set conflict markers aside would leave both sides as rows of one memory, and the last would win. */
async function refuseTwoSides(shown: string, { ports, signal, cwd }: Call): Promise<void> {
  const memory = await engineFor(ports).issues({ path: resolve(cwd, shown), shown, ports, signal });
  try {
    await memory.graph();
    const sides = await memory.file?.twoSides();
    if (sides !== undefined) throw unmergedFailure(shown, sides);
  } finally {
    await memory.close();
  }
}
