/**
 * Room boundaries: who may import whom, and who may touch the outside world.
 *
 * The directions are the table of the house in ARCHITECTURE.md. A room reaches
 * another by its package name only, never into its files. Files, processes,
 * clocks, chance and settings enter through the ports of `record`; `surface` is
 * the edge of the program and `testing` holds simulated ports, so they may touch
 * them too, and so may every test. Imports of types count: a type is a promise.
 *
 *     node scripts/boundaries.mjs [--root <dir>]
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { roomsDrawnIn } from "./drawn-rooms.mjs";
import { blankText } from "./source.mjs";

/** What each room may import. Tests may import `testing` as well. */
export const directions = roomsDrawnIn(fileURLToPath(new URL("..", import.meta.url)));

/** Parts of Node that only compute. Everything else of Node reaches outside. */
const pureModules = [
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "events",
  "path",
  "string_decoder",
  "url",
  "util",
  "zlib",
];
/** Where the outside world may be touched. */
const atTheEdge = [
  /^packages\/record\/src\/ports\//,
  /^packages\/surface\//,
  /^packages\/testing\//,
  // Requests to providers and the login's callback: the network, and nothing else of the outside.
  /^packages\/model\/src\/outside\//,
  // Processes, the wall around them and what they changed: nothing here decides what may run.
  /^packages\/host\/src\//,
  // Files through directory handles: what the tools of an agent act on.
  /^packages\/tools\/src\/outside\//,
  // Servers that are not ours: the processes and requests themselves. Whether one may start is decided elsewhere.
  /^packages\/extensions\/src\/outside\//,
  // The market room's one door to the network; whoever asks it may hand in another.
  /^packages\/market\/src\/info\/fetch-http\.ts$/,
];

/** Ambient things, as they stand in code, and the port that replaces each. */
const ambient = [
  [/\bDate\.now\b/, "Date.now", "ports.clock"],
  [/\bnew Date\(\s*\)/, "new Date()", "ports.clock"],
  [/(?<!new )\bDate\(\s*\)/, "Date()", "ports.clock"],
  [/\bperformance\.now\b/, "performance.now", "ports.clock"],
  [/\bprocess\.hrtime\b/, "process.hrtime", "ports.clock"],
  [/\bset(?:Timeout|Interval|Immediate)\b/, "a timer", "ports.clock"],
  [/\bMath\.random\b/, "Math.random", "ports.randomness"],
  [/\b(?:randomBytes|randomUUID|randomInt|getRandomValues)\b/, "randomness", "ports.randomness or ports.ids"],
  [/\bprocess\.env\b/, "process.env", "call.env"],
  [/\bprocess\.cwd\b/, "process.cwd", "call.cwd"],
  [/\bprocess\.(?:exit|kill|on|once|stdout|stderr|stdin)\b/, "process", "the surface"],
  [/(?<!\.)\bfetch\(/, "fetch", "a port"],
];

/** Every breach as `{file, line, message}`, in the order of the files. */
export function findBreaches(root) {
  const files = sourceFiles(root);
  return files.flatMap((file) => breachesOf(root, file));
}

function sourceFiles(root) {
  const packages = path.join(root, "packages");
  const rooms = existsSync(packages) ? readdirSync(packages).toSorted() : [];
  const folders = [...rooms.map((room) => `packages/${room}/src`), "test"];
  return folders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.m?tsx?$/.test(entry.name) && !entry.name.endsWith(".d.mts"))
        .map((entry) =>
          path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"),
        ),
    )
    .toSorted();
}

function breachesOf(root, file) {
  const text = readFileSync(path.join(root, file), "utf8");
  const code = blankText(text);
  const place = placeOf(file);
  const imports = importsOf(text);
  const found = imports.flatMap((each) =>
    judgeImport(root, place, each).map((message) => ({ file, line: each.line, message })),
  );
  return [...found, ...ambientBreaches(place, code).map((breach) => ({ file, ...breach }))];
}

function placeOf(file) {
  const room = /^packages\/([^/]+)\/src\//.exec(file)?.[1];
  const isTest = room === undefined || file.endsWith(".test.ts");
  return { file, room, isTest, isEdge: isTest || atTheEdge.some((edge) => edge.test(file)) };
}

// --- Imports ---------------------------------------------------------------------------------------

const statementPatterns = [/\b(?:import|export)\b[^;"'`(]*?\bfrom\s*(["'])/g, /\bimport\s*(["'])/g];
const callPatterns = [/\bimport\s*\(\s*(["'])/g, /\brequire\s*\(\s*(["'])/g];

function importsOf(text) {
  return importsBy([...statementPatterns, ...callPatterns], text);
}

/** Those of statements, of values and of types; not what a function loads when it is called. */
export function importStatementsOf(text) {
  return importsBy(statementPatterns, text);
}

/**
 * Found in the code with its strings blanked, so that a string that looks like an import is none.
 * `atStart` says that the module is loaded with this one: no types alone, no call.
 */
function importsBy(patterns, text) {
  const code = blankText(text);
  const found = new Map();
  for (const pattern of patterns) {
    for (const match of code.matchAll(pattern)) {
      const start = match.index + match[0].length;
      const end = code.indexOf(match[1], start);
      found.set(start, {
        specifier: text.slice(start, end),
        line: lineOf(text, match.index),
        atStart: statementPatterns.includes(pattern) && !/^\w+\s+type\b/.test(match[0]),
      });
    }
  }
  return [...found.entries()].toSorted(([a], [b]) => a - b).map(([, value]) => value);
}

function judgeImport(root, place, { specifier, atStart }) {
  if (specifier.startsWith(".")) return judgeRelative(place, specifier);
  if (specifier.startsWith("@bridle/")) return judgeRoom(place, specifier);
  const builtin = specifier.replace(/^node:/, "");
  if (builtinModules.includes(builtin)) return judgeBuiltin(place, builtin);
  return judgePackage(root, place, { specifier, atStart });
}

function judgeRelative({ file, room, isTest }, specifier) {
  if (room === undefined) return [];
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (target.startsWith(`packages/${room}/src/`)) return [];
  if (isTest && target.startsWith("test/")) return [];
  return [`${specifier} leaves the room ${room}; import another room by its name`];
}

function judgeRoom({ room, isTest }, specifier) {
  const [, target = "", ...deeper] = specifier.split("/");
  if (deeper.length > 0) return [`${specifier} reaches into the room ${target}; import @bridle/${target}`];
  if (room === undefined) return [];
  if (!Object.hasOwn(directions, room)) return [`the room ${room} has no row in ARCHITECTURE.md`];
  if (directions[room].includes(target) || (isTest && target === "testing")) return [];
  const allowed = directions[room].length === 0 ? "no other room" : directions[room].join(", ");
  return [`${room} may not import ${target}; it may import ${allowed}`];
}

function judgeBuiltin({ isEdge, file }, builtin) {
  if (isEdge || pureModules.includes(builtin)) return [];
  return [`node:${builtin} reaches outside; ${path.posix.basename(file)} must use a port`];
}

/**
 * What a room imports must be among its own dependencies, or it works only here. An
 * optional peer may not be there at all, so it is loaded where it is used.
 */
function judgePackage(root, { room, isTest }, { specifier, atStart }) {
  if (isTest) return [];
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(
    readFileSync(path.join(root, `packages/${room}/package.json`), "utf8"),
  );
  if (Object.hasOwn(dependencies, name)) return [];
  if (!Object.hasOwn(peerDependencies, name))
    return [`${name} is not a dependency of packages/${room}/package.json`];
  return atStart ? [`${name} is an optional peer of ${room}; load it with import() where it is used`] : [];
}

// --- Ambient things --------------------------------------------------------------------------------

function ambientBreaches({ isEdge }, code) {
  if (isEdge) return [];
  const lines = code.split("\n");
  return lines.flatMap((line, i) =>
    ambient
      .filter(([pattern]) => pattern.test(line))
      .map(([, what, instead]) => ({ line: i + 1, message: `${what} is used; it comes through ${instead}` })),
  );
}

function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}

// --- Called as a program ---------------------------------------------------------------------------

const calledDirectly = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (calledDirectly) {
  const [flag, folder] = process.argv.slice(2);
  const root =
    flag === "--root" && folder ? path.resolve(folder) : fileURLToPath(new URL("..", import.meta.url));
  const breaches = findBreaches(root);
  for (const { file, line, message } of breaches) process.stdout.write(`${file}:${line}: ${message}\n`);
  const count = sourceFiles(root).length;
  process.stdout.write(
    `${count} files, ${breaches.length === 0 ? "no breach" : `${breaches.length} breaches`}\n`,
  );
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
