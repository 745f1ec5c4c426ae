/** The clauses of SEARCH on replay packs that pack.test.ts does not state. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { begin, btc, propose } from "../../../../test/support/episode-steps.js";
import { newFolder } from "../../../../test/support/folder.js";
import { sampleEpisode } from "../../../../test/support/search-episode.js";
import { sampleEpisodes, samplePack } from "../../../../test/support/search-pack.js";
import { EpisodeRegistry } from "../episode/registry.js";
import { step } from "../episode/step.js";
import { type EpisodeRecord, type EpisodeWithTruth, truthsFile } from "../types.js";
import { openPack } from "./open.js";
import { readEpisode } from "./read-episode.js";

/** As it stands in its file. */
function asWritten(episode: EpisodeWithTruth): EpisodeRecord {
  return { ...episode, ground_truth_reference: { file: truthsFile } };
}

/** The line with one member less. */
function without(record: object, member: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => name !== member)));
}

const linesOf = (folder: string) => readFileSync(join(folder, "episodes.jsonl"), "utf8").split("\n");

describe("an episode record", () => {
  const record = asWritten(sampleEpisode());

  it("[SEARCH-5.1.3] is one only with all eight members", () => {
    const members = [
      ...["episode_id", "query", "anchor_market", "window_id", "step_budget"],
      ...["token_budget_class", "environment_views", "ground_truth_reference"],
    ];
    expect(Object.keys(record).sort()).toEqual(members.toSorted());
    expect(readEpisode(JSON.stringify(record), "here")).toEqual(record);
    for (const member of members)
      expect(() => readEpisode(without(record, member), "here"), member).toThrow(new RegExp(member));
  });

  it("[SEARCH-9.2.2] holds the views that the contract names", () => {
    const { environment_views: views } = record;
    expect(Object.keys(readEpisode(JSON.stringify(record), "here").environment_views).sort()).toEqual([
      "derived_metrics",
      "market_state",
      "peer_comparisons",
      "persistence",
      "prior_episode_shortlists",
    ]);
    for (const name of ["derived_metrics", "market_state", "persistence"]) {
      const line = JSON.stringify({ ...record, environment_views: JSON.parse(without(views, name)) });
      expect(() => readEpisode(line, "here"), name).toThrow(new RegExp(name));
    }
  });

  it("[SEARCH-9.2.3] may lack comparisons and shortlists, which are empty then", () => {
    const {
      peer_comparisons: _peers,
      prior_episode_shortlists: _priors,
      ...views
    } = record.environment_views;
    const read = readEpisode(JSON.stringify({ ...record, environment_views: views }), "here");
    expect(read.environment_views).toEqual({
      ...views,
      peer_comparisons: [],
      prior_episode_shortlists: [],
    });
    for (const lacking of ["peer_comparisons", "prior_episode_shortlists"] as const) {
      const { [lacking]: _, ...others } = record.environment_views;
      const one = readEpisode(JSON.stringify({ ...record, environment_views: others }), "here");
      expect(one.environment_views).toEqual({ ...others, [lacking]: [] });
    }
    const state = { ...begin(), registry: new EpisodeRegistry("pack_test", read) };
    const compared = step(state, propose("compare_markets", { ...btc, peer_markets: ["ETH"] }));
    expect(compared.artifacts[0]?.artifact.payload).toEqual({ empty: true });
  });
});

describe("a pack's files", () => {
  it("[SEARCH-9.2.1] have one episode on each line", async () => {
    const episodes = sampleEpisodes(3);
    const { folder } = await samplePack(newFolder(), { episodes });
    const lines = linesOf(folder);
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => readEpisode(line, "here"))).toEqual(episodes.map(asWritten));
  });

  it("[SEARCH-9.2.4] have their members in one order, whatever order they were given in", async () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, member]) => [name, turned(member)]),
      );
    };
    const episodes = sampleEpisodes(2);
    const one = await samplePack(newFolder(), { episodes });
    const other = await samplePack(newFolder(), { episodes: episodes.map(turned) as EpisodeWithTruth[] });
    expect(linesOf(other.folder)).toEqual(linesOf(one.folder));
  });

  it("[SEARCH-9.2.6] stand in a folder that is named for its time", async () => {
    const { folder, manifest } = await samplePack(newFolder(), { nowMs: Date.UTC(2026, 4, 3, 2, 1) });
    expect(basename(folder)).toBe(`${manifest.pack_id}-20260503T020100Z`);
    const pack = await openPack(folder, nodePorts());
    expect(pack.manifest.generated_at_utc).toBe("2026-05-03T02:01:00Z");
    await pack.close();
  });
});
