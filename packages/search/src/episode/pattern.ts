/** Finding a pattern by its id, or by words that it is called by. */
import { searchLimits } from "../limits.js";
import type { ShortlistPayload } from "../types.js";

/** Lower case, each once, in order: what two spellings of one question have in common. */
export function wordsOf(text: string): string[] {
  const found =
    text
      .slice(0, searchLimits.patternQueryCharsMax)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(found)].sort();
}

/** The one with the most words in common; of equals the one whose id comes first. Undefined when none has any. */
export function bestPattern<Item>(
  items: readonly Item[],
  asked: string,
  payloadOf: (item: Item) => ShortlistPayload,
): Item | undefined {
  const exact = items.find((item) => payloadOf(item).pattern_id === asked);
  if (exact !== undefined) return exact;
  const words = new Set(wordsOf(asked));
  let best: { readonly item: Item; readonly shared: number; readonly id: string } | undefined;
  for (const item of items) {
    const { pattern_id: id, words: called } = payloadOf(item);
    const known = new Set([...wordsOf(id), ...called.flatMap((word) => wordsOf(word))]);
    const shared = [...known].filter((word) => words.has(word)).length;
    if (shared === 0) continue;
    if (best === undefined || shared > best.shared || (shared === best.shared && id < best.id))
      best = { item, shared, id };
  }
  return best?.item;
}
