/**
 * Joining what arrived before a cut with what the model sent after it.
 *
 * Models are told to go on exactly after the tail, and many repeat some of it
 * first. What a newcomer gets wrong: a repetition and a text that repeats itself
 * look alike. So a repetition is taken out only where it is long enough, does not
 * repeat itself, and does not stand twice in a row already; where it does, nobody can
 * tell how much was repeated, and nobody guesses. That the same line stands somewhere
 * else, as it does in most code, is no matter.
 */

/** Shorter overlaps are chance; shorter beginnings are not worth keeping. */
export const overlapCharsMin = 16;
/** A second overlap of this length, or of half the first, is another way to read it. */
const otherOverlapCharsMin = 12;

export interface Joined {
  readonly text: string;
  /** How many characters the continuation repeated. */
  readonly repeated: number;
}

/** Undefined where nobody can tell how much of the continuation is repeated. */
export function joinContinuation(before: string, continuation: string): Joined | undefined {
  const repeated = repeatedChars(before, continuation);
  return repeated === undefined ? undefined : { text: before + continuation.slice(repeated), repeated };
}

/**
 * The same for a continuation that was cut off as well: it may end inside its
 * repetition, and then it brings nothing yet.
 */
export function joinCutContinuation(before: string, continuation: string): Joined | undefined {
  const isNothingNew =
    continuation.length < overlapCharsMin ||
    before.startsWith(continuation) ||
    standsOnce(before, continuation);
  return isNothingNew
    ? { text: before, repeated: continuation.length }
    : joinContinuation(before, continuation);
}

/** Length of the end of `before` that `continuation` begins with; undefined where more than one fits. */
export function repeatedChars(before: string, continuation: string): number | undefined {
  const length = Math.min(before.length, continuation.length);
  if (length < overlapCharsMin) return 0;
  const borders = bordersOf(continuation.slice(0, length));
  let overlap = 0;
  for (let at = before.length - length; at < before.length; at++) {
    const char = before.charCodeAt(at);
    while (overlap > 0 && continuation.charCodeAt(overlap) !== char) overlap = borders[overlap - 1] as number;
    if (continuation.charCodeAt(overlap) === char) overlap++;
  }
  if (overlap < overlapCharsMin) return 0;
  // The end of `before` that it begins with may itself end as it begins: then that shorter one fits, too.
  const other = borders[overlap - 1] as number;
  if (other >= otherOverlapCharsMin || other * 2 >= overlap) return undefined;
  return before.endsWith(continuation.slice(0, overlap), before.length - overlap) ? undefined : overlap;
}

/** For each prefix, the length of its longest proper prefix that is also its end. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== char) length = borders[length - 1] as number;
    if (text.charCodeAt(length) === char) length++;
    borders[at] = length;
  }
  return borders;
}

function standsOnce(text: string, part: string): boolean {
  const first = text.indexOf(part);
  return first >= 0 && text.indexOf(part, first + 1) < 0;
}
