import type { EpisodeRecord } from "@bridle/search";
import { beforeAll, describe, expect, it } from "vitest";
import { assistedPolicy } from "../../packages/search/src/policy/assisted.js";
import { heuristicPolicy } from "../../packages/search/src/policy/heuristic.js";
import { lessonOf } from "../../packages/search/src/train/examples.js";
import { type Model, modelFailure, modelText } from "../../packages/search/src/train/model.js";
import { type Part, partOf, type Split, splitOf } from "../../packages/search/src/train/split.js";
import { trainModel } from "../../packages/search/src/train/train.js";
import { full } from "../support/scale.js";
import { constantPolicy, driveEpisode } from "../support/search-drive.js";
import { realEpisodes, realSample, syntheticEpisodes } from "../support/search-markets.js";
import {
  type Case,
  difference,
  inWords,
  isAbstention,
  type Score,
  scorePolicy,
} from "../support/search-measure.js";

/** None of these seeds was used when the heuristic was set. */
const seeds = full ? ["m-1", "m-2", "m-3", "m-4", "m-5", "m-6", "m-7", "m-8"] : ["m-1", "m-2"];
const names = ["heuristic", "assisted", "always-low", "always-signal"] as const;
type Scores = Record<(typeof names)[number], Score>;

function casesIn(part: Part, split: Split, episodes: readonly EpisodeRecord[], label: string): Case[] {
  return episodes
    .filter((episode) => partOf(split, episode) === part)
    .map((episode) => ({ episode, coin: `${label}/${episode.anchor_market}` }));
}

function required(episodes: readonly EpisodeRecord[]): Split {
  const split = splitOf(episodes);
  if (split === undefined) throw new Error("these episodes say when they are");
  return split;
}

/** From what a thorough heuristic read of the training part. */
async function trained(cases: readonly Case[], split: Split): Promise<Model> {
  const lessons = [];
  for (const { episode, coin } of cases) {
    const driven = await driveEpisode(heuristicPolicy({ thorough: true }), episode);
    lessons.push(lessonOf({ packId: coin, ...driven }));
  }
  return trainModel(lessons, split);
}

async function scoresOf(cases: readonly Case[], model: Model): Promise<Scores> {
  return {
    heuristic: await scorePolicy(heuristicPolicy(), cases),
    assisted: await scorePolicy(assistedPolicy(model), cases),
    "always-low": await scorePolicy(constantPolicy("finalize_low_signal"), cases),
    "always-signal": await scorePolicy(constantPolicy("finalize_signal"), cases),
  };
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
  let [train, test]: [Case[], Case[]] = [[], []];
  let split: Split;
  let model: Model;
  let scores: Scores;

  beforeAll(async () => {
    for (const seed of seeds) {
      const episodes = await syntheticEpisodes({ seed, markets: 24, days: full ? 240 : 200 });
      split = required(episodes);
      train = [...train, ...casesIn("train", split, episodes, seed)];
      test = [...test, ...casesIn("test", split, episodes, seed)];
    }
    model = await trained(train, split);
    scores = await scoresOf(test, model);
    tell("synthetic", test, scores);
  });

  it("heuristic and assisted beat both baselines on coins and weeks that were not used, the interval clear of 0", () => {
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

  it("training gives the same bytes again, whatever the order of the trajectories", async () => {
    expect(modelFailure(model)).toBeUndefined();
    expect(modelText(await trained(train.toReversed(), split))).toBe(modelText(model));
  });

  it("a model that could only repeat the majority class is reported as failed", async () => {
    const shifted = train.map(({ coin, episode }, i) => {
      // The truths of other episodes: nothing that was read tells anything about them.
      const other = train[(i * 7 + 11) % train.length] as Case;
      return { coin, episode: { ...episode, ground_truth_reference: other.episode.ground_truth_reference } };
    });
    const lows = train.filter(
      ({ episode }) => episode.ground_truth_reference.truth === "finalize_low_signal",
    );
    expect((await trained(shifted, split)).stop.failed).toMatch(/majority class/);
    expect((await trained(lows, split)).stop.failed).toBe("the examples are all of one class");
  });
});

if (realSample !== undefined) {
  describe("policies on real candles and funding", () => {
    it("are no worse than always-low where they decide, and the model says so when it learnt nothing", async () => {
      const episodes = await realEpisodes(realSample as string);
      const split = required(episodes);
      const test = casesIn("test", split, episodes, "real");
      const model = await trained(casesIn("train", split, episodes, "real"), split);
      console.log(`proof: real: model ${modelFailure(model) ?? "learnt both tasks"}`);
      const scores = await scoresOf(test, model);
      tell("real", test, scores);
      expect(difference(test, [scores.heuristic, scores["always-low"]]).value).toBeGreaterThanOrEqual(0);
      expect(scores.heuristic.refusals + scores.assisted.refusals).toBe(0);
    });
  });
}
