/** What an operation needs, in the order of how much it is; and what one call of it needs. */
import type { JsonObject } from "@bridle/record";
import type { Needs, Operation } from "./types.js";

export const needs = [
  "nothing",
  "instruction",
  "evidence",
  "verified-change",
  "own-envelope",
  "person",
] as const;

export function neededBy(
  { needs: usual = "nothing", needsWhen = [] }: Pick<Operation, "needs" | "needsWhen">,
  input: JsonObject,
): Needs {
  const asked = needsWhen.filter(({ input: name, is }) => {
    const value = input[name];
    if (value === undefined || value === false) return false;
    return is === undefined || (typeof value === "string" && value.trim().toLowerCase() === is);
  });
  return asked.reduce<Needs>(
    (most, { needs: more }) => (needs.indexOf(more) > needs.indexOf(most) ? more : most),
    usual,
  );
}
