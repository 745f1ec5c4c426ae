/**
 * "Did you mean …?": the nearest of the names that exist.
 *
 * Two neighbouring letters swapped count as one slip, as people make it, not as
 * two. The search gives up on a word as soon as it is too far away, so that all
 * our names can be held against a whole environment in well under a millisecond.
 */

/** How many slips lie between two words; `Infinity` when it is more than `max`. */
export function distance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return Infinity;
  if (left === right) return 0;
  const width = right.length + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: width }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const current = new Array<number>(width).fill(Infinity);
    if (i <= max) current[0] = i;
    let best = current[0]!;
    const end = Math.min(right.length, i + max);
    for (let j = Math.max(1, i - max); j <= end; j++) {
      const same = left.charCodeAt(i - 1) === right.charCodeAt(j - 1);
      let slips = same ? previous[j - 1]! : 1 + Math.min(previous[j - 1]!, previous[j]!, current[j - 1]!);
      if (swapped(left, right, i, j)) slips = Math.min(slips, beforePrevious[j - 2]! + 1);
      current[j] = slips;
      if (slips < best) best = slips;
    }
    if (best > max) return Infinity;
    beforePrevious = previous;
    previous = current;
  }
  const total = previous[right.length]!;
  return total <= max ? total : Infinity;
}

/** What stands before the first letter of a word is no letter, and like none of the other's. */
function swapped(left: string, right: string, i: number, j: number): boolean {
  return left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
}

/**
 * The candidate with the fewest slips, the earlier one of equals; undefined when
 * none is near. A word that only starts a single candidate is taken for it.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  max = slipsAllowed(word),
): string | undefined {
  const wanted = folded(word);
  let best: string | undefined;
  let bestSlips = max + 1;
  const begun: string[] = [];
  for (const candidate of candidates) {
    const plain = folded(candidate);
    const slips = distance(wanted, plain, bestSlips - 1);
    if (slips < bestSlips) [best, bestSlips] = [candidate, slips];
    if (wanted.length >= 2 && plain.startsWith(wanted)) begun.push(candidate);
  }
  return best ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Case, and spellings of a letter that look the same, are no slips. */
function folded(word: string): string {
  return word.normalize("NFKC").toLowerCase();
}

/** Short words are near to everything, so they are allowed fewer slips. */
function slipsAllowed(word: string): number {
  return Math.min(3, Math.max(1, Math.floor(word.length / 3)));
}
