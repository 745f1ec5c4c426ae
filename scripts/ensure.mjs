/**
 * Makes sure that what a script needs is installed, once.
 *
 * Every npm script goes through here first, because a fresh clone has nothing
 * and lifecycle hooks are turned off. What is installed is remembered by a stamp
 * inside node_modules: `npm ci` empties that folder before it begins, so an
 * install that was interrupted leaves no stamp and is done again. When nothing
 * changed, this reads a few files and touches neither disk nor network.
 *
 *     node scripts/ensure.mjs
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { InstallLock } from "./install-lock.mjs";
import { task } from "./terminal.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));
const nodeMin = [20, 19];
const stampFile = path.join(root, "node_modules/.bridle-installed.json");
/** Those that npm writes into the lockfile as they are. */
const lockedFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/** The fields of a package.json that decide what is installed. */
const installFields = ["workspaces", ...lockedFields, "overrides"];

/** Resolves when everything is there; otherwise throws an Error whose message is meant for people. */
export async function ensure() {
  requireNode(process.versions.node);
  if (isStamped()) return;
  const lock = await lockInstall();
  if (lock === undefined) return;
  try {
    // Whoever held the lock before may have done the work, and so may a person with npm.
    if (isStamped()) return;
    if (!npmInstalledThis()) await install();
    writeStamp();
  } finally {
    lock.release();
  }
}

function requireNode(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new Error(
    `Bridle needs Node ${nodeMin.join(".")} or newer; this is ${version}. .nvmrc and mise.toml name a version that works.`,
  );
}

// --- What should be installed ----------------------------------------------------------------------

function isStamped() {
  try {
    return JSON.parse(readFileSync(stampFile, "utf8")).digest === wanted();
  } catch {
    return false;
  }
}

function wanted() {
  const hash = createHash("sha256");
  hash.update(readFileSync(path.join(root, "package-lock.json")));
  for (const file of manifests()) hash.update(JSON.stringify([file, installPart(readJson(file))]));
  hash.update([process.platform, process.arch, process.versions.node.split(".")[0]].join(" "));
  return hash.digest("hex");
}

/** The package.json files of the root and of every room, relative to the root. */
function manifests() {
  const rooms = readdirSync(path.join(root, "packages")).toSorted();
  const files = rooms.map((room) => `packages/${room}/package.json`);
  return ["package.json", ...files.filter((file) => existsSync(path.join(root, file)))];
}

function installPart(manifest) {
  return installFields.map((field) => manifest[field] ?? null);
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), "utf8"));
}

/**
 * Whether npm itself was run here for this lockfile. It leaves its own record of
 * what it installed, and only when it came to the end.
 */
function npmInstalledThis() {
  try {
    const lock = readJson("package-lock.json").packages;
    const done = readJson("node_modules/.package-lock.json").packages;
    return (
      manifestsMatch(lock) && Object.keys(lock).every((place) => isThere(lock[place], done[place], place))
    );
  } catch {
    return false;
  }
}

function manifestsMatch(lock) {
  return manifests().every((file) => {
    const locked = lock[path.dirname(file) === "." ? "" : path.dirname(file)];
    // npm leaves an empty object out of the lockfile.
    const part = (manifest) =>
      JSON.stringify(lockedFields.map((field) => Object.entries(manifest?.[field] ?? {}).toSorted()));
    return part(locked) === part(readJson(file));
  });
}

function isThere(locked, done, place) {
  if (!place.startsWith("node_modules/")) return true;
  // Builds for other machines are in the lockfile and rightly not on this disk.
  if (done === undefined) return locked.optional === true || locked.devOptional === true;
  return locked.version === done.version && locked.integrity === done.integrity;
}

function writeStamp() {
  mkdirSync(path.dirname(stampFile), { recursive: true });
  try {
    writeFileSync(stampFile, `${JSON.stringify({ digest: wanted(), node: process.versions.node })}\n`);
  } catch (error) {
    // Somebody else's checkout: everything is there, it only has to be looked at again next time.
    if (!isDenied(error)) throw error;
  }
}

// --- Installing ------------------------------------------------------------------------------------

async function install() {
  const done = task("installing (once)");
  const { code, output } = await runNpm([
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
  if (code === 0) return done.after();
  done.failed();
  throw new Error(`npm ci ended with ${code}:\n${firstLines(output, 20)}`);
}

function runNpm(args) {
  // Under `npm run` this is npm's own file; otherwise npm is looked for on the PATH.
  const own = process.env.npm_execpath ?? "";
  const [command, first] = /npm-cli\.c?js$/.test(own) ? [process.execPath, [own]] : ["npm", []];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("error", (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** Undefined in somebody else's checkout where npm installed everything already. */
async function lockInstall() {
  const lock = new InstallLock(path.join(root, ".bridle/install.lock"));
  try {
    mkdirSync(path.join(root, ".bridle"), { recursive: true });
    await lock.acquire((holder) =>
      process.stderr.write(`  waiting for process ${holder}, which is installing\n`),
    );
    return lock;
  } catch (error) {
    if (!isDenied(error)) throw error;
    if (npmInstalledThis()) return undefined;
    throw new Error(`${root} is not yours to write; let its owner run \`npm ci\` there, or copy it.`);
  }
}

function isDenied(error) {
  return ["EACCES", "EPERM", "EROFS"].includes(error.code);
}

/** npm says first what went wrong, and then much about itself. */
function firstLines(text, count) {
  return text.trim().split("\n").slice(0, count).join("\n");
}

const calledDirectly = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (calledDirectly) {
  ensure().catch((error) => {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  });
}
