/**
 * A yes or a no, asked at the terminal.
 *
 *     Run this command?                        write · no network · 1:52 left
 *       npx tsc --build --force
 *     It may change files of this folder, but for .git/config, .premath, .bridle.
 *     [y]es  [n]o  [e]dit  [a]lways here: npx tsc *
 *
 * A change of a file is a diff in colour, a command stands there as it will run, and
 * of everything else each argument is shown whole; with nothing in it that the
 * terminal would act on. Whatever is no clear yes is asked again.
 */
import type { AgentTool, ApprovalDecision, ApprovalRequest, Approver } from "@bridle/agent";
import { displayWidth as cells, type Paint } from "@bridle/operation";
import { isJsonObject, type JsonObject } from "@bridle/record";
import { visible, visibleJson, visibleLine } from "../agent/visible.js";
import { type Always, alwaysOf } from "./always.js";
import { type Asked, askedOf } from "./asked.js";
import type { Question, Screen } from "./screen.js";

export interface ApprovalOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  nowMs(): number;
  tool(name: string): AgentTool | undefined;
  /** A text changed in the person's editor; undefined where there is none. */
  edit?(text: string, signal: AbortSignal): Promise<string>;
}

export function terminalApprover(options: ApprovalOptions): Approver {
  /** Tools that were said yes to once and for all, in this conversation. */
  const always = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    // Children ask as well, and two questions at once would be one too many.
    const mine = turn.then(() => {
      if (signal.aborted) return gone;
      if (always.has(request.tool) && alwaysOf(request)[0]?.means === "tool") return approved;
      return new Asking(options, request, signal, always).decide();
    });
    turn = mine.catch(() => {});
    return mine;
  };
}

const gone = { decision: "reject", reason: "nobody answered" } as const;
const approved = { decision: "approve" } as const;

class Asking {
  private readonly endMs: number;
  private readonly always: readonly Always[];

  constructor(
    private readonly options: ApprovalOptions,
    private readonly request: ApprovalRequest,
    private readonly signal: AbortSignal,
    private readonly tools: Set<string>,
  ) {
    this.endMs = options.nowMs() + request.timeoutMs;
    this.always = alwaysOf(request);
  }

  async decide(): Promise<ApprovalDecision> {
    const { screen, paint, tool } = this.options;
    const asked = await askedOf(this.request, tool(this.request.tool), paint);
    const question = this.question(asked);
    for (;;) {
      const answer = await screen.ask(question);
      if (answer === undefined) return gone;
      const decided = await this.understood(answer.trim());
      if (decided === undefined) continue;
      if (asked.keep && !question.hasSaid && decided.decision === "approve") this.sayBody(asked);
      return decided;
    }
  }

  /** Where it is too long for the screen, what is asked about goes above, and only the question stays. */
  private question({ head, facts, body, after }: Asked): Question & { readonly hasSaid: boolean } {
    const { screen, paint } = this.options;
    const rows = body.reduce(
      (sum, line) => sum + Math.ceil((line.length + 1) / Math.max(1, screen.columns - 6)),
      0,
    );
    const long = rows + after.length + 6 > screen.rows;
    if (long) for (const line of body) screen.say(`    ${line}`);
    const choices = ["[y]es", "[n]o", "[e]dit", ...this.always.map(({ choice }) => choice)];
    return {
      signal: this.signal,
      hasSaid: long,
      lines: (width) => [
        spread(`  ${paint.strong(head)}`, [...facts, `${this.left()} left`].join(" · "), width),
        ...(long ? [] : body.map((line) => `    ${line}`)),
        ...after.map((line) => paint.dim(`  ${line}`)),
        `  ${choices.join("  ")}`,
      ],
    };
  }

  private sayBody({ head, body }: Asked): void {
    const { screen, paint } = this.options;
    screen.say(`  ${paint.strong(head.replace(/\?$/, ""))}`);
    for (const line of body) screen.say(`    ${line}`);
  }

  private left(): string {
    const seconds = Math.max(0, Math.ceil((this.endMs - this.options.nowMs()) / 1000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  /** Undefined where it was no answer; the person was told. */
  private async understood(answer: string): Promise<ApprovalDecision | undefined> {
    const [, no, reason] = /^(n|no)(?:\s+([\s\S]*))?$/i.exec(answer) ?? [];
    if (no !== undefined) return { decision: "reject", reason: reason?.trim() || "the user said no" };
    switch (answer.toLowerCase()) {
      case "y":
      case "yes":
        return approved;
      case "a":
      case "always":
        return this.allowed("a");
      case "x":
      case "exactly":
        return this.allowed("x");
      case "e":
      case "edit":
        return this.edited();
      default:
        return this.again();
    }
  }

  private allowed(letter: Always["letter"]): ApprovalDecision | undefined {
    const means = this.always.find((each) => each.letter === letter)?.means;
    switch (means) {
      case undefined:
        return this.again();
      case "tool":
        this.tools.add(this.request.tool);
        return approved;
      case "wide":
        return { decision: "approve", always: "wide" };
      case "exact":
        return { decision: "approve", always: true };
    }
  }

  private again(): undefined {
    const { screen, paint } = this.options;
    const letters = ["y", "n", "e", ...this.always.map(({ letter }) => letter)];
    const choices = `${letters.slice(0, -1).join(", ")} or ${letters.at(-1)}`;
    screen.say(paint.dim(`    Answer with ${choices}; behind an n you may say why.`));
    return undefined;
  }

  private async edited(): Promise<ApprovalDecision | undefined> {
    const { args } = this.request;
    const edited =
      typeof args["command"] === "string"
        ? await this.editedCommand(args["command"])
        : await this.editedJson();
    return edited === undefined ? undefined : { decision: "edit", args: edited };
  }

  private async editedCommand(command: string): Promise<JsonObject | undefined> {
    const text = await this.typed("command: ", visible(command));
    return text === undefined || text.trim() === "" ? undefined : { ...this.request.args, command: text };
  }

  /** Undefined when what came back is no object; the person was told. */
  private async editedJson(): Promise<JsonObject | undefined> {
    const { screen, paint } = this.options;
    const { edit } = this.options;
    const { args } = this.request;
    const text =
      edit === undefined
        ? await this.typed("arguments: ", visibleJson(args))
        : await screen
            .lend(() => edit(visibleJson(args, 2), this.signal))
            .catch((error: unknown) => {
              screen.say(
                paint.bad(`    ${visibleLine(error instanceof Error ? error.message : String(error))}`),
              );
              return undefined;
            });
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) return value;
    } catch {
      // Told below.
    }
    screen.say(paint.bad("    That is no JSON object; nothing was changed."));
    return undefined;
  }

  private typed(mark: string, prefill: string): Promise<string | undefined> {
    return this.options.screen.ask({ lines: () => [], mark, prefill, signal: this.signal });
  }
}

/** Two texts at the two ends of a line, or on two lines where they do not fit. */
function spread(left: string, right: string, width: number): string {
  const room = width - cells(left) - cells(right) - 1;
  return room < 2 ? `${left}\n  ${right}` : `${left}${" ".repeat(room)}${right}`;
}
