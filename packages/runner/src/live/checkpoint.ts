/**
 * What a step leaves for the next session, of a bounded size: the session says in a few lines where the work stands and
 * names a checkpoint, the file beside the step's output that holds everything else.
 */
import { join } from "node:path";
import { type JsonObject, putFile, sha256Hex } from "@bridle/record";
import { byteCut } from "../cut.js";
import type { Begun } from "../types.js";
import type { WorkerContext } from "./context.js";
import { stepFolder } from "./names.js";

/** Session and handoff have at most so many bytes each. */
export const handoffBytesMax = 16 * 1024;
/** Leaves room for what the session adds itself. */
const ownBytesMax = handoffBytesMax - 4 * 1024;
const summaryBytesMax = 2_000;

/** Everything that is known of the step; the ref holds the digest of the file's bytes. */
export async function writeCheckpoint(
  step: Begun,
  told: JsonObject,
  { runFolder, ports }: WorkerContext,
): Promise<string> {
  const { id, claimed, failure, done } = step;
  const checkpoint = {
    ...{ schema: "bridle.run.checkpoint.v1", step: id, issueId: claimed.issueId, attempt: claimed.attempt },
    ...{ ...told, failure: failure ?? null, effects: Object.fromEntries(done) },
  };
  const text = `${JSON.stringify(checkpoint, null, 2)}\n`;
  const folder = stepFolder(runFolder, step);
  // A step that never came to its work has none yet.
  await ports.files.makeDirectory(folder);
  await putFile(join(folder, "checkpoint.json"), Buffer.from(text), ports);
  return `checkpoint://${id}/${sha256Hex(text)}`;
}

export interface Handoff {
  readonly summary: string;
  readonly nextStep: string;
  /** The most needed first; what does not fit stands in the checkpoint. */
  readonly witnessRefs: readonly string[];
  readonly lineageRefs: readonly string[];
}

/** The same in at most `handoffBytesMax` bytes. */
export function bounded({ summary, nextStep, witnessRefs, lineageRefs }: Handoff): Handoff {
  const kept = { summary: byteCut(summary, summaryBytesMax), nextStep: byteCut(nextStep, summaryBytesMax) };
  let room = ownBytesMax - Buffer.byteLength(JSON.stringify(kept));
  const fitting = (refs: readonly string[]) =>
    refs.filter((ref) => {
      const bytes = Buffer.byteLength(JSON.stringify(ref)) + 8;
      if (bytes > room) return false;
      room -= bytes;
      return true;
    });
  return { ...kept, witnessRefs: fitting(witnessRefs), lineageRefs: fitting(lineageRefs) };
}
