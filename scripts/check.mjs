/**
 * Everything that can be judged without running a test, each on one line.
 *
 * All checks run even when one fails, so that a person sees the whole list at
 * once; what a failed one said follows below the lines.
 *
 *     node scripts/check.mjs [name…]
 */
import { spawn } from "node:child_process";
import { root } from "./ensure.mjs";
import { paint, seconds } from "./terminal.mjs";

const checks = {
  types: ["node_modules/typescript/bin/tsc", "-b"],
  lint: ["node_modules/oxlint/bin/oxlint", "--deny-warnings", "."],
  format: ["node_modules/oxfmt/bin/oxfmt", "--check", "."],
  rooms: ["scripts/rooms.mjs", "--check"],
  boundaries: ["scripts/boundaries.mjs"],
  cycles: ["scripts/cycles.mjs"],
  clauses: ["scripts/clauses.mjs"],
  schemas: ["scripts/schemas.mjs", "--check"],
  texts: ["scripts/query-texts.mjs", "--check"],
  manifest: ["scripts/manifest.mjs"],
  slices: ["scripts/slices.mjs", "--check"],
  doctrine: ["scripts/doctrine.mjs"],
  docs: ["scripts/docs-coherence.mjs"],
  lockfile: ["scripts/lockfile.mjs", "--check"],
  api: ["scripts/api.mjs", "--check"],
};
/** By check, the one whose work it builds on; together they would do it twice. */
const after = { api: "types" };
const atOnce = 2;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  process.stderr.write(
    `error: there is no check ${unknown.join(", ")}; there are ${Object.keys(checks).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  await runAll(wanted.length > 0 ? wanted : Object.keys(checks));
}

async function runAll(names) {
  const width = Math.max(...names.map((name) => name.length));
  const waiting = [...names];
  const failed = [];
  const running = new Map();
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      await running.get(after[name]);
      running.set(name, run(checks[name]));
      const { code, output, ms } = await running.get(name);
      const verdict = code === 0 ? paint("good", "ok    ") : paint("bad", "failed");
      process.stdout.write(`  ${name.padEnd(width)}   ${verdict}   ${seconds(ms).padStart(6)}\n`);
      if (code !== 0) failed.push({ name, output });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const { name, output } of failed)
    process.stdout.write(`\n${paint("strong", name)}\n${output.trimEnd()}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function run(args) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("close", (code) => resolve({ code, output, ms: performance.now() - started }));
  });
}
