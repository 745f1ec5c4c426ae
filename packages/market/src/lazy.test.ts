/** The engine is heavy, so nobody loads it who does not open it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";

const room = (name: string) => fileURLToPath(new URL(`../../${name}/src/index.ts`, import.meta.url));

it("importing this room and making a synthetic market does not load DuckDB; opening the engine does", async () => {
  const outfile = join(newFolder(), "lazy.mjs");
  const engine = import.meta.resolve("@duckdb/node-api");
  await build({
    stdin: {
      contents: `
        import { openEngine, syntheticMarket } from "@bridle/market";
        const loaded = () => process.report.getReport().sharedObjects.some((each) => /duckdb/i.test(each));
        const said = [loaded()];
        await syntheticMarket({ seed: "1", markets: 2, days: 10 });
        said.push(loaded());
        await (await openEngine()).discard();
        said.push(loaded());
        console.log(JSON.stringify(said));`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    alias: { "@bridle/market": room("market"), "@bridle/record": room("record") },
    plugins: [
      {
        name: "engine",
        setup: (options) =>
          options.onResolve({ filter: /^@duckdb\/node-api$/ }, () => ({ path: engine, external: true })),
      },
    ],
  });
  const said = execFileSync(process.execPath, [outfile], { encoding: "utf8" });
  expect(JSON.parse(said)).toEqual([false, false, true]);
});
