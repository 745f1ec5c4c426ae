/** Operations of other rooms, called by their id as every surface calls them: validated, gated, enveloped. */
import { type Call, commandLineAuthority, outcomeOf } from "@bridle/operation";
import { Failure, isJsonObject, type JsonObject } from "@bridle/record";
import { isFailureClass } from "../manifest/failure-classes.js";
import { loadManifest } from "../manifest/load.js";
import { loadOperation } from "../manifest/rooms.js";
import { performOperation } from "../perform.js";

/** Its payload; throws a `Failure` with the class of the refusal. */
export async function callOperation(id: `op/${string}`, input: JsonObject, call: Call): Promise<JsonObject> {
  const entry = loadManifest().operations.find(({ names }) => names.id === id);
  if (entry === undefined) throw new Error(`there is no operation ${id}`);
  const operation = await loadOperation(entry);
  const envelope = await performOperation(operation, input, { call, authority: commandLineAuthority() });
  const outcome = outcomeOf(envelope);
  if (outcome.kind === "accepted" && isJsonObject(outcome.payload)) return outcome.payload;
  throw new Failure(isFailureClass(envelope.resultClass) ? envelope.resultClass : "internal_error", {
    message: outcome.kind === "refused" ? outcome.message : `${entry.names.action} was rejected`,
    ...(outcome.kind === "refused" && outcome.hint !== undefined ? { hint: outcome.hint } : {}),
  });
}
