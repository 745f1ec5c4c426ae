/** `premath harness-feature write`: adds a feature, or says where it stands now. */
import { defineOperation } from "@bridle/operation";
import { failureFrom, formatSeconds, isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { checkFeatures } from "../projection/feature-check.js";
import { openLedger } from "../projection/feature-ledger.js";
import { type WrittenFeature, writeFeature } from "../projection/feature-write.js";
import { FoundLedger } from "../types.js";
import { mutationInput } from "./mutation-input.js";
import { featureLedgerDefault, featureLedgerPlace, pathInput, rootInput } from "../calls/place.js";
import { presentLedger } from "./present-features.js";
import { refsFlag, refsInput } from "./refs-input.js";

const text = (placeholder: string, description: string) =>
  Type.String({ "x-placeholder": placeholder, description });

export const featureWrite = defineOperation({
  names: {
    id: "op/harness.feature_write",
    action: "harness.feature.write",
    command: ["harness-feature", "write"],
    tool: "harness_feature_write",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Add a feature to the ledger, or say where it stands.",
  description:
    "What is not named stays as it was, what is named blank is removed, and refs that are named replace the old ones. " +
    "At most one feature is in progress, and a completed one names what verified it: a write that would break this is " +
    "refused and nothing is written. A feature that somebody left in progress is set back with --take-over, which " +
    "leaves the reason in its row. Members that this version does not know are kept as they are.",
  examples: [
    {
      command: "premath harness-feature write --feature-id bd-14 --status in_progress --issue-id bd-14",
      says: "starts a feature",
    },
    {
      command:
        "premath harness-feature write --feature-id bd-14 --status completed --verification-ref ci://412",
      says: "ends it, with what verified it",
    },
    {
      command:
        'premath harness-feature write --feature-id bd-15 --status in_progress --take-over "worker.2 crashed"',
      says: "starts one although another was left in progress",
    },
  ],
  input: Type.Object(
    {
      path: pathInput("The feature ledger", featureLedgerDefault),
      featureId: text("id", "Names the feature."),
      status: Type.Enum(["pending", "in_progress", "blocked", "completed"], {
        description: "Where it stands.",
      }),
      issueId: Type.Optional(text("id", "The issue that it belongs to; blank removes it.")),
      summary: Type.Optional(text("text", "What it is, or where it stands; blank removes it.")),
      sessionRef: Type.Optional(text("ref", "The session that works by this ledger, such as its file.")),
      instructionRefs: refsInput.instructionRefs,
      verificationRefs: refsFlag("verification-ref", "What verified it"),
      takeOver: Type.Optional(
        Type.String({
          pattern: "\\S",
          "x-placeholder": "reason",
          description:
            "With --status in_progress: set back what another left in progress, and say why; the reason is kept.",
        }),
      ),
      root: rootInput,
      instructionId: mutationInput.instructionId,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-feature.write"),
    path: Type.String(),
    featureId: Type.String(),
    ledger: FoundLedger,
    takenOver: Type.Optional(
      Type.Array(Type.String(), { description: "Features that were in progress and were taken over." }),
    ),
  }),
  async run(input, call) {
    const { ports } = call;
    if (input.takeOver !== undefined && input.status !== "in_progress") {
      return refuse("input_invalid", {
        message: "--take-over goes with --status in_progress only",
        hint: "Leave it out: ending a feature takes nothing over.",
      });
    }
    const place = await featureLedgerPlace(input, call);
    const document = await openLedger({ ...place, ports, signal: call.signal });
    call.signal.throwIfAborted();
    let written: WrittenFeature | undefined;
    const ledger = await document.change(async (current) => {
      // Asked under the lock, so that the row which was written last is also the latest.
      const answer = writeFeature(current, input, formatSeconds(await ports.clock.now()));
      if (isRefusal(answer)) throw failureFrom(answer);
      written = answer;
      return answer.ledger;
    });
    const { takenOver = [], staysWith } = written ?? {};
    const was = takenOver.length === 1 ? "was" : "were";
    if (takenOver.length > 0) call.warn(`${takenOver.join(", ")} ${was} in progress and ${was} taken over.`);
    if (staysWith !== undefined) {
      call.warn(`The ledger stays with the session ${staysWith}, which has a feature in progress.`);
    }
    const { failureClasses } = checkFeatures(ledger);
    if (failureClasses.length > 0) {
      call.warn(
        `${place.shown} broke its rules before this write and still does: ${failureClasses.join(", ")}.\n` +
          "`premath harness-feature check` names the rows.",
      );
    }
    return {
      action: "harness-feature.write" as const,
      path: place.shown,
      featureId: input.featureId.trim(),
      ledger,
      ...(takenOver.length === 0 ? {} : { takenOver: [...takenOver] }),
    };
  },
  present: (shown, paint) => presentLedger(shown, paint),
});
