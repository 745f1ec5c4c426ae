/**
 * The truths of a pack, which lie in a file of their own and are opened only to
 * judge and to train. The manifest binds the file: one that was altered, or that
 * belongs to another pack, is refused before anything of it is used.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { codeOf, Failure, failureAt, type OpenFile, type Ports } from "@bridle/record";
import { type EpisodeTruth, truthsFile } from "../types.js";
import { damaged } from "./damage.js";
import { lineBytes, linesIn } from "./lines.js";
import { readTruth } from "./read-episode.js";
import type { PackManifest } from "./types.js";

export async function* truthsIn(
  folder: string,
  manifest: PackManifest,
  ports: Ports,
): AsyncGenerator<EpisodeTruth> {
  const path = join(folder, truthsFile);
  const file = await openTruths(path, manifest, ports);
  try {
    await requireBound(file, path, manifest);
    for await (const lines of lineBytes(file, path)) {
      for (const { byte, text } of linesIn(lines)) yield readTruth(text, `${path}: the line at byte ${byte}`);
    }
  } finally {
    await file.close();
  }
}

async function openTruths(path: string, { pack_id }: PackManifest, { files }: Ports): Promise<OpenFile> {
  try {
    return await files.open(path, "read");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw failureAt(path, error);
    throw new Failure("truths_missing", {
      message: `${path} is not there: the pack ${pack_id} was given away without its truths`,
      hint: "It can be run and replayed. To judge or to train, put the truths.jsonl of this very pack there.",
      cause: error,
    });
  }
}

/** The first id tells a file of another pack from one that was altered. */
async function requireBound(file: OpenFile, path: string, manifest: PackManifest): Promise<void> {
  const { pack_id, truths_sha256: expected } = manifest;
  const hash = createHash("sha256");
  let first: string | undefined;
  for await (const lines of lineBytes(file, path)) {
    hash.update(lines.bytes);
    for (const { byte, text } of first === undefined ? linesIn(lines) : []) {
      first ??= readTruth(text, `${path}: the line at byte ${byte}`).episode_id;
      break;
    }
  }
  const found = hash.digest("hex");
  if (found === expected) return;
  const own = manifest.blocks?.[0]?.first_episode_id;
  const why =
    first === own
      ? "it was altered, or is of another build"
      : `it is of another pack: it begins with ${first}`;
  throw new Failure("truths_mismatch", {
    message: `${path}: ${why}; its digest is ${found}, the manifest of ${pack_id} says ${expected ?? "nothing"}`,
    hint: "Take the truths.jsonl that was made with this pack.",
  });
}

/** For verifying: whether it is there, and that it speaks of the same episodes in the same order. */
export async function verifyTruths(
  folder: string,
  manifest: PackManifest,
  ids: readonly string[],
  ports: Ports,
): Promise<"present" | "absent"> {
  if ((await ports.files.stat(join(folder, truthsFile))) === undefined) return "absent";
  let count = 0;
  for await (const { episode_id } of truthsIn(folder, manifest, ports)) {
    if (ids[count] !== episode_id)
      throw damaged(join(folder, truthsFile), `line ${count + 1} is of ${episode_id}, not of ${ids[count]}`);
    count++;
  }
  if (count !== ids.length)
    throw damaged(join(folder, truthsFile), `it has ${count} truths, there are ${ids.length} episodes`);
  return "present";
}
