/**
 * dist/cli/main.js: loads the chunks of the command line, compiled ahead where
 * this very Node did that (see compile-ahead.mjs). Compiling them would take a
 * short command longer than its work; what V8 does not accept it compiles anew.
 */
"use strict";
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const chunks = new Map();

function load(name) {
  const known = chunks.get(name);
  if (known !== undefined) return known.module.exports;
  const filename = path.join(__dirname, name);
  const text = readFileSync(filename, "utf8");
  const source = `(function(exports,require,module,importPackage){"use strict";${text}\n})`;
  const script = new Script(source, { filename, cachedData: compiled(filename) });
  const module = { exports: {} };
  chunks.set(name, { module, script });
  script.runInThisContext()(module.exports, requireFrom, module, importPackage);
  return module.exports;
}

function requireFrom(name) {
  return name.startsWith("./") ? load(name.slice(2)) : require(name);
}

/** Packages that stay outside of the chunks; some are modules, which `require` does not take. */
function importPackage(name) {
  return import(name);
}

function compiled(filename) {
  try {
    return readFileSync(`${filename}.compiled`);
  } catch {
    return undefined;
  }
}

exports.main = async (launcher) => {
  await load("entry.js").main(launcher);
  // Nothing is left to wait for, so this skips only the clearing up of memory, which takes longer the more was read.
  if (process.getActiveResourcesInfo().length === 0) process.exit();
};
exports.load = load;
/** What was loaded until now, with the functions that were needed: by chunk, what `compiled` reads. */
exports.compile = () => new Map([...chunks].map(([name, { script }]) => [name, script.createCachedData()]));
