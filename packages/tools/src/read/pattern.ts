/**
 * Whether a line matches a pattern, in one pass over the line.
 *
 * What a newcomer gets wrong: JavaScript's own expressions go back and try again,
 * so `(a+)+$` on thirty letters takes minutes. Here every state that the pattern
 * could be in is followed at once; what comes of a state and a character is
 * remembered, so that most characters cost one look-up. The work is counted, and
 * whoever searches sets a bound on it.
 */
import { type CharTest, type Node, parseFixed, parsePattern, patternInvalid } from "./pattern-parse.js";

const statesMax = 1_000;
/** What a state costs where nothing is remembered, measured in characters for which something is. */
const visitSteps = 20;
/** Remembered situations; then they are forgotten and gathered anew. */
const situationsMax = 1_000;
/** Characters remembered in each of them. */
const charsMax = 1_000;

/** What stands before the place that is looked at. */
type Before = "nothing" | "word" | "other";

type State =
  | { readonly is: "char"; readonly test: CharTest; next: number }
  | { readonly is: "fork"; next: number; other: number }
  | { readonly is: "start" | "end" | "edge" | "noEdge"; next: number }
  | { readonly is: "found" };

interface Situation {
  readonly states: Int32Array;
  readonly before: Before;
  readonly after: Map<string, Situation | "found">;
  /** At the end of the line. */
  ends?: boolean;
}

export interface PatternOptions {
  readonly ignoreCase?: boolean;
  readonly fixed?: boolean;
  /** After so many steps every line is taken for one that does not match; ask `isSpent`. */
  readonly stepsMax?: number;
}

export class Pattern {
  /** States visited so far, over all lines. */
  steps = 0;
  private readonly stepsMax: number;
  private readonly states: State[] = [];
  private readonly first: number;
  private readonly plain: string | undefined;
  /** The visit in which each state was last seen. */
  private readonly visited = new Int32Array(statesMax);
  private visit = 0;
  private situations = new Map<string, Situation>();

  constructor(text: string, { ignoreCase = false, fixed = false, stepsMax = Infinity }: PatternOptions = {}) {
    this.stepsMax = stepsMax;
    const isPlain = fixed || !/[\\^$.*+?()[\]{}|]/.test(text);
    this.plain = isPlain && !ignoreCase ? text : undefined;
    const tree = fixed ? parseFixed(text, { ignoreCase }) : parsePattern(text, { ignoreCase });
    this.first = this.compile(tree, this.add({ is: "found" }));
  }

  get isSpent(): boolean {
    return this.steps > this.stepsMax;
  }

  /** `isCut`: the line goes on, so that its end is not here. */
  matches(line: string, { isCut = false }: { readonly isCut?: boolean } = {}): boolean {
    if (this.plain !== undefined) {
      this.steps += 1 + line.length / 64;
      return line.includes(this.plain);
    }
    let situation = this.situation([], "nothing");
    for (const char of line) {
      if (++this.steps > this.stepsMax) return false;
      let next = situation.after.get(char);
      if (next === undefined) {
        next = this.after(situation, char);
        if (situation.after.size >= charsMax) situation.after.clear();
        situation.after.set(char, next);
      }
      if (next === "found") return true;
      situation = next;
    }
    if (isCut) return false;
    situation.ends ??= this.reach(situation, undefined).found;
    return situation.ends;
  }

  private after(situation: Situation, char: string): Situation | "found" {
    const { found, states } = this.reach(situation, char);
    if (found) return "found";
    const next: number[] = [];
    for (const at of states) {
      const state = this.states[at];
      if (state?.is === "char" && state.test(char)) next.push(state.next);
    }
    return this.situation(next, isWord(char) ? "word" : "other");
  }

  private situation(states: readonly number[], before: Before): Situation {
    // Two states may lead to the same one; that it stands here twice makes two situations of one, and no harm.
    const sorted = Int32Array.from(states).sort();
    const key = `${before}:${sorted.join()}`;
    const known = this.situations.get(key);
    if (known !== undefined) return known;
    // The old ones still point at each other; dropping the map lets them go when the line is done.
    if (this.situations.size >= situationsMax) this.situations = new Map();
    const made: Situation = { states: sorted, before, after: new Map() };
    this.situations.set(key, made);
    return made;
  }

  /** Every state that can be had without a character; a match may begin anywhere, so the first is always among them. */
  private reach(
    { states, before }: Situation,
    char: string | undefined,
  ): { readonly found: boolean; readonly states: readonly number[] } {
    const seen: number[] = [];
    this.visit += 1;
    const open = [...states, this.first];
    const isEdge = (before === "word") !== (char !== undefined && isWord(char));
    const holds = {
      start: before === "nothing",
      end: char === undefined,
      edge: isEdge,
      noEdge: !isEdge,
    };
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const state = this.states[at];
      if (state === undefined || this.visited[at] === this.visit) continue;
      this.visited[at] = this.visit;
      this.steps += visitSteps;
      if (state.is === "char") seen.push(at);
      if (state.is === "found") return { found: true, states: [] };
      if (state.is === "fork") open.push(state.next, state.other);
      else if (state.is !== "char" && holds[state.is]) open.push(state.next);
    }
    return { found: false, states: seen };
  }

  // --- From the tree to states, from the back -------------------------------------------------------

  private add(state: State): number {
    if (this.states.length >= statesMax) {
      throw patternInvalid("is too large when its repeats are written out", "Repeat less often.");
    }
    return this.states.push(state) - 1;
  }

  private compile(node: Node, next: number): number {
    switch (node.is) {
      case "char":
        return this.add({ is: "char", test: node.test, next });
      case "all":
        return node.of.reduceRight((after, each) => this.compile(each, after), next);
      case "either":
        return node.of
          .map((each) => this.compile(each, next))
          .reduce((other, each) => this.add({ is: "fork", next: each, other }));
      case "times":
        return this.compileTimes(node, next);
      default:
        return this.add({ is: node.is, next });
    }
  }

  private compileTimes({ of, min, max }: Extract<Node, { is: "times" }>, next: number): number {
    let at = next;
    if (max === Infinity) {
      const fork: Extract<State, { is: "fork" }> = { is: "fork", next: -1, other: next };
      at = this.add(fork);
      fork.next = this.compile(of, at);
    } else {
      for (let i = min; i < max; i++) at = this.add({ is: "fork", next: this.compile(of, at), other: next });
    }
    for (let i = 0; i < min; i++) at = this.compile(of, at);
    return at;
  }
}

function isWord(char: string): boolean {
  return /^\w$/.test(char);
}
