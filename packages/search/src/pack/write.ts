/**
 * Writes a pack: a new folder that appears whole or not at all.
 *
 * It is made under a name of its own beside its place and renamed when every
 * file is on the disk. Nothing that exists is touched: a pack that must change is
 * made anew, under another time.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  canonicalJson,
  codeOf,
  Failure,
  failureAt,
  formatSeconds,
  type JsonObject,
  type Ports,
} from "@bridle/record";
import type { EpisodeRecord } from "../types.js";
import { packIdOf } from "./id.js";
import { type PackManifest, packSchemaVersion, type SourceDatasetRef } from "./types.js";

export interface WritePackOptions {
  /** The folder that gets the new folder. */
  readonly out: string;
  /** Contract: in the order of their ids, each once. */
  readonly episodes: AsyncIterable<EpisodeRecord> | Iterable<EpisodeRecord>;
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

const chunkCharsMax = 1 << 20;

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
      const { count, sha256 } = await writeEpisodes(join(draft, "episodes.jsonl"), options);
      const { generator } = options;
      const made = {
        episode_count: count,
        episodes_sha256: sha256,
        generated_at_utc: formatSeconds(nowMs),
        generator_git_sha: generator.gitSha,
        generator_params: generator.params,
        generator_repo_relpath: generator.repoRelpath,
        generator_script: generator.script,
        nondeterministic_components: options.nondeterministicComponents,
        schema_version: packSchemaVersion,
        source_dataset_refs: sources,
        synthetic,
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

async function writeEpisodes(
  path: string,
  { episodes, ports, signal }: WritePackOptions,
): Promise<{ readonly count: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  const file = await ports.files.open(path, "create");
  let [count, chunk, last] = [0, "", ""];
  const flush = async () => {
    const bytes = Buffer.from(chunk);
    chunk = "";
    hash.update(bytes);
    for (let at = 0; at < bytes.length;) at += await file.append(bytes.subarray(at));
  };
  try {
    for await (const episode of episodes) {
      signal?.throwIfAborted();
      if (count > 0 && episode.episode_id <= last) {
        throw new Error(
          `episodes are written in the order of their ids: ${episode.episode_id} came after ${last}`,
        );
      }
      last = episode.episode_id;
      count++;
      chunk += `${canonicalJson(episode as unknown as JsonObject)}\n`;
      if (chunk.length > chunkCharsMax) await flush();
    }
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  return { count, sha256: hash.digest("hex") };
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
  for (const name of ["episodes.jsonl", "manifest.json", "README.md"]) {
    await files.remove(join(draft, name)).catch(() => {});
  }
}
