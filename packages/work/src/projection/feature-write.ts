/**
 * What a write makes of the ledger, or why it is refused.
 *
 * A write is refused for what it would break itself: its own row, and at most
 * one feature in progress. What was broken before stays for `check` to name, so
 * that a ledger that somebody else broke can be mended row by row.
 *
 * A feature that a crashed worker left in progress is not in the way of its
 * successor: `next` names it first. To start another one instead, or to go on
 * with it under another session, the start says why it takes over; the ledger
 * has no heartbeat, so that nobody is declared dead by guessing.
 */
import { compareCodePoints, normalizeRefs, refuse, type Refusal } from "@bridle/record";
import { optionalText } from "../text.js";
import {
  featureLedgerKind,
  type FeatureStatus,
  type FoundFeature,
  type FoundLedger,
  type TakenOver,
} from "../types.js";
import { checkFeatures } from "./feature-check.js";
import { compact } from "./feature-ledger.js";

export interface FeatureUpdate {
  readonly featureId: string;
  readonly status: FeatureStatus;
  /** Absent keeps, blank removes. */
  readonly issueId?: string;
  readonly summary?: string;
  /** The session that writes. */
  readonly sessionRef?: string;
  /** Replace the old ones when at least one is not blank. */
  readonly instructionRefs?: readonly string[];
  readonly verificationRefs?: readonly string[];
  /** Why a feature that is in progress may be set back, or changes hands. */
  readonly takeOver?: string;
}

export interface WrittenFeature {
  readonly ledger: FoundLedger;
  /** Features that were in progress and no longer are, or now are another session's. */
  readonly takenOver: readonly string[];
  /** The ledger still belongs to this session, because a feature of its is in progress. */
  readonly staysWith?: string;
}

export function writeFeature(
  current: FoundLedger | undefined,
  update: FeatureUpdate,
  now: string,
): WrittenFeature | Refusal {
  const featureId = update.featureId.trim();
  if (featureId === "") {
    return refuse("harness_feature_ledger.feature_id.empty", {
      message: "feature-id must be non-empty",
      hint: unwritten,
    });
  }
  const before = current?.features ?? [];
  const writer = optionalText(update.sessionRef);
  const holder = current?.sessionRef;
  const isForeign = writer !== undefined && holder !== undefined && writer !== holder;
  const inTheWay =
    update.status === "in_progress"
      ? before.filter((row) => row.status === "in_progress" && (isForeign || row.featureId !== featureId))
      : [];
  const reason = optionalText(update.takeOver);
  if (inTheWay.length > 0 && reason === undefined) return alreadyStarted(featureId, inTheWay, holder);

  const handedOver: TakenOver | undefined =
    reason === undefined
      ? undefined
      : { at: now, reason, ...(holder === undefined ? {} : { sessionRef: holder }) };
  const features = before.map((row): FoundFeature => {
    if (!inTheWay.includes(row)) return row;
    return { ...row, status: "pending", takenOver: handedOver, updatedAt: now };
  });
  const place = features.findIndex((row) => row.featureId === featureId);
  const row = mergeFeature(features[place], { ...update, featureId }, now);
  if (place === -1) features.push(row);
  else features[place] = row;
  features.sort((left, right) => compareCodePoints(left.featureId, right.featureId));

  const isTaken = inTheWay.length > 0;
  const stays =
    isForeign && update.status !== "in_progress" && features.some(({ status }) => status === "in_progress");
  const ledger = compact({
    schema: 1 as const,
    ledgerKind: featureLedgerKind as typeof featureLedgerKind,
    // Whoever takes over without a name leaves none, rather than that of the one who lost it.
    sessionRef: stays ? holder : isTaken ? writer : (writer ?? holder),
    updatedAt: now,
    features,
  }) as FoundLedger;
  return (
    brokenBy(featureId, ledger) ?? {
      ledger,
      takenOver: inTheWay.map((taken) => taken.featureId),
      ...(stays && holder !== undefined ? { staysWith: holder } : {}),
    }
  );
}

const unwritten = "Nothing was written.";

function mergeFeature(current: FoundFeature | undefined, update: FeatureUpdate, now: string): FoundFeature {
  return compact({
    featureId: update.featureId,
    status: update.status,
    issueId: mergeText(update.issueId, current?.issueId),
    summary: mergeText(update.summary, current?.summary),
    instructionRefs: mergeRefs(update.instructionRefs, current?.instructionRefs),
    verificationRefs: mergeRefs(update.verificationRefs, current?.verificationRefs),
    takenOver: current?.takenOver,
    updatedAt: now,
  }) as FoundFeature;
}

function mergeText(given: string | undefined, current: string | undefined): string | undefined {
  return given === undefined ? current : optionalText(given);
}

function mergeRefs(
  given: readonly string[] | undefined,
  current: readonly string[] | undefined,
): string[] | undefined {
  const named = normalizeRefs(given ?? []);
  const merged = named.length > 0 ? named : normalizeRefs(current ?? []);
  return merged.length === 0 ? undefined : merged;
}

function alreadyStarted(
  featureId: string,
  inTheWay: readonly FoundFeature[],
  holder: string | undefined,
): Refusal {
  const ids = inTheWay.map((row) => row.featureId);
  const [first = ""] = ids;
  const whose = holder === undefined ? "" : ` under the session ${holder}`;
  return refuse("harness_feature_ledger.in_progress.non_contractible", {
    message: `${featureId} cannot be started: ${ids.join(", ")} ${ids.length === 1 ? "is" : "are"} in progress${whose}`,
    hint:
      `Go on with ${first}, or end it first with \`premath harness-feature write --feature-id ${first} --status …\`. ` +
      "If whoever started it is gone, start yours with --take-over <reason>.",
    detail: { inProgress: ids, ...(holder === undefined ? {} : { sessionRef: holder }) },
  });
}

function brokenBy(featureId: string, ledger: FoundLedger): Refusal | undefined {
  const error = checkFeatures(ledger).errors.find((found) => found.featureId === featureId);
  if (error === undefined) return undefined;
  const hint =
    error.class === "harness_feature_ledger.completed_missing_verification_ref"
      ? `Name what verified it with --verification-ref <ref>. ${unwritten}`
      : unwritten;
  return refuse(error.class, { message: error.message, hint, detail: { featureId } });
}
