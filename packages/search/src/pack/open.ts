/**
 * Opens a pack for reading.
 *
 * Episodes stand in the order of their ids. Of a v2 pack the block that holds one
 * is found in the manifest, read and checked to the byte; of a v1 pack it is found
 * by halving the file, and whether the whole file is the one that the manifest
 * speaks of is for `verifyPack` to say. Nothing is kept, and a pack of any size
 * opens at once.
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
  nodePorts,
  type OpenFile,
  type Ports,
} from "@bridle/record";
import type { EpisodeTruth, EpisodeRecord } from "../types.js";
import { readWhole } from "../read-whole.js";
import { EpisodeBlocks } from "./blocks.js";
import { damaged } from "./damage.js";
import { lineId } from "./line-id.js";
import { type Line, type LineBytes, lineBytes, linesIn, newline, viewOf } from "./lines.js";
import { readEpisode, truthInEpisode } from "./read-episode.js";
import { FirstPackManifestSchema, PackManifestSchema } from "./schemas.js";
import { truthsIn } from "./truths.js";
import { firstPackSchemaVersion, type Pack, type PackManifest, packSchemaVersion } from "./types.js";

/** `ports` are the machine's own when left out. */
export async function openPack(folder: string, ports: Ports = nodePorts()): Promise<Pack> {
  const manifest = await readManifest(folder, ports);
  const path = join(folder, "episodes.jsonl");
  let file: OpenFile;
  try {
    file = await ports.files.open(path, "read");
  } catch (error) {
    throw damaged(path, "it cannot be opened", error);
  }
  if (manifest.blocks === undefined) return new FirstFormatPack(folder, manifest, file);
  return new BlockPack(folder, manifest, file, ports);
}

const schemas = {
  [packSchemaVersion]: PackManifestSchema,
  [firstPackSchemaVersion]: FirstPackManifestSchema,
};

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
  if (version !== packSchemaVersion && version !== firstPackSchemaVersion) {
    throw new Failure("pack_version_unknown", {
      message: `${path}: schema_version is ${JSON.stringify(version)}, this program reads ${packSchemaVersion} and ${firstPackSchemaVersion}`,
      hint: "Make the pack anew, or use the program that made it.",
    });
  }
  const [problem] = sentencesAbout(schemas[version], value);
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

abstract class FolderPack implements Pack {
  protected readonly path: string;

  constructor(
    readonly folder: string,
    readonly manifest: PackManifest,
    protected readonly file: OpenFile,
  ) {
    this.path = join(folder, "episodes.jsonl");
  }

  abstract episode(id: string): Promise<EpisodeRecord>;
  abstract truths(): AsyncIterable<EpisodeTruth>;
  protected abstract chunks(): AsyncIterable<LineBytes>;

  async episodeIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { bytes, byte } of this.chunks()) {
      for (let from = 0; from < bytes.length;) {
        const end = bytes.indexOf(newline, from);
        const id = lineId(bytes, from, end);
        ids.push(id ?? this.parse({ byte: byte + from, text: bytes.toString("utf8", from, end) }).episode_id);
        from = end + 1;
      }
    }
    return ids;
  }

  async *episodes(): AsyncIterable<EpisodeRecord> {
    for await (const lines of this.chunks()) for (const line of linesIn(lines)) yield this.parse(line);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  protected parse(line: Pick<Line, "byte" | "text">): EpisodeRecord {
    return readEpisode(line.text, this.placeOf(line), this.manifest);
  }

  protected placeOf({ byte }: Pick<Line, "byte">): string {
    return `${this.path}: the line at byte ${byte}`;
  }

  protected missing(id: string): Failure {
    return new Failure("episode_missing", {
      message: `${this.manifest.pack_id} has no episode ${id}`,
      hint: `List them with \`hlq pack show ${this.folder}\`.`,
    });
  }
}

class BlockPack extends FolderPack {
  private readonly blocks: EpisodeBlocks;

  constructor(
    folder: string,
    manifest: PackManifest,
    file: OpenFile,
    private readonly ports: Ports,
  ) {
    super(folder, manifest, file);
    this.blocks = new EpisodeBlocks(manifest.blocks ?? [], file, this.path);
  }

  async episode(id: string): Promise<EpisodeRecord> {
    const { bytes = Buffer.alloc(0), byte = 0 } = (await this.blocks.holding(id)) ?? {};
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(newline, from);
      // Most lines of a block are of other episodes, and need not be parsed.
      if ((lineId(bytes, from, end) ?? id) === id) {
        const record = this.parse({ byte: byte + from, text: bytes.toString("utf8", from, end) });
        if (record.episode_id === id) return record;
      }
      from = end + 1;
    }
    throw this.missing(id);
  }

  truths(): AsyncIterable<EpisodeTruth> {
    return truthsIn(this.folder, this.manifest, this.ports);
  }

  protected chunks(): AsyncIterable<LineBytes> {
    return this.blocks.all();
  }
}

/** Around one line. */
const probeBytes = 16 * 1024;

class FirstFormatPack extends FolderPack {
  async episode(id: string): Promise<EpisodeRecord> {
    let [low, high] = [0, (await this.file.stat()).size];
    while (low < high) {
      const line = await this.lineAt(low + Math.floor((high - low) / 2), low);
      const record = this.parse(line);
      const order = compareCodePoints(record.episode_id, id);
      if (order === 0) return record;
      if (order < 0) low = line.end;
      else high = line.byte;
    }
    throw this.missing(id);
  }

  async *truths(): AsyncIterable<EpisodeTruth> {
    for await (const lines of this.chunks())
      for (const line of linesIn(lines)) yield truthInEpisode(line.text, this.placeOf(line));
  }

  protected chunks(): AsyncIterable<LineBytes> {
    return lineBytes(this.file, this.path);
  }

  /** The line that holds this byte; none of it is before `from`, which is the start of a line. */
  private async lineAt(byte: number, from: number): Promise<Line> {
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
      if (bytes.length === 0) throw damaged(this.path, `the line at byte ${byte} has no end`);
      if (at - byte > limits.rowBytesMax) throw damaged(this.path, `the line at byte ${byte} is too long`);
    }
  }
}
