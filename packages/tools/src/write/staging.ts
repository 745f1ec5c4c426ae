/**
 * Parts of writes that were cut off, kept until their continuation comes.
 *
 * One part a path: the content so far in `<key>.part`, and beside it a manifest
 * that says whose it is. What a newcomer gets wrong: a part is no write. It lives
 * in the state folder, never in the workspace, and becomes a file only when a
 * later call continues it and is admitted; then it passes the same commit as any
 * other content.
 */
import { join } from "node:path";
import { isJsonObject, type JsonObject, type Ports, putFile, sha256Hex } from "@bridle/record";
import type { WorkspacePath } from "../types.js";
import { joinCutContinuation, overlapCharsMin, repeatedChars } from "./continuation.js";
import { Draft } from "./draft.js";
import { isWriteMode, type WriteMode } from "./modes.js";

const partKind = "bridle.cut_write.v1";
/** How much of the end the model is shown to go on after. */
export const tailChars = 200;
const partAgeMsMax = 24 * 60 * 60 * 1000;

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

export interface CutContent {
  readonly callId: string;
  readonly path: WorkspacePath;
  readonly mode: WriteMode | undefined;
  readonly confirmed: boolean;
  /** As far as it arrived. */
  readonly text: string;
  /** Where it is on the disk already. */
  readonly draft: Draft | undefined;
}

export interface StagingOptions {
  readonly ports: Ports;
  /** The harness's own folder, outside what tools may write. */
  readonly stateFolder: string;
  readonly session: string;
  /** False keeps nothing. */
  readonly enabled: boolean;
  /** Length from which content is written while it arrives. */
  readonly minChars: number;
}

export class Staging {
  private readonly parts = new Map<string, CutPart>();
  /** Paths whose last write was cut off and not kept. */
  private readonly lost = new Set<string>();
  private readonly folder: string;

  private constructor(private readonly options: StagingOptions) {
    this.folder = join(options.stateFolder, "staging", folderOf(options.session));
  }

  /** Sweeps what is older than a day, of any session, and finds the parts of this one. */
  static async open(options: StagingOptions): Promise<Staging> {
    await sweep(options);
    const staging = new Staging(options);
    await staging.load();
    return staging;
  }

  get minChars(): number {
    return this.options.enabled ? this.options.minChars : Number.POSITIVE_INFINITY;
  }

  draft(callId: string): Draft {
    return new Draft(this.fileOf(callId, "part"), this.folder, this.options.ports.files);
  }

  find(path: WorkspacePath): CutPart | undefined {
    return this.parts.get(path);
  }

  /** Whether the last write to the path was cut off and nothing of it is kept. */
  isLost(path: WorkspacePath): boolean {
    return this.lost.has(path);
  }

  /** The kept text; undefined when the disk no longer has it as it was. */
  async read(part: CutPart): Promise<string | undefined> {
    const bytes = await this.bytesOf(this.fileOf(part.callId, "part"));
    return bytes !== undefined && sha256Hex(bytes) === part.sha256
      ? Buffer.from(bytes).toString()
      : undefined;
  }

  /**
   * Keeps what arrived of a call, joined to what was kept for its path before.
   * Undefined when nothing is kept; the call then has to be made again.
   */
  async keep(cut: CutContent): Promise<CutPart | undefined> {
    const earlier = this.parts.get(cut.path);
    const before = earlier === undefined ? undefined : await this.read(earlier);
    const next = this.options.enabled ? together(cut, earlier, before) : undefined;
    if (next === undefined) {
      await cut.draft?.discard();
      await this.drop(cut.path);
      this.lost.add(cut.path);
      return undefined;
    }
    if (next === "as before") {
      await cut.draft?.discard();
      return earlier;
    }
    return this.store(cut, next);
  }

  /** The path was written, or what was kept for it is void. */
  async drop(path: WorkspacePath): Promise<void> {
    this.lost.delete(path);
    const part = this.parts.get(path);
    this.parts.delete(path);
    if (part !== undefined) await this.remove(part.callId);
  }

  private async store(cut: CutContent, next: Together): Promise<CutPart | undefined> {
    const { ports } = this.options;
    const bytes = Buffer.from(next.text);
    const part: CutPart = {
      callId: cut.callId,
      path: cut.path,
      mode: next.mode,
      confirmed: next.confirmed,
      bytes: bytes.length,
      sha256: sha256Hex(bytes),
      tail: tailOf(next.text),
      atMs: await ports.clock.now(),
    };
    try {
      const isThere = next.text === cut.text && cut.draft !== undefined && (await cut.draft.settle());
      if (!isThere) {
        await cut.draft?.discard();
        await ports.files.makeDirectory(this.folder);
        await putFile(this.fileOf(cut.callId, "part"), bytes, ports);
      }
      await putFile(this.fileOf(cut.callId, "json"), Buffer.from(manifestOf(part)), ports);
    } catch {
      // A disk that takes nothing costs the model a repetition, not the conversation.
      await this.remove(cut.callId);
      await this.drop(cut.path);
      this.lost.add(cut.path);
      return undefined;
    }
    const old = this.parts.get(cut.path);
    this.parts.set(cut.path, part);
    this.lost.delete(cut.path);
    if (old !== undefined && old.callId !== part.callId) await this.remove(old.callId);
    return part;
  }

  /** The manifest first: a part without one is never joined. */
  private async remove(callId: string): Promise<void> {
    const { files } = this.options.ports;
    await files.remove(this.fileOf(callId, "json")).catch(() => {});
    await files.remove(this.fileOf(callId, "part")).catch(() => {});
  }

  private async load(): Promise<void> {
    const names = await this.options.ports.files.list(this.folder).catch(() => []);
    const found: CutPart[] = [];
    for (const name of names.filter((each) => each.endsWith(".json"))) {
      const bytes = await this.bytesOf(join(this.folder, name));
      const part = bytes === undefined ? undefined : partOf(Buffer.from(bytes).toString());
      if (part !== undefined && name === `${fileKey(part.callId)}.json`) found.push(part);
    }
    for (const part of found.toSorted((a, b) => a.atMs - b.atMs)) {
      const older = this.parts.get(part.path);
      if (older !== undefined) await this.remove(older.callId);
      this.parts.set(part.path, part);
    }
  }

  private async bytesOf(path: string): Promise<Uint8Array | undefined> {
    const { files } = this.options.ports;
    try {
      const file = await files.open(path, "read");
      try {
        const { size } = await file.stat();
        return await file.read(0, size);
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  private fileOf(callId: string, kind: "part" | "json"): string {
    return join(this.folder, `${fileKey(callId)}.${kind}`);
  }
}

interface Together {
  readonly text: string;
  readonly mode: WriteMode | undefined;
  readonly confirmed: boolean;
}

/** What is to be kept, if anything; `as before` when the cut call brought nothing new. */
function together(
  cut: CutContent,
  earlier: CutPart | undefined,
  before: string | undefined,
): Together | "as before" | undefined {
  const own = cut.text.length < overlapCharsMin ? undefined : cut;
  if (earlier === undefined) return own;
  // A continuation of something that is gone cannot stand for the whole.
  if (before === undefined) return cut.mode === "append" ? undefined : own;
  const startsOver = before.startsWith(cut.text.slice(0, overlapCharsMin));
  const continues = cut.mode === "append" || repeatedChars(before, cut.text) > 0;
  // What says neither that it goes on nor that it starts over changes nothing.
  if (!continues && cut.mode === undefined && !startsOver) return "as before";
  if (!continues) return before.startsWith(cut.text) ? "as before" : own;
  const { text } = joinCutContinuation(before, cut.text);
  return text === before
    ? "as before"
    : { text, mode: earlier.mode, confirmed: earlier.confirmed || cut.confirmed };
}

/** The last characters, none of them halved. */
export function tailOf(text: string): string {
  const tail = text.slice(-tailChars);
  return (/^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail).toWellFormed();
}

// --- On the disk -----------------------------------------------------------------------------------

/** Ids come from providers, so they are no file names. */
function fileKey(id: string): string {
  return sha256Hex(id).slice(0, 32);
}

function folderOf(session: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(session) ? session : fileKey(session);
}

function manifestOf(part: CutPart): string {
  const { mode, ...rest } = part;
  return `${JSON.stringify({ kind: partKind, complete: false, mode: mode ?? null, ...rest })}\n`;
}

function partOf(text: string): CutPart | undefined {
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

async function sweep({ ports, stateFolder }: StagingOptions): Promise<void> {
  const { files, clock } = ports;
  const root = join(stateFolder, "staging");
  const now = await clock.now();
  for (const session of await files.list(root).catch(() => [])) {
    for (const name of await files.list(join(root, session)).catch(() => [])) {
      const path = join(root, session, name);
      const stat = await files.stat(path).catch(() => undefined);
      if (stat?.kind === "file" && now - stat.mtimeMs > partAgeMsMax)
        await files.remove(path).catch(() => {});
    }
  }
}
