/**
 * The house at a glance: what each room and folder weighs in lines of source without
 * tests, which folders import each other, and which files are the largest.
 *
 *     node scripts/house.mjs [--folders] [--json]
 *
 * It judges nothing; `npm run check` fails on a cycle.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { folderCycles, roomsOf } from "./cycles.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const largestShown = 15;

/** Every source file of a room: its path below `src`, its lines, and whether it is a test. */
function filesOf(room) {
  const source = path.join(root, "packages", room, "src");
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const lines = readFileSync(file, "utf8").split("\n").length - 1;
      const name = path.relative(source, file).split(path.sep).join("/");
      return { room, name, lines, test: /\.test\.tsx?$/.test(name) };
    });
}

function weigh(files) {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

function house() {
  const rooms = roomsOf().map((room) => {
    const files = filesOf(room);
    const sources = files.filter(({ test }) => !test);
    const folders = byFolder(sources);
    return {
      room,
      files: sources.length,
      lines: weigh(sources),
      testLines: weigh(files.filter(({ test }) => test)),
      folders: [...folders]
        .map(([folder, list]) => ({ folder, files: list.length, lines: weigh(list) }))
        .toSorted((a, b) => b.lines - a.lines),
      cycles: folderCycles(room).map(({ folders: names }) => names),
      largest: sources,
    };
  });
  const largest = rooms
    .flatMap((room) => room.largest)
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, largestShown)
    .map(({ room, name, lines }) => ({ file: `packages/${room}/src/${name}`, lines }));
  return { rooms: rooms.map(({ largest: _all, ...room }) => room), largest };
}

function folderOf(name) {
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : ".";
}

function byFolder(files) {
  const folders = new Map();
  for (const file of files) {
    const folder = folderOf(file.name);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}

function print({ rooms, largest }, withFolders) {
  const row = (cells) =>
    `${cells[0].padEnd(34)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(9))
      .join("")}`;
  const say = (line = "") => process.stdout.write(`${line}\n`);
  say(row(["room", "files", "lines", "in tests"]));
  for (const room of rooms) {
    say(row([room.room, room.files, room.lines, room.testLines]));
    if (withFolders) for (const each of room.folders) say(row([`  ${each.folder}`, each.files, each.lines]));
  }
  const sum = (name) => rooms.reduce((total, room) => total + room[name], 0);
  say(row(["together", sum("files"), sum("lines"), sum("testLines")]));
  say();
  const cycles = rooms.flatMap(({ room, cycles: found }) =>
    found.map((names) => `${room}: ${names.join(", ")}`),
  );
  say(
    cycles.length === 0
      ? "no cycle between folders"
      : `folders that import each other\n  ${cycles.join("\n  ")}`,
  );
  say("\nlargest files");
  for (const { file, lines } of largest) say(`  ${String(lines).padStart(5)}  ${file}`);
}

const args = process.argv.slice(2);
if (args.includes("--json")) process.stdout.write(`${JSON.stringify(house(), null, 2)}\n`);
else print(house(), args.includes("--folders"));
