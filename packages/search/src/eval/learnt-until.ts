/**
 * Until when what decided had learnt. A run of the assisted policy records its
 * whole model, and the model says it; a policy of somebody else may say it in its
 * parameters. What began before counts as train, in every pack.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";

export function learntUntil({
  policy_params: params,
}: {
  readonly policy_params: JsonObject;
}): number | undefined {
  const model = params["trained_model"];
  const training = isJsonObject(model) ? model["training"] : undefined;
  const split = isJsonObject(model) ? model["split"] : undefined;
  return (
    hourIn(training, "until_hour") ??
    // Models of the first format were split by coin and by a cut of time.
    hourIn(split, "cut_hour") ??
    hourIn(params, "learnt_until_hour")
  );
}

function hourIn(value: JsonValue | undefined, name: string): number | undefined {
  const hour = isJsonObject(value) ? value[name] : undefined;
  return typeof hour === "number" ? hour : undefined;
}
