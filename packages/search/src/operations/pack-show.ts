/** `hlq pack show`: what a pack holds, or one of its episodes as a policy is told of it. */
import { grouped } from "@bridle/record";
import { columns, defineOperation } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { loaderOf } from "../episode/artifact.js";
import { EpisodeRegistry } from "../episode/registry.js";
import { openPack } from "../pack/open.js";
import { type EpisodeRecord, viewNames } from "../types.js";
import { episodesInWords, headOf, packHead, packInput, pathOf } from "./pack-input.js";

const listedMax = 20;

export const packShow = defineOperation({
  names: {
    id: "op/hlq.pack_show",
    action: "hlq.pack.show",
    command: ["pack", "show"],
    tool: "hlq_pack_show",
  },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Show what a replay pack holds, or one of its episodes.",
  description: "An episode is shown as a policy is told of it: without the truth.",
  examples: [
    {
      command: "hlq pack show packs/pack_0123456789abcdef-20260101T000000Z",
      says: "its sources and first episodes",
    },
    {
      command: "hlq pack show packs/pack_0123456789abcdef-20260101T000000Z --episode ep-2025071015-BTC",
      says: "one of them",
    },
  ],
  input: Type.Object(
    {
      ...packInput,
      episode: Type.Optional(
        Type.String({ minLength: 1, "x-placeholder": "id", description: "The episode to show." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.pack.show"),
    ...packHead,
    sources: Type.Array(Type.Object({ name: Type.String(), rows: Type.Integer() })),
    episodes: Type.Array(
      Type.Object({
        episodeId: Type.String(),
        anchorMarket: Type.String(),
        windowId: Type.String(),
        query: Type.String(),
      }),
      { description: "The first of them." },
    ),
    brief: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "What a policy is told at the start." }),
    ),
    views: Type.Optional(
      Type.Array(
        Type.Object({ viewName: Type.String(), anchorMarket: Type.String(), windowId: Type.String() }),
      ),
    ),
  }),
  async run(input, call) {
    const pack = await openPack(pathOf(call, input.pack), call.ports);
    try {
      const { manifest } = pack;
      const head = {
        action: "hlq.pack.show" as const,
        ...headOf(manifest, input.pack),
        sources: manifest.source_dataset_refs.map(({ name, rows }) => ({ name, rows })),
      };
      if (input.episode !== undefined) {
        const record = await pack.episode(input.episode);
        const { brief } = new EpisodeRegistry(manifest.pack_id, record, loaderOf(manifest));
        return {
          ...head,
          episodes: [lineOf(record)],
          brief: brief as unknown as JsonObject,
          views: viewsOf(record),
        };
      }
      const episodes = [];
      for await (const record of pack.episodes()) {
        if (episodes.length === listedMax) break;
        episodes.push(lineOf(record));
      }
      return { ...head, episodes };
    } finally {
      await pack.close();
    }
  },
  present({ packId, episodeCount, synthetic, sources, episodes, views }, paint) {
    const head = `  ${paint.strong(packId)}  ${episodesInWords(episodeCount)}${synthetic ? ", synthetic" : ""}`;
    const from = sources.map(({ name, rows }) => `  ${paint.dim(`from ${name}, ${grouped(rows)} rows`)}`);
    const rows = episodes.map(({ episodeId, anchorMarket, windowId, query }) =>
      views === undefined ? [episodeId, anchorMarket, windowId] : [episodeId, query],
    );
    const more =
      views === undefined && episodeCount > episodes.length
        ? [`  … and ${episodeCount - episodes.length} more`]
        : [];
    const seen = (views ?? []).map(({ viewName, anchorMarket, windowId }) => [
      viewName,
      anchorMarket,
      windowId,
    ]);
    return [head, ...from, ...columns(rows), ...more, ...columns(seen, { indent: "    " })].join("\n");
  },
});

function lineOf({ episode_id, anchor_market, window_id, query }: EpisodeRecord) {
  return { episodeId: episode_id, anchorMarket: anchor_market, windowId: window_id, query };
}

function viewsOf({ environment_views: views }: EpisodeRecord) {
  return viewNames.flatMap((viewName) =>
    views[viewName].map(({ anchor_market, window_id }) => ({
      viewName,
      anchorMarket: anchor_market,
      windowId: window_id,
    })),
  );
}
