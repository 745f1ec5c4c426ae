/**
 * `bridle log verify`: is the log sound, and if not, where. A log that is not
 * leaves the marker where Bridle keeps something beside it already (always in
 * `.premath/.local`), and nothing else changes.
 */
import { counted, grouped } from "@bridle/record";
import { columns, defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { tellDamage } from "./damage.js";
import { commentsInput, DamageOutput, logMissing, openLog, pathInput } from "./place.js";

export const logVerify = defineOperation({
  names: { id: "op/log.verify", action: "log.verify", command: ["log", "verify"], tool: "log_verify" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Check a log and say where it is damaged.",
  description:
    "What breaks lines, JSON or UTF-8 is always found. A flipped bit inside a valid row, or rows that occur twice, are " +
    "found where an index from earlier covers them. Where Bridle keeps something beside the log already, as in .premath, " +
    "damage is remembered there, and changes of files that hold state are refused until it has been repaired. Nothing " +
    "is made beside any other file.",
  examples: [
    { command: "bridle log verify .premath/harness_trajectory.jsonl", says: "says how many rows are fine" },
    { command: "bridle log verify .premath/issues.jsonl --json", says: "the same for a program" },
  ],
  input: Type.Object({ path: pathInput, comments: commentsInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("log.verify"),
    path: Type.String(),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: Type.Array(Type.String()),
    rows: Type.Integer(),
    lines: Type.Integer(),
    bytes: Type.Integer(),
    unfinishedBytes: Type.Integer(),
    checkedAgainstIndex: Type.Boolean(),
    marked: Type.Boolean(),
    damageCount: Type.Integer(),
    damage: Type.Array(DamageOutput),
  }),
  async run(input, call) {
    call.progress({ doing: `checking ${input.path}` });
    const verification = await (await openLog(input, call)).verify();
    if (verification === undefined) return logMissing(input.path);
    const { damage, ...counts } = verification;
    const sound = verification.damageCount === 0 && !verification.marked;
    return {
      action: "log.verify" as const,
      path: input.path,
      result: sound ? ("accepted" as const) : ("rejected" as const),
      failureClasses: sound ? [] : ["log_damaged"],
      ...counts,
      damage: damage.map(tellDamage),
    };
  },
  present({ path, rows, bytes, unfinishedBytes, damage, damageCount, marked, checkedAgainstIndex }, paint) {
    const size = `${counted(rows, "row", "rows")}, ${counted(bytes, "byte", "bytes")}`;
    const lines =
      damageCount > 0
        ? [`  ${path}: ${paint.bad(counted(damageCount, "damaged place", "damaged places"))} among ${size}`]
        : [
            `  ${path}: ${marked ? paint.bad("damage was found here earlier") : paint.good("sound")}, ${size}`,
          ];
    if (!checkedAgainstIndex)
      lines.push(paint.dim("  no index from earlier: changed rows that are still JSON would not show"));
    if (unfinishedBytes > 0) {
      lines.push(
        `  ${counted(unfinishedBytes, "byte", "bytes")} of an unfinished row at the end; the next append sets them aside`,
      );
    }
    lines.push(
      ...columns(
        damage.map(({ line, byte, says }) => [`line ${grouped(line)}`, `byte ${grouped(byte)}`, says]),
      ),
    );
    if (damageCount > damage.length) lines.push(`  and ${grouped(damageCount - damage.length)} more`);
    if (damageCount > 0 || marked) lines.push(`  \`bridle log repair ${path}\` sets aside what is no row.`);
    return lines.join("\n");
  },
});
