/**
 * Parts of writes that were cut off, kept until their continuation comes.
 *
 * One part a path: the content so far in `<key>.part`, and beside it a manifest
 * that says whose it is. What a newcomer gets wrong: a part is no write. It lives
 * in the state folder, never in the workspace, and becomes a file only when a
 * later call continues it and is admitted; then it passes the same commit as any
 * other content.
 */
import { tailOf } from "@bridle/agent";
import { type Ports, putFile, readStart, sha256Hex } from "@bridle/record";
import type { WorkspacePath } from "../types.js";
import { joinCutContinuation, overlapCharsMin, repeatedChars } from "./continuation.js";
import { type CutPart, manifestOf, partOf } from "./cut-part.js";
import { Draft } from "./draft.js";
import type { WriteMode } from "./modes.js";
import { StagingFolder, sweepStaging } from "./staging-folder.js";

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
  private readonly folder: StagingFolder;

  private constructor(private readonly options: StagingOptions) {
    this.folder = new StagingFolder(options, options.ports.files);
  }

  /** Sweeps first, of other sessions, and finds what there is of this one. */
  static async open(options: StagingOptions): Promise<Staging> {
    await sweepStaging(options, options.ports);
    const staging = new Staging(options);
    await staging.load();
    return staging;
  }

  /** Looks at nothing: for who keeps nothing. */
  static empty(options: StagingOptions): Staging {
    return new Staging(options);
  }

  get minChars(): number {
    return this.options.enabled ? this.options.minChars : Number.POSITIVE_INFINITY;
  }

  draft(callId: string): Draft {
    return new Draft(this.folder.fileOf(callId, "part"), this.folder, this.options.ports.files);
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
    const bytes = await this.bytesOf(this.folder.fileOf(part.callId, "part"));
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
      await this.lose(cut.path);
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
    await this.unmark(path);
    const part = this.parts.get(path);
    this.parts.delete(path);
    if (part !== undefined) await this.folder.remove(part.callId);
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
        await this.write(this.folder.fileOf(cut.callId, "part"), bytes);
      }
      await this.write(this.folder.fileOf(cut.callId, "json"), Buffer.from(manifestOf(part)));
    } catch {
      // A disk that takes nothing costs the model a repetition, not the conversation.
      await this.folder.remove(cut.callId);
      await this.lose(cut.path);
      return undefined;
    }
    const old = this.parts.get(cut.path);
    this.parts.set(cut.path, part);
    await this.unmark(cut.path);
    if (old !== undefined && old.callId !== part.callId) await this.folder.remove(old.callId);
    return part;
  }

  /**
   * What was kept is gone, or never was. On the disk too, as far as it takes it: the rest of that call
   * must not become a file after a restart either.
   */
  async lose(path: WorkspacePath): Promise<void> {
    await this.drop(path);
    this.lost.add(path);
    const mark = Buffer.from(`${JSON.stringify(path)}\n`);
    await this.write(this.folder.markOf(path), mark).catch(() => {});
  }

  private async unmark(path: WorkspacePath): Promise<void> {
    if (!this.lost.delete(path)) return;
    await this.options.ports.files.remove(this.folder.markOf(path)).catch(() => {});
    await this.folder.leave();
  }

  private write(path: string, bytes: Uint8Array): Promise<void> {
    return this.folder.within(() => putFile(path, bytes, this.options.ports));
  }

  private async load(): Promise<void> {
    const found: CutPart[] = [];
    for (const path of await this.folder.named(".json")) {
      const bytes = await this.bytesOf(path);
      const part = bytes === undefined ? undefined : partOf(Buffer.from(bytes).toString());
      if (part !== undefined && path === this.folder.fileOf(part.callId, "json")) found.push(part);
    }
    for (const mark of await this.folder.named(".lost")) {
      const path = await this.markedBy(mark);
      if (path !== undefined) this.lost.add(path);
    }
    for (const part of found.toSorted((a, b) => a.atMs - b.atMs)) {
      const older = this.parts.get(part.path);
      if (older !== undefined) await this.folder.remove(older.callId);
      this.parts.set(part.path, part);
    }
  }

  private async markedBy(mark: string): Promise<WorkspacePath | undefined> {
    const text = Buffer.from((await this.bytesOf(mark)) ?? []).toString();
    if (!/^"(?:[^"\\]|\\.)*"\n$/.test(text)) return undefined;
    const path = JSON.parse(text) as WorkspacePath;
    return this.folder.markOf(path) === mark ? path : undefined;
  }

  /** Undefined where there is none, or none that can be read. */
  private bytesOf(path: string): Promise<Uint8Array | undefined> {
    return readStart(path, this.options.ports.files, Number.POSITIVE_INFINITY).catch(() => undefined);
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
  const continues = cut.mode === "append" || (repeatedChars(before, cut.text) ?? 0) > 0;
  // What says neither that it goes on nor that it starts over changes nothing.
  if (!continues && cut.mode === undefined && !startsOver) return "as before";
  if (!continues) return before.startsWith(cut.text) ? "as before" : own;
  const { text } = joinCutContinuation(before, cut.text) ?? { text: before };
  return text === before
    ? "as before"
    : { text, mode: earlier.mode, confirmed: earlier.confirmed || cut.confirmed };
}
