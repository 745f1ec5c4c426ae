/**
 * One call from the model's words to what it is told:
 *
 *     parse → validate → guard → dedup → contract → commitments → lock
 *           → approval → run → cap → record
 *
 * Whatever happens, the call is answered once and there is a row about it. Before
 * `run` nothing outside has changed.
 */
import { type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { ToolOutcome } from "@bridle/model";
import type { Finding } from "@bridle/rules";
import { type CallAnswer, type CheckedCall, type RawCall, refused } from "../outside/calls.js";
import type { Decision } from "../outside/outside.js";
import type { RowOf } from "../session/rows.js";
import type { ArgumentStream, Intent, ToolReport } from "../types.js";
import { capReport } from "./cap.js";
import type { BrokenBound, DispatchContext } from "./context.js";
import { judgeCut } from "./cut-off.js";
import { cutOffCode, judgeArguments, judgeCall } from "./parse.js";

type Next = (call: CheckedCall) => CallAnswer | Promise<CallAnswer>;
/** It answers the call or hands it on, and knows nothing of the other stages. */
type Stage = (call: CheckedCall, next: Next) => CallAnswer | Promise<CallAnswer>;

export class Dispatch {
  private readonly carryOut: Next;

  constructor(private readonly context: DispatchContext) {
    const stages: readonly Stage[] = [
      this.guard,
      this.dedup,
      this.contract,
      this.commitments,
      this.lock,
      this.approval,
    ];
    this.carryOut = pipeline(stages, this.run);
  }

  async answer(raw: RawCall): Promise<ToolOutcome> {
    const { log, secrets } = this.context;
    const { report, ran, args, final, forbidden } = await this.judged(raw);
    const shown = final === true ? report : await this.capped(raw.name, this.hidden(report));
    const row = this.record(raw, {
      report: shown,
      ran,
      forbidden,
      args: args && (secrets?.hideIn(args) ?? args),
    });
    log.rendered(row);
    const { name, id: callId, round } = raw;
    const told = log.tell({ type: "tool_result", callId, name, report: shown, round });
    if (told !== undefined) await told;
    return { content: shown.text, isError: !shown.ok };
  }

  private capped(tool: string, report: ToolReport): ToolReport | Promise<ToolReport> {
    const { tools, config, artifacts } = this.context;
    const charsMax = tools.get(tool)?.capChars ?? config.toolOutputMaxChars;
    return report.text.length <= charsMax ? report : capReport(report, { charsMax, artifacts });
  }

  /** Before it becomes an artifact, a row or an event: a secret that is written down once is out. */
  private hidden(report: ToolReport): ToolReport {
    const { secrets } = this.context;
    if (secrets === undefined) return report;
    return secrets.hideIn(report as unknown as JsonObject) as unknown as ToolReport;
  }

  // --- parse, validate -----------------------------------------------------------------------------

  private judged(raw: RawCall): CallAnswer | Promise<CallAnswer> {
    const { streams, tools, isClosing } = this.context;
    if (isClosing()) return refused(closingRefusal);
    const stream = streams.take(raw.id);
    const judged = judgeCall(raw, tools);
    const whole = "call" in judged ? judged.call : undefined;
    const verdict = judgeCut({
      stop: raw.last ? raw.stop : "tool_use",
      parses: !("cut" in judged),
      looksCut: () => whole?.tool.looksCut?.(whole.args) === true,
    });
    if (verdict === "cut" || "cut" in judged) return this.cutOff(raw, stream);
    const go = () => ("call" in judged ? this.carryOut(judged.call) : refused(judged.refusal));
    return stream === undefined ? go() : stream.drop().then(go);
  }

  private async cutOff(raw: RawCall, stream: ArgumentStream | undefined): Promise<CallAnswer> {
    const kept = await this.context.outside.kept(raw.id, stream);
    const where =
      kept === undefined
        ? `after ${raw.argumentsText.length} characters`
        : `at ${kept.bytes} bytes of content for ${kept.path}`;
    const answer = refused({
      code: cutOffCode,
      message: `the arguments of ${raw.name} ended early ${where}; nothing was written`,
      remedy: this.context.continues() ? "Go on as the next message says" : cutForGood,
    });
    if (kept === undefined) return answer;
    const facts: JsonObject = { cut: { ...kept } };
    return { ...answer, report: { ...answer.report, facts }, args: { path: kept.path } };
  }

  // --- guard ---------------------------------------------------------------------------------------

  private readonly guard: Stage = (call, next) => {
    const { rules, outside, log } = this.context;
    const findings = rules.proposed({ round: call.round, tool: call.tool.name, args: call.args });
    const forbidden = outside.forbidden(call);
    if (forbidden !== undefined) return forbidden;
    for (const { rule, finding } of findings)
      if (rule.held !== "refused") log.found(rule.id, finding, "note");
    const blocking = findings.find(({ rule }) => rule.held === "refused");
    if (blocking === undefined) return next(call);
    return this.heldBack(call, "rule_refused", blocking.rule.id, blocking.finding);
  };

  /** A rule holds the call back: that is written down, and is what the model reads. */
  private heldBack(call: CheckedCall, code: string, rule: string, finding: Finding): CallAnswer {
    this.context.log.found(rule, finding, "refusal");
    const { what: message, remedy } = finding;
    return { ...refused({ code, rule, message, remedy }), args: call.args };
  }

  // --- dedup ---------------------------------------------------------------------------------------

  private readonly dedup: Stage = (call, next) => {
    const { repeats, log } = this.context;
    const { id, round, tool, args, intent } = call;
    const verdict = repeats.judge({ id, round, tool: tool.name, args, intent });
    if (verdict === undefined) return next(call);
    const { rule, answer } = verdict;
    if (answer === undefined) return this.heldBack(call, "repeated_call", rule, verdict);
    log.found(rule, verdict, "refusal");
    const text = `${answer.output}\n[same as call ${answer.callId}, answered without running again (${rule}); nothing that it reads has changed since]`;
    return { report: { ok: true, text }, ran: false, args };
  };

  // --- contract, commitments -----------------------------------------------------------------------

  private readonly contract: Stage = (call, next) => {
    const over = call.tool.name === "plan" ? undefined : this.context.overBounds();
    return over === undefined ? next(call) : this.outOfBounds(call, over);
  };

  private async outOfBounds(call: CheckedCall, { bound, message, remedy }: BrokenBound): Promise<CallAnswer> {
    const finding = { what: message, remedy };
    const answer = this.heldBack(call, "contract_bound", "R-CONTRACT-BOUNDS", finding);
    await this.context.log.tell({ type: "contract_violation", bound, message });
    return answer;
  }

  private readonly commitments: Stage = (call, next) => {
    const broken = this.context.brokenCommitment(call);
    if (broken === undefined) return next(call);
    const remedy = "Leave it as it is, or ask the user whether the commitment still holds";
    return this.heldBack(call, "commitment_broken", "R-COMMITMENT-CHECK", { what: broken, remedy });
  };

  // --- lock, approval, run -------------------------------------------------------------------------

  private readonly lock: Stage = async (call, next) => {
    const { locks, signal, stopsAt } = this.context;
    const granted = locks.acquire(wanted(call.intent), signal);
    const release = granted instanceof Promise ? await granted : granted;
    try {
      if (stopsAt("lock", call.id) || release === undefined) return { ...refused(stopped), args: call.args };
      return await next(call);
    } finally {
      release?.();
    }
  };

  private readonly approval: Stage = (call, next) => {
    const { outside, signal, mustAsk } = this.context;
    const deciding = outside.approval(call, signal, mustAsk(call));
    return deciding === undefined ? next(call) : this.decided(call, next, deciding);
  };

  private async decided(
    call: CheckedCall,
    next: Next,
    deciding: Promise<Decision | undefined>,
  ): Promise<CallAnswer> {
    const settled = await deciding;
    if (settled === undefined) return next(call);
    const { log, secrets } = this.context;
    const { decision } = settled;
    const edited = decision === "edit" ? { args: settled.args, proposed: call.args } : {};
    const reason = "reason" in settled ? { reason: settled.reason } : {};
    log.emit({
      type: "approval",
      ...log.at,
      callId: call.id,
      decision,
      ...(secrets?.hideIn(edited) ?? edited),
      ...reason,
    });
    await log.tell({ type: "approval_decision", callId: call.id, name: call.tool.name, decision, ...reason });
    if (settled.decision === "approve") return next(call);
    if (settled.decision === "edit") return this.edited(call, settled.args);
    const remedy = "Do without it, or tell the user why it is needed";
    const message = `${call.tool.name} was not approved: ${settled.reason}`;
    return { ...refused({ code: `approval_${decision}`, message, remedy }), args: call.args };
  }

  /** What a person edited passes every check again; that it may run was said with the edit. */
  private async edited(call: CheckedCall, args: JsonObject): Promise<CallAnswer> {
    const judged = judgeArguments(call, call.tool, args);
    if (!("call" in judged)) return { ...refused(judged.refusal), args };
    return pipeline([this.guard, this.contract, this.commitments], this.run)(judged.call);
  }

  private readonly run: Next = async (call) => {
    const { outside, log, signal, secrets, stopsAt, flush } = this.context;
    const { id: callId, tool, args } = call;
    if (stopsAt("run", callId)) return { ...refused(stopped), args };
    const says = outside.announced(call);
    if (says !== undefined) {
      log.emit({ type: "tool_call", ...log.at, callId, tool: tool.name, says });
      await flush("synced");
      if (stopsAt("begin", callId)) return { ...refused(stopped), args };
    }
    const update = (details: JsonValue) =>
      void log.tell({ type: "tool_update", callId, details: secrets?.hideIn(details) ?? details });
    // Awaited here: a promise that an async function returns is waited for three times over.
    return await outside.run(call, { signal, keep: this.context.keep(), update });
  };

  // --- record --------------------------------------------------------------------------------------

  private record(raw: RawCall, { report, ran, args, forbidden }: Recordable): RowOf<"tool_result"> {
    const { log } = this.context;
    const { send, round } = log.at;
    const { ok, text, refusal, facts } = report;
    const row: RowOf<"tool_result"> = {
      type: "tool_result",
      send,
      round,
      callId: raw.id,
      tool: raw.name,
      ...(args === undefined ? {} : { args }),
      ok,
      text,
      digest: `sha256:${sha256Hex(text)}`,
      ran,
      ...(refusal === undefined ? {} : { code: refusal.code }),
      ...(refusal?.rule === undefined ? {} : { rule: refusal.rule }),
      ...(facts === undefined ? {} : { facts }),
      ...(forbidden === undefined ? {} : { forbidden }),
    };
    log.emit(row);
    return row;
  }
}

type Recordable = Pick<CallAnswer, "report" | "ran"> & {
  readonly args: JsonObject | undefined;
  readonly forbidden: true | undefined;
};

function wanted({ reads = [], changes }: Intent) {
  // A command may touch anything, so it shares nothing with whoever writes.
  if (changes === "anything") return { reads: [], writes: ["*"] };
  return { reads, writes: changes ?? [] };
}

const stopped = {
  code: "stopped",
  message: "the turn was stopped before this call began",
  remedy: "Nothing is to be done",
};

const cutForGood = "It will not be continued: do it in smaller calls, or say what is missing";

/** Of a call in a turn whose last answer is awaited. */
export const closingCode = "turn_closing";
const closingRefusal = {
  code: closingCode,
  message: "no tool is available any more in this turn",
  remedy: "Answer with what you have",
};

/** The first stage sees a call first. */
function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
