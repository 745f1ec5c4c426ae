/**
 * Attempts that failed, and whether another one like them has become worth it:
 * anything was changed since, or something was waited for.
 *
 * What a newcomer gets wrong: no change is too small or too far away to count.
 * Whether it could matter to what failed is not guessed. Two failures are the same when
 * their texts are, times and ids aside; any other difference is something new.
 */
import { attemptKey, isWaiting, type RepeatCall } from "./keys.js";

export interface Attempt {
  /** By which it is named. */
  readonly failure: string;
  /** By which it is compared. */
  readonly text: string;
  readonly count: number;
  /** How much had happened when it failed last. */
  readonly happened: number;
}

const attemptsKept = 256;

export class FailedAttempts {
  /** The latest last. */
  readonly #attempts = new Map<string, Attempt>();
  #happened = 0;

  /** The failed attempts that this call would repeat, as long as nothing happened since. */
  like(call: RepeatCall): Attempt | undefined {
    // The usual case; the key of a long call takes time to make.
    if (this.#attempts.size === 0) return undefined;
    const attempt = this.#attempts.get(attemptKey(call));
    return attempt?.happened === this.#happened ? attempt : undefined;
  }

  failed(call: RepeatCall, output: string): void {
    const text = settled(output);
    const before = this.like(call);
    // A command that sleeps first looks whether something is there yet.
    const looksAgain = call.tool === "run_shell" && isWaiting(call);
    const again = before?.text === text && !looksAgain;
    const key = attemptKey(call);
    this.#attempts.delete(key);
    const count = again ? before.count + 1 : 1;
    this.#attempts.set(key, { failure: failureName(output), text, count, happened: this.#happened });
    if (this.#attempts.size <= attemptsKept) return;
    for (const oldest of this.#attempts.keys()) {
      this.#attempts.delete(oldest);
      return;
    }
  }

  succeeded(call: RepeatCall): void {
    if (this.#attempts.size > 0) this.#attempts.delete(attemptKey(call));
  }

  /** Something was changed, waited for, or made available. */
  happened(): void {
    this.#happened += 1;
  }
}

const comparedCharsMax = 4_000;
const shownWordsMax = 8;

/** Of its text, what two runs of one failing call have in common. */
function settled(output: string): string {
  return output
    .slice(0, comparedCharsMax)
    .replaceAll(/\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?/g, "T")
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|seconds?|min|minutes?)\b/gi, "T")
    .replaceAll(/\b(?:pid|id)\b\W{0,2}\w*\d\w*|\b(?=[\da-f-]*\d)[\da-f]{7,}(?:-[\da-f]{4,})*\b/gi, "id")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The code that a tool of ours gives it, or else the first words of what was printed. */
function failureName(output: string): string {
  const text = output.slice(0, comparedCharsMax);
  const code = /^\s*(?:exit=-?\d+\s+)?ERROR\s*\[([\w.-]+)\]/i.exec(text)?.[1];
  if (code !== undefined) return code;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*exit=-?\d+\s*$/.test(line));
  return (lines[0] ?? text).trim().split(/\s+/).slice(0, shownWordsMax).join(" ");
}
