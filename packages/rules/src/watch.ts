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

/** Those that listen to one kind of thing, so that the others are not asked. */
type Listeners<What extends keyof Watch> = readonly {
  readonly rule: Rule;
  readonly watch: Watch & Required<Pick<Watch, What>>;
}[];

export class RuleWatch {
  private readonly onProposed: Listeners<"proposed">;
  private readonly onRan: Listeners<"ran">;
  private readonly onSaid: Listeners<"said">;
  private readonly onAnswered: Listeners<"answered">;

  private constructor(watched: readonly { readonly rule: Rule; readonly watch: Watch }[]) {
    const that = <What extends keyof Watch>(what: What) =>
      watched.filter(({ watch }) => watch[what] !== undefined) as unknown as Listeners<What>;
    this.onProposed = that("proposed");
    this.onRan = that("ran");
    this.onSaid = that("said");
    this.onAnswered = that("answered");
  }

  static begin(ask: Ask, rules: readonly Rule[] = allRules): RuleWatch {
    return new RuleWatch(
      rules.flatMap((rule) => (rule.detector === undefined ? [] : { rule, watch: rule.detector.begin(ask) })),
    );
  }

  /** Before a call runs; those of rules that block refuse it. */
  proposed(call: ProposedCall): readonly RuleFinding[] {
    let findings = nothingFound;
    for (const { rule, watch } of this.onProposed) findings = withFinding(findings, rule, watch.proposed(call));
    return findings;
  }

  ran(call: ProposedCall, outcome: CallOutcome): readonly RuleFinding[] {
    let findings = nothingFound;
    for (const { rule, watch } of this.onRan) findings = withFinding(findings, rule, watch.ran(call, outcome));
    return findings;
  }

  said(text: string): readonly RuleFinding[] {
    let findings = nothingFound;
    for (const { rule, watch } of this.onSaid) findings = withFinding(findings, rule, watch.said(text));
    return findings;
  }

  /** Before the user has the answer; those of rules that block send it back. */
  answered(text: string): readonly RuleFinding[] {
    let findings = nothingFound;
    for (const { rule, watch } of this.onAnswered) findings = withFinding(findings, rule, watch.answered(text));
    return findings;
  }
}

/** The usual case; nobody makes a list for it. */
export const nothingFound: readonly RuleFinding[] = [];

function withFinding(
  findings: readonly RuleFinding[],
  rule: Rule,
  finding: Finding | undefined,
): readonly RuleFinding[] {
  return finding === undefined ? findings : [...findings, { rule, finding }];
}
