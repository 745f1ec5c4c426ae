/**
 * Several runs against the truth, side by side, with baselines.
 *
 * Runs of one policy with the same parameters are repeats and become one row. A
 * baseline gives one answer to everything; what a policy is worth is what it adds
 * to the best of them, on the same episodes.
 */
import {
  canonicalJson,
  compareCodePoints,
  isRefusal,
  type JsonObject,
  refuse,
  type Refusal,
} from "@bridle/record";
import { searchLimits } from "../limits.js";
import type { RunEpisode, RunManifest, RunSidecar } from "../run/types.js";
import type { Truth } from "../types.js";
import { Bootstrap } from "./interval.js";
import { type Judgement, judgeAll, triesOf } from "./judge.js";
import { answersOf, metricsOf } from "./metrics.js";
import {
  type Difference,
  type EpisodeTruth,
  type Evaluation,
  evaluationSchemaVersion,
  type PolicyEvaluation,
} from "./types.js";

export interface RunToEvaluate {
  /** As the caller calls it. */
  readonly name: string;
  readonly manifest: Pick<RunManifest, "episode_count" | "pack_id" | "policy_id" | "policy_params">;
  readonly episodes: Iterable<RunEpisode> | AsyncIterable<RunEpisode>;
  readonly sidecar?: RunSidecar;
}

export interface EvaluateOptions {
  readonly packId: string;
  readonly truths: Iterable<EpisodeTruth> | AsyncIterable<EpisodeTruth>;
  readonly runs: readonly RunToEvaluate[];
  /** The label that the others are compared with; the best baseline when left out. */
  readonly against?: string;
  readonly baselines?: boolean;
  readonly replicates?: number;
  readonly seed?: number;
}

/** Members of a policy's parameters that tell repeats apart. */
const repeatMembers = ["seed", "repeat"];

export const baselineAnswers = {
  "always-signal": "finalize_signal",
  "always-low": "finalize_low_signal",
  "always-abstain": "abstain",
} as const satisfies Record<string, Truth>;

export async function evaluate(options: EvaluateOptions): Promise<Evaluation | Refusal> {
  const { packId, runs, baselines = true, seed = 1, replicates = searchLimits.bootstrapReplicates } = options;
  const stranger = runs.find(({ manifest }) => manifest.pack_id !== packId);
  if (stranger !== undefined) {
    return refuse("eval_pack_mismatch", {
      message: `${stranger.name} was made with the pack ${stranger.manifest.pack_id}, and this is ${packId}`,
      hint: "Evaluate runs of one pack together, and name that pack.",
    });
  }
  const truths = new Map<string, EpisodeTruth>();
  for await (const truth of options.truths) truths.set(truth.episode_id, truth);
  const judged: JudgedRun[] = [];
  for (const { name, manifest, sidecar, episodes } of runs) {
    const judgements = await judgeAll(episodes, truths);
    if (isRefusal(judgements)) return { ...judgements, message: `${name}: ${judgements.message}` };
    judged.push({ name, manifest, sidecar, judgements });
  }
  const bootstrap = new Bootstrap({ replicates, seed });
  const policies = inGroups(judged);
  const episodes = distinctEpisodes(judged);
  const rows = [...policies, ...(baselines ? baselinesOf(episodes) : [])];
  const evaluated = rows.map((row) => evaluationOf(row, bootstrap));
  const against = referenceOf(evaluated, options.against);
  if (isRefusal(against)) return against;
  return {
    bootstrap: { replicates, seed },
    differences: against === undefined ? [] : differencesOf(rows, against, bootstrap),
    episode_count: episodes.length,
    market_count: new Set(episodes.map(({ market }) => market)).size,
    pack_id: packId,
    policies: evaluated,
    schema_version: evaluationSchemaVersion,
    truths: answersOf(episodes.map(({ truth }) => truth)),
  };
}

interface JudgedRun extends Pick<RunToEvaluate, "name" | "manifest"> {
  readonly sidecar: RunSidecar | undefined;
  readonly judgements: readonly Judgement[];
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
      rows.filter((other) => idOf(other) === policyId).length === 1 &&
      !Object.hasOwn(baselineAnswers, policyId);
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

function baselinesOf(episodes: readonly Judgement[]): Row[] {
  return Object.entries(baselineAnswers).map(([label, answer]) => ({
    kind: "baseline",
    label,
    policyId: label,
    runs: [
      {
        name: label,
        manifest: { episode_count: episodes.length, pack_id: "", policy_id: label, policy_params: {} },
        sidecar: undefined,
        judgements: episodes.map(({ episodeId, market, truth }) => ({
          episodeId,
          market,
          truth,
          answer,
          leaning: undefined,
          work: undefined,
        })),
      },
    ],
  }));
}

function evaluationOf({ kind, label, policyId, runs }: Row, bootstrap: Bootstrap): PolicyEvaluation {
  const numbers = metricsOf(
    runs.map(({ judgements }) => judgements),
    bootstrap,
  );
  const asked = runs.reduce((sum, { manifest }) => sum + manifest.episode_count, 0);
  const ended = runs.reduce((sum, { judgements }) => sum + judgements.length, 0);
  return {
    ...numbers,
    cost: costOf(runs, ended),
    kind,
    label,
    missing_count: Math.max(0, asked - ended),
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

function referenceOf(
  evaluated: readonly PolicyEvaluation[],
  wanted: string | undefined,
): string | undefined | Refusal {
  if (wanted === undefined) return bestBaseline(evaluated)?.label;
  if (evaluated.some(({ label }) => label === wanted)) return wanted;
  return refuse("input_invalid", {
    message: `nothing here is called ${wanted}`,
    hint: `Compare with one of ${evaluated.map(({ label }) => label).join(", ")}.`,
  });
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

// --- Pairs -----------------------------------------------------------------------------------------

function differencesOf(rows: readonly Row[], against: string, bootstrap: Bootstrap): Difference[] {
  const other = rows.find(({ label }) => label === against);
  if (other === undefined) return [];
  return rows
    .filter((row) => row !== other && row.kind === "run")
    .map((row) => ({
      against,
      label: row.label,
      ...pairedDifference(
        row.runs.flatMap(({ judgements }) => judgements),
        other.runs.flatMap(({ judgements }) => judgements),
        bootstrap,
      ),
    }));
}

/** Episode by episode, over those that both have; an episode that was tried several times counts once. */
export function pairedDifference(
  one: readonly Judgement[],
  other: readonly Judgement[],
  bootstrap: Bootstrap,
): Omit<Difference, "against" | "label"> {
  const others = triesOf(other);
  const terms = [...triesOf(one).entries()].flatMap(([id, { market, made, right }]) => {
    const pair = others.get(id);
    return pair === undefined ? [] : [{ market, top: right / made - pair.right / pair.made, bottom: 1 }];
  });
  const total = terms.reduce((sum, { top }) => sum + top, 0);
  return {
    better: terms.filter(({ top }) => top > 0).length,
    by_market: bootstrap.interval(terms),
    episodes: terms.length,
    equal: terms.filter(({ top }) => top === 0).length,
    value: terms.length === 0 ? 0 : total / terms.length,
    worse: terms.filter(({ top }) => top < 0).length,
  };
}
