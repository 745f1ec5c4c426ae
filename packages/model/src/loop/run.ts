/**
 * The loop: the model speaks, its tools run one after the other, their results go
 * back, until there is nothing more to do.
 *
 * The turns are pi's `runAgentLoop`; this file puts our types around it. What a
 * newcomer gets wrong: pi swallows whatever a hook or a tool throws and tells it
 * to the model. A bug must not become a remark in a conversation, so it is kept
 * here and thrown at the next event.
 */
import type { JsonObject, JsonValue } from "@bridle/record";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentTool } from "@earendil-works/pi-agent-core";
import { noUsage } from "../answer.js";
import { modelLimits } from "../limits.js";
import { loadPiCore } from "../pi/load.js";
import type { Secrets } from "../secrets.js";
import type {
  AssistantMessage,
  LoopEnding,
  LoopEvent,
  LoopHooks,
  LoopResult,
  Message,
  ModelCall,
  ModelEvent,
  Soon,
  ThinkingLevel,
  Tool,
  ToolInvocation,
  ToolOutcome,
  TurnChange,
} from "../types.js";
import { StandIns } from "./messages.js";
import { SeenTurn } from "./seen-turn.js";
import { atOnce, onceThere } from "./soon.js";
import { Speaker } from "./speaker.js";
import { type CarriedDetails, execute, isLast, preflight, standInTool } from "./tools.js";

export interface LoopOptions {
  readonly call: ModelCall;
  /** `provider/id`. */
  readonly model: string;
  /** What to begin with, behind the history. At least one. */
  readonly prompts: readonly [Message, ...Message[]];
  readonly history?: readonly Message[];
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Answers calls of tools that are not there; without it the model is told that they are not. */
  readonly unknownTool?: (name: string) => Tool;
  readonly session?: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  readonly hooks?: LoopHooks;
  /** Contract: awaited; what it throws ends the loop by rejecting. */
  readonly onEvent?: (event: LoopEvent) => void | Promise<void>;
  /** One for each answer: everybody hears its events as this returns them. */
  readonly rewriter?: () => (event: ModelEvent) => ModelEvent;
  readonly turnsMax?: number;
  /** Hidden in what tools say, before anybody sees it: the model, an event, a record. */
  readonly secrets?: Secrets;
  /** Aborted, the loop ends as failed with the class `aborted`; tools that have not begun do not, unless they are `unchecked`. */
  readonly signal?: AbortSignal;
}

export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { runAgentLoop } = await loadPiCore();
  return new LoopRun(options).go(runAgentLoop);
}

type RunAgentLoop = typeof import("@earendil-works/pi-agent-core").runAgentLoop;

class LoopRun {
  private readonly standIns = new StandIns();
  private readonly hooks: LoopHooks;
  private readonly signal: AbortSignal;
  private readonly turnsMax: number;
  private readonly speaker: Speaker;
  private turn = 0;
  /** What pi was given last; it looks a call's tool up in here. */
  private offered: AgentTool[] = [];
  private readonly unknown = new Map<string, Tool>();
  /** The call that passed its preflight and runs next. */
  private admitted: ToolInvocation | undefined;
  private ending: LoopEnding = "finished";
  private bug: { readonly error: unknown } | undefined;

  constructor(private readonly options: LoopOptions) {
    this.hooks = options.hooks ?? {};
    this.signal = options.signal ?? new AbortController().signal;
    this.turnsMax = options.turnsMax ?? modelLimits.turnsMax;
    const { standIns, signal } = this;
    this.speaker = new Speaker({ loop: options, standIns, signal, tell: (event) => this.tell(event) });
  }

  async go(runAgentLoop: RunAgentLoop): Promise<LoopResult> {
    const { prompts, history = [] } = this.options;
    const standIn = (message: Message) => this.standIns.of(message);
    const added = await runAgentLoop(
      prompts.map(standIn),
      this.context(history.map(standIn)),
      this.config(),
      (event) => this.heard(event),
      this.signal,
      this.speaker.speak,
    );
    this.throwBug();
    const { refusal, usage } = this.speaker;
    if (refusal !== undefined) this.ending = "failed";
    await this.tell({ type: "loop_end", ending: this.ending });
    const messages = added.flatMap((message) => this.standIns.message(message) ?? []);
    return {
      ending: this.ending,
      messages,
      turns: this.turn,
      usage,
      ...(refusal === undefined ? {} : { refusal }),
    };
  }

  // --- What pi asks for ----------------------------------------------------------------------------

  private context(messages: AgentContext["messages"]): AgentContext {
    this.offered = this.speaker.tools.map((tool) => this.standIn(tool));
    return { systemPrompt: "", messages, tools: this.offered };
  }

  private standIn(tool: Tool): AgentTool {
    return standInTool(tool, (signal, update) => this.runTool(tool, { signal, update }));
  }

  /** Tools that an answer calls and that are not there are answered like any other, where somebody wants to. */
  private offerUnknown(message: Message): void {
    const { unknownTool } = this.options;
    if (message.role !== "assistant" || unknownTool === undefined) return;
    for (const part of message.content) {
      if (part.kind !== "tool_call" || this.offered.some(({ name }) => name === part.name)) continue;
      const tool = unknownTool(part.name);
      this.unknown.set(part.name, tool);
      this.offered.push(this.standIn(tool));
    }
  }

  private config(): AgentLoopConfig {
    const { hooks } = this;
    const standIns = (messages: readonly Message[] | undefined) =>
      (messages ?? []).map((message) => this.standIns.of(message));
    const queued = (ask: (() => Soon<readonly Message[]>) | undefined) =>
      ask === undefined ? [] : onceThere(this.guarded(ask), standIns);
    return {
      model: { id: "bridle", provider: "bridle" } as never,
      toolExecution: "sequential",
      convertToLlm: (messages) => messages as never,
      getSteeringMessages: atOnce(() => queued(hooks.steer && (() => hooks.steer?.() ?? []))),
      getFollowUpMessages: atOnce(() => queued(hooks.followUp && (() => hooks.followUp?.() ?? []))),
      beforeToolCall: atOnce(({ toolCall, assistantMessage }) => {
        const message = this.standIns.message(assistantMessage) as AssistantMessage;
        const blocked = this.guarded(() => this.admit(this.standIns.call(toolCall), message));
        return onceThere(blocked, (why) =>
          why === undefined && this.bug === undefined ? undefined : { block: true, reason: why ?? "a bug" },
        );
      }),
      afterToolCall: atOnce(({ result }) => {
        const { details } = result as { details: CarriedDetails };
        return { isError: details.isError };
      }),
      prepareNextTurn: atOnce((seen) =>
        onceThere(
          this.guarded(() => hooks.prepareNextTurn?.(this.turnSeen(seen))),
          (change) => this.changed(change, seen.context.messages),
        ),
      ),
      shouldStopAfterTurn: atOnce((seen) => {
        const turn = this.turnSeen(seen);
        return onceThere(
          this.guarded(() => hooks.shouldStopAfterTurn?.(turn)),
          (stop) => this.endsAfter(turn, stop === true),
        );
      }),
    };
  }

  private changed(change: TurnChange | undefined, known: AgentContext["messages"]) {
    if (change === undefined) return undefined;
    this.speaker.change(change);
    // pi keeps its list of messages; a new one costs as much as the conversation is long.
    if (change.messages === undefined && change.tools === undefined) return undefined;
    const messages = change.messages?.map((each) => this.standIns.of(each)) ?? known;
    return { context: this.context([...messages]) };
  }

  private endsAfter(turn: SeenTurn, stop: boolean): boolean {
    if (stop) this.ending = "stopped";
    else if (this.turn >= this.turnsMax) this.ending = "turns_exhausted";
    else this.ending = this.endingAfter(turn);
    return this.ending === "stopped" || this.ending === "turns_exhausted";
  }

  /** How the loop ends if this was its last turn. */
  private endingAfter(turn: SeenTurn): LoopEnding {
    if (turn.ranTools) return "terminated";
    return turn.message.stop === "length" ? "cut_off" : "finished";
  }

  // --- Tools ---------------------------------------------------------------------------------------

  /** Why the call does not run; undefined when it does. */
  private admit(
    call: Parameters<typeof preflight>[0]["call"],
    message: AssistantMessage,
  ): Soon<string | undefined> {
    const tool = this.speaker.tools.find(({ name }) => name === call.name) ?? this.unknown.get(call.name);
    if (tool === undefined) throw new Error("pi found a tool that is not there");
    if (tool.unchecked === true) {
      const { id, name, argumentsText } = call;
      this.admitted = {
        id,
        name,
        argumentsText,
        arguments: {},
        stop: message.stop,
        last: isLast(call, message),
      };
      return undefined;
    }
    if (this.signal.aborted) return "the run was given up before this call began";
    return this.checked(preflight({ tool, call, message }, this.hooks));
  }

  private async checked(judging: ReturnType<typeof preflight>): Promise<string | undefined> {
    const judged = await judging;
    if ("blocked" in judged) return judged.blocked;
    this.admitted = judged.invocation;
    return undefined;
  }

  private async runTool(
    tool: Tool,
    run: { signal: AbortSignal; update(details: JsonValue): void },
  ): Promise<ToolOutcome> {
    const invocation = this.admitted;
    this.admitted = undefined;
    if (invocation === undefined) throw new Error("a tool runs without having been admitted");
    const update = (details: JsonValue) => run.update(this.options.secrets?.hideIn(details) ?? details);
    try {
      const said = await execute(tool, invocation, { signal: run.signal, update });
      if (this.hooks.afterToolCall === undefined) return this.hidden(said);
      return this.hidden({ ...said, ...(await this.hooks.afterToolCall(invocation, said)) });
    } catch (error) {
      this.bug ??= { error };
      // It ends the loop at the next event.
      return { content: "" };
    }
  }

  private hidden(outcome: ToolOutcome): ToolOutcome {
    const { secrets } = this.options;
    return secrets === undefined
      ? outcome
      : (secrets.hideIn(outcome as unknown as JsonObject) as unknown as ToolOutcome);
  }

  // --- Telling -------------------------------------------------------------------------------------

  private heard(event: AgentEvent): void | Promise<void> {
    this.throwBug();
    switch (event.type) {
      case "turn_start":
        this.turn++;
        this.speaker.turnUsage = noUsage;
        return this.tell({ type: "turn_start", turn: this.turn });
      case "message_end": {
        const message = this.standIns.message(event.message);
        if (message === undefined) return undefined;
        this.offerUnknown(message);
        return this.tell({ type: "message", message });
      }
      case "tool_execution_start": {
        const { toolCallId: id, toolName: name } = event;
        return this.tell({
          type: "tool_start",
          id,
          name,
          argumentsText: this.standIns.call(event.args).argumentsText,
        });
      }
      case "tool_execution_update":
        return this.tell({
          type: "tool_update",
          id: event.toolCallId,
          details: event.partialResult.details as JsonValue,
        });
      case "tool_execution_end": {
        const { details } = (event.result as { details: Partial<CarriedDetails> }).details;
        const { toolCallId: id, toolName: name, isError } = event;
        return this.tell({
          type: "tool_end",
          id,
          name,
          isError,
          ...(details === undefined ? {} : { details }),
        });
      }
      case "turn_end":
        return this.tell({ type: "turn_end", turn: this.turn, usage: this.speaker.turnUsage });
      default:
        return undefined;
    }
  }

  private tell(event: LoopEvent): void | Promise<void> {
    return this.options.onEvent?.(event);
  }

  private turnSeen(seen: ConstructorParameters<typeof SeenTurn>[0]): SeenTurn {
    return new SeenTurn(seen, this.standIns, this.turn, this.speaker.turnUsage);
  }

  /** Keeps what is thrown where pi would swallow it. */
  private guarded<Result>(act: () => Soon<Result>): Soon<Result | undefined> {
    const keep = (error: unknown) => {
      this.bug ??= { error };
      return undefined;
    };
    try {
      const result = act();
      return result instanceof Promise ? result.catch(keep) : result;
    } catch (error) {
      return keep(error);
    }
  }

  private throwBug(): void {
    if (this.bug !== undefined) throw this.bug.error;
  }
}
