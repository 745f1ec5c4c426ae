/** A feature ledger as a person reads it: a line a feature, or the one that matters, then what it amounts to. */
import { columns, type Paint } from "@bridle/operation";
import { checkFeatures } from "../projection/feature-check.js";
import type { FeatureCheck, FoundFeature, FoundLedger } from "../types.js";
import { cell } from "./text-layout.js";

export interface LedgerShown {
  readonly ledger: FoundLedger;
  readonly path: string;
  /** The one feature to show; all of them when left out. */
  readonly featureId?: string;
}

export function presentLedger({ ledger, path, featureId }: LedgerShown, paint: Paint): string {
  const { summary, nextFeatureId } = checkFeatures(ledger);
  const rows = ledger.features
    .filter((feature) => featureId === undefined || feature.featureId === featureId)
    .map((feature) => featureRow(feature, paint));
  const next = nextFeatureId === null ? "" : ` · next ${nextFeatureId}`;
  return [...columns(rows), `  ${countsLine(summary)}${next} ${paint.dim(path)}`].join("\n");
}

function featureRow(feature: FoundFeature, paint: Paint): string[] {
  const { featureId, summary, issueId } = feature;
  return [
    paint.strong(cell(featureId)),
    statusText(feature.status, paint),
    cell(issueId === featureId ? "" : (issueId ?? "")),
    cell(summary ?? ""),
  ];
}

function statusText(status: string, paint: Paint): string {
  const shown = cell(status);
  if (status === "completed") return paint.good(shown);
  if (status === "in_progress") return paint.note(shown);
  return status === "pending" ? shown : paint.bad(shown);
}

export function countsLine(summary: FeatureCheck["summary"]): string {
  return [
    `${summary.completedCount} of ${summary.featureCount} completed`,
    `${summary.inProgressCount} in progress`,
    `${summary.pendingCount} pending`,
    `${summary.blockedCount} blocked`,
  ].join(" · ");
}
