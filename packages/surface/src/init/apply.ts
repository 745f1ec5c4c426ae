/** Init and its undo, carried out: one file after the other, each old or new. */
import { readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { stateFolder } from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { failureAt, formatSeconds, Failure, type Ports, putFile } from "@bridle/record";
import { Lanes } from "@bridle/work";
import { removeLeftovers } from "./leftovers.js";
import { bytesOf } from "./plan.js";
import {
  isSame,
  missingFolders,
  nothingRemembered,
  readRecord,
  recordPath,
  rememberedWith,
  writeRecord,
} from "./record.js";
import { laneName } from "./sections.js";
import type { Plan } from "./types.js";

const laneDays = 30;

export async function apply(plan: Plan, call: Call): Promise<void> {
  const { ports } = call;
  const { top, changes } = plan;
  const known = (await readRecord(top, ports.files)) ?? nothingRemembered;
  const paths = [...changes.map(({ path }) => path), await recordPath(top, ports.files)];
  const folders = await missingFolders(paths, top, ports.files);
  const lane = plan.opensLane ? laneName : known.lane;
  await removeLeftovers(top, paths, ports.files);
  await writeRecord(top, { ...rememberedWith(known, changes, folders), lane }, ports);
  for (const { path, after } of changes) await put(path, after, ports);
  if (!plan.opensLane) return;
  const nowMs = await ports.clock.now();
  const lanes = await Lanes.open(call);
  await lanes.add({
    name: laneName,
    openedAt: formatSeconds(nowMs),
    expiresAt: formatSeconds(nowMs + laneDays * 86_400_000),
  });
}

export interface Undone {
  /** As they were before. */
  readonly restored: readonly string[];
  /** There was none before. */
  readonly removed: readonly string[];
  /** Somebody changed them since. */
  readonly left: readonly string[];
  readonly lane: string | null;
}

/**
 * The record goes last, so that whoever is interrupted is gone on with by the next undo. Where it lies in a folder
 * that init made, that folder goes after it, and the next undo removes what it finds empty.
 */
export async function undo(top: string, call: Call): Promise<Undone | undefined> {
  const { ports } = call;
  const record = await recordPath(top, ports.files);
  const isInState = record.startsWith(stateFolder(top));
  const known = await readRecord(top, ports.files);
  if (known === undefined)
    return isInState && (await removeState(top))
      ? { restored: [], removed: [], left: [], lane: null }
      : undefined;
  const paths = [...known.changes.map(({ path }) => path), record];
  await removeLeftovers(top, paths, ports.files);
  const restored: string[] = [];
  const removed: string[] = [];
  const left: string[] = [];
  for (const { path, before, after } of known.changes.toReversed()) {
    const now = await bytesOf(path, ports.files);
    if (isSame(now, before)) continue;
    if (!isSame(now, after)) {
      left.push(path);
      continue;
    }
    if (before === undefined) {
      await ports.files.remove(path);
      removed.push(path);
    } else {
      await put(path, before, ports);
      restored.push(path);
    }
  }
  if (known.lane !== null) await (await Lanes.open(call)).remove(known.lane);
  await removeEmpty(top, known.folders);
  await ports.files.remove(record);
  if (isInState) await removeState(top);
  return { restored, removed, left, lane: known.lane };
}

/** Git's own settings are written as git writes them, under its lock, so that no setting of that moment is lost. */
async function put(path: string, bytes: Uint8Array, ports: Ports): Promise<void> {
  const { files } = ports;
  if (basename(path) !== "config") {
    await files.makeDirectory(dirname(path)).catch((error: unknown) => {
      throw failureAt(path, error);
    });
    await putFile(path, bytes, ports);
    return;
  }
  const lock = `${path}.lock`;
  try {
    const file = await files.open(lock, "create", (await files.stat(path))?.mode);
    try {
      await file.append(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(lock, path);
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST")
      throw new Failure("init_refused", {
        message: `${lock} is there: git changes its settings at this moment, or was interrupted while it did`,
        hint: "Try again; when no git runs, remove the file.",
      });
    throw failureAt(path, error);
  }
}

/** Folders that init made and that nobody put anything into; what can be made again does not count. */
async function removeEmpty(top: string, folders: readonly string[]): Promise<void> {
  const local = join(top, ".premath/.local");
  if (folders.includes(dirname(local)) && (await holdsOnly(dirname(local), [".local"])))
    if (!(await holdsAny(join(local, "set-aside")))) await rm(local, { recursive: true, force: true });
  await removeState(top);
  for (const folder of folders.toReversed()) await removeFolder(folder);
}

/** The agent's folder where it holds nothing of anybody; whether it did. */
async function removeState(top: string): Promise<boolean> {
  const state = stateFolder(top);
  await removeFolder(join(state, "sessions"));
  if (await holdsOnly(state, [".gitignore"])) await rm(join(state, ".gitignore"));
  const isGone = await removeFolder(state);
  return (await removeFolder(dirname(state))) || isGone;
}

async function removeFolder(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

async function holdsOnly(folder: string, names: readonly string[]): Promise<boolean> {
  const found = await namesIn(folder);
  return found !== undefined && found.length > 0 && found.every((name) => names.includes(name));
}

async function holdsAny(folder: string): Promise<boolean> {
  return ((await namesIn(folder)) ?? []).length > 0;
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  return readdir(folder).catch(() => undefined);
}
