/** The sentence on stderr about what a query found that is no step. */
import { limits, grouped } from "@bridle/record";
import type { FoundDamage, TrajectoryAnswer } from "./trajectory.js";

export type DamageFound = Pick<
  TrajectoryAnswer,
  "damage" | "damageCount" | "totalCount" | "stepsBeforeDamage"
>;

/** Undefined when the file is in order. `shown` is the path as the caller knows it. */
export function damageWarning(answer: DamageFound, shown: string): string | undefined {
  const { damage, damageCount, totalCount, stepsBeforeDamage } = answer;
  const [first] = damage;
  if (first === undefined) return undefined;
  const advice = damage.every(({ kind }) => kind === "step_invalid")
    ? `Nothing was changed; ${damageCount === 1 ? "the line is" : "those lines are"} not in the answer.`
    : `Nothing was changed. \`bridle log repair ${shown}\` ${remedy(damage)}.`;
  return `${finding(first)}\n${advice}`;

  function finding(place: FoundDamage): string {
    const where = `line ${place.line} (byte ${number(place.byte)})`;
    if (damageCount > 1) {
      return `${shown} is damaged in ${number(damageCount)} places; the first, ${where}, ${says(place)}. ${rows(totalCount)} fine.`;
    }
    if (place.readable)
      return `${shown} ${where} ${says(place)}; what stands there was answered. ${rows(totalCount)} there.`;
    const after = totalCount - stepsBeforeDamage;
    return `${shown} ${where} ${says(place)}; ${number(stepsBeforeDamage)} ${stepsBeforeDamage === 1 ? "row" : "rows"} before and ${number(after)} after it are fine.`;
  }
}

function remedy(damage: readonly FoundDamage[]): string {
  if (damage.every(({ kind }) => kind === "checksum_mismatch")) return "accepts the rows as they stand";
  if (damage.every(({ readable }) => readable)) return damage.length === 1 ? "mends it" : "mends them";
  return damage.length === 1 ? "sets it aside" : "sets what is no row aside";
}

function says({ kind, problem }: FoundDamage): string {
  switch (kind) {
    case "json_invalid":
      return "is not valid JSON";
    case "row_not_object":
      return "is JSON but no object";
    case "merge_marker":
      return "is a merge-conflict marker";
    case "line_too_long":
      return `is longer than the ${number(limits.rowBytesMax)} bytes of a row`;
    case "carriage_return":
      return "ends with CRLF";
    case "byte_order_mark":
      return "starts with a byte order mark";
    case "checksum_mismatch":
      return "begins rows that differ from the checksum their index recorded";
    case "nul_bytes":
    case "utf8_invalid":
      return `holds ${problem}`;
    case "step_invalid":
      return `is no step (${problem})`;
  }
}

function rows(count: number): string {
  return count === 1 ? "1 row is" : `${number(count)} rows are`;
}

function number(value: number): string {
  return grouped(value);
}
