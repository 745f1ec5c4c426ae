/**
 * Writes a pack: a new folder that appears whole or not at all.
 *
 * It is made under a name of its own beside its place and renamed when every
 * file is on the disk. Nothing that exists is touched: a pack that must change is
 * made anew, under another time.
 */
import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import {
  canonicalJson,
  codeOf,
  compareCodePoints,
  Failure,
  failureAt,
  formatSeconds,
  type JsonObject,
  type OpenFile,
  type Ports,
} from "@bridle/record";
import { type EpisodeWithTruth, truthsFile } from "../types.js";
import { packIdOf } from "./id.js";
import { partsOf, SpanSeen, type TimeSpan } from "./parts.js";
import { type EpisodeBlock, type PackManifest, packSchemaVersion, type SourceDatasetRef } from "./types.js";

export interface WritePackOptions {
  /** The folder that gets the new folder. */
  readonly out: string;
  /** Contract: in the order of their ids, each once. */
  readonly episodes: AsyncIterable<EpisodeWithTruth> | Iterable<EpisodeWithTruth>;
  /** How long an outcome takes to be known; the parts keep at least a day apart. */
  readonly horizonHours?: number;
  readonly generator: {
    readonly script: string;
    readonly repoRelpath: string;
    readonly gitSha: string;
    readonly params: JsonObject;
  };
  readonly sources: readonly SourceDatasetRef[];
  readonly nondeterministicComponents: readonly string[];
  /** The text of README.md, given the manifest. */
  readme(manifest: PackManifest): string;
  readonly nowMs: number;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
}

export interface WrittenPack {
  readonly folder: string;
  readonly manifest: PackManifest;
}

/** A block is closed by the episode that brings it to so many bytes. */
const blockBytes = 1024 * 1024;

export async function writePack(options: WritePackOptions): Promise<WrittenPack> {
  const { out, ports, nowMs, sources } = options;
  const { files } = ports;
  const synthetic = sources.some((source) => source.synthetic);
  if (synthetic && !sources.every((source) => source.synthetic)) {
    throw new Failure("pack_sources_mixed", {
      message: "synthetic and real sources were given for one pack",
      hint: "Make two packs.",
    });
  }
  try {
    await files.makeDirectory(out);
    const draft = join(out, `.building-${await ports.ids.next()}`);
    await files.makeDirectory(draft);
    try {
      const { blocks, count, sha256, span, truthsSha256 } = await writeEpisodes(draft, options);
      const { generator, horizonHours = 0 } = options;
      const made = {
        blocks,
        episode_count: count,
        episodes_sha256: sha256,
        generated_at_utc: formatSeconds(nowMs),
        generator_git_sha: generator.gitSha,
        generator_params: generator.params,
        generator_repo_relpath: generator.repoRelpath,
        generator_script: generator.script,
        nondeterministic_components: options.nondeterministicComponents,
        parts: partsOf(span, horizonHours),
        schema_version: packSchemaVersion,
        source_dataset_refs: sources,
        synthetic,
        truths_sha256: truthsSha256,
      } as const;
      const manifest: PackManifest = { pack_id: packIdOf(made), ...made };
      await writeWhole(join(draft, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, ports);
      await writeWhole(join(draft, "README.md"), options.readme(manifest), ports);
      await files.syncDirectory(draft);
      const folder = await moveIntoPlace(draft, { out, manifest, nowMs, ports });
      await files.syncDirectory(out);
      return { folder, manifest };
    } catch (error) {
      await removeDraft(draft, ports);
      throw error;
    }
  } catch (error) {
    throw failureAt(out, error);
  }
}

interface WrittenEpisodes {
  readonly blocks: readonly EpisodeBlock[];
  readonly count: number;
  readonly sha256: string;
  readonly span: TimeSpan | undefined;
  readonly truthsSha256: string;
}

async function writeEpisodes(
  draft: string,
  { episodes, ports, signal }: WritePackOptions,
): Promise<WrittenEpisodes> {
  const lines = await HashedFile.create(join(draft, "episodes.jsonl"), ports);
  const truths = await HashedFile.create(join(draft, truthsFile), ports);
  const blocks: EpisodeBlock[] = [];
  const seen = new SpanSeen();
  let block = { text: "", episodes: 0, first: "" };
  let [count, last] = [0, ""];
  const close = async () => {
    if (block.episodes === 0) return;
    const bytes = Buffer.from(block.text);
    await lines.append(bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    blocks.push({ bytes: bytes.length, episodes: block.episodes, first_episode_id: block.first, sha256 });
    block = { text: "", episodes: 0, first: "" };
  };
  try {
    for await (const { ground_truth_reference: truth, ...episode } of episodes) {
      signal?.throwIfAborted();
      const { anchor_market, episode_id, window_id } = episode;
      if (count > 0 && compareCodePoints(episode_id, last) <= 0) {
        throw new Error(`episodes are written in the order of their ids: ${episode_id} came after ${last}`);
      }
      last = episode_id;
      count++;
      seen.add(episode);
      if (block.episodes === 0) block.first = episode_id;
      block.episodes++;
      block.text += lineOf({ ...episode, ground_truth_reference: { file: truthsFile } });
      if (block.text.length >= blockBytes) await close();
      await truths.append(Buffer.from(lineOf({ anchor_market, episode_id, ...truth, window_id })));
    }
    await close();
    return {
      blocks,
      count,
      sha256: await lines.end(),
      span: seen.span,
      truthsSha256: await truths.end(),
    };
  } finally {
    await lines.close();
    await truths.close();
  }
}

function lineOf(record: object): string {
  return `${canonicalJson(record as JsonObject)}\n`;
}

/** A file that is written from its beginning to its end, with the digest of what was written. */
class HashedFile {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;

  private constructor(
    private readonly file: OpenFile,
    private readonly hash: Hash,
  ) {}

  static async create(path: string, { files }: Ports): Promise<HashedFile> {
    return new HashedFile(await files.open(path, "create"), createHash("sha256"));
  }

  async append(bytes: Buffer): Promise<void> {
    this.hash.update(bytes);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes >= blockBytes) await this.flush();
  }

  /** Everything is on the disk; its digest. */
  async end(): Promise<string> {
    await this.flush();
    await this.file.sync();
    return this.hash.digest("hex");
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    for (let at = 0; at < bytes.length;) at += await this.file.append(bytes.subarray(at));
  }
}

async function writeWhole(path: string, text: string, { files }: Ports): Promise<void> {
  const file = await files.open(path, "create");
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += await file.append(bytes.subarray(at));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Two packs of one second do not overwrite each other: the later one gets a number. */
async function moveIntoPlace(
  draft: string,
  place: {
    readonly out: string;
    readonly manifest: PackManifest;
    readonly nowMs: number;
    readonly ports: Ports;
  },
): Promise<string> {
  const { out, manifest, nowMs, ports } = place;
  const time = formatSeconds(nowMs).replaceAll(/[-:]/g, "");
  for (let number = 1; ; number++) {
    const folder = join(out, `${manifest.pack_id}-${time}${number === 1 ? "" : `-${number}`}`);
    if ((await ports.files.stat(folder)) !== undefined) continue;
    try {
      await ports.files.rename(draft, folder);
      return folder;
    } catch (error) {
      if (!["EEXIST", "ENOTEMPTY", "ENOTDIR"].includes(codeOf(error) ?? "")) throw error;
    }
  }
}

async function removeDraft(draft: string, { files }: Ports): Promise<void> {
  for (const name of ["episodes.jsonl", truthsFile, "manifest.json", "README.md"]) {
    await files.remove(join(draft, name)).catch(() => {});
  }
}
