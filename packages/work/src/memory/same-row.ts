/** Whether two rows say the same: the same members with the same values, dependencies in any order. */
import { compareCodePoints, rawItems, rawMembers } from "@bridle/record";
import { orderedJson } from "./source-json.js";

export function sameRow(left: string, right: string): boolean {
  return left === right || saysOf(left) === saysOf(right);
}

function saysOf(text: string): string {
  const members = rawMembers(text);
  const listed = members.get("dependencies");
  const dependencies = listed?.startsWith("[") === true ? rawItems(listed) : [];
  if (listed === "null" || listed?.startsWith("[") === true) members.delete("dependencies");
  const rest = [...members]
    .sort(([left], [right]) => compareCodePoints(left, right))
    .map(([name, source]) => `${JSON.stringify(name)}:${orderedJson(source)}`);
  return [...rest, ...dependencies.map(orderedJson).sort(compareCodePoints)].join("\n");
}
