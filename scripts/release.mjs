/**
 * Makes a release: proves, packs, installs and tries the tarball, and only then tags.
 *
 *     node scripts/release.mjs [--minutes 30] [--proved] [--package <file>] [--dry-run]
 *
 * The version is that of package.json, and CHANGELOG.md has its section. Nothing is
 * changed before the last step, which makes the tag v<version> here; nothing is sent
 * anywhere. The tag says how the commit was proved, and the digest of the tarball that
 * was tried.
 *
 * `--proved` is for a commit that CI has proved: checks, tests, proofs and the many ways
 * of installing are not run again. `--package` takes a tarball that was made already.
 * Whichever it is, npm installs it and its commands are typed before anything is tagged.
 * `--dry-run` does everything but the tag.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./ensure.mjs";
import { makePackage, packageLimits } from "./package.mjs";
import { tryPackage } from "./release/trial.mjs";
import { seconds } from "./terminal.mjs";

const vitest = "node_modules/vitest/vitest.mjs";
/** The tarball in every way of installing it, its types, and on every Node. */
const everyWay = "test/end-to-end/install.test.ts";

try {
  const options = readOptions();
  const { version } = JSON.parse(read("package.json"));
  const problems = problemsWith(version);
  if (problems.length > 0)
    throw new Error(`${version} is not ready:\n${problems.map((each) => `  ${each}`).join("\n")}`);
  await release(version, options);
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "30" },
      proved: { type: "boolean", default: false },
      package: { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
  });
  // npm stands in the root; a path that a person typed starts where the person stood.
  const given = values.package && path.resolve(process.env.INIT_CWD ?? ".", values.package);
  return { minutes: values.minutes, isProved: values.proved, given, isDry: values["dry-run"] };
}

async function release(version, { minutes, isProved, given, isDry }) {
  const commit = git("rev-parse", "HEAD");
  if (!isProved) await prove(minutes);
  const file = given ?? (await packed());
  await trial(file, version);
  if (!isProved)
    await step("every way of installing", () =>
      node([vitest, "run", everyWay], { BRIDLE_PROVE: "1", BRIDLE_TEST_PACKAGE: file }),
    );
  if (git("rev-parse", "HEAD") !== commit || git("status", "--porcelain") !== "")
    throw new Error("the tree has changed meanwhile; nothing was tagged");
  const shown = path.relative(process.cwd(), file);
  if (isDry) return say(`v${version} could be tagged; ${shown} is what was tried`);
  const how = isProved ? "Proved elsewhere." : `Proved for ${minutes} minutes.`;
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  const message = `Bridle ${version}\n\n${how}\n${path.basename(file)} sha256:${digest}`;
  git("tag", "--annotate", `v${version}`, "--message", message, commit);
  say(`v${version} is tagged here; ${shown} is what was tried.`);
  say(`Next: \`git push origin v${version}\`, and the tarball where users find it.`);
}

async function prove(minutes) {
  await step("check", () => node(["scripts/run.mjs", "check"]));
  await step("test", () => node(["scripts/run.mjs", "test"]));
  await step("prove", () => node(["scripts/run.mjs", "prove", "--minutes", minutes]));
}

async function packed() {
  let file;
  await step("pack", async () => ({ file } = await makePackage()));
  return file;
}

/** By npm, in an empty folder; the sizes are those that a user sees. */
async function trial(file, version) {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) throw new Error(`${file} is not there; nothing was tagged`);
  await step("install and try", async () => {
    const unpacked = await tryPackage(file, version);
    const sizes = `${size} bytes packed, ${unpacked} unpacked`;
    if (size > packageLimits.packedMax || unpacked > packageLimits.unpackedMax)
      throw new Error(`the package is too large: ${sizes}`);
    say(sizes);
  });
}

/** Everything that can be seen at once, before anything takes long. */
function problemsWith(version) {
  const rooms = readdirSync(path.join(root, "packages")).map((room) => `packages/${room}/package.json`);
  const others = rooms.filter((file) => JSON.parse(read(file)).version !== version);
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["there are changes that are not committed"]),
    ...(git("tag", "--list", `v${version}`) === ""
      ? []
      : [`v${version} is tagged already; raise the version`]),
    ...(hasSection(version) ? [] : [`CHANGELOG.md has no section "## [${version}] - <date>"`]),
    ...(isUnreleasedEmpty()
      ? []
      : ['CHANGELOG.md has lines under "Unreleased"; they belong to this version']),
    ...(goldenOf(version) ? [] : [`test/golden has no files of ${version.replace(/\.\d+$/, ".0")}`]),
    ...others.map((file) => `${file} has another version`),
  ];
}

function hasSection(version) {
  return read("CHANGELOG.md")
    .split("\n")
    .some((line) => line.startsWith(`## [${version}] - 20`));
}

function isUnreleasedEmpty() {
  const [, unreleased = ""] = read("CHANGELOG.md").split("\n## [Unreleased]\n");
  return unreleased.split(/^## /m)[0].trim() === "";
}

/** A third number changes no format. */
function goldenOf(version) {
  return readdirSync(path.join(root, "test/golden")).includes(`release-${version.replace(/\.\d+$/, ".0")}`);
}

async function step(name, act) {
  process.stdout.write(`\n  ${name} …\n`);
  const started = performance.now();
  await act().catch((error) => {
    throw new Error(`${name}: ${error.message}\nNothing was tagged.`, { cause: error });
  });
  say(`${name} is in order, ${seconds(performance.now() - started)}`);
}

async function node(args, env = {}) {
  const code = await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    child.on("error", reject);
    child.on("close", (ended, signal) => resolve(ended ?? signal));
  });
  if (code !== 0) throw new Error(`it ended with ${code}`);
}

function say(line) {
  process.stdout.write(`  ${line}\n`);
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function read(file) {
  return readFileSync(path.join(root, file), "utf8");
}
