/**
 * dist/cli/main.js: loads the chunks of the command line, compiled already where
 * that was done. Compiling them would take a short command longer than its work;
 * what V8 does not accept it compiles anew.
 *
 * What V8 made fits one program `node` and crashes others that have the same number of
 * V8, so its files are named for the program. A checkout has them beside the chunks, from
 * its build (see compile-ahead.mjs). Elsewhere each Node makes its own when a chunk
 * is first used and keeps it in the user's cache folder. V8 compares only the length
 * of a source with what it kept, so a file is kept only under a name that tells the
 * content, and taken only where nobody else could have written it.
 */
"use strict";
const { closeSync, fstatSync, openSync, readFileSync, statSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const chunks = new Map();
const thisNode = nameOfNode();
/** Undefined where nothing is to be kept. */
const kept = keptFolder(process.env);
const keptDaysMax = 30;
let builtHere = false;
let madeSomething = false;

function load(name) {
  const known = chunks.get(name);
  if (known !== undefined) return known.module.exports;
  const filename = path.join(__dirname, name);
  const text = readFileSync(filename, "utf8");
  const source = `(function(exports,require,module,importPackage){"use strict";${text}\n})`;
  const script = compile(name, source, filename);
  const module = { exports: {} };
  chunks.set(name, { module, script });
  script.runInThisContext()(module.exports, requireFrom, module, importPackage);
  return module.exports;
}

function compile(name, source, filename) {
  const beside = readOrNothing(compiledName(filename));
  if (beside !== undefined) {
    const script = new Script(source, { filename, cachedData: beside });
    builtHere ||= !script.cachedDataRejected;
    if (!script.cachedDataRejected) return script;
  }
  const cachedData = kept === undefined || name === "entry.js" ? undefined : ownFile(keptFile(name));
  const script = new Script(source, { filename, cachedData });
  if (name !== "entry.js") madeSomething ||= cachedData === undefined || script.cachedDataRejected === true;
  return script;
}

function requireFrom(name) {
  return name.startsWith("./") ? load(name.slice(2)) : require(name);
}

/** Packages that stay outside of the chunks; some are modules, which `require` does not take. */
function importPackage(name) {
  return import(name);
}

// --- What is kept from run to run ------------------------------------------------------------------

function keptFolder({ XDG_CACHE_HOME, HOME, NODE_OPTIONS, NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE }) {
  // Options of V8 would make it refuse what other runs made, and other runs what this one made.
  if (thisNode === undefined) return undefined;
  if (process.execArgv.length > 0 || NODE_OPTIONS || NODE_V8_COVERAGE || NODE_DISABLE_COMPILE_CACHE)
    return undefined;
  const cache = [XDG_CACHE_HOME, HOME && path.join(HOME, ".cache")].find(
    (each) => each && path.isAbsolute(each),
  );
  return cache && path.join(cache, "bridle", "compiled");
}

function keptFile(name) {
  return path.join(kept, compiledName(name));
}

function compiledName(name) {
  return `${name}.${thisNode}.compiled`;
}

/** Two builds of one version are two programs: of another size, or of another day. Undefined where it is gone. */
function nameOfNode() {
  const found = statSync(process.execPath, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const build = [found.size, Math.floor(found.mtimeMs)].map((number) => number.toString(36)).join("-");
  return `${process.version}-${process.arch}-${build}`;
}

function readOrNothing(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** It is code: only what this user wrote and nobody else can write is taken. */
function ownFile(file) {
  let fd;
  try {
    fd = openSync(file, "r");
    const { uid, mode } = fstatSync(fd);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * All that was loaded, so that the functions which this command needed are in it too. No command fails
 * because its cache cannot be written.
 */
function keep() {
  const {
    existsSync,
    mkdirSync,
    readdirSync,
    renameSync,
    rmSync,
    statSync,
    writeFileSync,
  } = require("node:fs");
  try {
    // Not `recursive`, which never ends in a file system that has no folders to make, such as /proc.
    const bridle = path.dirname(kept);
    for (const folder of [path.dirname(bridle), bridle, kept]) {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    }
    for (const name of readdirSync(kept)) {
      const file = path.join(kept, name);
      if (Date.now() - statSync(file).mtimeMs > keptDaysMax * 86_400_000) rmSync(file, { force: true });
    }
    for (const [name, compiled] of exports.compile()) {
      if (name === "entry.js") continue;
      const draft = `${keptFile(name)}.${process.pid}`;
      writeFileSync(draft, compiled, { mode: 0o600, flag: "wx" });
      renameSync(draft, keptFile(name));
    }
  } catch {
    // Read-only, full, or another run is doing the same.
  }
}

exports.main = async (launcher) => {
  await load("entry.js").main(launcher);
  if (madeSomething && !builtHere && kept !== undefined) keep();
  // Nothing is left to wait for, so this skips only the clearing up of memory, which takes longer the more was read.
  if (process.getActiveResourcesInfo().length === 0) process.exit();
};
exports.load = load;
exports.compiledName = compiledName;
/** What was loaded until now, with the functions that were needed: by chunk, what V8 made of it. */
exports.compile = () => new Map([...chunks].map(([name, { script }]) => [name, script.createCachedData()]));
