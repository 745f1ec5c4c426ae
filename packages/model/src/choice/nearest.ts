/** The nearest of the names that exist, for "did you mean …?". */

/** Insertions, deletions and replacements between two words. */
export function slips(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

/** Undefined when none is near: a third of the word may be wrong. The earlier one of equals. */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= fewest) continue;
    const count = slips(lower, name.toLowerCase());
    if (count < fewest) [best, fewest] = [name, count];
  }
  return best;
}
