/** An evaluation as a table for a terminal: a policy a line, what it is worth in percent, and what it took. */
import { columns, type Paint } from "@bridle/operation";
import { shownInterval } from "./interval.js";
import type { Difference, Estimate, Evaluation, PolicyEvaluation } from "./types.js";

const nothing = "–";

export function evaluationTable(evaluation: Evaluation, paint: Paint): string[] {
  const { policies, differences, truths, episode_count, market_count } = evaluation;
  const repeats = Math.max(1, ...policies.map(({ pass }) => pass.length));
  const against = differences[0]?.against;
  const heading = [
    "",
    "accuracy",
    ...(against === undefined ? [] : [`vs ${against}`]),
    "decided right",
    "coverage",
    "steps",
    "keep prec/recall",
    "Brier",
    ...(repeats > 1 ? [`pass^${repeats}`] : []),
    "cost",
  ].map((name) => (name === "" ? "" : paint.dim(name)));
  const rows = policies.map((policy) => {
    const difference = differences.find(({ label }) => label === policy.label);
    const isBaseline = policy.kind === "baseline";
    return [
      isBaseline ? paint.dim(policy.label) : paint.strong(policy.label),
      withInterval(policy.accuracy),
      ...(against === undefined ? [] : [differenceCell(difference, paint)]),
      percent(policy.accuracy_decided),
      percent(policy.coverage),
      fixed(policy.work?.steps, 1),
      policy.keep === null ? nothing : `${fixed(policy.keep.precision, 2)} / ${fixed(policy.keep.recall, 2)}`,
      fixed(policy.calibration?.brier, 3),
      ...(repeats > 1 ? [percent(policy.pass.find(({ k }) => k === repeats)?.share)] : []),
      costCell(policy),
    ];
  });
  const markets = `${episode_count} ${episode_count === 1 ? "episode" : "episodes"} of ${market_count} ${market_count === 1 ? "market" : "markets"}`;
  const classes = `truth: ${truths.finalize_signal} signal, ${truths.finalize_low_signal} low, ${truths.abstain} abstain`;
  return [
    ...columns([heading, ...rows]),
    `  ${paint.dim(`${markets} · ${classes} · brackets: 95 % ${intervalWords(policies)}`)}`,
    ...missingLines(policies, paint),
  ];
}

function intervalWords(policies: readonly PolicyEvaluation[]): string {
  return policies.some(({ accuracy }) => accuracy.by_market !== null)
    ? "by market"
    : "as if episodes were independent (too few markets)";
}

function missingLines(policies: readonly PolicyEvaluation[], paint: Paint): string[] {
  return policies
    .filter(({ missing_count }) => missing_count > 0)
    .map(({ label, missing_count }) =>
      paint.note(
        `  ${label}: ${missing_count} ${missing_count === 1 ? "episode has" : "episodes have"} not ended and ${missing_count === 1 ? "is" : "are"} in no number`,
      ),
    );
}

/** Better or worse only where the interval leaves no doubt about it. */
function differenceCell(difference: Difference | undefined, paint: Paint): string {
  if (difference === undefined) return nothing;
  const { value, by_market: interval } = difference;
  const text = `${signed(value)}${interval === null ? "" : ` [${signed(interval.low)} ${signed(interval.high)}]`}`;
  if (interval !== null && interval.low > 0) return paint.good(text);
  return interval !== null && interval.high < 0 ? paint.bad(text) : text;
}

function withInterval(estimate: Estimate): string {
  const interval = shownInterval(estimate);
  if (estimate.value === null) return nothing;
  const between = interval === null ? "" : ` [${points(interval.low)} ${points(interval.high)}]`;
  return `${points(estimate.value)} %${between}`;
}

function costCell({ cost }: PolicyEvaluation): string {
  return cost === null || cost.total_usd === 0 ? nothing : `$${cost.total_usd.toFixed(2)}`;
}

export const points = (share: number): string => (share * 100).toFixed(1);

function signed(share: number): string {
  const text = points(Math.abs(share));
  if (text === "0.0") return text;
  return share < 0 ? `−${text}` : `+${text}`;
}

function percent(estimate: Estimate | undefined): string {
  return estimate === undefined || estimate.value === null ? nothing : `${points(estimate.value)} %`;
}

function fixed(estimate: Estimate | undefined, digits: number): string {
  return estimate === undefined || estimate.value === null ? nothing : estimate.value.toFixed(digits);
}
