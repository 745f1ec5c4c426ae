/** `premath harness-feature read`: the feature ledger as it stands. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { openLedger } from "../projection/feature-ledger.js";
import { FoundLedger } from "../types.js";
import { ledgerMissing } from "./feature-missing.js";
import { featureLedgerDefault, featureLedgerPlace, pathInput, rootInput } from "../calls/place.js";
import { presentLedger } from "./present-features.js";

export const featureRead = defineOperation({
  names: {
    id: "op/harness.feature_read",
    action: "harness.feature.read",
    command: ["harness-feature", "read"],
    tool: "harness_feature_read",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Show the feature ledger.",
  description:
    "Reads the ledger of the git worktree that you stand in: which features there are and where each stands. A file " +
    "of another kind or form is refused by member; whether the rows keep the rules is for `harness-feature check`.",
  examples: [
    { command: "premath harness-feature read", says: "the features of this worktree" },
    { command: "premath harness-feature read --path ledger.json --json", says: "another ledger, as JSON" },
  ],
  input: Type.Object(
    { path: pathInput("The feature ledger", featureLedgerDefault), root: rootInput },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-feature.read"),
    path: Type.String(),
    ledger: FoundLedger,
  }),
  async run(input, call) {
    const place = await featureLedgerPlace(input, call);
    const document = await openLedger({ ...place, ports: call.ports });
    const ledger = await document.read();
    if (ledger === undefined) return ledgerMissing(place);
    return { action: "harness-feature.read" as const, path: place.shown, ledger };
  },
  present: (shown, paint) => presentLedger(shown, paint),
});
