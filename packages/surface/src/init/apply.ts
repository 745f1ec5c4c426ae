/** Init and its undo, carried out: one file after the other, each old or new. */
import { readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { stateFolder } from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { failureAt, formatSeconds, Failure, type Ports, putFile } from "@bridle/record";
import { Lanes } from "@bridle/work";
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
  const paths = changes.map(({ path }) => path);
  const folders = await missingFolders([...paths, await recordPath(top, ports.files)], top, ports.files);
  const lane = plan.opensLane ? laneName : known.lane;
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
  readonly restored: readonly string[];
  /** Somebody changed them since. */
  readonly left: readonly string[];
  readonly lane: string | null;
}

export async function undo(top: string, call: Call): Promise<Undone | undefined> {
  const { ports } = call;
  const known = await readRecord(top, ports.files);
  if (known === undefined) return undefined;
  const restored: string[] = [];
  const left: string[] = [];
  for (const { path, before, after } of known.changes.toReversed()) {
    const now = await bytesOf(path, ports.files);
    if (isSame(now, before)) continue;
    if (!isSame(now, after)) {
      left.push(path);
      continue;
    }
    if (before === undefined) await ports.files.remove(path);
    else await put(path, before, ports);
    restored.push(path);
  }
  if (known.lane !== null) await (await Lanes.open(call)).remove(known.lane);
  await ports.files.remove(await recordPath(top, ports.files));
  await removeEmpty(top, known.folders);
  return { restored, left, lane: known.lane };
}

/** Git's own settings are written as git writes them, under its lock, so that no setting of that moment is lost. */
async function put(path: string, bytes: Uint8Array, ports: Ports): Promise<void> {
  const { files } = ports;
  if (basename(path) !== "config") {
    await files.makeDirectory(dirname(path));
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
  const state = stateFolder(top);
  await removeFolder(join(state, "sessions"));
  if (await holdsOnly(state, [".gitignore"])) await rm(join(state, ".gitignore"));
  const local = join(top, ".premath/.local");
  if (folders.includes(dirname(local)) && (await holdsOnly(dirname(local), [".local"])))
    if (!(await holdsAny(join(local, "set-aside")))) await rm(local, { recursive: true, force: true });
  for (const folder of [state, dirname(state), ...folders.toReversed()]) await removeFolder(folder);
}

async function removeFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
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
