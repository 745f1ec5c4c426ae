/** What is kept of a write that was cut off, and the manifest beside it that says whose it is. */
import { isJsonObject, type JsonObject } from "@bridle/record";
import type { WorkspacePath } from "../types.js";
import { isWriteMode, type WriteMode } from "./modes.js";

const partKind = "bridle.cut_write.v1";

export interface CutPart {
  readonly callId: string;
  readonly path: WorkspacePath;
  /** Of the first call; undefined when it was cut off before it said so. */
  readonly mode: WriteMode | undefined;
  /** The first call said `confirm_overwrite: true`. */
  readonly confirmed: boolean;
  readonly bytes: number;
  readonly sha256: string;
  readonly tail: string;
  readonly atMs: number;
}

export function manifestOf(part: CutPart): string {
  const { mode, ...rest } = part;
  return `${JSON.stringify({ kind: partKind, complete: false, mode: mode ?? null, ...rest })}\n`;
}

/** Undefined when it is no manifest of ours. */
export function partOf(text: string): CutPart | undefined {
  let row: JsonObject;
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isJsonObject(parsed) || parsed["kind"] !== partKind) return undefined;
    row = parsed;
  } catch {
    return undefined;
  }
  const { callId, path, mode, confirmed, bytes, sha256, tail, atMs } = row;
  const fits =
    [callId, path, sha256, tail].every((value) => typeof value === "string") &&
    [bytes, atMs].every((value) => typeof value === "number") &&
    typeof confirmed === "boolean" &&
    (mode === null || isWriteMode(mode));
  if (!fits) return undefined;
  return {
    callId,
    path,
    mode: mode ?? undefined,
    confirmed,
    bytes,
    sha256,
    tail,
    atMs,
  } as unknown as CutPart;
}
