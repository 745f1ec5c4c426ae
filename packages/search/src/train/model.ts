/**
 * A trained model as a file: what it weighs, what it was trained on, and how it did
 * on a time that it had not seen.
 *
 * Numbers that were worked out are text of six digits, so that the file has the
 * same bytes on every machine, and what is used is what the file says. A model that
 * has failed says so in the file.
 */
import { sentencesAbout } from "@bridle/operation";
import { canonicalJson, Failure, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { featureVersion, keepFeatureNames, stopFeatureNames } from "./features.js";

export const modelSchemaVersion = "hlq.model.v2";

const closed = { additionalProperties: false };
const decimal = Type.String({ pattern: "^-?\\d+\\.\\d+$" });
const count = Type.Integer({ minimum: 0 });
const names = Type.Array(Type.String({ minLength: 1 }));

const validation = Type.Object(
  {
    base_log_loss: decimal,
    base_rate: decimal,
    calibration_error: decimal,
    calibration_standard_error: Type.Union([decimal, Type.Null()]),
    examples: count,
    gain: decimal,
    log_loss: decimal,
    markets: count,
    positives: count,
    standard_error: Type.Union([decimal, Type.Null()]),
  },
  {
    ...closed,
    description:
      "On the validation part: the log loss of the model and of the base rate of the training part, what the model gains " +
      "with its standard error, and by how much its mean probability is above the share that happened.",
  },
);

const task = {
  /** Null when it has learnt something. */
  failed: Type.Union([Type.String(), Type.Null()]),
  feature_names: names,
  penalty: decimal,
  validation,
  weights: Type.Array(decimal),
};

export const ModelSchema = Type.Object(
  {
    feature_version: Type.String(),
    keep: Type.Object(task, closed),
    schema_version: Type.Literal(modelSchemaVersion),
    stop: Type.Object({ ...task, stop_confidence: decimal }, closed),
    training: Type.Object(
      {
        examples_sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
        markets: names,
        pack_ids: names,
        trajectories: count,
        until_hour: Type.Integer({
          description:
            "Hours since 1970: whatever began before counts as learnt from, in every pack, because the training and the validation part end here and an embargo follows them.",
        }),
        validation_trajectories: count,
      },
      closed,
    ),
  },
  { ...closed, $id: modelSchemaVersion },
);
export type Model = Type.Static<typeof ModelSchema>;
export type TaskModel = Model["keep"];

export function modelText(model: Model): string {
  return `${JSON.stringify(model, null, 2)}\n`;
}

/** Names the model in a policy's params. */
export function modelDigest(model: Model): string {
  return sha256Hex(canonicalJson(model as unknown as JsonObject));
}

/** What it says about itself when it failed; undefined when both tasks were learnt. */
export function modelFailure({ keep, stop }: Model): string | undefined {
  const said = [
    ...(stop.failed === null ? [] : [`stop: ${stop.failed}`]),
    ...(keep.failed === null ? [] : [`keep: ${keep.failed}`]),
  ];
  return said.length === 0 ? undefined : said.join("; ");
}

/** Contract: throws `model_invalid` with what is wrong and where. */
export function readModel(text: string, place: string): Model {
  const invalid = (what: string, cause?: unknown) =>
    new Failure("model_invalid", {
      message: `${place}: ${what}`,
      hint: "Train it anew with `hlq train`.",
      cause,
    });
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw invalid("it is not JSON", error);
  }
  const [problem] = sentencesAbout(ModelSchema, value);
  if (problem !== undefined) throw invalid(problem);
  const model = value as unknown as Model;
  if (model.feature_version !== featureVersion)
    throw invalid(`its features are of version ${model.feature_version}, this program has ${featureVersion}`);
  for (const [name, { feature_names, weights }, expected] of [
    ["stop", model.stop, stopFeatureNames],
    ["keep", model.keep, keepFeatureNames],
  ] as const) {
    if (feature_names.join("\n") !== expected.join("\n") || weights.length !== expected.length)
      throw invalid(`${name} has other features than this program`);
  }
  return model;
}
