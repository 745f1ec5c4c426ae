/** What the operations on packs share. */
import { grouped } from "@bridle/record";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Call } from "@bridle/operation";
import * as Type from "typebox";
import type { PackManifest } from "../pack/types.js";

export const packInput = {
  pack: Type.String({
    minLength: 1,
    "x-position": 0,
    "x-placeholder": "folder",
    "x-path": true,
    description: "The folder of the pack.",
  }),
} as const;

export function pathOf(call: Call, path: string): string {
  return isAbsolute(path) ? path : join(call.cwd, path);
}

/** From the caller's folder when it lies below it. */
export function shown(call: Call, path: string): string {
  const below = relative(call.cwd, path);
  return below === "" || below.startsWith(`..${sep}`) || below === ".." || isAbsolute(below) ? path : below;
}

export const packHead = {
  packId: Type.String(),
  episodeCount: Type.Integer(),
  synthetic: Type.Boolean({ description: "Made up from a seed; nothing in it happened." }),
  generatedAtUtc: Type.String({ description: "RFC 3339." }),
  folder: Type.String(),
} as const;

export function headOf(manifest: PackManifest, folder: string) {
  return {
    packId: manifest.pack_id,
    episodeCount: manifest.episode_count,
    synthetic: manifest.synthetic,
    generatedAtUtc: manifest.generated_at_utc,
    folder,
  };
}

export function episodesInWords(count: number): string {
  return `${grouped(count)} ${count === 1 ? "episode" : "episodes"}`;
}
