/**
 * Runs the benchmarks: bundles bench/main.ts and starts it with the garbage
 * collector exposed, so that one measurement does not pay for the one before.
 *
 *   npm run bench                  all of them
 *   npm run bench -- append query  only those
 *   npm run bench -- --json        the numbers alone
 *   npm run bench -- agent         (or langgraph) first installs what it is compared with, under bench/peers
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { externalPackages } from "../scripts/external.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (["langgraph", "agent"].some((name) => process.argv.includes(name))) installPeers(`${root}bench/peers`);
const outdir = `${root}node_modules/.cache/bridle-bench`;
await build({
  entryPoints: ["main", "claimer", "pack-reader", "pack-builder", "agent-turn"].map(
    (name) => `${root}bench/${name}.ts`,
  ),
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
    readdirSync(`${root}packages`).map((room) => [`@bridle/${room}`, `${root}packages/${room}/src/index.ts`]),
  ),
});
const { status } = spawnSync(
  process.execPath,
  ["--expose-gc", `${outdir}/main.mjs`, root, ...process.argv.slice(2)],
  { stdio: "inherit" },
);
process.exit(status ?? 1);

/** Other people's programs that we compare with. Where they cannot be had, the benchmark says so and judges nothing. */
function installPeers(folder) {
  if (existsSync(`${folder}/node_modules/.package-lock.json`)) return;
  process.stderr.write("installing what is compared with …\n");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status === 0) return;
  rmSync(`${folder}/node_modules`, { recursive: true, force: true });
  process.stderr.write(`it could not be installed: ${(error?.message ?? stderr).trim()}\n`);
}
