/**
 * Several runs against the truth, side by side, with baselines.
 *
 * Only one part of a pack is judged, and what a model has learnt from is never in
 * it. Runs of one policy with the same parameters are repeats and become one row.
 * What a policy is worth is what it adds to a baseline on the same episodes, and
 * where the interval of that holds nothing, it cannot be told.
 */
import {
  canonicalJson,
  compareCodePoints,
  isRefusal,
  type JsonObject,
  refuse,
  type Refusal,
} from "@bridle/record";
import type { PartName } from "../pack/parts.js";
import type { RunEpisode, RunManifest, RunSidecar } from "../run/types.js";
import { endHourOf } from "../window.js";
import { baselineNames, baselinesOn, baseRateOf, type PastEpisode } from "./baselines.js";
import { blockOf, type BlockUnit, blockUnitOf } from "../statistics/blocks-of-time.js";
import { comparisonOf } from "./compare.js";
import type { CostMatrix } from "./costs.js";
import { type Judgement, judgeAll } from "./judge.js";
import { answersOf, metricsOf } from "./metrics.js";
import {
  type Comparison,
  type EpisodeTruth,
  type Evaluation,
  evaluationSchemaVersion,
  type JudgedPart,
  type PolicyEvaluation,
} from "./types.js";
import { searchLimits } from "../limits.js";

export interface RunToEvaluate {
  /** As the caller calls it. */
  readonly name: string;
  readonly manifest: Pick<RunManifest, "episode_count" | "pack_id" | "policy_id" | "policy_params">;
  readonly episodes: Iterable<RunEpisode> | AsyncIterable<RunEpisode>;
  readonly sidecar?: RunSidecar;
}

/** Where and when an episode is. */
export interface PlacedEpisode {
  readonly anchor_market: string;
  readonly hour: number | undefined;
}

export interface EvaluateOptions {
  readonly packId: string;
  readonly truths: Iterable<EpisodeTruth> | AsyncIterable<EpisodeTruth>;
  readonly runs: readonly RunToEvaluate[];
  /** All of the pack when left out, which is no measure of what has learnt from it. */
  readonly part?: JudgedPart;
  /** By the pack's manifest; undefined for an episode that is of no part. */
  readonly partOf?: (episode: PlacedEpisode) => PartName | undefined;
  /** Until when what decided had learnt, in hours since 1970; undefined for what learns nothing. */
  readonly learntUntil?: (manifest: RunToEvaluate["manifest"]) => number | undefined;
  /** Of those in the part, only these. */
  readonly chosen?: (episode: PlacedEpisode & { readonly episode_id: string }) => boolean;
  /** How long an outcome takes to be known. */
  readonly horizonHours?: number;
  readonly costs?: CostMatrix;
  /** A label; then the others are compared with this one and with no baseline. */
  readonly against?: string;
  readonly baselines?: boolean;
}

/** Members of a policy's parameters that tell repeats apart. */
const repeatMembers = ["seed", "repeat"];

export async function evaluate(options: EvaluateOptions): Promise<Evaluation | Refusal> {
  const { packId, runs, baselines = true, part = "all", costs } = options;
  const stranger = runs.find(({ manifest }) => manifest.pack_id !== packId);
  if (stranger !== undefined) {
    return refuse("eval_pack_mismatch", {
      message: `${stranger.name} was made with the pack ${stranger.manifest.pack_id}, and this is ${packId}`,
      hint: "Evaluate runs of one pack together, and name that pack.",
    });
  }
  const past = await pastOf(options);
  const truths = new Map(past.map((each) => [each.episode_id, each]));
  const judged: JudgedRun[] = [];
  for (const { name, manifest, sidecar, episodes } of runs) {
    const all = await judgeAll(episodes, truths);
    if (isRefusal(all)) return { ...all, message: `${name}: ${all.message}` };
    if (all.length === 0) {
      return refuse("run_incomplete", {
        message: `no episode of ${name} has ended`,
        hint: "Let `hlq run` finish; it goes on where it was stopped.",
      });
    }
    const { judgements, countedAsTrain } = inPart(all, options, options.learntUntil?.(manifest));
    judged.push({ name, manifest, sidecar, judgements, countedAsTrain, ended: all.length });
  }
  const episodes = distinctEpisodes(judged);
  if (episodes.length === 0) {
    return refuse("eval_part_empty", {
      message: `no episode of these runs is in the part ${part} of ${packId}`,
      hint: "Run the policy on the whole pack, or judge another part with --part all, which is no measure.",
    });
  }
  const unit = blockUnitOf(episodes.flatMap(({ hour }) => hour ?? []));
  const rows = [
    ...inGroups(
      judged.map((run) => ({ ...run, judgements: run.judgements.map((one) => inBlock(one, unit)) })),
    ),
    ...(baselines
      ? baselineRows(
          episodes.map((one) => inBlock(one, unit)),
          past,
          options,
        )
      : []),
  ];
  const against = requireLabel(rows, options.against);
  if (isRefusal(against)) return against;
  const baseRate = baseRateOf(past);
  const evidenceVaries = variesIn(episodes, truths);
  const blocks = new Set(episodes.map(({ hour }) => blockOf(hour, unit)));
  const markets = new Set(episodes.map(({ market }) => market));
  return {
    base_rate: baseRate ?? null,
    block: unit,
    block_count: blocks.size,
    comparisons: comparisonsOf(rows, against, costs),
    episode_count: episodes.length,
    is_measure: part === "test" || part === "validation",
    market_count: markets.size,
    no_interval: whyNoInterval(markets.size, blocks.size, unit),
    pack_id: packId,
    part,
    policies: rows.map((row) => evaluationOf(row, { baseRate, costs, evidenceVaries })),
    schema_version: evaluationSchemaVersion,
    truths: answersOf(episodes.map(({ truth }) => truth)),
  };
}

async function pastOf({ truths, partOf }: EvaluateOptions): Promise<PastEpisode[]> {
  const past: PastEpisode[] = [];
  for await (const truth of truths) {
    const { anchor_market, window_id } = truth;
    const hour = endHourOf(window_id);
    past.push({ ...truth, hour, isTraining: partOf?.({ anchor_market, hour }) === "train" });
  }
  return past;
}

/** What a model has learnt from counts as train, whatever the pack says. */
function inPart(
  all: readonly Judgement[],
  { part = "all", partOf, chosen }: EvaluateOptions,
  learntUntil: number | undefined,
): { readonly judgements: readonly Judgement[]; readonly countedAsTrain: number } {
  let countedAsTrain = 0;
  const judgements = all.filter(({ episodeId, market, hour }) => {
    const placed = { anchor_market: market, hour };
    if (chosen?.({ ...placed, episode_id: episodeId }) === false) return false;
    if (part === "all") return true;
    const own = partOf?.(placed);
    const isLearnt = learntUntil !== undefined && (hour === undefined || hour < learntUntil);
    if (isLearnt && own === part && part !== "train") countedAsTrain++;
    return (isLearnt ? "train" : own) === part;
  });
  return { judgements, countedAsTrain };
}

function inBlock(judgement: Judgement, unit: BlockUnit): Judgement {
  return { ...judgement, block: blockOf(judgement.hour, unit) };
}

/** Where every episode rests on the same views, keeping those is no finding. */
function variesIn(episodes: readonly Judgement[], truths: ReadonlyMap<string, EpisodeTruth>): boolean {
  const kinds = new Set(
    episodes.map(({ episodeId }) =>
      (truths.get(episodeId)?.ground_truth_reference.evidence ?? [])
        .map(({ view_name }) => view_name)
        .sort()
        .join(" "),
    ),
  );
  return kinds.size > 1;
}

function whyNoInterval(markets: number, blocks: number, unit: BlockUnit): string | null {
  const least = searchLimits.clustersMin;
  if (markets < least) return `there are ${markets} markets, and ${least} are needed`;
  return blocks < least ? `there are ${blocks} ${unit}s, and ${least} are needed` : null;
}

interface JudgedRun extends Pick<RunToEvaluate, "name" | "manifest"> {
  readonly sidecar: RunSidecar | undefined;
  readonly judgements: readonly Judgement[];
  readonly countedAsTrain: number;
  /** Episodes that have an end, in this part or not. */
  readonly ended: number;
}

/** One row of the table. */
interface Row {
  readonly kind: PolicyEvaluation["kind"];
  readonly label: string;
  readonly policyId: string;
  readonly runs: readonly JudgedRun[];
}

function inGroups(judged: readonly JudgedRun[]): Row[] {
  const groups = new Map<string, JudgedRun[]>();
  for (const run of judged) {
    const key = canonicalJson([run.manifest.policy_id, commonParams(run.manifest.policy_params)]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const rows = [...groups.values()];
  const idOf = (runs: readonly JudgedRun[]) => (runs[0] as JudgedRun).manifest.policy_id;
  return rows.map((runs) => {
    const policyId = idOf(runs);
    // One id with other parameters is another row, which the names of its runs tell apart; so is a baseline's name.
    const alone =
      rows.filter((other) => idOf(other) === policyId).length === 1 && !baselineNames.includes(policyId);
    const label = alone ? policyId : `${policyId} (${runs.map(({ name }) => name).join(", ")})`;
    return { kind: "run", label, policyId, runs };
  });
}

function commonParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !repeatMembers.includes(name)));
}

function distinctEpisodes(judged: readonly JudgedRun[]): Judgement[] {
  const byId = new Map<string, Judgement>();
  for (const { judgements } of judged) for (const one of judgements) byId.set(one.episodeId, one);
  return [...byId.values()].sort((a, b) => compareCodePoints(a.episodeId, b.episodeId));
}

function baselineRows(
  episodes: readonly Judgement[],
  past: readonly PastEpisode[],
  { horizonHours = 0 }: EvaluateOptions,
): Row[] {
  return baselinesOn(episodes, { past, horizonHours }).map(({ name, judgements }) => ({
    kind: "baseline",
    label: name,
    policyId: name,
    runs: [
      {
        name,
        manifest: { episode_count: episodes.length, pack_id: "", policy_id: name, policy_params: {} },
        sidecar: undefined,
        judgements,
        countedAsTrain: 0,
        ended: episodes.length,
      },
    ],
  }));
}

function evaluationOf(
  { kind, label, policyId, runs }: Row,
  options: Parameters<typeof metricsOf>[1],
): PolicyEvaluation {
  const sum = (of: (run: JudgedRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  return {
    ...metricsOf(
      runs.map(({ judgements }) => judgements),
      options,
    ),
    cost: costOf(
      runs,
      sum(({ ended }) => ended),
    ),
    counted_as_train: sum(({ countedAsTrain }) => countedAsTrain),
    kind,
    label,
    missing_count: Math.max(
      0,
      sum(({ manifest, ended }) => manifest.episode_count - ended),
    ),
    policy_id: policyId,
    runs: kind === "run" ? runs.map(({ name }) => name) : [],
  };
}

function costOf(runs: readonly JudgedRun[], ended: number): PolicyEvaluation["cost"] {
  let total = 0;
  for (const { sidecar } of runs) {
    if (sidecar === undefined) return null;
    total += sidecar.cost_usd;
  }
  return ended === 0 ? null : { per_episode_usd: total / ended, total_usd: total };
}

function requireLabel(rows: readonly Row[], wanted: string | undefined): string | undefined | Refusal {
  if (wanted === undefined || rows.some(({ label }) => label === wanted)) return wanted;
  return refuse("input_invalid", {
    message: `nothing here is called ${wanted}`,
    hint: `Compare with one of ${rows.map(({ label }) => label).join(", ")}.`,
  });
}

/** Every run with every baseline and with every run before it, or all of them with the one that was named. */
function comparisonsOf(
  rows: readonly Row[],
  against: string | undefined,
  costs: CostMatrix | undefined,
): Comparison[] {
  const judgementsOf = (row: Row) => row.runs.flatMap(({ judgements }) => judgements);
  return rows.flatMap((row, i) =>
    row.kind === "baseline"
      ? []
      : rows
          .filter((other, k) =>
            against === undefined
              ? other.kind === "baseline" || k < i
              : other.label === against && other !== row,
          )
          .map((other) => ({
            against: other.label,
            label: row.label,
            ...comparisonOf(judgementsOf(row), judgementsOf(other), costs),
          })),
  );
}

/** Of equals the first. */
export function bestBaseline(policies: readonly PolicyEvaluation[]): PolicyEvaluation | undefined {
  let best: PolicyEvaluation | undefined;
  for (const policy of policies) {
    if (policy.kind !== "baseline") continue;
    if ((policy.accuracy.value ?? 0) > (best?.accuracy.value ?? -1)) best = policy;
  }
  return best;
}
