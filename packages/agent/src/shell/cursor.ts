/**
 * Where the reading of a command line stands, and what it may do at a place that
 * it is not sure of.
 *
 * What a newcomer gets wrong: the same reader serves two. A gate must never guess:
 * where bash has a reading that is not known here, the whole command is unknown
 * (`Unparsed`). Whoever only wants to know what an honest command is for takes the
 * likely reading instead (`tolerant`). Both see the same tree wherever the first
 * sees one, for `doubt` is the only place where they part.
 */

/** Thrown within the parser only; `parse` turns it into a value. */
export class Unparsed extends Error {}

export const shellLimits = {
  /** Longer commands are unknown. */
  commandCharsMax: 65_536,
  /** Nesting of substitutions, groups and control structures. */
  depthMax: 32,
} as const;

export interface ReaderOptions {
  readonly depth: number;
  /** Takes the likely reading where the strict one gives up. */
  readonly tolerant: boolean;
}

const blank = /[ \t]/;

export abstract class Cursor {
  protected at = 0;
  /** Something that only bash reads so; a plain sh takes it for something else. */
  protected bashOnly = false;
  protected readonly depth: number;
  protected readonly tolerant: boolean;

  constructor(
    protected readonly text: string,
    { depth, tolerant }: ReaderOptions,
  ) {
    this.depth = depth;
    this.tolerant = tolerant;
    if (depth > shellLimits.depthMax) this.fail("it nests too deeply");
  }

  protected get deeperOptions(): ReaderOptions {
    return { depth: this.depth + 1, tolerant: this.tolerant };
  }

  protected fail(because: string): never {
    throw new Unparsed(because);
  }

  /** What follows a call of this is the likely reading. */
  protected doubt(because: string): void {
    if (!this.tolerant) this.fail(because);
  }

  protected match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  protected peek(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** One whole character, even where it is two units long. */
  protected take(): string {
    const c = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += c.length;
    return c;
  }

  protected blanks(): void {
    for (;;) {
      const c = this.text[this.at];
      if (c !== undefined && blank.test(c)) this.at += 1;
      else if (this.peek("\\\n") && this.mayContinue()) this.at += 2;
      else break;
    }
    if (this.text[this.at] === "#") {
      while (this.at < this.text.length && this.text[this.at] !== "\n") this.at += 1;
    }
  }

  /** A continued line within a word or an operator would join what stands around it. */
  private mayContinue(): boolean {
    const before = this.text[this.at - 1];
    return before === undefined || /[ \t\n]/.test(before);
  }
}
