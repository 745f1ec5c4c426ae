/**
 * The long proofs: the same tests as `npm test`, as large as the time allows.
 *
 *     node scripts/prove.mjs [--minutes 10] [--seed S] [part of a path…]
 *
 * Every proof runs every time. Each gets a share of the minutes, a larger one when
 * the last commit touched its room, and runs at the size that fits into it, by how
 * long it took before, or else by how it grows from a hundredth; what a quick one
 * leaves over the others get. One that takes longer than was thought is stopped; what
 * counts then is how it went when it was smaller, at least as in `npm test`. What a
 * proof counted it prints on lines with `proof:`. What is drawn by chance starts from
 * the commit, or from --seed; the seed is printed first.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { ensure, root } from "./ensure.mjs";
import { countReport, failuresOf, readReport } from "./reports.mjs";
import { paint, seconds } from "./terminal.mjs";

/** Folders whose every test is a proof; elsewhere a test is one when it asks how much to run. */
const proofFolders = ["test/crash", "test/simulation", "test/security"];
const asksHowMuch = /BRIDLE_PROVE|support\/scale\.js/;
/** Tests of which `npm test` runs some; they have one size. */
const asksWhich = /support\/everyday\.js/;
const timesFile = path.join(root, "node_modules/.cache/bridle/proof-times.json");
/** The size at which a proof is tried that was never seen here. */
const trialSize = 0.01;
/** A share of the time is not cut into smaller pieces than this. */
const shareMsMin = 15_000;
const touchedWeight = 3;
/** At the size of `npm test` nothing takes this long; it hangs. */
const hungMs = 30 * 60_000;

const options = readOptions();
if (options === undefined) process.exitCode = 2;
else await proveAll(options);

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
      allowPositionals: true,
    });
    const minutes = Number(values.minutes);
    if (!(minutes > 0)) throw new Error(`--minutes is ${values.minutes}; it must be a number above 0`);
    if (values.seed !== undefined && !/^\d+$/.test(values.seed)) {
      throw new Error(`--seed is ${values.seed}; it must be a whole number`);
    }
    return { minutes, seed: values.seed, parts: positionals };
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    return undefined;
  }
}

async function proveAll({ minutes, seed: named, parts }) {
  await ensure();
  const seed = named ?? process.env.BRIDLE_TEST_DRAWS_FROM ?? seedOfCommit();
  const drawn = { seed, named: named !== undefined };
  const times = readTimes();
  const files = inTurn(proofFiles(parts), seed);
  const weights = new Map(files.map((file) => [file, isTouched(file) ? touchedWeight : 1]));
  const width = Math.max(5, ...files.map((file) => file.length));
  const reports = process.env.BRIDLE_TEST_REPORTS ?? mkdtempSync(path.join(tmpdir(), "bridle-proofs-"));
  const deadline = performance.now() + minutes * 60_000;
  const tally = { ok: 0, smaller: 0, failed: 0 };
  const details = [];
  process.stdout.write(
    `  seed ${seed}; rooms of the last commit: ${[...touchedRooms()].join(", ") || "none"}\n`,
  );
  process.stdout.write(`  ${"proof".padEnd(width)}   verdict          time   size   counts\n`);
  for (const [i, file] of files.entries()) {
    const rest = files.slice(i).reduce((sum, each) => sum + weights.get(each), 0);
    const left = deadline - performance.now();
    const share = Math.max(shareMsMin, (left * weights.get(file)) / rest);
    const report = path.join(reports, `proofs-${String(i).padStart(3, "0")}.json`);
    const proof = await proveWithin(share, { file, seed: drawn, report, times });
    if (proof.verdict === "ok" && proof.size < 1) proof.verdict = "smaller";
    tally[proof.verdict]++;
    if (proof.verdict === "failed") details.push({ file, text: proof.detail });
    process.stdout.write(row(file, proof, width));
  }
  writeTimes(times);
  if (process.env.BRIDLE_TEST_REPORTS === undefined) rmSync(reports, { recursive: true, force: true });
  for (const { file, text } of details) process.stdout.write(`\n${paint("strong", file)}\n${text}\n`);
  process.stdout.write(
    `\n  ${files.length === 1 ? "1 proof" : `${files.length} proofs`}: ${tally.ok} at full size, ${tally.smaller} smaller, ${tally.failed} failed\n`,
  );
  process.exitCode = tally.failed > 0 || files.length === 0 ? 1 : 0;
}

/** One proof as large as the time allows; what it takes at full size is noted in `times`. */
async function proveWithin(share, { times, ...what }) {
  const { file } = what;
  const at = async (size, left) => ({ ...(await prove({ ...what, size, left })), size });
  if (!hasSizes(file)) return at(1, hungMs);
  if (times[file] === undefined)
    return growWithin(share, { at, seen: (ms) => (times[file] = Math.round(ms)) });
  const size = Math.min(1, hundredths(share / times[file]));
  const proof = await at(size, share * 1.5);
  if (proof.verdict === "late") {
    // Next time it is thought to take at least what it has shown now.
    times[file] = Math.round(Math.max(times[file] * 2, proof.ms / Math.max(size, 0.01)));
    return at(0, hungMs);
  }
  if (proof.verdict === "ok" && size > 0.05) times[file] = Math.round(proof.ms / size);
  return proof;
}

/** One that was never seen here begins as in `npm test` and grows tenfold at most, by what it showed so far. */
async function growWithin(share, { at, seen }) {
  const deadline = performance.now() + share;
  let best = await at(0, hungMs);
  const { ms: baseMs } = best;
  for (let size = trialSize; best.verdict === "ok" && size >= Math.max(trialSize, 2 * best.size);) {
    const left = deadline - performance.now();
    if (left < baseMs) break;
    const proof = await at(size, left * 1.5);
    const perSize = Math.max(0, proof.ms - baseMs) / size;
    seen(baseMs + perSize);
    if (proof.verdict === "late") break;
    best = proof;
    const affordable = (deadline - performance.now() - baseMs) / Math.max(1, perSize);
    size = hundredths(Math.min(1, 10 * size, affordable));
    if (best.size >= 1) break;
  }
  return best;
}

function hundredths(number) {
  return Math.floor(number * 100 + 1e-9) / 100;
}

// --- What the commit says --------------------------------------------------------------------------

function git(...args) {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** Small enough that a proof may multiply it by a million and have a whole number still. */
function seedOfCommit() {
  return String(Number.parseInt(git("rev-parse", "HEAD").slice(0, 4) || "1", 16));
}

function touchedRooms() {
  const paths = git("diff", "--name-only", "HEAD~1", "HEAD").split("\n");
  return new Set(paths.flatMap((name) => /^packages\/([^/]+)\//.exec(name)?.[1] ?? []));
}

function isTouched(file) {
  const rooms = touchedRooms();
  const own = /^packages\/([^/]+)\//.exec(file)?.[1];
  if (own !== undefined) return rooms.has(own);
  const text = readFileSync(path.join(root, file), "utf8");
  return [...rooms].some((room) => text.includes(`@bridle/${room}"`) || text.includes(`packages/${room}/`));
}

/** Beginning at another one with every commit, so that nobody is always the last. */
function inTurn(files, seed) {
  const at = files.length === 0 ? 0 : Number(seed) % files.length;
  return [...files.slice(at), ...files.slice(0, at)];
}

// --- Which ---------------------------------------------------------------------

function proofFiles(parts) {
  const packages = readdirSync(path.join(root, "packages")).map((room) => `packages/${room}/src`);
  return ["test", ...packages]
    .flatMap((folder) => testsUnder(folder))
    .filter((file) => proofFolders.some((folder) => file.startsWith(`${folder}/`)) || asks(file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .toSorted();
}

function testsUnder(folder) {
  const entries = readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}

function asks(file) {
  const text = readFileSync(path.join(root, file), "utf8");
  return asksHowMuch.test(text) || asksWhich.test(text);
}

function hasSizes(file) {
  return (
    proofFolders.some((folder) => file.startsWith(`${folder}/`)) ||
    asksHowMuch.test(readFileSync(path.join(root, file), "utf8"))
  );
}

/** How long each is thought to take at full size, by the last time here. */
function readTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {};
  }
}

function writeTimes(times) {
  try {
    mkdirSync(path.dirname(timesFile), { recursive: true });
    writeFileSync(timesFile, `${JSON.stringify(times, null, 2)}\n`);
  } catch {
    // Only the sizes of the next run depend on it.
  }
}

// --- One proof -------------------------------------------------------------------------------------

/** A seed that somebody names is the only one that a simulation runs; that of the commit is where proofs begin to draw. */
function seeds({ seed, named }) {
  return named ? { BRIDLE_SEED: seed } : { BRIDLE_TEST_DRAWS_FROM: seed };
}

function prove({ file, seed, left, report, size }) {
  const started = performance.now();
  const args = ["node_modules/vitest/vitest.mjs", "run", file, "--disableConsoleIntercept", "--no-color"];
  args.push("--reporter=json", `--outputFile=${report}`, `--testTimeout=${Math.ceil(left)}`);
  const env = { ...process.env, BRIDLE_PROVE: "1", BRIDLE_PROVE_PART: String(size), ...seeds(seed) };
  return new Promise((resolve, reject) => {
    // In a process group of its own, so that at the deadline its children end with it.
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let late = false;
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    const stop = () => signalGroup(child.pid, "SIGKILL");
    const timer = setTimeout(() => {
      late = true;
      stop();
    }, left);
    const interrupted = (signal) => {
      stop();
      process.kill(process.pid, signal);
    };
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupted);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupted);
      resolve({ ...judge({ code, late, output, report }), ms: performance.now() - started });
    });
  });
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function judge({ code, late, output, report }) {
  const said = output.split("\n").map((line) => line.trim());
  const proofs = said.filter((line) => line.includes("proof:"));
  const spoken = said.filter((line) => line !== "" && !line.startsWith("JSON report written"));
  const lines =
    proofs.length > 0
      ? proofs.map((line) => line.slice(line.indexOf("proof:") + 6).trim())
      : spoken.slice(-2);
  if (late) return { verdict: "late", lines: [] };
  const results = readReport(report);
  if (code === 0 && results !== undefined) {
    const { passed } = countReport(results);
    return { verdict: "ok", lines: lines.length > 0 ? lines : [`${passed} tests`] };
  }
  const detail = results === undefined ? spoken.slice(-40).join("\n") : failuresOf(results);
  return { verdict: "failed", lines, detail };
}

function row(file, { verdict, ms, lines, size }, width) {
  const colour = verdict === "ok" ? "good" : verdict === "failed" ? "bad" : "dim";
  const time = (ms === 0 ? "" : seconds(ms)).padStart(7);
  const [first = "", ...more] = lines;
  const head = `  ${file.padEnd(width)}   ${paint(colour, verdict.padEnd(11))}   ${time}   ${`${Math.round(size * 100)} %`.padStart(5)}  ${first}`;
  const indent = " ".repeat(2 + width + 3 + 11 + 3 + 7 + 3 + 5 + 2);
  return [head, ...more.map((line) => indent + line)].map((line) => `${line.trimEnd()}\n`).join("");
}
