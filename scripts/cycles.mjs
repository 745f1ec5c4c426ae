/**
 * Cycles between the folders of a room: two folders that import each other, straight
 * or by way of others, can only be understood, moved and tested together.
 *
 * Every folder below `src` is one node, folders within folders too. Imports of types
 * count like imports of values; `import(…)`, which loads a part when it is wanted, does
 * not. Files that lie in `src` itself (a room's manual, its index, what puts its parts
 * together) and tests belong to no folder.
 *
 *     node scripts/cycles.mjs [--root <dir>] [room…]
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { importStatementsOf } from "./boundaries.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

/**
 * The cycles of one room: each a list of folders, sorted, that all reach each other,
 * with one import for every step between two of them.
 */
export function folderCycles(room, root = here) {
  const imports = folderImports(room, root);
  return components(imports).map((folders) => ({
    folders,
    imports: imports.filter(({ from, to }) => folders.includes(from) && folders.includes(to)),
  }));
}

/** The names of the rooms, in order. */
export function roomsOf(root = here) {
  const packages = path.join(root, "packages");
  return readdirSync(packages)
    .filter((room) => existsSync(path.join(packages, room, "src")))
    .toSorted();
}

/** For each pair of folders the first file that imports from the one into the other. */
function folderImports(room, root) {
  const source = path.join(root, "packages", room, "src");
  const found = new Map();
  for (const file of sourceFiles(source)) {
    const from = folderOf(file);
    if (from === undefined) continue;
    const text = readFileSync(path.join(source, file), "utf8");
    for (const { specifier, line } of importStatementsOf(text)) {
      if (!specifier.startsWith(".")) continue;
      const to = folderOf(path.posix.join(path.posix.dirname(file), specifier));
      if (to === undefined || to === from || found.has(`${from}>${to}`)) continue;
      found.set(`${from}>${to}`, { from, to, file, line, specifier });
    }
  }
  return [...found.values()];
}

function sourceFiles(source) {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .toSorted();
}

/** Undefined for what lies in `src` itself, or outside of it. */
function folderOf(file) {
  const folder = path.posix.dirname(path.posix.normalize(file));
  return folder === "." || folder.startsWith("..") ? undefined : folder;
}

/** Folders that all reach each other, in groups of two and more. */
function components(imports) {
  const folders = [...new Set(imports.flatMap(({ from, to }) => [from, to]))].toSorted();
  const reached = new Map(folders.map((folder) => [folder, reachedFrom(folder, imports)]));
  const groups = [];
  const placed = new Set();
  for (const folder of folders) {
    if (placed.has(folder)) continue;
    const group = folders.filter(
      (other) => other === folder || (reached.get(folder).has(other) && reached.get(other).has(folder)),
    );
    for (const member of group) placed.add(member);
    if (group.length > 1) groups.push(group);
  }
  return groups;
}

function reachedFrom(folder, imports) {
  const reached = new Set();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { from, to } of imports) {
      if (from !== next || reached.has(to)) continue;
      reached.add(to);
      waiting.push(to);
    }
  }
  return reached;
}

// --- Called as a program ---------------------------------------------------------------------------

const calledDirectly = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (calledDirectly) {
  const given = process.argv.slice(2);
  const root = given[0] === "--root" && given[1] ? path.resolve(given[1]) : here;
  const named = given[0] === "--root" ? given.slice(2) : given;
  const rooms = named.length > 0 ? named : roomsOf(root);
  const cycles = rooms.flatMap((room) => folderCycles(room, root).map((cycle) => ({ room, ...cycle })));
  for (const { room, folders, imports } of cycles) {
    process.stdout.write(`${room}: ${folders.join(", ")} import each other\n`);
    for (const { file, line, specifier } of imports)
      process.stdout.write(`  packages/${room}/src/${file}:${line} imports ${specifier}\n`);
  }
  const found = cycles.length === 0 ? "no cycle" : `${cycles.length} cycles`;
  process.stdout.write(`${rooms.length} rooms, ${found} between folders\n`);
  process.exitCode = cycles.length === 0 ? 0 : 1;
}
