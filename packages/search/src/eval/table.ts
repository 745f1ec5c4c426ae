/** An evaluation as tables for a terminal: a policy a line, what it is worth, and what can be told of two. */
import { columns, type Paint } from "@bridle/operation";
import type { Comparison, Difference, Estimate, Evaluation, PolicyEvaluation } from "./types.js";

const nothing = "–";

export function evaluationTable(evaluation: Evaluation, paint: Paint): string[] {
  const { policies, comparisons } = evaluation;
  const repeats = Math.max(1, ...policies.map(({ pass }) => pass.length));
  const hasCosts = policies.some(({ cost_by_matrix }) => cost_by_matrix !== null);
  const hasKeep = policies.some(({ keep }) => keep !== null);
  const heading = [
    "",
    "accuracy",
    "decided right",
    "coverage",
    "AUC",
    "log loss",
    "Brier skill",
    ...(hasCosts ? ["cost of answers"] : []),
    "steps",
    ...(hasKeep ? ["keep prec/recall"] : []),
    ...(repeats > 1 ? [`pass^${repeats}`] : []),
    "cost",
  ].map((name) => (name === "" ? "" : paint.dim(name)));
  const rows = policies.map((policy) => [
    policy.kind === "baseline" ? paint.dim(policy.label) : paint.strong(policy.label),
    withInterval(policy.accuracy),
    percent(policy.accuracy_decided),
    percent(policy.coverage),
    fixed(policy.probability?.auc, 3),
    fixed(policy.probability?.log_loss, 3),
    fixed(policy.probability?.brier_skill, 3),
    ...(hasCosts ? [fixed(policy.cost_by_matrix ?? undefined, 3)] : []),
    fixed(policy.work?.steps, 1),
    ...(hasKeep
      ? [
          policy.keep === null
            ? nothing
            : `${fixed(policy.keep.precision, 2)} / ${fixed(policy.keep.recall, 2)}`,
        ]
      : []),
    ...(repeats > 1 ? [percent(policy.pass.find(({ k }) => k === repeats)?.share)] : []),
    costCell(policy),
  ]);
  return [
    ...columns([heading, ...rows]),
    ...aboutLines(evaluation, paint),
    ...missingLines(policies, paint),
    ...comparisonLines(comparisons, paint),
  ];
}

function aboutLines(evaluation: Evaluation, paint: Paint): string[] {
  const { part, is_measure, truths, episode_count, market_count, block, block_count, no_interval } =
    evaluation;
  const markets = `${counted(episode_count, "episode")} of ${counted(market_count, "market")} and ${counted(block_count, block)}`;
  const classes = `truth: ${truths.finalize_signal} signal, ${truths.finalize_low_signal} low; ${truths.abstain} without history, counted apart`;
  const brackets =
    no_interval === null ? `brackets: 95 % by market and ${block} at once` : `no intervals: ${no_interval}`;
  const judged = is_measure
    ? paint.dim(`  part ${part}`)
    : paint.note(
        `  part ${part}: ${part === "all" ? "all parts" : "what is learnt from"}, so no measure of a policy that has learnt from it`,
      );
  return [judged, paint.dim(`  ${markets} · ${classes} · ${brackets}`)];
}

/** By accuracy, log loss and cost, as far as both have them. */
function comparisonLines(comparisons: readonly Comparison[], paint: Paint): string[] {
  const rows = comparisons
    .filter(({ against }) => against !== "always-abstain")
    .map(({ label, against, accuracy, log_loss, auc, cost }) => [
      `${label} against ${against}`,
      differenceCell(accuracy, "points", paint),
      differenceCell(auc, "AUC", paint),
      differenceCell(log_loss, "log loss", paint),
      differenceCell(cost, "cost", paint),
    ]);
  return rows.length === 0 ? [] : ["", ...columns(rows.map((row) => row.filter((cell) => cell !== "")))];
}

function differenceCell(difference: Difference | null, unit: string, paint: Paint): string {
  if (difference === null) return "";
  const { value, interval, verdict } = difference;
  const show = (number: number) =>
    signed(unit === "points" ? number * 100 : number, unit === "points" ? 1 : 3);
  const between = interval === null ? "" : ` [${show(interval.low)} ${show(interval.high)}]`;
  const text = `${show(value)} ${unit}${between} ${verdict}`;
  return verdict === "better" ? paint.good(text) : verdict === "worse" ? paint.bad(text) : text;
}

function missingLines(policies: readonly PolicyEvaluation[], paint: Paint): string[] {
  return policies.flatMap(({ label, missing_count, counted_as_train }) => [
    ...(missing_count === 0
      ? []
      : [
          paint.note(
            `  ${label}: ${counted(missing_count, "episode")} ${missing_count === 1 ? "has" : "have"} not ended and ${missing_count === 1 ? "is" : "are"} in no number`,
          ),
        ]),
    ...(counted_as_train === 0
      ? []
      : [
          paint.note(
            `  ${label}: ${counted(counted_as_train, "episode")} left out, because its model had learnt from their time`,
          ),
        ]),
  ]);
}

function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/** Of a share: the interval is by a t quantile and may reach beyond what a share can be. */
function withInterval({ value, interval }: Estimate): string {
  if (value === null) return nothing;
  const [low, high] = [Math.max(0, interval?.low ?? 0), Math.min(1, interval?.high ?? 1)];
  const between = interval === null ? "" : ` [${points(low)} ${points(high)}]`;
  return `${points(value)} %${between}`;
}

function costCell({ cost }: PolicyEvaluation): string {
  return cost === null || cost.total_usd === 0 ? nothing : `$${cost.total_usd.toFixed(2)}`;
}

export const points = (share: number): string => (share * 100).toFixed(1);

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value < 0 ? `−${text}` : `+${text}`;
}

function percent(estimate: Estimate | undefined): string {
  return estimate === undefined || estimate.value === null ? nothing : `${points(estimate.value)} %`;
}

function fixed(estimate: Estimate | undefined, digits: number): string {
  return estimate === undefined || estimate.value === null ? nothing : estimate.value.toFixed(digits);
}
