/**
 * Whether a history of overlapping calls could have happened one after the other.
 *
 * Every call must take effect at one moment between its invocation and its
 * return, and answer what the model answers at that moment. A call that never
 * returned may have taken effect at any moment after its invocation, or not at
 * all. The search is that of Wing and Gong, with Lowe's memory of where it has
 * been: the same calls done and the same state reached need no second look.
 */
export interface Call<Op, Answer> {
  readonly op: Op;
  /** Any numbers that grow with time; no two of one history are equal. */
  readonly invokedAt: number;
  /** Left out when nobody knows how it ended. */
  readonly returned?: { readonly at: number; readonly answer: Answer };
}

export interface Model<State, Op, Answer> {
  readonly initial: State;
  readonly step: (state: State, op: Op) => { readonly state: State; readonly answer: Answer };
  /** Equal texts for equal states. */
  readonly stateKey: (state: State) => string;
  readonly sameAnswer: (left: Answer, right: Answer) => boolean;
}

export type Verdict<Op, Answer> =
  | { readonly linearizable: true }
  | {
      readonly linearizable: false;
      /** The longest order that was possible, and the calls that then fitted nowhere. */
      readonly longest: readonly Call<Op, Answer>[];
      readonly stuck: readonly Call<Op, Answer>[];
    };

/** Calls in one history; beyond that the search could take for ever. */
export const historyCallsMax = 400;
/** Places that one search may visit. */
export const placesMax = 200_000;

export function checkLinearizable<State, Op, Answer>(
  model: Model<State, Op, Answer>,
  history: readonly Call<Op, Answer>[],
): Verdict<Op, Answer> {
  if (history.length > historyCallsMax) throw new RangeError(`a history of ${history.length} calls`);
  return new Search(model, history).run();
}

class Search<State, Op, Answer> {
  private readonly calls: readonly Call<Op, Answer>[];
  private readonly done: boolean[];
  private readonly order: number[] = [];
  private readonly visited = new Set<string>();
  private longest: readonly number[] = [];
  private mustReturn: number;

  constructor(
    private readonly model: Model<State, Op, Answer>,
    history: readonly Call<Op, Answer>[],
  ) {
    this.calls = [...history].sort((left, right) => left.invokedAt - right.invokedAt);
    this.done = this.calls.map(() => false);
    this.mustReturn = this.calls.filter(({ returned }) => returned !== undefined).length;
  }

  run(): Verdict<Op, Answer> {
    if (this.extend(this.model.initial)) return { linearizable: true };
    const longest = this.longest.map((index) => this.calls[index] as Call<Op, Answer>);
    const stuck = this.calls.filter((call) => call.returned !== undefined && !longest.includes(call));
    return { linearizable: false, longest, stuck };
  }

  /** Whether the calls that are left can follow in this state. */
  private extend(state: State): boolean {
    if (this.mustReturn === 0) return true;
    const key = `${this.doneKey()} ${this.model.stateKey(state)}`;
    if (this.visited.has(key)) return false;
    this.visited.add(key);
    if (this.visited.size > placesMax) throw new RangeError("the history overlaps too much to be searched");
    for (const index of this.candidates()) {
      const { op, returned } = this.calls[index] as Call<Op, Answer>;
      const next = this.model.step(state, op);
      if (returned !== undefined && !this.model.sameAnswer(next.answer, returned.answer)) continue;
      this.take(index, returned !== undefined);
      if (this.extend(next.state)) return true;
      this.putBack(index, returned !== undefined);
    }
    return false;
  }

  /** Calls that no other one, not yet done, returned before. */
  private candidates(): number[] {
    let firstReturn = Number.POSITIVE_INFINITY;
    for (const [index, { returned }] of this.calls.entries()) {
      if (!this.done[index] && returned !== undefined) firstReturn = Math.min(firstReturn, returned.at);
    }
    const found: number[] = [];
    const unknown: number[] = [];
    for (const [index, { invokedAt, returned }] of this.calls.entries()) {
      if (this.done[index] || invokedAt > firstReturn) continue;
      (returned === undefined ? unknown : found).push(index);
    }
    // Those that surely happened come first: most histories need no other.
    return [...found, ...unknown];
  }

  private take(index: number, counts: boolean): void {
    this.done[index] = true;
    this.order.push(index);
    if (counts) this.mustReturn--;
    if (this.order.length > this.longest.length) this.longest = [...this.order];
  }

  private putBack(index: number, counts: boolean): void {
    this.done[index] = false;
    this.order.pop();
    if (counts) this.mustReturn++;
  }

  private doneKey(): string {
    let key = "";
    for (const each of this.done) key += each ? "1" : "0";
    return key;
  }
}
