/** `premath harness-feature check`: whether the ledger keeps its rules. */
import { defineOperation, type Paint } from "@bridle/operation";
import * as Type from "typebox";
import { checkFeatures } from "../projection/feature-check.js";
import { openLedger } from "../projection/feature-ledger.js";
import { FeatureCheck, featureCheckKind } from "../types.js";
import { ledgerMissing } from "./feature-missing.js";
import { featureLedgerDefault, featureLedgerPlace, pathInput, rootInput } from "../calls/place.js";
import { countsLine } from "./present-features.js";

export const featureCheck = defineOperation({
  names: {
    id: "op/harness.feature_check",
    action: "harness.feature.check",
    command: ["harness-feature", "check"],
    tool: "harness_feature_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Check the rules of the feature ledger.",
  description:
    "Ids are unique, at most one feature is in progress, and what is completed names what verified it. Every error is " +
    "listed in the order of the ledger; any makes the exit code 1. Nothing is changed.",
  examples: [
    { command: "premath harness-feature check", says: "is the ledger in order?" },
    { command: "premath harness-feature check --require-closure", says: "and is every feature completed?" },
  ],
  input: Type.Object(
    {
      path: pathInput("The feature ledger", featureLedgerDefault),
      requireClosure: Type.Optional(
        Type.Boolean({ description: "Also reject a ledger whose features are not all completed." }),
      ),
      root: rootInput,
    },
    { additionalProperties: false },
  ),
  output: FeatureCheck,
  async run(input, call) {
    const place = await featureLedgerPlace(input, call);
    const document = await openLedger({ ...place, ports: call.ports });
    const ledger = await document.read();
    if (ledger === undefined) return ledgerMissing(place);
    const { requireClosure = false } = input;
    const { errors, failureClasses, summary, nextFeatureId } = checkFeatures(ledger, { requireClosure });
    return {
      action: "harness-feature.check" as const,
      path: place.shown,
      checkKind: featureCheckKind as typeof featureCheckKind,
      result: errors.length === 0 ? ("accepted" as const) : ("rejected" as const),
      requireClosure,
      failureClasses: [...failureClasses],
      errors: [...errors],
      summary,
      nextFeatureId,
    };
  },
  present: (check, paint) =>
    [
      ...check.errors.map((error) => `  ${paint.bad(error.class)}  ${error.message}`),
      `  ${verdict(check, paint)}: ${countsLine(check.summary)} ${paint.dim(check.path)}`,
    ].join("\n"),
});

function verdict({ result, summary }: FeatureCheck, paint: Paint): string {
  if (result === "rejected") return paint.bad("rejected");
  return paint.good(summary.closureComplete ? "closed" : "in order");
}
