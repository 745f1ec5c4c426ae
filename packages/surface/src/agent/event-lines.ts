/**
 * What happens in a turn, as lines for a person: one for each call, each step of
 * the plan that is done, each thing that the harness had to do.
 *
 * Text of models and tools is made visible here, before our own colours are put
 * around it; nothing else may print an event.
 */
import type { AgentEvent, AgentTool, Plan, SendResult, ToolReport } from "@bridle/agent";
import type { Paint } from "@bridle/operation";
import { isJsonObject, grouped } from "@bridle/record";
import { visibleLine } from "./visible.js";

/** Of arguments that are kept to say what a call is after. */
const argsCharsMax = 2_000_000;

export interface EventLinesOptions {
  readonly paint: Paint;
  /** To say what a call is after. */
  readonly tools: () => ReadonlyMap<string, AgentTool>;
}

export class EventLines {
  private readonly args = new Map<string, string>();
  /** Of calls that somebody was asked about; what is there may have changed by the time they have run. */
  private readonly asked = new Map<string, string>();
  private plan: Plan | undefined;

  constructor(private readonly options: EventLinesOptions) {}

  /** What is planned, as it stands. */
  get currentPlan(): Plan | undefined {
    return this.plan;
  }

  of(event: AgentEvent): string[] {
    const { paint } = this.options;
    switch (event.type) {
      case "send_start":
        this.args.clear();
        return [];
      case "tool_start":
        this.args.set(event.callId, "");
        return [];
      case "tool_delta": {
        const before = this.args.get(event.callId) ?? "";
        if (before.length < argsCharsMax) this.args.set(event.callId, before + event.argsDelta);
        return [];
      }
      case "tool_result":
        return event.name === "plan" && event.report.ok
          ? []
          : [this.result(event.callId, event.name, event.report)];
      case "plan":
        return this.planned(event.plan);
      case "tool_approval":
        this.asked.set(event.callId, event.says);
        return [];
      case "provider_retry":
        this.args.clear();
        return [
          paint.note(
            `  ! the provider broke off and begins again (${event.attempt}): ${visibleLine(event.message)}`,
          ),
        ];
      case "length_resume": {
        const what =
          event.cut === undefined
            ? "the answer was cut off"
            : `a write to ${visibleLine(event.cut.path)} was cut off at ${grouped(event.cut.bytes)} bytes; nothing was written`;
        return [paint.note(`  ! ${what}; [CONTINUE] ${event.resume} of ${event.of}`)];
      }
      case "rule_violation":
        return event.prevented
          ? []
          : [paint.note(`  ! ${visibleLine(event.rule)}: ${visibleLine(event.what)}`)];
      case "context_compressed":
        return [
          paint.dim(
            `  · context compressed from ${grouped(event.tokensBefore)} to ${grouped(event.tokensAfter)} tokens`,
          ),
        ];
      case "subtask_spawned": {
        const issue = event.issue === undefined ? "" : ` as ${visibleLine(event.issue)}`;
        return [`  + child ${visibleLine(event.taskId)}${issue}: ${visibleLine(event.goal, 100)}`];
      }
      case "subtask_event":
        return this.of(event.event).map((line) => `  ${line}`);
      case "subtask_complete": {
        const how = event.status === "ok" ? paint.good("ok") : paint.bad(event.status);
        return [`  + child ${visibleLine(event.taskId)} ended: ${how}`];
      }
      case "notice":
        return [paint.note(`  ! ${visibleLine(event.message, 400)}`)];
      // What they lead to has a line of its own, or they are shown in another way.
      case "contract_violation":
      case "approval_decision":
      case "round_start":
      case "text":
      case "tool_update":
      case "status":
      case "turn_end":
        return [];
    }
  }

  private result(callId: string, name: string, { ok, refusal, text }: ToolReport): string {
    const { paint } = this.options;
    const says = visibleLine(this.says(callId, name), 120);
    this.args.delete(callId);
    this.asked.delete(callId);
    const head = `${visibleLine(name, 40).padEnd(12)} ${says}`.trimEnd();
    if (ok) return `  ${paint.good("✓")} ${head}`;
    const why = refusal === undefined ? visibleLine(text, 160) : refusedText(refusal);
    return `  ${paint.bad("✗")} ${head}\n    ${paint.bad(why)}`;
  }

  private says(callId: string, name: string): string {
    const asked = this.asked.get(callId);
    if (asked !== undefined) return asked;
    const tool = this.options.tools().get(name);
    const text = this.args.get(callId);
    if (tool === undefined || text === undefined) return "";
    try {
      const args: unknown = JSON.parse(text === "" ? "{}" : text);
      return isJsonObject(args) ? tool.intent(args).says : "";
    } catch {
      // Arguments that were cut off, or do not fit: the result says so.
      return "";
    }
  }

  private planned(plan: Plan): string[] {
    const { paint } = this.options;
    const before = this.plan;
    this.plan = plan;
    const same =
      before !== undefined &&
      before.steps.length === plan.steps.length &&
      before.steps.every(({ title }, i) => title === plan.steps[i]?.title);
    if (!same) return planLines(plan, paint);
    const done = plan.steps.flatMap((step, i) =>
      step.status === "done" && before.steps[i]?.status !== "done" ? [stepLine(step, i, paint)] : [],
    );
    return done;
  }
}

function refusedText({ message, code, rule }: NonNullable<ToolReport["refusal"]>): string {
  const says = visibleLine(message, 200).replace(/\.$/, "");
  const named = rule === undefined || says.includes(rule) ? "" : `, ${visibleLine(rule)}`;
  return `${says} (${visibleLine(code)}${named})`;
}

export function planLines({ title, steps, doneWhen, bounds }: Plan, paint: Paint): string[] {
  const limits = Object.entries(bounds).map(([name, value]) => `${words(name)} ${value}`);
  return [
    `  ${paint.strong(title === undefined ? "plan" : `plan  ${visibleLine(title)}`)}`,
    ...steps.map((step, i) => stepLine(step, i, paint)),
    ...(doneWhen.length === 0
      ? []
      : [paint.dim(`    done when ${doneWhen.map((each) => visibleLine(each)).join("; ")}`)]),
    ...(limits.length === 0 ? [] : [paint.dim(`    ${limits.join(", ")}`)]),
  ];
}

function stepLine({ title, status }: Plan["steps"][number], i: number, paint: Paint): string {
  const marks = { done: paint.good("✓"), doing: paint.note("▸"), todo: paint.dim("·") } as const;
  return `    ${marks[status]} ${i + 1} ${visibleLine(title)}`;
}

/** `maxToolCalls` as `max tool calls`. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function statusText(
  { round, contextTokens, contextMax, costUsd, toolCalls, bounds }: Extract<AgentEvent, { type: "status" }>,
  roundsMax: number,
): string {
  const calls = bounds.maxToolCalls === undefined ? `${toolCalls}` : `${toolCalls} of ${bounds.maxToolCalls}`;
  const cost =
    bounds.maxCostUsd === undefined ? usd(costUsd) : `${usd(costUsd)} of ${usd(bounds.maxCostUsd)}`;
  const percent = contextMax <= 0 ? 0 : Math.round((100 * contextTokens) / contextMax);
  return `round ${round} of ${bounds.maxSteps ?? roundsMax} · calls ${calls} · context ${percent} % · ${cost}`;
}

export function endText({ reason, rounds, toolCalls, costUsd }: SendResult): string {
  const how = reason === "ok" ? "" : `${reason} · `;
  return `${how}${counted(rounds, "round")} · ${counted(toolCalls, "call")} · ${usd(costUsd)}`;
}

export function usd(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 0.1 ? 4 : 2)}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
