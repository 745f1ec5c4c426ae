/** Packs that lie: their episodes are changed, and the digests in the manifest with them; only the id stays. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PackManifest } from "@bridle/search";

export function editEpisodes(folder: string, change: (text: string) => string): void {
  const [path, manifestPath] = [join(folder, "episodes.jsonl"), join(folder, "manifest.json")];
  const text = change(readFileSync(path, "utf8"));
  const lines = text.split("\n").filter((line) => line !== "");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as PackManifest;
  writeFileSync(path, text);
  const first = (JSON.parse(lines[0] ?? "{}") as { episode_id: string }).episode_id;
  const blocks = [
    { bytes: Buffer.byteLength(text), episodes: lines.length, first_episode_id: first, sha256 },
  ];
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, blocks, episodes_sha256: sha256 }));
}
