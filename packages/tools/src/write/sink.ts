/**
 * Hears the arguments of write_file and edit_file while they arrive, so that a
 * long content survives when the answer ends in the middle of it.
 *
 * What a newcomer gets wrong: what was staged is used for cut calls only. A call
 * that arrived whole is carried out from its parsed arguments, which a person may
 * have edited since, and its staging is dropped unread.
 */
import { type ArgumentStream, type CutWrite, tailOf } from "@bridle/agent";
import type { Workspace } from "../types.js";
import { judgePath } from "../workspace/judge-path.js";
import type { Draft } from "./draft.js";
import { ArgumentReader } from "./json-stream.js";
import { isWriteMode, type WriteMode } from "./modes.js";
import type { Staging } from "./staging.js";

export interface SinkOptions {
  readonly callId: string;
  readonly workspace: Pick<Workspace, "place">;
  readonly staging: Staging;
}

export class WriteSink implements ArgumentStream {
  private readonly reader: ArgumentReader;
  private draft: Draft | undefined;
  private chars = 0;
  private over = false;
  /** Drafts of content that a second member of that name made void. */
  private readonly voided: Promise<void>[] = [];

  constructor(private readonly options: SinkOptions) {
    this.reader = new ArgumentReader({
      begin: (member) => {
        if (member === "content") this.beginContent();
      },
      piece: (member, text) => {
        if (member === "content") this.takeContent(text);
      },
    });
  }

  delta(text: string): void {
    if (!this.over) this.reader.push(text);
  }

  async cut(): Promise<CutWrite | undefined> {
    this.over = true;
    await Promise.all(this.voided);
    const arrived = this.reader.member("path");
    if (arrived?.complete !== true || typeof arrived.value !== "string") {
      await this.draft?.discard();
      return undefined;
    }
    const content = this.reader.member("content")?.value;
    const text = typeof content === "string" ? content : "";
    const path =
      this.reader.progress === "broken" ? undefined : judgePath(this.options.workspace, arrived.value).path;
    if (path === undefined) {
      await this.draft?.discard();
      return told(arrived.value, text);
    }
    const part = await this.options.staging.keep({
      callId: this.options.callId,
      path,
      mode: this.mode(),
      confirmed: this.reader.member("confirm_overwrite")?.value === true,
      text,
      draft: this.draft,
    });
    return part === undefined ? told(path, text) : { path, bytes: part.bytes, tail: part.tail, staged: true };
  }

  async drop(): Promise<void> {
    this.over = true;
    await Promise.all(this.voided);
    await this.draft?.discard();
  }

  private beginContent(): void {
    this.chars = 0;
    const draft = this.draft;
    this.draft = undefined;
    // Both have the same file, so the new one waits in memory until the end.
    if (draft !== undefined) this.voided.push(draft.discard());
  }

  private takeContent(text: string): void {
    this.chars += text.length;
    if (this.draft !== undefined) this.draft.write(text);
    else if (this.chars >= this.options.staging.minChars && this.voided.length === 0) {
      this.draft = this.options.staging.draft(this.options.callId);
      this.draft.write(this.reader.member("content")?.value as string);
    }
  }

  /** Undefined while it may still come: it need not stand before the content. */
  private mode(): WriteMode | undefined {
    const mode = this.reader.member("mode");
    if (mode?.complete === true) return isWriteMode(mode.value) ? mode.value : undefined;
    return this.reader.progress === "complete" ? "create" : undefined;
  }
}

/** Of an edit nothing is kept: half a change is none, and the call is short enough to be made again. */
export class EditSink implements ArgumentStream {
  private readonly reader = new ArgumentReader();

  delta(text: string): void {
    this.reader.push(text);
  }

  async cut(): Promise<CutWrite | undefined> {
    const path = this.reader.member("path");
    if (path?.complete !== true || typeof path.value !== "string") return undefined;
    const diff = this.reader.member("diff")?.value;
    return told(path.value, typeof diff === "string" ? diff : "");
  }

  async drop(): Promise<void> {
    // Nothing was staged.
  }
}

function told(path: string, text: string): CutWrite {
  return { path, bytes: Buffer.byteLength(text), tail: tailOf(text), staged: false };
}
