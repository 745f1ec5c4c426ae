/** A pack from sources from end to end, small: what is refused, what is asked for, and what the manifest says. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../../test/support/folder.js";
import { startInfoServer } from "../../../../../test/support/info-server.js";
import { ports } from "../../../../../test/support/search-run.js";
import { samplePack } from "../../../../../test/support/search-pack.js";
import { openPack } from "../open.js";
import { writePack } from "../write.js";
import { makePack, type MakePackOptions } from "./make.js";
import { defaultParams } from "./params.js";

const hourMs = 3_600_000;
/** 2025-02-06T00:00Z; a time of the first days of 1970 is none. */
const start = 483_000;
const params = { ...defaultParams, baseline_hours: 4, baseline_hours_min: 2, baseline_hours_needed: 3 };
/** Hours of funding with a stress in one of them. */
const rates = Array.from({ length: 40 }, (_, hour) =>
  hour === 30 ? "0.01" : hour % 2 === 0 ? "0.0001" : "0.0003",
);
const make = (out: string, options: Partial<MakePackOptions>) =>
  makePack({
    source: { kind: "synthetic", seed: "1", markets: 2, days: 12 },
    out,
    nowMs: 0,
    ports,
    params,
    ...options,
  });

describe("a pack from the exchange", () => {
  it("asks for every market that is listed and not delisted, by name, or for those that are named", async () => {
    const rowsOf = (coin: string) =>
      rates.map((fundingRate, hour) => ({
        coin,
        fundingRate,
        premium: "0.0",
        time: (start + hour) * hourMs,
      }));
    const context = { funding: "0.0", markPx: "1.0", openInterest: "1.0", oraclePx: "1.0" };
    const universe = [
      { name: "ZED", szDecimals: 1, maxLeverage: 3 },
      { name: "ADA", szDecimals: 1, maxLeverage: 3 },
      { name: "OLD", szDecimals: 1, maxLeverage: 3, isDelisted: true },
    ];
    const server = await startInfoServer([
      { request: { type: "metaAndAssetCtxs" }, response: [{ universe }, [context, context, context]] },
      ...["ZED", "ADA", "OLD"].flatMap((coin) => [
        { request: { type: "candleSnapshot", req: { coin } }, response: [] },
        { request: { type: "fundingHistory", coin }, response: rowsOf(coin) },
      ]),
    ] as never);
    const source = { kind: "info", url: server.url, range: { from: start, to: start + 39 } } as const;
    const { manifest } = await make(newFolder(), { source });
    const coins = () => server.asked.filter(({ type }) => type === "fundingHistory").map(({ coin }) => coin);
    expect([...new Set(coins())]).toEqual(["ADA", "ZED"]);
    expect(manifest).toMatchObject({ synthetic: false, episode_count: 2, nondeterministic_components: [] });
    const stopped = make(newFolder(), { source, signal: AbortSignal.abort() });
    const asked = server.asked.length;
    await expect(stopped).rejects.toBeDefined();
    expect(server.asked).toHaveLength(asked);
    const before = server.asked.length;
    await make(newFolder(), { source: { ...source, markets: ["OLD"] } });
    expect(server.asked.slice(before).some(({ type }) => type === "metaAndAssetCtxs")).toBe(false);
    expect([...new Set(coins())]).toEqual(["ADA", "ZED", "OLD"]);
  });
});

describe("a pack from files", () => {
  const fileOf = (folder: string, lines: readonly object[]) => {
    const path = join(folder, "funding.jsonl");
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return { kind: "files", files: [{ path, shown: "funding.jsonl" } as never] } as const;
  };
  const row = (hour: number, fundingRate: string) => ({
    coin: "BTC",
    fundingRate,
    time: (start + hour) * hourMs,
  });

  it("says how it was made, and tells how far it is", async () => {
    const folder = newFolder();
    const told: [number, number][] = [];
    const { manifest } = await make(join(folder, "packs"), {
      source: fileOf(
        folder,
        rates.map((rate, hour) => row(hour, rate)),
      ),
      markets: ["ZED", "BTC"],
      progress: (done, total) => told.push([done, total]),
    });
    expect(manifest).toMatchObject({
      episode_count: 1,
      generator_script: "hlq pack build",
      generator_params: {
        builder_version: "2",
        markets: ["BTC", "ZED"],
        baseline_hours: 4,
        persist_hours: 3,
      },
    });
    expect(told).toEqual([[1, 1]]);
    const none = await make(join(folder, "none"), {
      source: fileOf(
        folder,
        rates.map((rate, hour) => row(hour, rate)),
      ),
      markets: ["ZED"],
    });
    expect(none.manifest.episode_count).toBe(0);
  });

  it("is not built from data that would make numbers wrong, unless somebody says that it is meant", async () => {
    const folder = newFolder();
    const wild = fileOf(
      folder,
      rates.map((rate, hour) => row(hour, hour === 5 || hour === 7 ? "5" : rate)),
    );
    const failed: unknown = await make(join(folder, "packs"), { source: wild }).catch(
      (error: unknown) => error,
    );
    const { failureClass, message, detail } = failed as {
      failureClass: string;
      message: string;
      detail: { defects: object[] };
    };
    expect(message).toMatch(/^funding\.jsonl:\d+: BTC: .*nothing was built$/);
    expect(message).toContain("1 more, which `hlq data check` lists");
    expect(detail.defects).toMatchObject([
      { class: failureClass, market: "BTC", source: "funding.jsonl", line: expect.any(Number) as number },
      { class: failureClass },
    ]);
    expect(readdirSync(folder)).toEqual(["funding.jsonl"]);
    const { manifest } = await make(join(folder, "packs"), {
      source: { ...wild, accept: [failureClass] },
    });
    expect(manifest.episode_count).toBeGreaterThan(0);
  });
});

describe("writing a pack", () => {
  const source = (synthetic: boolean) => ({ name: "s", rows: 0, sha256: "0".repeat(64), synthetic });
  const generator = { script: "s", repoRelpath: "r", gitSha: "g", params: {} };
  const write = (out: string, sources: readonly ReturnType<typeof source>[]) =>
    writePack({
      out,
      episodes: [],
      generator,
      sources,
      nondeterministicComponents: [],
      readme: () => "",
      nowMs: 0,
      ports,
    });

  it("keeps made-up and real data apart, and leaves nothing where they were mixed", async () => {
    const out = join(newFolder(), "packs");
    await expect(write(out, [source(true), source(false)])).rejects.toMatchObject({
      failureClass: "pack_sources_mixed",
      message: expect.stringContaining("synthetic and real") as string,
    });
    expect((await write(out, [source(true), source(true)])).manifest.synthetic).toBe(true);
    expect((await write(out, [source(false)])).manifest).toMatchObject({
      synthetic: false,
      parts: null,
      blocks: [],
    });
    expect(readdirSync(out)).toHaveLength(2);
  });

  it("reads a block in as many pieces as the disk gives it, and says where a file ends that is too short", async () => {
    const { folder } = await samplePack(newFolder());
    const limited = (bytesMax: number, ends = Number.POSITIVE_INFINITY) => ({
      ...ports,
      files: Object.assign(Object.create(ports.files) as typeof ports.files, {
        open: async (...args: Parameters<typeof ports.files.open>) => {
          const file = await ports.files.open(...args);
          if (!args[0].endsWith("episodes.jsonl")) return file;
          return Object.assign(Object.create(file) as typeof file, {
            stat: () => file.stat(),
            close: () => file.close(),
            read: (at: number, length: number) =>
              file.read(at, Math.max(0, Math.min(length, bytesMax, ends - at))),
          });
        },
      }),
    });
    const pack = await openPack(folder, limited(100));
    expect((await pack.episode("ep-00002")).episode_id).toBe("ep-00002");
    await pack.close();
    const short = await openPack(folder, limited(100, 250));
    await expect(short.episode("ep-00002")).rejects.toMatchObject({
      failureClass: "pack_damaged",
      message: expect.stringContaining("ends at byte 250") as string,
    });
    await short.close();
  });

  it("is of as many made-up markets and days as were asked for", async () => {
    const rowsOf = async (markets: number, days: number) => {
      const source = { kind: "synthetic", seed: "1", markets, days } as const;
      const { manifest } = await make(newFolder(), { source });
      return manifest.source_dataset_refs.reduce((sum, { rows }) => sum + rows, 0);
    };
    const [one, longer, more] = [await rowsOf(1, 3), await rowsOf(1, 6), await rowsOf(2, 3)];
    // Markets differ a little in what they have.
    for (const ratio of [longer / one, more / one]) {
      expect(ratio).toBeGreaterThan(1.7);
      expect(ratio).toBeLessThan(2.4);
    }
  });

  it("has a README that names every source", async () => {
    const { folder } = await make(newFolder(), {});
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    expect(readme).toMatch(/^# Replay pack pack_\w+\n\n/);
    expect(readme).toMatch(
      /\n\| source \| rows \| sha256 \|\n\| --- \| --- \| --- \|\n\| .* \| \d+ \| `[0-9a-f]{64}` \|\n$/,
    );
    expect(readme.split("\n\n")).toHaveLength(5);
  });
});
