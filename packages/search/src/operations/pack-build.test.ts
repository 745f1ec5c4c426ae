/** A pack from the exchange's info endpoint against one from files that hold the same facts. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hourMs, type MarketTables, syntheticMarket } from "@bridle/market";
import type { Call } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { startInfoServer } from "../../../../test/support/info-server.js";
import type { Recording } from "../../../../test/support/market-data.js";
import { never, ports } from "../../../../test/support/search-run.js";
import { openPack } from "../pack/open.js";
import type { EpisodeRecord } from "../types.js";
import { packBuild } from "./pack-build.js";

const now = "2026-01-01T00:00:00Z";

/** Facts of a made-up market in the exchange's own form. */
async function facts(tables: MarketTables) {
  const found: { candles: object[]; funding: object[]; recordings: Recording[]; hours: number[] } = {
    ...{ candles: [], funding: [], recordings: [], hours: [] },
  };
  const markets = await tables.markets();
  for (const coin of markets) {
    const candles = (await tables.candles(coin)).map(({ hour, open, high, low, close, volume, trades }) => ({
      ...{ s: coin, i: "1h", t: hour * hourMs, T: (hour + 1) * hourMs - 1 },
      ...{ o: open, h: high, l: low, c: close, v: volume, n: trades },
    }));
    const funding = (await tables.funding(coin)).map(({ hour, rate, premium }) => ({
      ...{ coin, fundingRate: rate, premium, time: hour * hourMs },
    }));
    found.candles.push(...candles);
    found.funding.push(...funding);
    found.hours.push(...funding.map(({ time }) => time));
    found.recordings.push(
      { request: { type: "candleSnapshot", req: { coin } }, response: candles },
      { request: { type: "fundingHistory", coin }, response: funding },
    );
  }
  const universe = markets.map((name) => ({ name, szDecimals: 1, maxLeverage: 3 }));
  const contexts = markets.map(() => ({
    funding: "0.0",
    markPx: "1.0",
    openInterest: "1.0",
    oraclePx: "1.0",
  }));
  found.recordings.push({ request: { type: "metaAndAssetCtxs" }, response: [{ universe }, contexts] });
  return found;
}

async function setUp() {
  const cwd = newFolder();
  const call: Call = { ports, signal: never, cwd, env: {}, warn: () => {}, progress: () => {} };
  const build = (input: object) =>
    packBuild.run({ now, ...input } as Parameters<typeof packBuild.run>[0], call);
  const episodes = async (answer: unknown) => {
    const { folder } = answer as { folder: string };
    const pack = await openPack(join(cwd, folder), ports);
    const found: EpisodeRecord[] = [];
    for await (const each of pack.episodes()) found.push(each);
    await pack.close();
    return found;
  };
  return { cwd, build, episodes };
}

describe("hlq pack build --source info", () => {
  it("builds the pack that files with the same facts give, but for where they are from", async () => {
    const { cwd, build, episodes } = await setUp();
    const { candles, funding, recordings, hours } = await facts(
      await syntheticMarket({ seed: "7", markets: 4, days: 40 }),
    );
    const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(join(cwd, "candles.jsonl"), lines(candles));
    writeFileSync(join(cwd, "funding.jsonl"), lines(funding));
    const fromFiles = await episodes(
      await build({ sources: ["candles.jsonl", "funding.jsonl"], out: "packs/files" }),
    );
    expect(fromFiles.length).toBeGreaterThan(3);

    const server = await startInfoServer(recordings);
    const iso = (ms: number) => new Date(ms).toISOString();
    const info = {
      sources: [`info:${server.url}`],
      from: iso(Math.min(...hours)),
      to: iso(Math.max(...hours)),
    };
    const answer = await build({ ...info, out: "packs/info" });
    const asked = server.asked.length;
    expect(withoutRefs(await episodes(answer))).toEqual(withoutRefs(fromFiles));
    expect(answer).toMatchObject({ synthetic: false });

    // The same question gives the same pack; narrower ones give fewer markets and ask less.
    const again = await build({ ...info, out: "packs/again" });
    expect(again).toMatchObject({ packId: (answer as { packId: string }).packId });
    const [market] = new Set(fromFiles.map(({ anchor_market }) => anchor_market));
    const before = server.asked.length;
    const one = await episodes(await build({ ...info, infoMarkets: [market], out: "packs/one" }));
    expect(server.asked.length - before).toBeLessThan(asked);
    expect(new Set(one.map(({ anchor_market }) => anchor_market))).toEqual(new Set([market]));
  });

  it("judges what the endpoint answers, and builds nothing from what would make numbers wrong unless it is meant", async () => {
    const { cwd, build } = await setUp();
    const { recordings, hours } = await facts(await syntheticMarket({ seed: "7", markets: 2, days: 20 }));
    const rates = recordings.find(({ request }) => request.type === "fundingHistory");
    const rows = rates?.response as { fundingRate: string }[];
    (rows[40] as { fundingRate: string }).fundingRate = "5.0";
    (rows[41] as { fundingRate: string }).fundingRate = "0.5";
    const server = await startInfoServer(recordings);
    const iso = (ms: number) => new Date(ms).toISOString();
    const info = {
      sources: [`info:${server.url}`],
      from: iso(Math.min(...hours)),
      to: iso(Math.max(...hours)),
    };
    const refused = await build(info).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      failureClass: "funding_out_of_range",
      message: expect.stringMatching(
        /fundingHistory.*:41: \S+: funding of 5 is 500\.0 % in an hour.*; 1 more; nothing was built$/,
      ) as string,
      hint: expect.stringContaining("--accept funding_out_of_range") as string,
    });
    expect(readdirSync(cwd)).toEqual([]);
    expect(await build({ ...info, accept: ["funding_out_of_range"] })).toMatchObject({ synthetic: false });
  });

  it("refuses what does not go together, before anything is asked", async () => {
    const { build } = await setUp();
    const from = "2025-07-01T00:00:00Z";
    for (const [input, of] of [
      [{ sources: ["info", "synthetic"] }, "pack_sources_mixed"],
      [{ sources: ["info", "candles.csv"] }, "pack_sources_mixed"],
      [{ sources: ["info:http://127.0.0.1:1/info"] }, "input_invalid"],
      [{ sources: ["info:nowhere"], from, to: from }, "input_invalid"],
      [{ sources: ["info:file:///etc/passwd"], from, to: from }, "input_invalid"],
      [{ sources: ["info"], from, to: "2025-06-01T00:00:00Z" }, "input_invalid"],
      [{ sources: ["info"], from: "yesterday", to: from }, "input_invalid"],
      [{ sources: ["info", "info:http://127.0.0.1:1/info"], from, to: from }, "input_invalid"],
      [{ sources: ["candles.csv"], from, to: from }, "input_invalid"],
      [{ sources: ["synthetic"], infoMarkets: ["BTC"] }, "input_invalid"],
      [{ sources: ["info"], from, to: from, seed: "7" }, "input_invalid"],
    ] as const) {
      const answer = await build(input);
      expect(isRefusal(answer) ? answer.refused : answer, JSON.stringify(input)).toBe(of);
    }
  });
});

function withoutRefs(episodes: readonly EpisodeRecord[]): unknown {
  return JSON.parse(
    JSON.stringify(episodes, (name, value: unknown) => (name === "source_refs" ? [] : value)),
  );
}
