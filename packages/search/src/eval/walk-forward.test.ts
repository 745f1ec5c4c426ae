import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { never, ports } from "../../../../test/support/search-run.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { habitualEpisodes, stressEpisode } from "../../../../test/support/stress-episode.js";
import { openPack } from "../pack/open.js";
import type { EpisodeWithTruth } from "../types.js";
import { endHourOf } from "../window.js";
import { walkForward, type Walk } from "./walk-forward.js";

const habits = habitualEpisodes({ coins: 15, each: 14, odds: 10 });
const hourOf = ({ window_id }: EpisodeWithTruth) => endHourOf(window_id) as number;
const [first, last] = [Math.min(...habits.map(hourOf)), Math.max(...habits.map(hourOf))];
/** The time in four pieces: two to learn from before the first window. */
const cut = (piece: number) => Math.ceil(first + ((last + 1 - first) * piece) / 4);
/** And one at the very hour at which the first window begins. */
const onTheCut = stressEpisode({
  market: "C01",
  hour: `${new Date(cut(2) * 3_600_000).toISOString().slice(0, 13)}:00Z`,
  earlier: 6,
  persisted: 5,
  truth: "finalize_signal",
});
const episodes = [...habits, onTheCut].sort((a, b) => (a.episode_id < b.episode_id ? -1 : 1));
const hours = episodes.map(hourOf);

describe("walking forward", () => {
  const told: string[] = [];
  const place = mkdtempSync(join(tmpdir(), "bridle-walk-"));
  afterAll(() => rmSync(place, { recursive: true }));
  let once: Promise<Walk> | undefined;

  /**
   * In the first test that asks: a mistake in it is to fail tests, not their file. Where
   * mistakes are planted each test walks by itself, because only those are asked that ran the line.
   */
  const walked = (): Promise<Walk> =>
    process.env["BRIDLE_TEST_MUTATE"] === undefined ? (once ??= walk()) : walk();

  async function walk(): Promise<Walk> {
    told.length = 0;
    const { folder } = await samplePack(place, { episodes });
    const pack = await openPack(folder, ports);
    try {
      return await walkForward({
        pack,
        windows: 2,
        signal: never,
        progress: (doing, done, total) => told.push(`${doing} ${done}/${total}`),
      });
    } finally {
      await pack.close();
    }
  }

  it("cuts the time after the first two pieces into windows that follow each other to the end", async () => {
    const walk = await walked();
    expect(walk.windows.map(({ fromHour, toHour }) => [fromHour, toHour])).toEqual([
      [cut(2), cut(3)],
      [cut(3), last + 1],
    ]);
  });

  it("judges the episodes of a window by what lay before it, with a day between the parts", async () => {
    const walk = await walked();
    for (const { fromHour, toHour, trainedOn, validatedOn, evaluation } of walk.windows) {
      const validationFrom = Math.floor(fromHour - (fromHour - first) / 4);
      const within = (from: number, to: number) => hours.filter((hour) => hour >= from && hour < to).length;
      expect(trainedOn).toBe(within(first, validationFrom - 24));
      expect(validatedOn).toBe(within(validationFrom, fromHour - 24));
      expect(evaluation).toMatchObject({ part: "test", is_measure: true });
      expect(evaluation?.episode_count).toBe(within(fromHour, toHour));
      expect(
        evaluation?.policies.slice(0, 2).map(({ label, missing_count }) => [label, missing_count]),
      ).toEqual([
        ["assisted", 0],
        ["heuristic", 0],
      ]);
    }
  });

  it("learns a habit that holds nine times of ten, and beats the base rate with it", async () => {
    const walk = await walked();
    expect(walk.windows.map(({ failed }) => failed)).toEqual([null, null]);
    const { together } = walk;
    expect(together?.episode_count).toBe(hours.filter((hour) => hour >= cut(2)).length);
    const [assisted] = together?.policies ?? [];
    expect(assisted?.probability?.auc.value).toBeGreaterThan(0.8);
    const against = together?.comparisons.find(
      (each) => each.label === "assisted" && each.against === "base-rate",
    );
    expect(against?.log_loss?.verdict).toBe("better");
    // The base rate of all windows together is that of before the first, a day apart.
    const past = episodes.filter((_, i) => (hours[i] as number) < cut(2) - 24);
    const signals = past.filter(
      ({ ground_truth_reference: { truth } }) => truth === "finalize_signal",
    ).length;
    expect(together?.base_rate).toBe((signals + 1) / (past.length + 2));
  });

  it("says how far it is", async () => {
    await walked();
    const all = episodes.length;
    expect(told[0]).toBe(`reading episodes 1/${all}`);
    expect(told.slice(-2)).toEqual(["walking forward 1/2", "walking forward 2/2"]);
    expect(told).toHaveLength(all + 2);
  });
});
