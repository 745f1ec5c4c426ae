/** Every number of random episodes with gaps, against an implementation that shares nothing with the builder. */
import { describe, expect, it } from "vitest";
import { cutParams } from "../../../../../test/support/look-ahead.js";
import { randomMarket, tablesFrom } from "../../../../../test/support/random-market.js";
import { Recomputed } from "../../../../../test/support/recomputed.js";
import { seed, share } from "../../../../../test/support/scale.js";
import type { EpisodeWithTruth, View } from "../../types.js";
import { buildEpisodes } from "./build.js";

const names = [
  "funding_z",
  "funding_z_hour_before",
  "open_interest_change_24h",
  "premium",
  "return_1h",
  "return_24h",
  "volatility_24h",
  "volume_ratio_7d",
];

function hourOf({ window_id }: Pick<View, "window_id">): number {
  return Date.parse(`${window_id.slice(0, 16)}:00Z`) / 3_600_000;
}

function numbersOf({ payload }: View): Record<string, string> {
  const told = names.flatMap((name) => (payload[name] === undefined ? [] : [[name, payload[name]] as const]));
  return { ...Object.fromEntries(told), history_hours: String(payload["history_hours"]) } as Record<
    string,
    string
  >;
}

describe("the numbers of a pack", () => {
  it("are those that an independent implementation works out, or absent in both", async () => {
    let [episodes, numbers, missing] = [0, 0, 0];
    const wanted = share(1_000, 120);
    for (let world = 0; episodes < wanted; world++) {
      const rows = randomMarket({
        seed: `numbers ${seed} ${world}`,
        markets: 6,
        hours: 420,
        contextMinutes: [60, 15][world % 2] as number,
        gapPercent: [0, 1, 3][world % 3] as number,
      });
      const built = new Map<string, EpisodeWithTruth>();
      for await (const episode of buildEpisodes({ tables: await tablesFrom(rows), params: cutParams }))
        built.set(episode.episode_id, episode);
      const expected = new Recomputed(rows, cutParams).episodes();
      expect([...built.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [id, episode] of built) {
        const other = expected.get(id);
        if (other === undefined) throw new Error(`${id} was not recomputed`);
        const { derived_metrics, peer_comparisons, persistence, prior_episode_shortlists } =
          episode.environment_views;
        expect(episode.ground_truth_reference.truth, id).toBe(other.truth);
        const seen = new Map(
          derived_metrics.map((view) => [`${view.anchor_market} ${hourOf(view)}`, numbersOf(view)]),
        );
        expect(seen, id).toEqual(other.metrics);
        const compared = (peer_comparisons[0]?.payload["rows"] ?? []) as { market: string }[];
        expect(compared.map(({ market }) => market).sort(), id).toEqual(
          other.peers.length === 0 ? [] : [episode.anchor_market, ...other.peers].sort(),
        );
        expect(
          new Map(
            persistence.map(({ anchor_market, payload }) => [
              anchor_market,
              { earlier: payload["earlier_stresses"], persisted: payload["persisted"] },
            ]),
          ),
          id,
        ).toEqual(other.persistence);
        for (const { payload } of prior_episode_shortlists) {
          const listed = (payload["episodes"] as { episode_id: string; distance: string }[]).map(
            ({ episode_id, distance }) => `${episode_id} ${distance}`,
          );
          expect(listed, id).toEqual(other.shortlists[payload["pattern_id"] as string]);
        }
        for (const view of derived_metrics) {
          const told = Object.keys(numbersOf(view)).length - 1;
          const reasons = Object.keys((view.payload["missing"] ?? {}) as object).filter(
            (name) => name !== "peers",
          );
          expect(told + reasons.length).toBe(names.length);
          numbers += told;
          missing += reasons.length;
        }
        episodes++;
      }
    }
    expect(missing).toBeGreaterThan(100);
    console.log(
      `proof: numbers: ${episodes} random episodes recomputed, ${numbers} numbers equal, ${missing} absent in both (seed ${seed})`,
    );
  }, 600_000);
});
