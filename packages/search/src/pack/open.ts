/**
 * Opens a pack for reading.
 *
 * Episodes stand in the order of their ids, so one of them is found by halving
 * the file: nothing is read whole, nothing is kept, and a pack of any size opens
 * at once. What a line says is checked when it is read; whether the whole file is
 * the one that the manifest speaks of is for `verifyPack` to say.
 */
import { join } from "node:path";
import { sentencesAbout } from "@bridle/operation";
import {
  compareCodePoints,
  Failure,
  failureAt,
  isJsonObject,
  type JsonValue,
  limits,
  type OpenFile,
  type Ports,
} from "@bridle/record";
import { Compile, type Validator } from "typebox/schema";
import type { EpisodeRecord } from "../types.js";
import { readWhole } from "../read-whole.js";
import { lineId } from "./line-id.js";
import { EpisodeRecordSchema, PackManifestSchema } from "./schemas.js";
import { type Pack, type PackManifest, packSchemaVersion } from "./types.js";

export async function openPack(folder: string, ports: Ports): Promise<Pack> {
  const manifest = await readManifest(folder, ports);
  const path = join(folder, "episodes.jsonl");
  try {
    const file = await ports.files.open(path, "read");
    return new FolderPack(folder, manifest, file);
  } catch (error) {
    throw damaged(path, "it cannot be opened", error);
  }
}

export async function readManifest(folder: string, ports: Ports): Promise<PackManifest> {
  const path = join(folder, "manifest.json");
  const text = await readText(path, ports);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw damaged(path, "it is not JSON", error);
  }
  const version = isJsonObject(value) ? value["schema_version"] : undefined;
  if (version !== packSchemaVersion) {
    throw new Failure("pack_version_unknown", {
      message: `${path}: schema_version is ${JSON.stringify(version)}, this program reads ${packSchemaVersion}`,
      hint: "Make the pack anew, or use the program that made it.",
    });
  }
  const [problem] = sentencesAbout(PackManifestSchema, value);
  if (problem !== undefined) throw damaged(path, problem);
  return value as unknown as PackManifest;
}

async function readText(path: string, { files }: Ports): Promise<string> {
  try {
    return await readWhole(path, files);
  } catch (error) {
    const failure = failureAt(path, error);
    throw new Failure("pack_missing", {
      message: `there is no pack here: ${failure.message}`,
      hint: "Name the folder that holds manifest.json; `hlq pack ls` lists those under packs/.",
      cause: error,
    });
  }
}

interface Line {
  readonly byte: number;
  readonly end: number;
  readonly text: string;
}

const newline = 10;
/** Around one line, and of the whole file at a time. */
const probeBytes = 16 * 1024;
const chunkBytes = 1024 * 1024;

class FolderPack implements Pack {
  private readonly path: string;

  constructor(
    readonly folder: string,
    readonly manifest: PackManifest,
    private readonly file: OpenFile,
  ) {
    this.path = join(folder, "episodes.jsonl");
  }

  async episodeIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { bytes, byte } of this.chunks()) {
      for (let from = 0; from < bytes.length;) {
        const end = bytes.indexOf(newline, from);
        ids.push(lineId(bytes, from, end) ?? this.parse(lineIn(bytes, byte, from, end)).episode_id);
        from = end + 1;
      }
    }
    return ids;
  }

  async episode(id: string): Promise<EpisodeRecord> {
    let [low, high] = [0, (await this.file.stat()).size];
    while (low < high) {
      const line = await this.lineAt(low + ((high - low) >> 1), low);
      if (line === undefined) break;
      const record = this.parse(line);
      const order = compareCodePoints(record.episode_id, id);
      if (order === 0) return record;
      if (order < 0) low = line.end;
      else high = line.byte;
    }
    throw new Failure("episode_missing", {
      message: `${this.manifest.pack_id} has no episode ${id}`,
      hint: `List them with \`hlq pack show ${this.folder}\`.`,
    });
  }

  async *episodes(): AsyncIterable<EpisodeRecord> {
    for await (const { bytes, byte } of this.chunks()) {
      for (let from = 0; from < bytes.length;) {
        const end = bytes.indexOf(newline, from);
        yield this.parse(lineIn(bytes, byte, from, end));
        from = end + 1;
      }
    }
  }

  /** Whole lines, as many as a read gave, and the byte of the file at which they begin. */
  private async *chunks(): AsyncGenerator<{ readonly bytes: Buffer; readonly byte: number }> {
    let rest: Buffer = Buffer.alloc(0);
    for (let byte = 0; ;) {
      const more = viewOf(await this.file.read(byte + rest.length, chunkBytes));
      if (more.length === 0 && rest.length > 0) throw this.endless(byte);
      if (more.length === 0) return;
      const all = rest.length === 0 ? more : Buffer.concat([rest, more]);
      const whole = all.lastIndexOf(newline) + 1;
      if (whole > 0) yield { bytes: all.subarray(0, whole), byte };
      rest = all.subarray(whole);
      byte += whole;
      if (rest.length > limits.rowBytesMax) throw this.tooLong(byte);
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** The line that holds this byte; none of it is before `from`, which is the start of a line. */
  private async lineAt(byte: number, from: number): Promise<Line | undefined> {
    for (let start = byte; ;) {
      const back = Math.max(from, start - probeBytes);
      const bytes = viewOf(await this.file.read(back, start - back));
      const before = bytes.lastIndexOf(newline);
      if (before !== -1) return this.lineFrom(back + before + 1);
      if (back === from) return this.lineFrom(from);
      start = back;
    }
  }

  private async lineFrom(byte: number): Promise<Line> {
    const parts: Buffer[] = [];
    for (let at = byte; ;) {
      const bytes = viewOf(await this.file.read(at, probeBytes));
      const end = bytes.indexOf(newline);
      if (end !== -1) {
        parts.push(bytes.subarray(0, end));
        return { byte, end: at + end + 1, text: Buffer.concat(parts).toString("utf8") };
      }
      parts.push(bytes);
      at += bytes.length;
      if (bytes.length === 0) throw this.endless(byte);
      if (at - byte > limits.rowBytesMax) throw this.tooLong(byte);
    }
  }

  private endless(byte: number): Failure {
    return damaged(this.path, `the line at byte ${byte} has no end`);
  }

  private tooLong(byte: number): Failure {
    return damaged(this.path, `the line at byte ${byte} is too long`);
  }

  private parse({ byte, text }: Line): EpisodeRecord {
    return readEpisode(text, `${this.path}: the line at byte ${byte}`);
  }
}

function lineIn(bytes: Buffer, byte: number, from: number, end: number): Line {
  return { byte: byte + from, end: byte + end + 1, text: bytes.toString("utf8", from, end) };
}

/** The same bytes, not a copy of them. */
function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

let validator: Validator | undefined;

/** One line as an episode; members that may be missing are there afterwards. */
export function readEpisode(text: string, place: string): EpisodeRecord {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw damaged(place, "it is not JSON", error);
  }
  validator ??= Compile(EpisodeRecordSchema) as Validator;
  if (!validator.Check(value)) {
    throw damaged(place, sentencesAbout(EpisodeRecordSchema, value)[0] ?? "it is no episode");
  }
  const record = value as unknown as EpisodeRecord;
  const { environment_views: views } = record;
  if (views.peer_comparisons !== undefined && views.prior_episode_shortlists !== undefined) return record;
  return { ...record, environment_views: { ...emptyViews, ...views } };
}

const emptyViews = { peer_comparisons: [], prior_episode_shortlists: [] };

export function damaged(place: string, what: string, cause?: unknown): Failure {
  return new Failure("pack_damaged", {
    message: `${place}: ${what}`,
    hint: "Packs are never repaired: take another copy, or make the pack anew.",
    cause,
  });
}
