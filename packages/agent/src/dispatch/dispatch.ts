/**
 * One call from the model's words to what it is told:
 *
 *     parse → validate → guard → dedup → contract → commitments → lock
 *           → approval → run → cap → record
 *
 * Whatever happens, the call is answered once and there is a row about it. Before
 * `run` nothing outside has changed.
 */
import { Failure, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { ToolOutcome } from "@bridle/model";
import type { RowOf } from "../session/rows.js";
import type { ArgumentStream, Intent, ToolReport } from "../types.js";
import { judgeCut } from "../turn/cut-off.js";
import { capReport } from "./cap.js";
import type { Desk } from "./desk.js";
import { cutOffCode, judgeArguments, judgeCall } from "./parse.js";
import { needsApproval, settleApproval } from "./approval.js";
import { Patience } from "./patience.js";
import { type Answer, type Call, type Next, pipeline, type RawCall, refused, type Stage } from "./types.js";

export class Dispatch {
  private readonly carryOut: Next;
  private readonly patience: Patience;

  constructor(private readonly desk: Desk) {
    this.patience = new Patience(desk.signal, (ms, signal) => desk.approvals.sleep(ms, signal));
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
    const { desk } = this;
    const { report, ran, args, settled, forbidden } = await this.judged(raw);
    const capped = settled === true ? report : await this.capped(raw.name, this.hidden(report));
    const shown = args && (desk.secrets?.hideIn(args) ?? args);
    const row = this.record(raw, { report: capped, ran, args: shown, forbidden });
    desk.rendered(row);
    const { name, id: callId, round } = raw;
    const told = desk.tell({ type: "tool_result", callId, name, report: capped, round });
    if (told !== undefined) await told;
    return { content: capped.text, isError: !capped.ok };
  }

  private capped(tool: string, report: ToolReport): ToolReport | Promise<ToolReport> {
    const { toolbox, config, artifacts } = this.desk;
    const charsMax = toolbox.all.get(tool)?.capChars ?? config.toolOutputMaxChars;
    return report.text.length <= charsMax ? report : capReport(report, { charsMax, artifacts });
  }

  /** Before it becomes an artifact, a row or an event: a secret that is written down once is out. */
  private hidden(report: ToolReport): ToolReport {
    const { secrets } = this.desk;
    if (secrets === undefined) return report;
    return secrets.hideIn(report as unknown as JsonObject) as unknown as ToolReport;
  }

  // --- parse, validate -----------------------------------------------------------------------------

  private judged(raw: RawCall): Answer | Promise<Answer> {
    const { desk } = this;
    if (desk.state.closing !== undefined) return refused(closingRefusal);
    const stream = desk.streams.take(raw.id);
    const judged = judgeCall(raw, desk.toolbox.all);
    const whole = "call" in judged ? judged.call : undefined;
    const parses = whole !== undefined || judgedCode(judged) !== cutOffCode;
    const verdict = judgeCut({
      stop: raw.last ? raw.stop : "tool_use",
      parses,
      looksCut: () => whole?.tool.looksCut?.(whole.args) === true,
    });
    if (verdict === "cut") return desk.recorded?.cut(raw.id) ?? this.cutOff(raw, stream);
    const go = () => ("call" in judged ? this.carryOut(judged.call) : refused(judged.refusal));
    return stream === undefined ? go() : stream.drop().then(go);
  }

  private async cutOff(raw: RawCall, stream: ArgumentStream | undefined): Promise<Answer> {
    return this.cut(raw, await stream?.cut());
  }

  private cut(raw: RawCall, kept: Awaited<ReturnType<ArgumentStream["cut"]>>): Answer {
    const where =
      kept === undefined
        ? `after ${raw.argumentsText.length} characters`
        : `at ${kept.bytes} bytes of content for ${kept.path}`;
    const answer = refused({
      code: cutOffCode,
      message: `the arguments of ${raw.name} ended early ${where}; nothing was written`,
      remedy: this.desk.continues() ? "Go on as the next message says" : cutForGood,
    });
    if (kept === undefined) return answer;
    const facts: JsonObject = { cut: { ...kept } };
    return { ...answer, report: { ...answer.report, facts }, args: { path: kept.path } };
  }

  // --- guard ---------------------------------------------------------------------------------------

  private readonly guard: Stage = (call, next) => {
    const findings = this.desk.rules.proposed(proposal(call));
    const forbidden = this.forbidden(call);
    if (forbidden !== undefined) return forbidden;
    for (const { rule, finding } of findings)
      if (rule.kind !== "block") this.desk.found(rule.id, finding, "note");
    const blocking = findings.find(({ rule }) => rule.kind === "block");
    if (blocking === undefined) return next(call);
    const { rule, finding } = blocking;
    this.desk.found(rule.id, finding, "refusal");
    return {
      ...refused({ code: "rule_refused", rule: rule.id, message: finding.what, remedy: finding.remedy }),
      args: call.args,
    };
  };

  /** An intent may depend on what lay on the disk, so a replay does as the log says. */
  private forbidden({ id, args, intent }: Call): Answer | undefined {
    const { recorded } = this.desk;
    if (recorded?.forbids(id) === true) return recorded.answer(id, args);
    if (intent.forbidden === undefined || recorded?.marksForbidden === true) return undefined;
    const { code, because, remedy } = intent.forbidden;
    const mark = recorded === undefined ? { forbidden: true as const } : {};
    return { ...refused({ code, message: because, remedy }), args, ...mark };
  }

  // --- dedup ---------------------------------------------------------------------------------------

  private readonly dedup: Stage = (call, next) => {
    const verdict = this.desk.repeats.judge(repeatable(call));
    if (verdict === undefined) return next(call);
    const finding = { what: verdict.what, remedy: verdict.remedy };
    this.desk.found(verdict.rule, finding, "refusal");
    if ("answer" in verdict) {
      const text = `${verdict.answer.output}\n[same as call ${verdict.answer.callId}, answered without running again (${verdict.rule}); nothing that it reads has changed since]`;
      return { report: { ok: true, text }, ran: false, args: call.args };
    }
    return {
      ...refused({
        code: "repeated_call",
        rule: verdict.rule,
        message: finding.what,
        remedy: finding.remedy,
      }),
      args: call.args,
    };
  };

  // --- contract, commitments -----------------------------------------------------------------------

  private readonly contract: Stage = (call, next) => {
    const over = call.tool.name === "plan" ? undefined : this.desk.overBounds();
    return over === undefined ? next(call) : this.outOfBounds(call, over);
  };

  private async outOfBounds(
    call: Call,
    { bound, message, remedy }: NonNullable<ReturnType<Desk["overBounds"]>>,
  ): Promise<Answer> {
    this.desk.found("R-CONTRACT-BOUNDS", { what: message, remedy }, "refusal");
    await this.desk.tell({ type: "contract_violation", bound, message });
    return {
      ...refused({ code: "contract_bound", rule: "R-CONTRACT-BOUNDS", message, remedy }),
      args: call.args,
    };
  }

  private readonly commitments: Stage = (call, next) => {
    const broken = this.desk.brokenCommitment(call);
    if (broken === undefined) return next(call);
    const remedy = "Leave it as it is, or ask the user whether the commitment still holds";
    this.desk.found("R-COMMITMENT-CHECK", { what: broken, remedy }, "refusal");
    return {
      ...refused({ code: "commitment_broken", rule: "R-COMMITMENT-CHECK", message: broken, remedy }),
      args: call.args,
    };
  };

  // --- lock, approval, run -------------------------------------------------------------------------

  private readonly lock: Stage = async (call, next) => {
    const granted = this.desk.locks.acquire(wanted(call.intent), this.desk.signal);
    const release = granted instanceof Promise ? await granted : granted;
    try {
      if (this.desk.stopsAt("lock", call.id) || release === undefined)
        return { ...refused(stopped), args: call.args };
      return await next(call);
    } finally {
      release?.();
    }
  };

  private readonly approval: Stage = (call, next) => {
    const { recorded, approvals } = this.desk;
    const needed = recorded?.asks(call.id) ?? needsApproval(call, approvals.config);
    if (recorded !== undefined || approvals.config.yolo || call.tool.asks === undefined)
      return needed ? this.approved(call, next) : next(call);
    return call.tool
      .asks(call.args)
      .then((because) => (needed || because !== undefined ? this.approved(call, next, because) : next(call)));
  };

  private async approved(call: Call, next: Next, because?: string): Promise<Answer> {
    const { desk } = this;
    const settled = await settleApproval(call, desk.approvals, because);
    const edited = settled.decision === "edit" ? { args: settled.args, proposed: call.args } : {};
    const reason = "reason" in settled ? { reason: settled.reason } : {};
    desk.emit({
      type: "approval",
      ...desk.at,
      callId: call.id,
      decision: settled.decision,
      ...(desk.secrets?.hideIn(edited) ?? edited),
      ...reason,
    });
    await desk.tell({
      type: "approval_decision",
      callId: call.id,
      name: call.tool.name,
      decision: settled.decision,
      ...reason,
    });
    if (settled.decision === "approve") return next(call);
    if (settled.decision === "edit") return this.edited(call, settled.args);
    const remedy = "Do without it, or tell the user why it is needed";
    const message = `${call.tool.name} was not approved: ${"reason" in settled ? settled.reason : ""}`;
    return { ...refused({ code: `approval_${settled.decision}`, message, remedy }), args: call.args };
  }

  /** What a person edited passes every check again; that it may run was said with the edit. */
  private async edited(call: Call, args: JsonObject): Promise<Answer> {
    const judged = judgeArguments(call, call.tool, args);
    if (!("call" in judged)) return { ...refused(judged.refusal), args };
    return pipeline([this.guard, this.contract, this.commitments], this.run)(judged.call);
  }

  private readonly run: Next = async (call) => {
    const { desk } = this;
    const { tool, intent, args } = call;
    if (desk.stopsAt("run", call.id)) return { ...refused(stopped), args };
    if (desk.recorded?.announces(call.id) ?? intent.changes !== undefined) {
      // What it says may name what lay on the disk then.
      this.announce(call, desk.recorded?.says(call.id) ?? intent.says);
      if (desk.recorded === undefined) await desk.flush("synced");
      if (desk.stopsAt("begin", call.id)) return { ...refused(stopped), args };
    }
    // The recorded result is that of every stage behind this one, so it is shown as it stands.
    if (desk.recorded !== undefined) return desk.recorded.answer(call.id, args);
    const update = (details: JsonValue) =>
      void desk.tell({
        type: "tool_update",
        callId: call.id,
        details: desk.secrets?.hideIn(details) ?? details,
      });
    try {
      const running = tool.run(args, { callId: call.id, round: call.round, signal: desk.signal, update });
      const report = await this.patience.orStopped(running);
      if (report === undefined) return { ...refused(heedless(tool.name)), ran: true, args };
      return { report: changed(report, intent), ran: true, args };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const refusal = {
        code: error.failureClass,
        message: error.message,
        remedy: error.hint ?? "Try something else",
      };
      return { ...refused(refusal), ran: true, args };
    }
  };

  private announce({ id, tool }: Call, says: string): void {
    const { desk } = this;
    desk.emit({ type: "tool_call", ...desk.at, callId: id, tool: tool.name, says });
  }

  // --- record --------------------------------------------------------------------------------------

  private record(raw: RawCall, { report, ran, args, forbidden }: Recordable): RowOf<"tool_result"> {
    const { desk } = this;
    const { send, round } = desk.at;
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
    desk.emit(row);
    return row;
  }
}

type Recordable = Pick<Answer, "report" | "ran"> & {
  readonly args: JsonObject | undefined;
  readonly forbidden: true | undefined;
};

export function proposal({ round, tool, args }: Call) {
  return { round, tool: tool.name, args };
}

function repeatable({ id, round, tool, args, intent }: Call) {
  return { id, round, tool: tool.name, args, intent };
}

function wanted({ reads = [], changes }: Intent) {
  // A command may touch anything, so it shares nothing with whoever writes.
  if (changes === "anything") return { reads: [], writes: ["*"] };
  return { reads, writes: changes ?? [] };
}

/** What a success changed is a fact for whoever reads the log. */
function changed(report: ToolReport, { changes }: Intent): ToolReport {
  if (
    !report.ok ||
    changes === undefined ||
    changes === "anything" ||
    report.facts?.["changed"] !== undefined
  )
    return report;
  return { ...report, facts: { ...report.facts, changed: changes } };
}

function judgedCode(judged: ReturnType<typeof judgeCall>): string | undefined {
  return "refusal" in judged ? judged.refusal.code : undefined;
}

function heedless(tool: string) {
  return {
    code: "in_doubt",
    message: `${tool} did not stop when the turn was stopped; what it did is not known`,
    remedy: "Look at what is there before it is repeated",
  };
}

const stopped = {
  code: "stopped",
  message: "the turn was stopped before this call began",
  remedy: "Nothing is to be done",
};

const cutForGood = "It will not be continued: do it in smaller calls, or say what is missing";

const closingRefusal = {
  code: "turn_closing",
  message: "no tool is available any more in this turn",
  remedy: "Answer with what you have",
};
