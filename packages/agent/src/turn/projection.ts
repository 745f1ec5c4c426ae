/**
 * What a send knows, reduced from its rows: its state, its plan, the calls that it
 * made, and what its rules have seen.
 *
 * What a newcomer gets wrong: nothing else is known. A live send tells it each row as
 * it is written and a resume those that are there, so the two cannot differ.
 */
import { present } from "@bridle/record";
import type { Conversation } from "../context/conversation.js";
import { closingCode } from "../dispatch/dispatch.js";
import { argsInvalidCode, cutOffCode } from "../dispatch/parse.js";
import { nothingFound, Progress, Repeats, type RuleFinding, RuleWatch } from "@bridle/rules";
import { PlanState } from "../plan/state.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import type { AgentOptions, Commitment, Intent } from "../types.js";
import { SendState, type ToldViolation } from "./state.js";
import type { Toolbox } from "./toolbox.js";

export interface ProjectionOptions {
  readonly ask: string;
  readonly options: Pick<AgentOptions, "declaredPaths" | "commitments">;
  readonly toolbox: Toolbox;
  readonly conversation: Pick<Conversation, "callNamed">;
  /** Findings of the end of the send before, which no request was left to tell. */
  readonly untold: readonly ToldViolation[];
  /** What a person has ruled out by now. */
  said(): readonly Commitment[];
}

export class SendProjection {
  readonly state = new SendState();
  readonly repeats = new Repeats();
  readonly progress = new Progress();
  readonly plan: PlanState;
  readonly rules: RuleWatch;
  /** Found in rows that another process wrote, and not yet written down when the log ended. */
  private due: RuleFinding[] = [];

  constructor(private readonly parts: ProjectionOptions) {
    const { ask, untold, said } = parts;
    const { declaredPaths, commitments = [] } = parts.options;
    this.rules = RuleWatch.begin({ text: ask, ...present({ declaredPaths }) });
    this.plan = new PlanState(() => [...commitments, ...said()]);
    this.state.told = untold.map((told) => ({ ...told, earlier: true }));
  }

  /** What the row changes; findings are for a live send, a resume has their rows. */
  apply(row: SessionRow): readonly RuleFinding[] {
    this.state.apply(row);
    switch (row.type) {
      case "request":
        this.plan.round(row);
        this.progress.request();
        return nothingFound;
      case "assistant": {
        const text = this.state.lastText;
        const calls = row.message.content.some(({ kind }) => kind === "tool_call");
        return calls && text !== "" ? this.rules.said(text) : nothingFound;
      }
      case "tool_result":
        return this.result(row);
      case "compacted":
        this.repeats.compacted(row.left);
        return nothingFound;
      default:
        return nothingFound;
    }
  }

  /** As `apply`, for a row that another process wrote: what the guard asked is asked again, and its findings have rows already. */
  takeUp(row: SessionRow): void {
    if (row.type === "approval" && row.proposed !== undefined) {
      const call = this.parts.conversation.callNamed(row.callId);
      if (call !== undefined) this.rules.proposed({ round: row.round, tool: call, args: row.proposed });
    }
    if (row.type === "tool_result" && row.args !== undefined && row.code !== cutOffCode)
      this.rules.proposed({ round: row.round, tool: row.tool, args: row.args });
    // The answer was looked at before it was sent back, and a detector may object to an answer only once.
    if (row.type === "user" && row.origin === "revise") this.rules.answered(this.state.answer);
    if (row.type === "violation")
      this.due = this.due.filter(({ rule, finding }) => rule.id !== row.rule || finding.what !== row.what);
    this.due.push(...this.apply(row));
  }

  /** Findings of rows that an earlier process wrote and that have no row of their own yet; given once. */
  takeDue(): readonly RuleFinding[] {
    return this.due.splice(0);
  }

  private result(row: RowOf<"tool_result">): readonly RuleFinding[] {
    const { tool: name, args, ok, text, ran, round, callId, digest } = row;
    const { toolbox } = this.parts;
    const tool = toolbox.all.get(name);
    // A tool is asked about arguments that fit, and not about what was cut off or edited until it fits no more.
    const fits = args !== undefined && row.code !== cutOffCode && row.code !== argsInvalidCode;
    const intent = fits ? tool?.intent(args) : undefined;
    if (row.code !== closingCode) this.progress.result(row, intent);
    if (args === undefined) return nothingFound;
    // Of a file that was shown in part, its own size counts.
    const bytes = row.facts?.["bytes"] ?? row.facts?.["chars"];
    const changed = changedBy(row, intent);
    const outcome = {
      ok,
      output: text,
      digest,
      ...(changed === undefined ? {} : { changed }),
      ...(typeof bytes === "number" ? { bytes } : {}),
      ...(ran ? {} : { ran: false as const }),
    };
    const call = { id: callId, round, tool: name, args };
    if (tool !== undefined && intent !== undefined) {
      toolbox.activate(tool.family);
      if (ok && name === "activate_tool_family") toolbox.activate(String(args["family"]));
      this.repeats.record({ intent: atWorst(intent, changed), ...call }, outcome);
      this.plan.result(row, this.state.usage.costUsd);
    }
    return this.rules.ran(call, outcome);
  }
}

/** What is known of it: what the report says. A call that says it changes nothing did not, unless it was a command. */
function changedBy(
  { facts }: RowOf<"tool_result">,
  intent: Intent | undefined,
): readonly string[] | undefined {
  const changed = facts?.["changed"];
  if (Array.isArray(changed)) return changed.filter((path) => typeof path === "string");
  return intent?.changes === undefined && intent?.needs === undefined ? [] : undefined;
}

/** Of a command of which nobody knows what it changed, it may have been anything. */
function atWorst(intent: Intent, changed: readonly string[] | undefined): Intent {
  return intent.needs === undefined || changed !== undefined ? intent : { ...intent, changes: "anything" };
}
