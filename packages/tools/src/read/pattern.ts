/**
 * Whether a line matches a pattern, in time that grows with the line and no faster.
 *
 * What a newcomer gets wrong: JavaScript's own expressions go back and try again,
 * so `(a+)+$` on thirty letters takes minutes, and a model may write such a one.
 * RE2 knows no look-ahead and no references to groups and never goes back. A large
 * pattern still costs more for each character than a small one, so the work is
 * counted, and whoever searches sets a bound on it.
 */
import { Failure } from "@bridle/record";
import { RE2JS } from "re2js";

export const patternCharsMax = 500;
/** Instructions of a pattern that are carried out in the time of one character of a small pattern. */
const instructionsPerStep = 8;
/** Characters of plain text that are compared in that time. */
const plainCharsPerStep = 64;

export interface PatternOptions {
  readonly ignoreCase?: boolean;
  readonly fixed?: boolean;
  /** After so many steps every line is taken for one that does not match; ask `isSpent`. */
  readonly stepsMax?: number;
}

export class Pattern {
  /** The work so far, over all lines. */
  steps = 0;
  private readonly stepsMax: number;
  private readonly finds: (text: string) => boolean;
  private readonly stepsPerChar: number;

  constructor(text: string, { ignoreCase = false, fixed = false, stepsMax = Infinity }: PatternOptions = {}) {
    this.stepsMax = stepsMax;
    if ([...text].length > patternCharsMax) {
      throw patternInvalid(
        `it has more than ${patternCharsMax} characters`,
        "Search for a shorter part of it.",
      );
    }
    const isPlain = fixed || !/[\\^$.*+?()[\]{}|]/.test(text);
    if (isPlain && !ignoreCase) {
      this.finds = (line) => line.includes(text);
      this.stepsPerChar = 1 / plainCharsPerStep;
      return;
    }
    const expression = compiled(fixed ? RE2JS.quote(text) : text, ignoreCase);
    this.finds = (line) => expression.test(line);
    this.stepsPerChar = Math.max(1, expression.programSize() / instructionsPerStep);
  }

  get isSpent(): boolean {
    return this.steps > this.stepsMax;
  }

  /** `isCut`: the line goes on, so that what is found must not need its end. */
  matches(line: string, { isCut = false }: { readonly isCut?: boolean } = {}): boolean {
    this.steps += 1 + line.length * this.stepsPerChar;
    if (this.isSpent || !this.finds(line)) return false;
    return !isCut || this.finds(`${line}\0`);
  }
}

function compiled(text: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    throw patternInvalid(why, "Looking ahead or behind and references to groups are not supported.");
  }
}

function patternInvalid(why: string, hint: string): Failure {
  return new Failure("pattern_invalid", {
    message: `the pattern cannot be used: ${why}`,
    hint: `${hint} With fixed: true the pattern is taken as plain text.`,
  });
}
