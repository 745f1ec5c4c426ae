/** `premath harness-feature next`: the feature to go on with. */
import { defineOperation } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { checkFeatures, type LedgerJudgement } from "../projection/feature-check.js";
import { openLedger } from "../projection/feature-ledger.js";
import { featureLedgerDefault, featureLedgerPlace, pathInput, rootInput } from "../calls/place.js";

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const featureNext = defineOperation({
  names: {
    id: "op/harness.feature_next",
    action: "harness.feature.next",
    command: ["harness-feature", "next"],
    tool: "harness_feature_next",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Say which feature to go on with.",
  description:
    "The smallest id that is in progress, else the smallest that is pending, else none; a blocked feature is never " +
    "next. A ledger that is not there yet has no next feature; one that breaks its rules is refused with the classes " +
    "that `harness-feature check` explains.",
  examples: [
    { command: "premath harness-feature next", says: "what to work on" },
    { command: "premath harness-feature next --json", says: "the same for a program" },
  ],
  input: Type.Object(
    { path: pathInput("The feature ledger", featureLedgerDefault), root: rootInput },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-feature.next"),
    path: Type.String(),
    exists: Type.Boolean({ description: "Whether there is a ledger." }),
    nextFeatureId: orNull(Type.String()),
    closureComplete: orNull(Type.Boolean()),
    featureCount: orNull(Type.Integer()),
  }),
  async run(input, call) {
    const place = await featureLedgerPlace(input, call);
    const answer = { action: "harness-feature.next" as const, path: place.shown };
    const document = await openLedger({ ...place, ports: call.ports });
    const ledger = await document.read();
    if (ledger === undefined) {
      return { ...answer, exists: false, nextFeatureId: null, closureComplete: null, featureCount: null };
    }
    const judgement = checkFeatures(ledger);
    const { summary, nextFeatureId } = judgement;
    return (
      rejected(judgement) ?? {
        ...answer,
        exists: true,
        nextFeatureId,
        closureComplete: summary.closureComplete,
        featureCount: summary.featureCount,
      }
    );
  },
  present({ exists, nextFeatureId, closureComplete, path }, paint) {
    if (!exists) return `  no feature ledger at ${path}`;
    if (nextFeatureId !== null) return `  ${paint.strong(nextFeatureId)}`;
    return closureComplete === true
      ? `  ${paint.good("every feature is completed")}`
      : "  nothing but blocked features";
  },
});

function rejected({ failureClasses }: LedgerJudgement): Refusal | undefined {
  const [first] = failureClasses;
  if (first === undefined) return undefined;
  return refuse(first, {
    message: `ledger rejected: ${failureClasses.join(", ")}`,
    hint: "See `premath harness-feature check`.",
    detail: { failureClasses },
  });
}
