/**
 * Routing (RUNTIME §8): every operation belongs to a route family, whose world it acts in, and names
 * the morphisms that it acts by. The registry is one file, in the form of the original's operation
 * registry and site; what the program can do is its manifest. Here the two are held against each other.
 *
 * What a newcomer gets wrong: the registry grants nothing. It says where an operation belongs; what a
 * call may do is decided by the gates.
 */
import { isJsonObject, type JsonObject } from "@bridle/record";
import type { DoctrineClass } from "./doctrine-classes.js";

export const doctrineRegistryKind = "premath.doctrine_operation_registry.v1";

export interface DoctrineProblem {
  readonly class: DoctrineClass;
  readonly message: string;
}

/** Of the manifest's rows, what is looked at. */
export interface RoutedOperation {
  readonly names: { readonly id: string };
  readonly effect: string;
}

/** What an operation that changes something must act by, and one that does not must not. */
const attesting = "dm.commitment.attest";

/** `sourceOf` is the text of a module of the repository; undefined when there is none. */
export function doctrineProblems(
  registry: unknown,
  operations: readonly RoutedOperation[],
  sourceOf: (path: string) => string | undefined,
): readonly DoctrineProblem[] {
  if (
    !isJsonObject(registry) ||
    registry["registryKind"] !== doctrineRegistryKind ||
    registry["schema"] !== 1
  ) {
    return [{ class: "doctrine_registry_invalid", message: `it is no ${doctrineRegistryKind}` }];
  }
  return [...siteProblems(registry), ...rowProblems(registry, operations, sourceOf)];
}

function* siteProblems(registry: JsonObject): Generator<DoctrineProblem> {
  const worlds = byId(registry, "worlds");
  const nodes = byId(registry, "nodes");
  if (worlds.size === 0) yield { class: "doctrine_registry_invalid", message: "it has no world" };
  for (const [id, family] of byId(registry, "routeFamilies")) {
    if (!worlds.has(String(family["worldId"])))
      yield {
        class: "world_route_unknown_world",
        message: `${id} is in the world ${String(family["worldId"])}`,
      };
    if (!nodes.has(String(family["nodeId"])))
      yield { class: "runtime_route_missing", message: `${id} is at the node ${String(family["nodeId"])}` };
  }
  for (const [id, edge] of byId(registry, "edges")) {
    const ends = [edge["from"], edge["to"]].map(String).filter((end) => !nodes.has(end));
    if (ends.length > 0)
      yield { class: "runtime_route_missing", message: `the edge ${id} ends at ${ends.join(" and ")}` };
  }
}

function* rowProblems(
  registry: JsonObject,
  operations: readonly RoutedOperation[],
  sourceOf: (path: string) => string | undefined,
): Generator<DoctrineProblem> {
  const known = new Map(operations.map((operation) => [operation.names.id, operation]));
  const rows = rowsOf(registry, "operations");
  const seen = new Set<string>();
  for (const row of rows) {
    const id = String(row["id"]);
    if (seen.has(id)) yield { class: "world_route_unbound", message: `${id} has two rows` };
    seen.add(id);
    const operation = known.get(id);
    if (operation === undefined) yield { class: "world_route_unbound", message: `${id} is no operation` };
    else yield* rowProblem(registry, row, operation, sourceOf);
  }
  for (const id of known.keys())
    if (!seen.has(id)) yield { class: "world_route_unbound", message: `${id} has no row` };
}

function* rowProblem(
  registry: JsonObject,
  row: JsonObject,
  { names: { id }, effect }: RoutedOperation,
  sourceOf: (path: string) => string | undefined,
): Generator<DoctrineProblem> {
  const family = byId(registry, "routeFamilies").get(String(row["routeFamilyId"]));
  const world = byId(registry, "worlds").get(String(family?.["worldId"]));
  const morphisms = textsOf(row, "morphisms");
  if (family === undefined)
    yield {
      class: "runtime_route_missing",
      message: `${id} is of the family ${String(row["routeFamilyId"])}`,
    };
  const path = String(row["path"]);
  // An id may be put together in its module, but its own word stands there.
  if (sourceOf(path)?.includes(id.slice(id.lastIndexOf(".") + 1)) !== true)
    yield { class: "runtime_route_missing", message: `${id} is not in ${path}` };
  if (world !== undefined) {
    const foreign = morphisms.filter((each) => !textsOf(world, "morphisms").includes(each));
    if (morphisms.length === 0 || foreign.length > 0)
      yield {
        class: "world_route_unknown_morphism",
        message: `${id} acts by ${foreign.join(", ") || "nothing"}`,
      };
  }
  if (morphisms.includes(attesting) !== (effect === "mutate"))
    yield {
      class: "world_route_morphism_drift",
      message: `${id} is a ${effect}, and ${morphisms.includes(attesting) ? "acts" : "does not act"} by ${attesting}`,
    };
}

function rowsOf(registry: JsonObject, member: string): readonly JsonObject[] {
  const rows = registry[member];
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

function byId(registry: JsonObject, member: string): Map<string, JsonObject> {
  return new Map(rowsOf(registry, member).map((row) => [String(row["id"]), row]));
}

function textsOf(row: JsonObject, member: string): readonly string[] {
  const value = row[member];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
