/**
 * Runs the benchmarks: bundles bench/main.ts and starts it with the garbage
 * collector exposed, so that one measurement does not pay for the one before.
 *
 *   npm run bench                  all of them, small and quick where --quick is given
 *   npm run bench -- append query  only those
 *   npm run bench -- --json        the numbers alone
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { externalPackages } from "../scripts/external.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}node_modules/.cache/bridle-bench`;
await build({
  entryPoints: ["main", "claimer", "pack-reader"].map((name) => `${root}bench/${name}.ts`),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
  external: externalPackages,
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  alias: Object.fromEntries(
    ["record", "testing", "operation", "work", "market", "model", "search"].map((room) => [
      `@bridle/${room}`,
      `${root}packages/${room}/src/index.ts`,
    ]),
  ),
});
const { status } = spawnSync(
  process.execPath,
  ["--expose-gc", `${outdir}/main.mjs`, root, ...process.argv.slice(2)],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
