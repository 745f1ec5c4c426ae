/**
 * The agent: a session, its tools and its sends, one at a time.
 *
 *     const agent = await openAgent({ … });
 *     const { text } = await agent.send("Fix the failing test");
 *     await agent.close();
 */
import { Failure } from "@bridle/record";
import { compact, type Compacted } from "../context/compact.js";
import { ContextMeter } from "../context/meter.js";
import type { Artifacts } from "../dispatch/cap.js";
import { ResourceLocks } from "../dispatch/resource-locks.js";
import { familiesPart, systemPrompt } from "../prompt/system.js";
import { buildHarnessRuleRecallMessage, HARNESS_RULES, type RuleStats } from "@bridle/rules";
import { Conversation } from "../session/conversation.js";
import type { Journal } from "../session/journal.js";
import { policyDigests } from "../session/policies.js";
import { type RowOf, sessionKind, type SessionRow } from "../session/rows.js";
import { estimateTextTokens } from "../context/tokens.js";
import type { Recorded } from "../session/recorded.js";
import { lastUnder, sameUnder, type Under, underOf } from "../session/under.js";
import type { AgentOptions, AgentTool, SendResult } from "../types.js";
import { Purse } from "./purse.js";
import { Send } from "./send.js";
import type { SendState, ToldViolation } from "./state.js";
import { Toolbox } from "./toolbox.js";

/** What the row of a reflexion says. */
export type Reflected = Pick<RowOf<"reflexion">, "text" | "usage">;

/** What an agent rests on, made by `openAgent` and by a replay. */
export interface AgentParts {
  readonly id: string;
  readonly journal: Journal;
  /** What the journal holds already. */
  readonly rows: readonly SessionRow[];
  readonly artifacts: Artifacts;
  readonly stats?: RuleStats;
  /** A child recalls the rules as its parent does: counts that change meanwhile would make it depend on who was faster. */
  readonly recall?: () => string;
  /** Shared by everybody who works in the workspace. */
  readonly locks?: ResourceLocks;
  /** Shared with its parent and its children. */
  readonly purse?: Purse;
  /** Instead of clock, tools and people: what they said before. */
  readonly recorded?: Recorded;
  /** Of the prompt without its tools, as it was; counted when left out. */
  readonly promptTokens?: number;
  /** Made for this agent: they need to know it. */
  readonly ownTools?: (agent: Agent) => readonly AgentTool[];
  /** What to say after a round in which everything failed. */
  readonly reflect?: (state: SendState, signal: AbortSignal) => Promise<Reflected | undefined>;
  /** Ends whatever children still run. */
  readonly settleChildren?: () => Promise<void>;
}

export class Agent {
  readonly id: string;
  readonly conversation = new Conversation();
  readonly toolbox: Toolbox;
  readonly locks: ResourceLocks;
  readonly purse: Purse;
  readonly depth: number;
  /** The recall as it stands in this send. */
  recall = buildHarnessRuleRecallMessage();
  /** Found at the end of a send, with no request left to tell it: the next send begins with it. */
  untold: readonly ToldViolation[] = [];
  private readonly meter = new ContextMeter(() => this.conversation.tokens + this.prompt().tokens);
  private readonly begunCalls = new Set<string>();
  private readonly steering: string[] = [];
  private systemText:
    | { readonly version: number; readonly text: string; readonly tokens: number }
    | undefined;
  private readonly promptTokens: number;
  /** What this process goes under, until a row says so. */
  private unsaid: { readonly under?: Under } = {};
  private running: Send | undefined;
  private interrupted: Send | undefined;

  constructor(
    readonly options: AgentOptions,
    private readonly parts: AgentParts,
  ) {
    this.id = parts.id;
    this.depth = options.depth ?? 0;
    this.locks = parts.locks ?? new ResourceLocks();
    this.purse = parts.purse ?? new Purse();
    const own = parts.ownTools?.(this) ?? [];
    this.toolbox = new Toolbox([...options.tools, ...own], { lazy: options.config.toolLazy });
    this.promptTokens = parts.promptTokens ?? estimateTextTokens(systemPrompt(this.promptParts()));
    this.noteUnder(parts.rows);
    if (parts.rows.length === 0) this.journal.add(this.sessionRow());
    else this.takeUp(parts.rows);
  }

  get journal(): Journal {
    return this.parts.journal;
  }
  get artifacts(): AgentParts["artifacts"] {
    return this.parts.artifacts;
  }
  get recorded(): Recorded | undefined {
    return this.parts.recorded;
  }
  /** The send that runs, for tools that belong to it. */
  get current(): Send {
    if (this.running === undefined) throw new Error("no send is running");
    return this.running;
  }
  /** Whether the session ended in the middle of a send. */
  get isInterrupted(): boolean {
    return this.interrupted !== undefined;
  }
  get contextMax(): number {
    const { config, main } = this.options;
    return config.contextTokensMax > 0 ? config.contextTokensMax : main.contextTokens;
  }

  /** Runs until there is an answer; one at a time. */
  async send(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<SendResult> {
    if (this.running !== undefined) {
      throw new Failure("send_running", {
        message: "the agent is still at work on what it was asked before",
        hint: "Wait for it, stop it, or steer it.",
      });
    }
    if (this.interrupted !== undefined) await this.resume(signal === undefined ? {} : { signal });
    const send = new Send(this, text, signal ?? new AbortController().signal);
    this.running = send;
    send.emit({ type: "send", send: this.conversation.lastSend + 1, text, ...this.takeUnder() });
    return this.drive(send);
  }

  /** Goes on with a send that was interrupted; undefined when there is none. */
  async resume({ signal }: { readonly signal?: AbortSignal } = {}): Promise<SendResult | undefined> {
    const send = this.interrupted;
    if (send === undefined) return undefined;
    this.interrupted = undefined;
    this.running = send;
    if (signal?.aborted === true) send.stop();
    signal?.addEventListener("abort", () => send.stop(), { once: true });
    send.emit({ type: "resume", send: send.state.send, ...this.takeUnder() });
    return this.drive(send);
  }

  /** A word to the agent while it works: the model hears it before its next answer. */
  steer(text: string): void {
    this.journal.add({ type: "steer", send: this.conversation.lastSend, text });
    this.steering.push(text);
    this.running?.writing.now();
  }

  takeSteering(): string[] {
    return this.steering.splice(0);
  }

  async close(): Promise<void> {
    this.running?.stop();
    await this.parts.settleChildren?.();
    await this.journal.close();
  }

  private async drive(send: Send): Promise<SendResult> {
    try {
      if (this.parts.recall !== undefined) this.recall = this.parts.recall();
      else if (this.parts.stats !== undefined)
        this.recall = buildHarnessRuleRecallMessage(await this.parts.stats.violations());
      return await send.run();
    } finally {
      this.running = undefined;
    }
  }

  // --- For a send ----------------------------------------------------------------------------------

  /** The same in every round; only families that join change it. */
  get system(): string {
    return this.prompt().text;
  }
  /** Of the next request. */
  get contextTokens(): number {
    return this.meter.tokens;
  }

  apply(row: SessionRow): void {
    this.meter.apply(row);
    this.conversation.apply(row);
  }

  private prompt() {
    const { version } = this.toolbox;
    if (this.systemText?.version === version) return this.systemText;
    const families = this.toolbox
      .families()
      .map(({ name, active, tools }) => ({ name, active, says: tools.join(", ") }));
    const text = systemPrompt({ ...this.promptParts(), families });
    const specs = this.toolbox.offered.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const toolTokens = estimateTextTokens(familiesPart(families)) + estimateTextTokens(JSON.stringify(specs));
    this.systemText = { version, text, tokens: this.promptTokens + toolTokens };
    return this.systemText;
  }

  private promptParts() {
    const { persona, world, main, instructions } = this.options;
    return {
      world,
      model: main.model,
      ...(persona === undefined ? {} : { persona }),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** Whether the call had announced that it changes something. */
  begun(callId: string): boolean {
    return this.begunCalls.has(callId);
  }

  noteBegun(callId: string): void {
    this.begunCalls.add(callId);
  }

  /** The conversation made smaller; what it takes out stands in artifacts by then. */
  async compacted({ summary }: { readonly summary?: string }): Promise<Compacted> {
    const compacted = compact(this.conversation.messages, {
      keepRounds: this.options.config.hotRounds,
      ...(summary === undefined ? {} : { summary }),
    });
    for (const { text } of compacted.artifacts) await this.artifacts.put(text);
    return compacted;
  }

  async reflect(state: SendState, signal: AbortSignal): Promise<Reflected | undefined> {
    if (this.recorded !== undefined) return this.recorded.reflexion({ send: state.send, round: state.round });
    return this.parts.reflect?.(state, signal);
  }

  async settleChildren(): Promise<void> {
    await this.parts.settleChildren?.();
  }

  /** Once a send: what was broken, prevented and recalled. */
  async counted({ violations, preventions, recalled }: SendState): Promise<void> {
    await this.parts.stats?.add({
      violations: repeated(violations),
      preventions: repeated(preventions),
      injections: recalled ? Object.keys(HARNESS_RULES) : [],
    });
  }

  // --- Taking up a session -------------------------------------------------------------------------

  private sessionRow(): SessionRow {
    const { main, world } = this.options;
    return {
      type: "session",
      kind: sessionKind,
      id: this.id,
      model: main.model,
      harness: `${world.harness.name} ${world.harness.version}`,
      depth: this.depth,
      policies: policyDigests,
      ...this.takeUnder(),
    };
  }

  private noteUnder(rows: readonly SessionRow[]): void {
    if (this.recorded !== undefined) return;
    const under = underOf(this.options, this.promptTokens);
    if (!sameUnder(lastUnder(rows), under)) this.unsaid = { under };
  }

  /** For the next row that can say it; empty where it stands there already. */
  private takeUnder(): { readonly under?: Under } {
    if (this.recorded !== undefined) return this.recorded.under;
    const { unsaid } = this;
    this.unsaid = {};
    return unsaid;
  }

  private takeUp(rows: readonly SessionRow[]): void {
    let send: Send | undefined;
    for (const row of rows) {
      this.apply(row);
      if (row.type === "send") send = new Send(this, row.text, new AbortController().signal);
      if (row.type === "tool_call") this.begunCalls.add(row.callId);
      if (row.type === "steer") this.steering.push(row.text);
      if (row.type === "user" && row.origin === "steer") this.steering.shift();
      send?.again(row);
      if (row.type === "end") send = undefined;
    }
    this.interrupted = send;
  }
}

function* repeated(counts: ReadonlyMap<string, number>): Generator<string> {
  for (const [id, count] of counts) for (let i = 0; i < count; i++) yield id;
}
