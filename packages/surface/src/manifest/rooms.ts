/**
 * Rooms by name, each loaded when one of its operations is called and not before.
 *
 * A room is any module that exports `operations`, a package as well as a file
 * here. To add one, add a line, as in `attic: () => import("@bridle/attic")`, and
 * build: the manifest is written from this list.
 */
import type { ManifestEntry, Operation } from "@bridle/operation";
import { queryRooms } from "@bridle/query";
import { searchRooms } from "@bridle/search";
import { runnerRooms } from "@bridle/runner";
import { workRooms } from "@bridle/work";

export interface Room {
  readonly operations: readonly Operation[];
}

export const rooms: Readonly<Record<string, () => Promise<Room>>> = {
  ...workRooms,
  ...runnerRooms,
  ...searchRooms,
  ...queryRooms,
  query: () => import("../hlq/query-room.js"),
  git: () => import("../git/index.js"),
  lane: () => import("../lane/index.js"),
  log: () => import("../log/index.js"),
  model: () => import("../model/index.js"),
  agent: () => import("../agent/index.js"),
  config: () => import("../cli/config.js"),
  doctor: () => import("../doctor/index.js"),
  init: () => import("../init/index.js"),
  status: () => import("../status/index.js"),
  mcp: () => import("./mcp-room.js"),
  "mcp-client": () => import("../mcp-client/index.js"),
  "hlq-mcp": () => import("../hlq/mcp-serve.js"),
};

/** The operation behind an entry; loads its room and no other. */
export async function loadOperation(entry: ManifestEntry): Promise<Operation> {
  const room = await rooms[entry.room]?.();
  const operation = room?.operations.find(({ names }) => names.id === entry.names.id);
  if (!operation)
    throw new Error(`the room "${entry.room}" has no ${entry.names.id}; the manifest is out of date`);
  return operation;
}
