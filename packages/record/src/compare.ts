/**
 * String order by Unicode code point, which is also the order of UTF-8 bytes.
 *
 * JavaScript's own `<` compares UTF-16 code units and disagrees for characters
 * outside the basic plane, and `localeCompare` depends on the machine. Whatever
 * is sorted for a file, a projection or a digest is sorted with this.
 */
export function compareCodePoints(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a === b) continue;
    // A surrogate stands for a code point above every other code unit.
    const aSurrogate = a >= 0xd800 && a <= 0xdfff;
    const bSurrogate = b >= 0xd800 && b <= 0xdfff;
    if (aSurrogate !== bSurrogate) return aSurrogate ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length - right.length;
}

/** Trimmed, without empties or repeats, in code point order: how every list of refs is kept. */
export function normalizeRefs(refs: readonly string[]): string[] {
  const trimmed = refs.map((ref) => ref.trim()).filter((ref) => ref !== "");
  return [...new Set(trimmed)].sort(compareCodePoints);
}
