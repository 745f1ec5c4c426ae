/**
 * A set that is always in order: adding, removing and finding the first cost
 * about the same for a hundred items and for a hundred thousand.
 *
 * A sorted list in chunks. Items that compare as equal are one item.
 */
const chunkItemsMax = 512;

export class OrderedSet<Item> implements Iterable<Item> {
  private chunks: Item[][] = [];

  constructor(private readonly compare: (left: Item, right: Item) => number) {}

  static of<Item>(items: Item[], compare: (left: Item, right: Item) => number): OrderedSet<Item> {
    const set = new OrderedSet(compare);
    items.sort(compare);
    for (let i = 0; i < items.length; i += chunkItemsMax / 2) {
      set.chunks.push(items.slice(i, i + chunkItemsMax / 2));
    }
    return set;
  }

  /** In the place of an equal one, if there is one. */
  add(item: Item): void {
    const chunk = this.chunks[this.chunkFor(item)];
    if (chunk === undefined) {
      this.chunks.push([item]);
      return;
    }
    const at = this.placeIn(chunk, item);
    const there = chunk[at];
    if (there !== undefined && this.compare(there, item) === 0) chunk[at] = item;
    else chunk.splice(at, 0, item);
    if (chunk.length > chunkItemsMax) {
      this.chunks.splice(this.chunks.indexOf(chunk) + 1, 0, chunk.splice(chunkItemsMax / 2));
    }
  }

  delete(item: Item): void {
    const index = this.chunkFor(item);
    const chunk = this.chunks[index];
    if (chunk === undefined) return;
    const at = this.placeIn(chunk, item);
    const there = chunk[at];
    if (there === undefined || this.compare(there, item) !== 0) return;
    chunk.splice(at, 1);
    if (chunk.length === 0) this.chunks.splice(index, 1);
  }

  first(): Item | undefined {
    return this.chunks[0]?.[0];
  }

  get size(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const chunk of this.chunks) yield* chunk;
  }

  /** The first chunk that ends at or behind the item; the last one when all end before it. */
  private chunkFor(item: Item): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = this.chunks[middle]?.at(-1);
      if (last === undefined || this.compare(last, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private placeIn(chunk: readonly Item[], item: Item): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(chunk[middle] as Item, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
