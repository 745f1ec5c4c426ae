/**
 * The id of a pack: a digest of everything that its manifest says but when and
 * by which revision it was made, so the same on every machine that makes it.
 */
import { canonicalJson, type JsonObject, sha256Hex } from "@bridle/record";
import type { PackManifest } from "./types.js";

export function packIdOf(manifest: Omit<PackManifest, "pack_id"> & { readonly pack_id?: string }): string {
  const { generated_at_utc: _when, generator_git_sha: _revision, ...content } = manifest;
  const text = canonicalJson({ ...content, pack_id: "" } as unknown as JsonObject);
  return `pack_${sha256Hex(text).slice(0, 16)}`;
}
