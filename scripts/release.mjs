/**
 * Makes a release: proves, packs, installs and tries the tarball, and only then tags.
 *
 *     node scripts/release.mjs [--minutes 30] [--dry-run]
 *
 * The version is that of package.json, and CHANGELOG.md has its section. Nothing is
 * changed before the last step, which makes the tag v<version> here; nothing is sent
 * anywhere. `--dry-run` does everything but that.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./ensure.mjs";
import { makePackage, packageLimits } from "./package.mjs";
import { seconds } from "./terminal.mjs";

const vitest = "node_modules/vitest/vitest.mjs";
/** The tarball in every way of installing it, its types, and on every Node. */
const tryingOut = ["test/end-to-end/install.test.ts", "test/end-to-end/package.test.ts"];

try {
  const { values } = parseArgs({
    options: { minutes: { type: "string", default: "30" }, "dry-run": { type: "boolean", default: false } },
  });
  const { version } = JSON.parse(read("package.json"));
  const problems = problemsWith(version);
  if (problems.length > 0)
    throw new Error(`${version} is not ready:\n${problems.map((each) => `  ${each}`).join("\n")}`);
  const commit = git("rev-parse", "HEAD");
  await step("check", ["scripts/run.mjs", "check"]);
  await step("test", ["scripts/run.mjs", "test"]);
  await step("prove", ["scripts/run.mjs", "prove", "--minutes", values.minutes]);
  const { file, packed, unpacked } = await makePackage();
  if (packed > packageLimits.packedMax || unpacked > packageLimits.unpackedMax)
    throw new Error(`the package is too large: ${packed} bytes packed, ${unpacked} unpacked`);
  await step("install and try", [vitest, "run", ...tryingOut], { BRIDLE_PROVE: "1" });
  if (git("rev-parse", "HEAD") !== commit || git("status", "--porcelain") !== "")
    throw new Error("the tree has changed meanwhile; nothing was tagged");
  if (values["dry-run"])
    process.stdout.write(`  v${version} could be tagged; ${shown(file)} is what was tried\n`);
  else {
    git("tag", "--annotate", `v${version}`, "--message", `Bridle ${version}`, commit);
    process.stdout.write(`  v${version} is tagged here; ${shown(file)} is what was tried.\n`);
    process.stdout.write(`  Next: \`git push origin v${version}\`, and the tarball where users find it.\n`);
  }
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
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
  const [, unreleased = ""] = read("CHANGELOG.md").split(/^## .*$/m);
  return unreleased.trim() === "";
}

/** A third number changes no format. */
function goldenOf(version) {
  return readdirSync(path.join(root, "test/golden")).includes(`release-${version.replace(/\.\d+$/, ".0")}`);
}

async function step(name, args, env = {}) {
  process.stdout.write(`\n  ${name} …\n`);
  const started = performance.now();
  const code = await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    child.on("error", reject);
    child.on("close", (ended, signal) => resolve(ended ?? signal));
  });
  if (code !== 0) throw new Error(`${name} ended with ${code}; nothing was tagged`);
  process.stdout.write(`  ${name} is in order, ${seconds(performance.now() - started)}\n`);
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function read(file) {
  return readFileSync(path.join(root, file), "utf8");
}

function shown(file) {
  return path.relative(process.cwd(), file);
}
