/** Whether a session or a step is of a lineage: it has the ref, or one below it (`ctx://issue/bd-5` has all of bd-5's). */
import type { JsonObject } from "@bridle/record";

export function isOfLineage(
  { lineageRefs }: JsonObject | { readonly lineageRefs?: readonly string[] },
  ref: string,
): boolean {
  const above = ref.replace(/\/+$/, "");
  return (
    Array.isArray(lineageRefs) &&
    lineageRefs.some(
      (each) => typeof each === "string" && (each.trim() === above || each.startsWith(`${above}/`)),
    )
  );
}
