/**
 * The record of init: both sides of every change, so that an interrupted init is gone on with and an
 * undo restores bytes, and what else was done.
 *
 * What a newcomer gets wrong: it must not come with a clone, or a repository could have files written
 * that it names. So it lies in git's own folder of this work tree, `bridle-init.json`; where there is
 * no git in `.bridle/agent/init.json`, and there it may name nothing outside of the folder.
 */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { makeStateFolder, stateFolder } from "@bridle/agent";
import {
  Failure,
  type Files,
  gitFoldersOf,
  isJsonObject,
  type JsonValue,
  type Ports,
  putFile,
} from "@bridle/record";
import * as Type from "typebox";
import { Check } from "typebox/schema";
import { bytesOf } from "./plan.js";
import type { Change } from "./types.js";

export const initRecordKind = "bridle.init.v1";

export const InitRecord = Type.Object(
  {
    recordKind: Type.Literal(initRecordKind),
    changes: Type.Array(
      Type.Object({
        path: Type.String({ description: "From the folder that was made ready." }),
        before: Type.Union([Type.String(), Type.Null()], { description: "Base64; null for no file." }),
        after: Type.String({ description: "Base64." }),
      }),
    ),
    folders: Type.Array(Type.String(), { description: "Those that init made, from the same folder." }),
    lane: Type.Union([Type.String(), Type.Null()], { description: "The lane that init opened." }),
  },
  { title: "What `bridle init` changed, so that it can be taken back" },
);
type InitRecord = Type.Static<typeof InitRecord>;

export interface Remembered {
  readonly changes: readonly Omit<Change, "says">[];
  /** Absolute, outermost first. */
  readonly folders: readonly string[];
  readonly lane: string | null;
}

export const nothingRemembered: Remembered = { changes: [], folders: [], lane: null };

export async function recordPath(top: string, files: Files): Promise<string> {
  const git = await gitFoldersOf(top, files);
  return git === undefined ? join(stateFolder(top), "init.json") : join(git.gitDir, "bridle-init.json");
}

export async function readRecord(top: string, files: Files): Promise<Remembered | undefined> {
  const path = await recordPath(top, files);
  const bytes = await bytesOf(path, files);
  if (bytes === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value as JsonValue) || !Check(InitRecord, value))
    throw new Failure("document_invalid", {
      message: `${path} is no record of an init`,
      hint: "Remove it: then init does not know what it changed before, and cannot take that back.",
    });
  const { changes, folders, lane } = value as InitRecord;
  const config = await configPath(top, files);
  for (const name of [...changes.map((change) => change.path), ...folders])
    if (isOutside(name) && resolve(top, name) !== config)
      throw new Failure("document_invalid", {
        message: `${path} names ${JSON.stringify(name)}, which init never changes`,
        hint: "Somebody else wrote it; remove it.",
      });
  return {
    changes: changes.map(({ path: name, before, after }) => ({
      path: resolve(top, name),
      before: before === null ? undefined : Buffer.from(before, "base64"),
      after: Buffer.from(after, "base64"),
    })),
    folders: folders.map((name) => resolve(top, name)),
    lane,
  };
}

function isOutside(name: string): boolean {
  return isAbsolute(name) || name === ".." || name.startsWith("../");
}

async function configPath(top: string, files: Files): Promise<string | undefined> {
  const git = await gitFoldersOf(top, files);
  return git === undefined ? undefined : join(git.commonDir, "config");
}

export async function writeRecord(top: string, remembered: Remembered, ports: Ports): Promise<void> {
  const record: InitRecord = {
    recordKind: initRecordKind,
    changes: remembered.changes.map(({ path, before, after }) => ({
      path: relative(top, path),
      before: before === undefined ? null : Buffer.from(before).toString("base64"),
      after: Buffer.from(after).toString("base64"),
    })),
    folders: remembered.folders.map((path) => relative(top, path)),
    lane: remembered.lane,
  };
  const path = await recordPath(top, ports.files);
  if (path.startsWith(stateFolder(top))) await makeStateFolder(top, ports.files);
  await putFile(path, Buffer.from(`${JSON.stringify(record, null, 2)}\n`), ports);
}

/** What is known now, with new changes behind: of a file that nobody touched in between, the first bytes count. */
export function rememberedWith(
  known: Remembered,
  changes: readonly Change[],
  folders: readonly string[],
): Remembered {
  const all = new Map(known.changes.map((change) => [change.path, change]));
  for (const { path, before, after } of changes) {
    const first = all.get(path);
    const goesOn = first !== undefined && isSame(first.after, before);
    all.set(path, { path, after, before: goesOn ? first.before : before });
  }
  return { ...known, changes: [...all.values()], folders: [...new Set([...known.folders, ...folders])] };
}

export function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}

/** Folders above these files that are not there yet, outermost first. */
export async function missingFolders(paths: readonly string[], top: string, files: Files): Promise<string[]> {
  const missing = new Set<string>();
  for (const path of paths) {
    const above: string[] = [];
    for (
      let folder = dirname(path);
      folder.length > top.length && folder.startsWith(top);
      folder = dirname(folder)
    )
      above.unshift(folder);
    for (const folder of above) if ((await files.stat(folder)) === undefined) missing.add(folder);
  }
  return [...missing];
}
