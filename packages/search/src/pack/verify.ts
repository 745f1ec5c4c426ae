/** Whether a pack is what its manifest says, to the byte; what is wrong is named with its line. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  canonicalJson,
  compareCodePoints,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Ports,
} from "@bridle/record";
import { EpisodeBlocks } from "./blocks.js";
import { damaged } from "./damage.js";
import { packIdOf } from "./id.js";
import { lineBytes, linesIn } from "./lines.js";
import { readManifest } from "./open.js";
import { readEpisode } from "./read-episode.js";
import { verifyTruths } from "./truths.js";
import type { PackManifest } from "./types.js";

export interface PackVerification {
  readonly manifest: PackManifest;
  readonly bytes: number;
  /** `within`: in the episodes, as the first format has them. `absent`: the pack was given away without. */
  readonly truths: "present" | "absent" | "within";
}

/** Contract: throws `pack_damaged`, `truths_mismatch`, `pack_missing` or `pack_version_unknown` with what and where. */
export async function verifyPack(folder: string, ports: Ports): Promise<PackVerification> {
  const manifest = await readManifest(folder, ports);
  const path = join(folder, "episodes.jsonl");
  if ((await ports.files.stat(join(folder, "README.md"))) === undefined) {
    throw damaged(join(folder, "README.md"), "it is missing");
  }
  const expected = packIdOf(manifest);
  if (manifest.pack_id !== expected) {
    const place = join(folder, "manifest.json");
    throw damaged(place, `pack_id is ${manifest.pack_id}, its content says ${expected}`);
  }
  const { sha256, ids, bytes } = await readAll(path, manifest, ports);
  if (sha256 !== manifest.episodes_sha256) {
    throw damaged(path, `its digest is ${sha256}, the manifest says ${manifest.episodes_sha256}`);
  }
  if (ids.length !== manifest.episode_count) {
    throw damaged(path, `it has ${ids.length} episodes, the manifest says ${manifest.episode_count}`);
  }
  if (manifest.blocks === undefined) return { manifest, bytes, truths: "within" };
  await verifyBlocks(path, manifest, ids, ports);
  return { manifest, bytes, truths: await verifyTruths(folder, manifest, ids, ports) };
}

/** Lines are looked at on the way, so that a damaged one is named rather than the file. */
async function readAll(
  path: string,
  manifest: PackManifest,
  { files }: Ports,
): Promise<{ readonly sha256: string; readonly ids: readonly string[]; readonly bytes: number }> {
  const hash = createHash("sha256");
  const file = await files.open(path, "read").catch((error: unknown) => {
    throw damaged(path, "it cannot be opened", error);
  });
  const ids: string[] = [];
  let bytes = 0;
  try {
    for await (const lines of lineBytes(file, path)) {
      hash.update(lines.bytes);
      bytes += lines.bytes.length;
      for (const { text } of linesIn(lines)) {
        const place = `${path}: line ${ids.length + 1}`;
        ids.push(checkLine(text, { place, last: ids.at(-1), manifest }));
      }
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), ids, bytes };
}

function checkLine(
  text: string,
  {
    place,
    last,
    manifest,
  }: { readonly place: string; readonly last: string | undefined; readonly manifest: PackManifest },
): string {
  const { episode_id: id } = readEpisode(text, place, manifest);
  if (last !== undefined && compareCodePoints(id, last) <= 0)
    throw damaged(place, `episode ${id} stands after ${last}`);
  const value = JSON.parse(text) as JsonValue;
  if (isJsonObject(value) && canonicalJson(value as JsonObject) !== text)
    throw damaged(place, "it is not canonical JSON");
  return id;
}

/** Every block begins with the episode that the manifest says, and holds as many. */
async function verifyBlocks(
  path: string,
  { blocks = [] }: PackManifest,
  ids: readonly string[],
  { files }: Ports,
): Promise<void> {
  const file = await files.open(path, "read");
  try {
    let [index, first] = [0, 0];
    for await (const lines of new EpisodeBlocks(blocks, file, path).all()) {
      const { episodes, first_episode_id } = blocks[index] as (typeof blocks)[number];
      const found = [...linesIn(lines)].length;
      if (found !== episodes || ids[first] !== first_episode_id)
        throw damaged(
          path,
          `block ${index + 1} has ${found} episodes from ${ids[first]} on, the manifest says ${episodes} from ${first_episode_id} on`,
        );
      first += found;
      index++;
    }
  } finally {
    await file.close();
  }
}
