/**
 * The heuristic and the assisted policy as the catalogue lists them.
 *
 * A run of the assisted policy records the whole model beside its digest: then it
 * can be resumed, forked and understood without the file that it came from.
 */
import { failureAt, Failure, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { readWhole } from "../read-whole.js";
import { isAbsolute, join } from "node:path";
import * as Type from "typebox";
import type { CatalogueEntry, PolicySurroundings } from "./catalogue.js";

export const decidingPolicies = {
  heuristic: {
    summary: "Reads view after view, lets each vote, and stops when the rest could not turn it.",
    params: Type.Object(
      {
        thorough: Type.Optional(
          Type.Boolean({ default: false, description: "Read every view, to have more to train from." }),
        ),
      },
      { additionalProperties: false },
    ),
    async make({ thorough = false }) {
      return (await import("./heuristic.js")).heuristicPolicy({ thorough: thorough === true });
    },
  },
  assisted: {
    summary: "The heuristic's reading, with models from `hlq train` for what to keep and when to stop.",
    params: Type.Object(
      {
        abstain_risk: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 0.5,
            default: 0.4,
            description: "Abstain where the answer is wrong with a greater probability than this.",
          }),
        ),
        trained_model: Type.Unknown({ description: "The file of the model, or the model itself." }),
        trained_model_sha256: Type.Optional(Type.String({ description: "What its digest must be." })),
      },
      { additionalProperties: false },
    ),
    async make({ abstain_risk, trained_model: given, trained_model_sha256: expected }, surroundings) {
      const [{ assistedPolicy }, { modelDigest, readModel }] = await Promise.all([
        import("./assisted.js"),
        import("../train/model.js"),
      ]);
      const { text, place } = await modelFrom(given, surroundings);
      const model = readModel(text, place);
      if (expected !== undefined && expected !== modelDigest(model)) {
        throw new Failure("policy_params_invalid", {
          message: `${place}: the digest of the model is ${modelDigest(model)}, and ${String(expected)} was asked for`,
          hint: "Name the model that was meant, or leave the digest out.",
        });
      }
      return assistedPolicy(model, abstain_risk === undefined ? {} : { abstainRisk: Number(abstain_risk) });
    },
  },
} satisfies Readonly<Record<string, CatalogueEntry>>;

async function modelFrom(
  given: JsonValue | undefined,
  { ports, cwd }: PolicySurroundings,
): Promise<{ readonly text: string; readonly place: string }> {
  if (isJsonObject(given)) return { text: JSON.stringify(given as JsonObject), place: "trained_model" };
  if (typeof given !== "string" || given === "") {
    throw new Failure("policy_params_invalid", {
      message: "the policy assisted needs a model",
      hint: 'Train one with `hlq train` and name its file, as in --params \'{"trained_model": "model.json"}\'.',
    });
  }
  const path = isAbsolute(given) ? given : join(cwd, given);
  try {
    return { text: await readWhole(path, ports.files), place: given };
  } catch (error) {
    throw failureAt(path, error);
  }
}
