import type { EpisodeWithTruth } from "@bridle/search";
import { beforeAll, describe, expect, it } from "vitest";
import { always } from "../../packages/search/src/policy/always.js";
import { assistedPolicy } from "../../packages/search/src/policy/assisted.js";
import { heuristicPolicy } from "../../packages/search/src/policy/heuristic.js";
import { lessonOf, type TrainingEpisode } from "../../packages/search/src/train/examples.js";
import { type Model, modelFailure, modelText } from "../../packages/search/src/train/model.js";
import { endHourOf } from "../../packages/search/src/window.js";
import {
  partAt,
  type PartName,
  type Parts,
  partsOf,
  SpanSeen,
} from "../../packages/search/src/pack/parts.js";
import { trainModel } from "../../packages/search/src/train/train.js";
import { full } from "../support/scale.js";
import { driveEpisode } from "../support/search-drive.js";
import { realEpisodes, realSample, syntheticEpisodes } from "../support/search-markets.js";
import {
  type Case,
  difference,
  inWords,
  isAbstention,
  type Score,
  scorePolicy,
} from "../support/search-measure.js";

/**
 * None of these seeds was used when the heuristic was set. Of the first ones the
 * training part is used, of all of them the test part. Coins differ much in how
 * often their stresses last, so it takes some thirty of them to tell policies apart.
 */
const trainSeeds = full ? ["held-1", "held-2", "held-3"] : ["held-1"];
const seeds = [...trainSeeds, "held-4", "held-5", "held-6", "held-7", "held-8"];
const testMarkets = full ? 24 : 8;
const trainMarkets = full ? 24 : 16;
const days = full ? 240 : 100;
const hookMsMax = 600_000;
const names = ["heuristic", "assisted", "always-low", "always-signal"] as const;
type Scores = Record<(typeof names)[number], Score>;

function casesIn(part: PartName, parts: Parts, episodes: readonly EpisodeWithTruth[], label: string): Case[] {
  return episodes
    .filter((episode) => partOf(parts, episode) === part)
    .map((episode) => ({ episode, coin: `${label}/${episode.anchor_market}` }));
}

function partOf(parts: Parts, { window_id }: EpisodeWithTruth): PartName | undefined {
  return partAt(parts, endHourOf(window_id) ?? 0);
}

function required(episodes: readonly EpisodeWithTruth[]): Parts {
  const seen = new SpanSeen();
  for (const episode of episodes) seen.add(episode);
  const parts = partsOf(seen.span, 3);
  if (parts === null) throw new Error("these episodes say when they are");
  return parts;
}

/** Both parts that a model is made from. */
function learnt(parts: Parts, episodes: readonly EpisodeWithTruth[], label: string): Case[] {
  return [...casesIn("train", parts, episodes, label), ...casesIn("validation", parts, episodes, label)];
}

/** What a thorough heuristic read, to be learnt from. */
async function trajectories(parts: Parts, cases: readonly Case[]): Promise<TrainingEpisode[]> {
  const found: TrainingEpisode[] = [];
  for (const { episode, coin } of cases) {
    const { artifacts, steps } = await driveEpisode(heuristicPolicy({ thorough: true }), episode);
    found.push({ packId: coin, part: partOf(parts, episode), episode, artifacts, steps });
  }
  return found;
}

const trained = (from: readonly TrainingEpisode[], { embargo_hours }: Parts) =>
  trainModel(from.map(lessonOf), { embargoHours: embargo_hours });

async function scoresOf(cases: readonly Case[], model: Model): Promise<Scores> {
  return {
    heuristic: await scorePolicy(heuristicPolicy(), cases),
    // Without abstaining by risk, so that it answers as often as the baselines.
    assisted: await scorePolicy(assistedPolicy(model, { abstainRisk: 0.5 }), cases),
    "always-low": await scorePolicy(always("always-low.v1", "finalize_low_signal"), cases),
    "always-signal": await scorePolicy(always("always-signal.v1", "finalize_signal"), cases),
  };
}

function inNumbers({ stop, keep }: Model): string {
  const each = ({ log_loss, base_log_loss, standard_error, examples }: Model["keep"]["validation"]) =>
    `log loss ${log_loss} on ${examples} of the validation part (base rate ${base_log_loss}, standard error ${standard_error})`;
  return `stop ${each(stop.validation)}, keep ${each(keep.validation)}`;
}

const known = ({ episode }: Case) => !isAbstention(episode);

function tell(title: string, cases: readonly Case[], scores: Scores): void {
  const lines = names.map((name) => {
    const { accuracy, decidedAccuracy, steps, signals } = scores[name];
    return `${name} ${(100 * accuracy).toFixed(1)} % (${(100 * decidedAccuracy).toFixed(1)} % without abstentions, ${signals} signals, ${steps.toFixed(1)} steps)`;
  });
  const pairs = (["heuristic", "assisted"] as const).flatMap((name) =>
    (["always-low", "always-signal"] as const).map(
      (other) =>
        `${name} over ${other}: ${inWords(difference(cases, [scores[name], scores[other]]))}, without abstentions ` +
        inWords(difference(cases, [scores[name], scores[other]], known)),
    ),
  );
  for (const line of [...lines, ...pairs]) console.log(`proof: ${title}: ${line}`);
}

describe(`policies on ${seeds.length} synthetic markets`, () => {
  const test: Case[] = [];
  const lessons: TrainingEpisode[] = [];
  let split: Parts;
  let model: Model;
  let scores: Scores;

  beforeAll(async () => {
    for (const seed of seeds) {
      const isTraining = trainSeeds.includes(seed);
      const episodes = await syntheticEpisodes(
        { seed, markets: isTraining ? trainMarkets : testMarkets, days },
        isTraining ? undefined : split.test_from_hour,
      );
      // One cut for all of them: the markets are of the same months.
      split ??= required(episodes);
      if (isTraining) lessons.push(...(await trajectories(split, learnt(split, episodes, seed))));
      test.push(...casesIn("test", split, episodes, seed));
    }
    model = trained(lessons, split);
    scores = await scoresOf(test, model);
    tell("synthetic", test, scores);
    console.log(`proof: synthetic: model of ${lessons.length} trajectories, ${inNumbers(model)}`);
  }, hookMsMax);

  it("heuristic and assisted beat both baselines on weeks that were not used, the interval clear of 0", () => {
    for (const name of ["heuristic", "assisted"] as const) {
      for (const other of ["always-low", "always-signal"] as const) {
        expect(difference(test, [scores[name], scores[other]]).low).toBeGreaterThan(0);
        // The abstentions are told by the history alone; it must hold without them, too.
        expect(difference(test, [scores[name], scores[other]], known).low).toBeGreaterThan(0);
      }
    }
  });

  it("propose nothing that is refused, and read more than one view", () => {
    for (const name of ["heuristic", "assisted"] as const) {
      expect(scores[name].refusals).toBe(0);
      expect(scores[name].steps).toBeGreaterThan(3);
    }
  });

  it("training gives the same bytes again, whatever the order of the trajectories", () => {
    expect(modelFailure(model)).toBeUndefined();
    const some = lessons.slice(0, 50);
    expect(modelText(trained(some.toReversed(), split))).toBe(modelText(trained(some, split)));
  });

  it("a model that could only repeat the majority class is reported as failed", () => {
    const decided = lessons.filter(({ episode }) => episode.ground_truth_reference.truth !== "abstain");
    // The truths of other episodes: nothing that was read tells anything about them.
    const shuffled = decided.map((lesson, i) => {
      const { ground_truth_reference } = (decided[(i * 7 + 11) % decided.length] as TrainingEpisode).episode;
      return { ...lesson, episode: { ...lesson.episode, ground_truth_reference } };
    });
    expect(trained(shuffled, split).stop.failed).toMatch(/not more than one standard error/);
    const lows = decided.filter(
      ({ episode }) => episode.ground_truth_reference.truth === "finalize_low_signal",
    );
    expect(trained(lows, split).stop.failed).toBe("the examples are all of one class");
  });
});

if (full) {
  describe("policies on one market alone", () => {
    it.each([
      { markets: 24, days: 120, tells: false },
      { markets: 64, days: 365, tells: true },
    ])(
      "of $markets coins and $days days",
      async ({ markets, days, tells }) => {
        const episodes = await syntheticEpisodes({ seed: "1", markets, days });
        const split = required(episodes);
        const test = casesIn("test", split, episodes, "1");
        const model = trained(await trajectories(split, learnt(split, episodes, "1")), split);
        const scores = await scoresOf(test, model);
        tell(`one market, ${markets} × ${days}`, test, scores);
        for (const name of ["heuristic", "assisted"] as const) {
          const { value, low } = difference(test, [scores[name], scores["always-low"]]);
          expect(tells ? low : value).toBeGreaterThan(0);
        }
      },
      hookMsMax,
    );
  });
}

if (realSample !== undefined) {
  describe("policies on real candles and funding", () => {
    it("are no worse than always-low where they decide, and the model says so when it learnt nothing", async () => {
      const episodes = await realEpisodes();
      const split = required(episodes);
      const test = casesIn("test", split, episodes, "real");
      const train = learnt(split, episodes, "real");
      const model = trained(await trajectories(split, train), split);
      console.log(`proof: real: model ${modelFailure(model) ?? "learnt both tasks"}; ${inNumbers(model)}`);
      const scores = await scoresOf(test, model);
      tell("real", test, scores);
      if (full) tell("real, learnt from", train, await scoresOf(train, model));
      expect(difference(test, [scores.heuristic, scores["always-low"]]).value).toBeGreaterThanOrEqual(0);
      expect(scores.heuristic.refusals + scores.assisted.refusals).toBe(0);
    });
  });
}
