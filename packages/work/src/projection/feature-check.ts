/**
 * The rules of a feature ledger, and which feature comes next.
 *
 * Errors come in the order of the ledger, so that the same file is judged with
 * the same words every time. `blocked` features are never next: somebody has to
 * say that they are no longer blocked.
 */
import { compareCodePoints, type FailureClass } from "@bridle/record";
import { quoted } from "../text.js";
import { type FeatureCheck, featureStatuses, type FoundFeature, type FoundLedger } from "../types.js";

export type LedgerClass = Extract<FailureClass, `harness_feature_ledger.${string}`>;

export interface LedgerError {
  readonly class: LedgerClass;
  readonly featureId?: string;
  readonly message: string;
}

export interface LedgerJudgement {
  readonly errors: readonly LedgerError[];
  /** Sorted, no repeats. */
  readonly failureClasses: readonly LedgerClass[];
  readonly summary: FeatureCheck["summary"];
  readonly nextFeatureId: string | null;
}

export function checkFeatures(
  ledger: FoundLedger,
  { requireClosure = false }: { readonly requireClosure?: boolean } = {},
): LedgerJudgement {
  const errors = [...errorsOf(ledger)];
  const { features } = ledger;
  const having = (status: string) => features.filter((feature) => feature.status === status).length;
  const completedCount = having("completed");
  const closureComplete = errors.length === 0 && completedCount === features.length;
  if (requireClosure && !closureComplete) {
    errors.push({
      class: "harness_feature_ledger.closure_incomplete",
      message: `${completedCount} of ${features.length} features are completed`,
    });
  }
  return {
    errors,
    failureClasses: [...new Set(errors.map((error) => error.class))].sort(compareCodePoints),
    summary: {
      featureCount: features.length,
      pendingCount: having("pending"),
      inProgressCount: having("in_progress"),
      blockedCount: having("blocked"),
      completedCount,
      closureComplete,
    },
    nextFeatureId: nextFeature(features),
  };
}

function* errorsOf({ updatedAt, features }: FoundLedger): Generator<LedgerError> {
  if (isBlank(updatedAt)) {
    yield { class: "harness_feature_ledger.updated_at.empty", message: "the ledger's updatedAt is empty" };
  }
  if (features.length === 0) {
    yield { class: "harness_feature_ledger.empty", message: "the ledger has no features" };
  }
  const seen = new Set<string>();
  for (const [place, feature] of features.entries()) {
    if (isBlank(feature.featureId)) {
      // Nothing more can be said about a row that cannot be named.
      yield {
        class: "harness_feature_ledger.feature_id.empty",
        message: `the featureId of row ${place + 1} is empty`,
      };
      continue;
    }
    yield* errorsOfRow(feature, seen.has(feature.featureId));
    seen.add(feature.featureId);
  }
  const inProgress = features.filter(({ status }) => status === "in_progress");
  if (inProgress.length > 1) {
    yield {
      class: "harness_feature_ledger.in_progress.non_contractible",
      message: `${inProgress.length} features are in progress: ${inProgress.map(({ featureId }) => featureId).join(", ")}`,
    };
  }
}

function* errorsOfRow(feature: FoundFeature, repeated: boolean): Generator<LedgerError> {
  const { featureId, status, instructionRefs = [], verificationRefs = [] } = feature;
  const error = (name: LedgerClass, message: string): LedgerError => ({
    class: name,
    featureId,
    message: `${featureId}: ${message}`,
  });
  if (repeated)
    yield error("harness_feature_ledger.feature_id.duplicate", "another row has the same featureId");
  if (isBlank(feature.updatedAt)) {
    yield error("harness_feature_ledger.feature.updated_at.empty", "updatedAt is empty");
  }
  if (!(featureStatuses as readonly string[]).includes(status)) {
    yield error(
      "harness_feature_ledger.status.invalid",
      `status is ${quoted(status)}, expected ${featureStatuses.join(", ")}`,
    );
  }
  if (status === "completed" && !verificationRefs.some((ref) => !isBlank(ref))) {
    yield error(
      "harness_feature_ledger.completed_missing_verification_ref",
      "it is completed, but no verification ref says so",
    );
  }
  if (instructionRefs.some(isBlank)) {
    yield error("harness_feature_ledger.instruction_ref.empty", "one of instructionRefs is empty");
  }
  if (verificationRefs.some(isBlank)) {
    yield error("harness_feature_ledger.verification_ref.empty", "one of verificationRefs is empty");
  }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

/** The smallest id that is in progress, else the smallest that is pending, else none. */
export function nextFeature(features: readonly FoundFeature[]): string | null {
  return smallest(features, "in_progress") ?? smallest(features, "pending") ?? null;
}

function smallest(features: readonly FoundFeature[], wanted: string): string | undefined {
  const ids = features
    .filter(({ status, featureId }) => status === wanted && featureId !== "")
    .map(({ featureId }) => featureId);
  return ids.sort(compareCodePoints)[0];
}
