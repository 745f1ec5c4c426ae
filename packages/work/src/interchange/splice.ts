/** Source text with some of its parts replaced and every other byte as it was. */
import { memberSpans, type Span } from "@bridle/record";

export interface Edit extends Span {
  readonly text: string;
}

/** The edits do not overlap. */
export function splice(text: string, edits: readonly Edit[]): string {
  let done = "";
  let at = 0;
  for (const edit of [...edits].sort((left, right) => left.start - right.start)) {
    done += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return done + text.slice(at);
}

/** An object's source and where its members stand; of a repeated key the last counts. */
export class SourceObject {
  private readonly spans;

  constructor(
    readonly text: string,
    /** Where the object begins in the text that edits are made to. */
    private readonly offset = 0,
  ) {
    this.spans = memberSpans(text);
  }

  get(key: string): string | undefined {
    const span = this.find(key);
    return span && this.text.slice(span.start, span.end);
  }

  startOf(key: string): number {
    return this.offset + (this.find(key)?.start ?? 0);
  }

  /** Replaces the member's value, or adds the member at the end. */
  set(key: string, source: string): Edit {
    const span = this.find(key);
    if (span !== undefined) return this.edit(span, source);
    const end = this.text.lastIndexOf("}");
    const comma = this.spans.length === 0 ? "" : ",";
    return this.edit({ start: end, end }, `${comma}${JSON.stringify(key)}:${source}`);
  }

  /** Takes the member out with the comma that `set` put there. */
  remove(key: string): Edit {
    const at = this.spans.findLastIndex((span) => span.key === key);
    const span = this.spans[at];
    const before = this.spans[at - 1];
    const after = this.spans[at + 1];
    if (span === undefined) return this.edit({ start: 0, end: 0 }, "");
    if (before !== undefined) return this.edit({ start: before.end, end: span.end }, "");
    return this.edit({ start: span.keyStart, end: after?.keyStart ?? span.end }, "");
  }

  private find(key: string) {
    return this.spans.findLast((span) => span.key === key);
  }

  private edit({ start, end }: Span, text: string): Edit {
    return { start: this.offset + start, end: this.offset + end, text };
  }
}
