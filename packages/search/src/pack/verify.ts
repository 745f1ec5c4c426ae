/** Whether a pack is what its manifest says, to the byte; what is wrong is named with its line. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, type Ports } from "@bridle/record";
import { packIdOf } from "./id.js";
import { damaged, readEpisode, readManifest } from "./open.js";
import type { PackManifest } from "./types.js";

export interface PackVerification {
  readonly manifest: PackManifest;
  readonly bytes: number;
}

const chunkBytes = 256 * 1024;
const newline = 10;

/** Contract: throws `pack_damaged`, `pack_missing` or `pack_version_unknown` with what and where. */
export async function verifyPack(folder: string, ports: Ports): Promise<PackVerification> {
  const manifest = await readManifest(folder, ports);
  const manifestPath = join(folder, "manifest.json");
  const path = join(folder, "episodes.jsonl");
  if ((await ports.files.stat(join(folder, "README.md"))) === undefined) {
    throw damaged(join(folder, "README.md"), "it is missing");
  }
  const expected = packIdOf(manifest);
  if (manifest.pack_id !== expected) {
    throw damaged(manifestPath, `pack_id is ${manifest.pack_id}, its content says ${expected}`);
  }
  const { sha256, count, bytes } = await readAll(path, ports);
  if (sha256 !== manifest.episodes_sha256) {
    throw damaged(path, `its digest is ${sha256}, the manifest says ${manifest.episodes_sha256}`);
  }
  if (count !== manifest.episode_count) {
    throw damaged(path, `it has ${count} episodes, the manifest says ${manifest.episode_count}`);
  }
  return { manifest, bytes };
}

/** Lines are looked at on the way, so that a damaged one is named rather than the file. */
async function readAll(
  path: string,
  { files }: Ports,
): Promise<{ readonly sha256: string; readonly count: number; readonly bytes: number }> {
  const hash = createHash("sha256");
  const file = await files.open(path, "read").catch((error: unknown) => {
    throw damaged(path, "it cannot be opened", error);
  });
  let [at, count, last] = [0, 0, ""];
  let rest = Buffer.alloc(0);
  try {
    for (;;) {
      const bytes = Buffer.from(await file.read(at, chunkBytes));
      if (bytes.length === 0) break;
      hash.update(bytes);
      at += bytes.length;
      let from = 0;
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (let end = all.indexOf(newline, from); end !== -1; end = all.indexOf(newline, from)) {
        count++;
        last = checkLine(all.subarray(from, end).toString("utf8"), { path, line: count, last });
        from = end + 1;
      }
      rest = Buffer.from(all.subarray(from));
    }
  } finally {
    await file.close();
  }
  if (rest.length > 0) throw damaged(path, `line ${count + 1} has no end`);
  return { sha256: hash.digest("hex"), count, bytes: at };
}

function checkLine(
  text: string,
  { path, line, last }: { readonly path: string; readonly line: number; readonly last: string },
): string {
  const place = `${path}: line ${line}`;
  const { episode_id: id } = readEpisode(text, place);
  if (line > 1 && id <= last) throw damaged(place, `episode ${id} stands after ${last}`);
  const value = JSON.parse(text) as JsonValue;
  if (isJsonObject(value) && canonicalJson(value as JsonObject) !== text)
    throw damaged(place, "it is not canonical JSON");
  return id;
}
