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
  /** By what they listen to: most detectors hear one or two things of the four. */
  private readonly listening: Readonly<Record<keyof Watch, readonly Watched[]>>;

  private constructor(watched: readonly Watched[]) {
    const to = (what: keyof Watch) => watched.filter(({ watch }) => watch[what] !== undefined);
    this.listening = { proposed: to("proposed"), ran: to("ran"), said: to("said"), answered: to("answered") };
  }

  static begin(ask: Ask, rules: readonly Rule[] = allRules): RuleWatch {
    return new RuleWatch(
      rules.flatMap((rule) => (rule.detector === undefined ? [] : { rule, watch: rule.detector.begin(ask) })),
    );
  }

  /** Before a call runs; those of rules that block refuse it. */
  proposed(call: ProposedCall): readonly RuleFinding[] {
    return found(this.listening.proposed, (watch) => watch.proposed?.(call));
  }

  ran(call: ProposedCall, outcome: CallOutcome): readonly RuleFinding[] {
    return found(this.listening.ran, (watch) => watch.ran?.(call, outcome));
  }

  said(text: string): readonly RuleFinding[] {
    return found(this.listening.said, (watch) => watch.said?.(text));
  }

  /** Before the user has the answer; those of rules that block send it back. */
  answered(text: string): readonly RuleFinding[] {
    return found(this.listening.answered, (watch) => watch.answered?.(text));
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
