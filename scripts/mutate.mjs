/**
 * Small mistakes planted in the sources, one at a time: which of them do the tests notice?
 *
 *     node scripts/mutate.mjs <file or folder…> [--sample N] [--seed N] [--part K/N]
 *       [--results <file>] [--again <file>] [--tests <test…>] [--concurrency N]
 *
 * Stryker plants them in a copy of the tree in the temporary folder and runs the
 * tests that belong to each file (`mutate/tests-of.mjs`, and what --tests names).
 * What survives is printed with its place; docs/mutation.md keeps what was judged.
 * A long run is had in parts: `--part 2/4` plants the second quarter of the sample.
 * `--results` adds what came of each to a file of JSON lines; what stands there is not
 * planted again, so a run that was cut off goes on. `--again` plants only what survived
 * in such a file: the quick way to see whether a new test notices.
 * The wording of messages is left alone: no test should repeat a sentence.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./ensure.mjs";
import { isNoticed, isSurvivor } from "./mutate/outcome.mjs";
import { testsOf } from "./mutate/tests-of.mjs";

const options = readOptions();
if (options === undefined) process.exitCode = 2;
else process.exitCode = await mutate(options);

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        sample: { type: "string" },
        seed: { type: "string", default: "1" },
        tests: { type: "string", multiple: true, default: [] },
        concurrency: { type: "string", default: "1" },
        part: { type: "string", default: "1/1" },
        results: { type: "string" },
        again: { type: "string" },
      },
      allowPositionals: true,
    });
    const whole = (name, text) => {
      if (!/^[1-9]\d*$/.test(text))
        throw new Error(`--${name} is ${text}; it must be a whole number above 0`);
      return Number(text);
    };
    const files = positionals.flatMap(sourcesIn).toSorted();
    if (files.length === 0) throw new Error("name the files or folders to plant mistakes in");
    for (const test of values.tests)
      if (!existsSync(path.join(root, test))) throw new Error(`${test} is not there`);
    const [, part, parts] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(values.part) ?? []).map(Number);
    if (part === undefined || part > parts)
      throw new Error(`--part is ${values.part}; it must be like 2/4, the second of four`);
    if (values.again !== undefined && !existsSync(values.again))
      throw new Error(`${values.again} is not there`);
    return {
      files,
      tests: values.tests,
      part: [part, parts],
      ...(values.results === undefined ? {} : { resultsFile: path.resolve(values.results) }),
      ...(values.again === undefined ? plantedIn(values.results) : { again: survivorsIn(values.again) }),
      ...(values.sample === undefined ? {} : { sample: whole("sample", values.sample) }),
      seed: whole("seed", values.seed),
      concurrency: whole("concurrency", values.concurrency),
    };
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    return undefined;
  }
}

function sourcesIn(given) {
  const place = path.resolve(root, given);
  if (!existsSync(place)) throw new Error(`${given} is not there`);
  const names = statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true }).map((name) => path.join(place, name))
    : [place];
  return names
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts"))
    .map((name) => path.relative(root, name));
}

/** What came of each the last time it was planted, by its key. */
function outcomesIn(file) {
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return [...new Map(rows.map(({ key, status }) => [key, status]))];
}

function survivorsIn(file) {
  return outcomesIn(file)
    .filter(([, status]) => isSurvivor({ status }))
    .map(([key]) => key);
}

function plantedIn(file) {
  return file === undefined || !existsSync(file) ? {} : { planted: outcomesIn(file).map(([key]) => key) };
}

async function mutate({ files, tests, sample, seed, part, again, planted, resultsFile, concurrency }) {
  const folder = mkdtempSync(path.join(tmpdir(), "bridle-mutate-"));
  process.chdir(root);
  process.env.BRIDLE_TEST_MUTATE = JSON.stringify({
    tests: [...new Set([...files.flatMap(testsOf), ...tests])].toSorted(),
    ...(sample === undefined ? {} : { sample }),
    ...(again === undefined ? {} : { again }),
    ...(planted === undefined ? {} : { planted }),
    ...(resultsFile === undefined ? {} : { resultsFile }),
    seed,
    part,
  });
  try {
    const { Stryker } = await import("@stryker-mutator/core");
    const results = await new Stryker({
      mutate: files,
      testRunner: "vitest",
      vitest: { configFile: "scripts/mutate/vitest.config.ts", related: false },
      plugins: ["@stryker-mutator/vitest-runner", path.join(root, "scripts/mutate/sample.mjs")],
      reporters: ["sample"],
      coverageAnalysis: "perTest",
      concurrency,
      ignorePatterns: ["dist", "packages/*/dist", "/runs", "bench/results", ".premath/.local", ".bridle"],
      tempDirName: folder,
      cleanTempDir: "always",
      // Helpers and other programs share the machine; a slow run is not a mistake that was noticed.
      timeoutMS: 30_000,
      allowConsoleColors: false,
      fileLogLevel: "off",
      logLevel: "warn",
      warnings: { slow: false },
      // Stryker would rewrite paths in it by the API of TypeScript 6; there are none that lead out.
      tsconfigFile: "none.json",
      thresholds: { break: null },
    }).runMutationTest();
    return report(results);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(results) {
  const noticed = results.filter(isNoticed);
  const survived = results.filter(isSurvivor);
  for (const { fileName, location, mutatorName, replacement, status } of survived.toSorted(byPlace)) {
    const place = `${path.relative(root, fileName)}:${location.start.line}:${location.start.column}`;
    const shown = replacement.replaceAll(/\s+/g, " ").slice(0, 80);
    process.stdout.write(
      `  ${place}  ${mutatorName} -> ${shown}${status === "NoCoverage" ? "  (no test runs it)" : ""}\n`,
    );
  }
  const total = noticed.length + survived.length;
  const percent = total === 0 ? 0 : (100 * noticed.length) / total;
  process.stdout.write(
    `mutation: ${total} mistakes, ${noticed.length} killed, ${survived.length} survived, ${percent.toFixed(1)} %\n`,
  );
  return total === 0 ? 1 : 0;
}

function byPlace(left, right) {
  if (left.fileName !== right.fileName) return left.fileName < right.fileName ? -1 : 1;
  return left.location.start.line - right.location.start.line;
}
