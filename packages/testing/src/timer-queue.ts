/** Timers by due time; those of the same time in the order in which they were set. A binary heap. */
interface Timer<T> {
  readonly at: number;
  readonly order: number;
  readonly item: T;
}

export class TimerQueue<T> {
  private readonly heap: Timer<T>[] = [];
  private pushed = 0;

  push(at: number, item: T): void {
    const timer = { at, order: this.pushed++, item };
    let index = this.heap.push(timer) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.heap[above] as Timer<T>;
      if (!before(timer, parent)) break;
      this.heap[index] = parent;
      index = above;
    }
    this.heap[index] = timer;
  }

  peek(): { readonly at: number; readonly item: T } | undefined {
    return this.heap[0];
  }

  /** The first item that is due at `now`, taken out; undefined when none is. */
  popDue(now: number): T | undefined {
    const first = this.heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = this.heap.pop() as Timer<T>;
    if (this.heap.length > 0) this.sink(last);
    return first.item;
  }

  private sink(timer: Timer<T>): void {
    const { heap } = this;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child =
        right < heap.length && before(heap[right] as Timer<T>, heap[left] as Timer<T>) ? right : left;
      if (!before(heap[child] as Timer<T>, timer)) break;
      heap[index] = heap[child] as Timer<T>;
      index = child;
    }
    heap[index] = timer;
  }
}

function before<T>(a: Timer<T>, b: Timer<T>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
