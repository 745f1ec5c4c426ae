/**
 * `--family`: which of the tools are offered.
 *
 * Without it those that the server calls usual, or all: what a model is told at the
 * start of every conversation is paid for in every one of them.
 *
 * A family is the first word of an operation's action (`harness`, `issue`) or
 * the launcher that froze it (`premath`, `hlq`, `bridle`). Operations that do
 * not belong on this surface are never offered, whatever family is named.
 */
import type { ManifestEntry } from "@bridle/operation";
import { type Refusal, compareCodePoints, refuse } from "@bridle/record";

export function offeredEntries(
  entries: readonly ManifestEntry[],
  families: readonly string[],
  usual?: readonly string[],
): readonly ManifestEntry[] | Refusal {
  const onSurface = entries.filter((entry) => entry.surfaces.includes("mcp"));
  if (families.length === 0) {
    return usual === undefined ? onSurface : onSurface.filter((entry) => usual.includes(firstWord(entry)));
  }
  const known = [...new Set(onSurface.flatMap(familiesOf))].sort(compareCodePoints);
  const unknown = families.filter((family) => !known.includes(family));
  if (unknown.length > 0) {
    return refuse("input_invalid", {
      message: `no tool belongs to the family ${unknown.map((name) => JSON.stringify(name)).join(", ")}`,
      hint: `Known families: ${known.join(", ")}.`,
      detail: { unknown, known },
    });
  }
  return onSurface.filter((entry) => familiesOf(entry).some((family) => families.includes(family)));
}

function familiesOf(entry: ManifestEntry): string[] {
  return [firstWord(entry), entry.family];
}

function firstWord({ names: { action } }: ManifestEntry): string {
  return action.split(".")[0] ?? action;
}
