/**
 * One operation that calls another, by its id and as every surface calls it: validated, gated, enveloped.
 * Not for what a model sets off: an agent has a session's own (agent/operations.ts).
 */
import { type Call, outcomeOf } from "@bridle/operation";
import { Failure, isJsonObject, type JsonObject } from "@bridle/record";
import { isFailureClass } from "./manifest/failure-classes.js";
import { loadManifest } from "./manifest/load.js";
import { loadOperation } from "./manifest/rooms.js";
import { performOperation } from "./perform.js";
import { standingIn } from "./standing.js";

/** Its payload; throws a `Failure` with the class of the refusal. */
export async function callOperation(id: `op/${string}`, input: JsonObject, call: Call): Promise<JsonObject> {
  const entry = loadManifest().operations.find(({ names }) => names.id === id);
  if (entry === undefined) throw new Error(`there is no operation ${id}`);
  const operation = await loadOperation(entry);
  const authority = { surface: "cli", standing: standingIn(call.env, { kind: "person" }) } as const;
  const envelope = await performOperation(operation, input, { call, authority });
  const outcome = outcomeOf(envelope);
  if (outcome.kind === "accepted" && isJsonObject(outcome.payload)) return outcome.payload;
  throw new Failure(isFailureClass(envelope.resultClass) ? envelope.resultClass : "internal_error", {
    message: outcome.kind === "refused" ? outcome.message : `${entry.names.action} was rejected`,
    ...(outcome.kind === "refused" && outcome.hint !== undefined ? { hint: outcome.hint } : {}),
  });
}
