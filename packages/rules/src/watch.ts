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

interface Watched {
  readonly rule: Rule;
  readonly watch: Watch;
}

export class RuleWatch {
  private constructor(private readonly watched: readonly Watched[]) {}

  static begin(ask: Ask, rules: readonly Rule[] = allRules): RuleWatch {
    return new RuleWatch(
      rules.flatMap((rule) => (rule.detector === undefined ? [] : { rule, watch: rule.detector.begin(ask) })),
    );
  }

  /** Before a call runs; those of rules that block refuse it. */
  proposed(call: ProposedCall): readonly RuleFinding[] {
    return found(this.watched, (watch) => watch.proposed?.(call));
  }

  ran(call: ProposedCall, outcome: CallOutcome): readonly RuleFinding[] {
    return found(this.watched, (watch) => watch.ran?.(call, outcome));
  }

  said(text: string): readonly RuleFinding[] {
    return found(this.watched, (watch) => watch.said?.(text));
  }

  /** Before the user has the answer; those of rules that block send it back. */
  answered(text: string): readonly RuleFinding[] {
    return found(this.watched, (watch) => watch.answered?.(text));
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
