/**
 * Builds a pack from so many hours of so many markets, in a process of its own:
 * `node pack-builder.mjs <folder> <markets> <hours>` prints the rows, the
 * milliseconds and the peak of its memory in kilobytes.
 */
import { CheckingBuilder, type MarketTables, MemoryBuilder } from "@bridle/market";
import { nodePorts } from "@bridle/record";
import { writePack } from "@bridle/search";
import { buildEpisodes } from "../packages/search/src/pack/build/build.js";
import { defaultParams } from "../packages/search/src/pack/build/params.js";

const [folder = ".", markets = "2", hours = "400"] = process.argv.slice(2);
const firstHour = 400_000;

/** The same numbers everywhere, from a step of 32 bits. */
let state = 12_345;
function unit(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 4_294_967_296;
}

const started = performance.now();
const rows = 2 * Number(markets) * Number(hours);

async function load(): Promise<MarketTables> {
  const builder = new CheckingBuilder(new MemoryBuilder());
  let line = 1;
  for (let i = 0; i < Number(markets); i++) {
    const market = `M${i}`;
    let [price, stress] = [10 + 90 * unit(), 0];
    for (let hour = firstHour; hour < firstHour + Number(hours); hour++) {
      const open = price;
      price *= 1 + (unit() - 0.5) * 0.02;
      const [high, low] = [Math.max(open, price), Math.min(open, price)];
      const place = { source: "bench", line: line++ };
      builder.add(
        "candle",
        {
          ...{ market, hour, open: open.toFixed(5), high: high.toFixed(5), low: low.toFixed(5) },
          ...{
            close: price.toFixed(5),
            volume: (1_000 * unit()).toFixed(3),
            trades: Math.floor(900 * unit()),
          },
        },
        place,
      );
      if (unit() < 0.002) stress = 1 + Math.floor(6 * unit());
      const rate = 0.0000125 + (unit() - 0.5) * 0.000004 + (stress-- > 0 ? 0.0001 : 0);
      builder.add("funding", { market, hour, rate: rate.toFixed(12) }, place);
    }
  }
  builder.source({
    ...{ name: "bench", kind: "synthetic", sha256: "0".repeat(64), bytes: 0, rows },
    ...{ numbers: "decimal", synthetic: true },
  });
  builder.report();
  return builder.finish();
}

const tables = await load();
const { manifest } = await writePack({
  out: folder,
  episodes: buildEpisodes({ tables, params: defaultParams }),
  generator: { script: "bench", repoRelpath: "bench/pack-builder.ts", gitSha: "unknown", params: {} },
  sources: [{ name: "bench", rows, sha256: "0".repeat(64), synthetic: true }],
  nondeterministicComponents: [],
  readme: ({ pack_id }) => `# ${pack_id}\n`,
  nowMs: 0,
  ports: nodePorts(),
});
const answer = {
  rows,
  episodes: manifest.episode_count,
  ms: Math.round(performance.now() - started),
  peakKb: process.resourceUsage().maxRSS,
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
