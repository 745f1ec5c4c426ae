import { MemoryBuilder, type MarketTables, type Rows, syntheticMarket, type TableName } from "@bridle/market";
import { canonicalJson, type JsonObject, nodePorts } from "@bridle/record";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../../../test/support/folder.js";
import type { EpisodeWithTruth } from "../../types.js";
import { realEpisodes, realSample } from "../../../../../test/support/search-markets.js";
import { viewNames } from "../../types.js";
import { writePack } from "../write.js";
import { buildEpisodes } from "./build.js";
import { defaultParams } from "./params.js";

const reads = ["candles", "funding", "assetContexts"] as const;
const tableOf = { candles: "candle", funding: "funding", assetContexts: "assetContext" } as const;

async function build(tables: MarketTables): Promise<EpisodeWithTruth[]> {
  const episodes: EpisodeWithTruth[] = [];
  for await (const episode of buildEpisodes({ tables, params: defaultParams })) episodes.push(episode);
  return episodes;
}

/** The same tables with every row passed through `change`; undefined leaves it out. Rows are added back to front. */
async function changed(
  tables: MarketTables,
  change: <Row extends Rows[TableName]>(row: Row) => Row | undefined,
): Promise<MarketTables> {
  const builder = new MemoryBuilder();
  for (const source of tables.sources) builder.source(source);
  for (const market of [...(await tables.markets())].reverse()) {
    for (const read of reads) {
      for (const [i, row] of [...(await tables[read](market))].reverse().entries()) {
        const next = change(row);
        if (next !== undefined)
          await builder.add(tableOf[read], next as never, { source: read, line: i + 1 });
      }
    }
  }
  return builder.finish();
}

const hourIn = (row: Rows[TableName]) => ("hour" in row ? row.hour : Math.floor(row.timeMs / 3_600_000));
const endOf = ({ window_id }: EpisodeWithTruth) =>
  Date.parse((window_id.split("/")[0] ?? "").replace("Z", ":00Z")) / 3_600_000;
const text = (value: unknown) => canonicalJson(value as JsonObject);

describe("building episodes", () => {
  let tables: MarketTables;
  let episodes: EpisodeWithTruth[];

  beforeAll(async () => {
    tables = await syntheticMarket({ seed: "7", markets: 10, days: 70 });
    episodes = await build(tables);
  });

  it("[SEARCH-9.2.5] gives the same bytes whatever the order of the rows", async () => {
    const again = await build(await changed(tables, (row) => row));
    expect(again.map(text)).toEqual(episodes.map(text));
    expect(episodes.length).toBeGreaterThan(20);
  });

  it("[SEARCH-9.2.2] gives every episode the views that the contract names, as its file holds them", async () => {
    const { folder } = await writePack({
      out: newFolder(),
      episodes,
      generator: { script: "test", repoRelpath: "", gitSha: "unknown", params: {} },
      sources: tables.sources.map(({ name, rows, sha256, synthetic }) => ({ name, rows, sha256, synthetic })),
      nondeterministicComponents: [],
      readme: () => "",
      nowMs: 0,
      ports: nodePorts(),
    });
    const lines = readFileSync(join(folder, "episodes.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(episodes.length);
    for (const line of lines) {
      const { environment_views: views, ...record } = JSON.parse(line) as Record<string, object>;
      expect(Object.keys(record).sort()).toEqual([
        ...["anchor_market", "episode_id", "ground_truth_reference", "query"],
        ...["step_budget", "token_budget_class", "window_id"],
      ]);
      expect(Object.keys(views ?? {}).sort()).toEqual(viewNames.toSorted());
      for (const list of Object.values(views ?? {}) as object[][])
        for (const view of list)
          expect(Object.keys(view).sort()).toEqual(["anchor_market", "payload", "source_refs", "window_id"]);
    }
  });

  it("shows nothing of what happens later: views do not change when the future does", async () => {
    const hours = episodes.map(endOf).sort((a, b) => a - b);
    let compared = 0;
    let differed = 0;
    for (const share of [0.3, 0.5, 0.8]) {
      const now = hours[Math.floor(hours.length * share)] as number;
      const other = await build(
        await changed(tables, (row) => {
          if (hourIn(row) <= now && !("close" in row && row.hour === now)) return row;
          if ("rate" in row) return { ...row, rate: "-0.0009" };
          if ("close" in row) return { ...row, close: "1", high: "1", low: "1", open: "1", volume: "5" };
          return undefined;
        }),
      );
      const byId = new Map(other.map((episode) => [episode.episode_id, episode]));
      for (const episode of episodes.filter((each) => endOf(each) <= now)) {
        const twin = byId.get(episode.episode_id);
        // An onset whose outcome lies in the changed hours may have another truth, but it is there, with the same views.
        expect(twin && text(twin.environment_views)).toBe(text(episode.environment_views));
        expect(twin?.query).toBe(episode.query);
        if (twin?.ground_truth_reference.truth !== episode.ground_truth_reference.truth) differed++;
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(differed).toBeGreaterThan(0);
    console.log(
      `proof: pack build: ${compared} episodes compared with another future, no view changed, ${differed} truths did`,
    );
  });

  it("has abstention as the truth exactly where history is missing, and says so in the metrics", () => {
    const kinds = new Set(episodes.map(({ ground_truth_reference }) => ground_truth_reference.truth));
    expect(kinds).toEqual(new Set(["finalize_signal", "finalize_low_signal", "abstain"]));
    for (const { anchor_market, window_id, environment_views, ground_truth_reference } of episodes) {
      const own = environment_views.derived_metrics.find(
        (view) => view.anchor_market === anchor_market && view.window_id === window_id,
      );
      const { history_hours, history_hours_needed } = (own?.payload ?? {}) as Record<string, number>;
      expect((history_hours as number) < (history_hours_needed as number)).toBe(
        ground_truth_reference.truth === "abstain",
      );
    }
  });

  it("lists only earlier stresses and episodes that were over before the window began", () => {
    let seen = 0;
    for (const episode of episodes) {
      const start = endOf(episode) - defaultParams.window_hours;
      const { persistence, prior_episode_shortlists: shortlists } = episode.environment_views;
      const listed = [
        ...persistence.flatMap(({ payload }) => payload["latest"] as { hour: string }[]),
        ...shortlists.flatMap(({ payload }) => payload["episodes"] as { hour: string }[]),
      ];
      for (const { hour } of listed) {
        expect(
          Date.parse(hour.replace("Z", ":00Z")) / 3_600_000 + defaultParams.persist_hours,
        ).toBeLessThanOrEqual(start);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(100);
  });
});

if (realSample !== undefined) {
  describe("the real sample", () => {
    it("keeps 201 episodes that can be decided, none of them beyond 36 spreads", async () => {
      const episodes = await realEpisodes();
      const decidable = episodes.filter(({ ground_truth_reference: { truth } }) => truth !== "abstain");
      const scores = decidable.map(({ anchor_market, window_id, environment_views }) => {
        const own = environment_views.derived_metrics.find(
          (view) => view.anchor_market === anchor_market && view.window_id === window_id,
        );
        return Math.abs(Number(own?.payload["funding_z"]));
      });
      expect(decidable).toHaveLength(201);
      expect(Math.max(...scores)).toBeLessThanOrEqual(36);
    });
  });
}
