/** The rooms as ARCHITECTURE.md draws them, which is the one place that says who may import whom. */
import { readFileSync } from "node:fs";
import path from "node:path";

/** `{ room: [rooms that it may import] }`, in the order of the table. */
export function roomsDrawnIn(root) {
  const text = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
  const section = text.split(/^## The rooms$/m)[1]?.split(/^## /m)[0] ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)` +\|.*\| ([^|]+?) *\|$/gm)];
  if (rows.length === 0) throw new Error("ARCHITECTURE.md has no table below `## The rooms`");
  return Object.fromEntries(rows.map(([, room, cell]) => [room, cell === "–" ? [] : cell.split(", ")]));
}
