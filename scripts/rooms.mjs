/**
 * What tools must be told about the rooms, written from the table of ARCHITECTURE.md:
 * the TypeScript projects and their references, and in each package.json the rooms
 * among the dependencies. A new room is its folder, its row there and, where it has
 * operations, its line in packages/surface/src/manifest/rooms.ts.
 *
 *     node scripts/rooms.mjs [--check] [--root <dir>]
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { roomsDrawnIn } from "./drawn-rooms.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const { values: given } = parseArgs({ options: { check: { type: "boolean" }, root: { type: "string" } } });
const root = given.root === undefined ? here : path.resolve(given.root);

const drawn = roomsDrawnIn(root);
const built = readdirSync(path.join(root, "packages")).filter((room) =>
  existsSync(path.join(root, "packages", room, "src")),
);
const undrawn = built.filter((room) => !Object.hasOwn(drawn, room));
const unbuilt = Object.keys(drawn).filter((room) => !built.includes(room));
const unknown = Object.values(drawn)
  .flat()
  .filter((room) => !Object.hasOwn(drawn, room));

const stale = [...wantedFiles()].filter(([file, wanted]) => !isDeepStrictEqual(read(file), wanted));

if (undrawn.length + unbuilt.length + unknown.length > 0) {
  for (const room of undrawn) say(`packages/${room} has no row in ARCHITECTURE.md`);
  for (const room of unbuilt)
    say(`ARCHITECTURE.md has a row for ${room}, but there is no packages/${room}/src`);
  for (const room of unknown) say(`ARCHITECTURE.md names ${room} as a room, but has no row for it`);
  process.exitCode = 1;
} else if (!given.check) {
  for (const [file, wanted] of stale)
    writeFileSync(path.join(root, file), `${JSON.stringify(wanted, null, 2)}\n`);
  const layout = path.join(here, "node_modules/oxfmt/bin/oxfmt");
  if (stale.length > 0) spawnSync(process.execPath, [layout, ...stale.map(([file]) => file)], { cwd: root });
  say(`${built.length} rooms, ${stale.length} files written`);
} else {
  for (const [file] of stale) say(`${file} is not what ARCHITECTURE.md draws; \`npm run rooms\` writes it`);
  say(`${built.length} rooms, ${stale.length === 0 ? "as they are drawn" : `${stale.length} files differ`}`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

function* wantedFiles() {
  const projects = Object.keys(drawn).map((room) => ({ path: `packages/${room}` }));
  const all = read("tsconfig.json");
  const tests = read("tsconfig.tests.json");
  yield ["tsconfig.json", { ...all, references: [...projects, { path: "tsconfig.tests.json" }] }];
  yield ["tsconfig.tests.json", { ...tests, references: projects }];
  for (const [room, others] of Object.entries(drawn)) {
    if (!built.includes(room)) continue;
    yield [`packages/${room}/tsconfig.json`, projectOf(others)];
    yield [`packages/${room}/package.json`, withRooms(read(`packages/${room}/package.json`), others)];
  }
}

function projectOf(others) {
  return {
    extends: "../../tsconfig.base.json",
    compilerOptions: { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" },
    include: ["src"],
    exclude: ["src/**/*.test.ts"],
    references: others.map((room) => ({ path: `../${room}` })),
  };
}

function withRooms(manifest, others) {
  const outside = Object.entries(manifest?.dependencies ?? {}).filter(
    ([name]) => !name.startsWith("@bridle/"),
  );
  const rooms = others.map((room) => [`@bridle/${room}`, manifest.version]);
  const dependencies = Object.fromEntries([...rooms, ...outside].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { ...manifest, dependencies };
}

/** Undefined where it is not there yet. */
function read(file) {
  const place = path.join(root, file);
  return existsSync(place) ? JSON.parse(readFileSync(place, "utf8")) : undefined;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
