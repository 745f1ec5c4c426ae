/**
 * All detectors over one send at once. It is told of things in the order in
 * which they happen, and says which rules were found broken.
 *
 * What a newcomer gets wrong: a detector that throws is a bug and ends the send.
 * Swallowing it would leave a rule unwatched with nobody knowing.
 */
import { rules as allRules } from "./table.js";
import type { Ask, CallOutcome, Finding, ProposedCall, Rule, Watch } from "./types.js";

export interface RuleFinding {
  readonly rule: Rule;
  readonly finding: Finding;
}

export interface WatchOptions {
  /** Ids of rules that somebody else enforces, so that nothing is found twice. */
  readonly except?: Iterable<string>;
  /** Instead of the table. */
  readonly rules?: readonly Rule[];
}

interface Watched {
  readonly rule: Rule;
  readonly watch: Watch;
}

export class RuleWatch {
  private readonly onProposed: readonly Watched[];
  private readonly onRan: readonly Watched[];
  private readonly onSaid: readonly Watched[];
  private readonly onAnswered: readonly Watched[];

  private constructor(watched: readonly Watched[]) {
    this.onProposed = watched.filter(({ watch }) => watch.proposed !== undefined);
    this.onRan = watched.filter(({ watch }) => watch.ran !== undefined);
    this.onSaid = watched.filter(({ watch }) => watch.said !== undefined);
    this.onAnswered = watched.filter(({ watch }) => watch.answered !== undefined);
  }

  static begin(ask: Ask, { except = [], rules = allRules }: WatchOptions = {}): RuleWatch {
    const left = new Set(except);
    const watched: Watched[] = [];
    for (const rule of rules) {
      if (rule.detector !== undefined && !left.has(rule.id))
        watched.push({ rule, watch: rule.detector.begin(ask) });
    }
    return new RuleWatch(watched);
  }

  /** Before a call runs; those of rules that block refuse it. */
  proposed(call: ProposedCall): readonly RuleFinding[] {
    return found(this.onProposed, (watch) => watch.proposed?.(call));
  }

  ran(call: ProposedCall, outcome: CallOutcome): readonly RuleFinding[] {
    return found(this.onRan, (watch) => watch.ran?.(call, outcome));
  }

  said(text: string): readonly RuleFinding[] {
    return found(this.onSaid, (watch) => watch.said?.(text));
  }

  /** Before the user has the answer; those of rules that block send it back. */
  answered(text: string): readonly RuleFinding[] {
    return found(this.onAnswered, (watch) => watch.answered?.(text));
  }
}

/** The usual case; nobody makes a list for it. */
export const nothingFound: readonly RuleFinding[] = [];

function found(
  watched: readonly Watched[],
  ask: (watch: Watch) => Finding | undefined,
): readonly RuleFinding[] {
  let findings: RuleFinding[] | undefined;
  for (const { rule, watch } of watched) {
    const finding = ask(watch);
    if (finding !== undefined) (findings ??= []).push({ rule, finding });
  }
  return findings ?? nothingFound;
}
