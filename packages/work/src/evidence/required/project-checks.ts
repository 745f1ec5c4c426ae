/**
 * From changed paths to required checks, by the map. Pure, so that whoever has the map and the
 * paths comes to the same digest.
 */
import type { Unchanged } from "@bridle/operation";
import { compareCodePoints, digest } from "@bridle/record";
import * as Type from "typebox";
import { type CheckMap, policyOf, type Rule } from "./check-map.js";
import { matchesAny } from "./path-pattern.js";

const texts = (description: string) => Type.Array(Type.String(), { description });

export const Projection = Type.Object({
  schema: Type.Literal(1),
  projectionPolicy: Type.String(),
  policyDigest: Type.String(),
  projectionDigest: Type.String(),
  changedPaths: texts("Normalised, sorted, each once."),
  requiredChecks: texts("In the order of the map."),
  docsOnly: Type.Boolean(),
  reasons: texts("Of the rules that fit, sorted."),
});
export type Projection = Unchanged<Type.Static<typeof Projection>>;

export function normalizePaths(paths: readonly string[]): string[] {
  const plain = paths.map((path) =>
    path
      .trim()
      .replaceAll("\\", "/")
      .replace(/^(?:\.\/)+/, ""),
  );
  return [...new Set(plain.filter((path) => path !== ""))].sort(compareCodePoints);
}

export function projectChecks(map: CheckMap, changed: readonly string[]): Projection {
  const changedPaths = normalizePaths(changed);
  const { rules, documents = [], fallback } = map;
  const isDocument = (path: string) => matchesAny(documents, path);
  const docsOnly = changedPaths.every(isDocument);
  const fits = ({ paths, when = "any" }: Rule) =>
    (when === "any" || docsOnly) && changedPaths.some((path) => matchesAny(paths, path));
  if (changedPaths.length === 0) {
    return projected(map, changedPaths, docsOnly, [
      map.emptyDelta ?? { checks: fallback.checks, reason: "empty_delta" },
    ]);
  }
  const alone = rules.find((rule) => rule.alone === true && fits(rule));
  if (alone !== undefined) return projected(map, changedPaths, docsOnly, [alone]);
  const known = rules.filter(({ when = "any" }) => when === "any").flatMap(({ paths }) => paths);
  const unknown = changedPaths.some((path) => !isDocument(path) && !matchesAny(known, path));
  return projected(map, changedPaths, docsOnly, [...rules.filter(fits), ...(unknown ? [fallback] : [])]);
}

function projected(
  map: CheckMap,
  changedPaths: readonly string[],
  docsOnly: boolean,
  parts: readonly { readonly checks: readonly string[]; readonly reason: string }[],
): Projection {
  const wanted = new Set(parts.flatMap(({ checks }) => checks));
  const needed = map.checks.filter(({ id }) => wanted.has(id));
  const covering = needed.filter(({ coversAll }) => coversAll === true);
  const requiredChecks = (covering.length > 0 ? covering : needed).map(({ id }) => id);
  const projectionPolicy = policyOf(map);
  return {
    schema: 1,
    projectionPolicy,
    policyDigest: projectionPolicy,
    projectionDigest: digest("proj1_", { projectionPolicy, changedPaths, requiredChecks }),
    changedPaths,
    requiredChecks,
    docsOnly,
    reasons: [...new Set(parts.map(({ reason }) => reason))].sort(compareCodePoints),
  };
}

/** Every check of the map, whatever changed. */
export function projectEverything(map: CheckMap, changed: readonly string[]): Projection {
  const whole = { checks: map.checks.map(({ id }) => id), reason: "every_check_required" };
  const uncovered = { ...map, checks: map.checks.map(({ coversAll: _covers, ...check }) => check) };
  const changedPaths = normalizePaths(changed);
  const docsOnly = changedPaths.every((path) => matchesAny(map.documents ?? [], path));
  return projected(uncovered, changedPaths, docsOnly, [whole]);
}
