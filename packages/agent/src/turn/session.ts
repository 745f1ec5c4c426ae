/**
 * What a session holds for all of its sends: the conversation, the tools that are
 * offered, the prompt, how full the context is, and what stands outside.
 *
 * What a newcomer gets wrong: all of it is reduced from the rows of the log. `apply`
 * is told every row, when it is written and again when the session is taken up.
 */
import { present } from "@bridle/record";
import { type Artifacts } from "../context/artifacts.js";
import { compact, type Compacted } from "../context/compact.js";
import { Conversation } from "../context/conversation.js";
import { ContextMeter } from "../context/meter.js";
import { estimateTextTokens } from "../context/tokens.js";
import { ResourceLocks } from "../dispatch/resource-locks.js";
import type { Outside } from "../outside/outside.js";
import { familiesPart, systemPrompt } from "../prompt/system.js";
import type { Journal } from "../session/journal.js";
import { policyDigests } from "../session/policies.js";
import { commitmentOf, type RowOf, sessionKind, type SessionRow } from "../session/rows.js";
import { type SessionSettings, settingsOf } from "../session/settings.js";
import type { AgentOptions, AgentTool, Commitment } from "../types.js";
import type { ToldViolation } from "./state.js";
import { Toolbox } from "./toolbox.js";

export interface SessionParts {
  readonly id: string;
  readonly options: AgentOptions;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly outside: Outside;
  /** Shared by everybody who works in the workspace. */
  readonly locks?: ResourceLocks;
  /** Size of the prompt without its tools, as a log states it; estimated when left out. */
  readonly promptTokens?: number;
}

interface Prompt {
  /** Of the toolbox: the prompt names the families that are active. */
  readonly version: number;
  readonly text: string;
  readonly tokens: number;
}

export class Session {
  readonly id: string;
  readonly options: AgentOptions;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly outside: Outside;
  readonly locks: ResourceLocks;
  readonly depth: number;
  readonly conversation = new Conversation();
  readonly toolbox: Toolbox;
  /** Found at the end of a send, with no request left to tell it: the next send begins with it. */
  untold: readonly ToldViolation[] = [];
  private readonly meter = new ContextMeter(() => this.conversation.tokens + this.prompt().tokens);
  private readonly begunCalls = new Set<string>();
  private readonly promptTokens: number;
  private lastPrompt: Prompt | undefined;
  private steeringWaits: string[] = [];
  private readonly saidCommitments: Commitment[] = [];

  constructor(parts: SessionParts, ownTools: readonly AgentTool[]) {
    const { options } = parts;
    this.id = parts.id;
    this.options = options;
    this.journal = parts.journal;
    this.artifacts = parts.artifacts;
    this.outside = parts.outside;
    this.locks = parts.locks ?? new ResourceLocks();
    this.depth = options.depth ?? 0;
    this.toolbox = new Toolbox([...options.tools, ...ownTools], { lazy: options.config.toolLazy });
    this.promptTokens = parts.promptTokens ?? estimateTextTokens(systemPrompt(this.promptParts()));
  }

  apply(row: SessionRow): void {
    this.meter.apply(row);
    this.conversation.apply(row);
    if (row.type === "tool_call") this.begunCalls.add(row.callId);
    if (row.type === "steer") this.steeringWaits.push(row.text);
    if (row.type === "user" && row.origin === "steer") this.steeringWaits.shift();
    if (row.type === "commitment") this.saidCommitments.push(commitmentOf(row));
  }

  /** The first row of its log. */
  sessionRow(): RowOf<"session"> {
    const { main, world } = this.options;
    return {
      type: "session",
      kind: sessionKind,
      id: this.id,
      model: main.model,
      harness: `${world.harness.name} ${world.harness.version}`,
      depth: this.depth,
      policies: policyDigests,
      ...this.settings(),
    };
  }

  /** For the row of a session, a send or a resume; empty where the log states the same already. */
  settings(): { readonly under?: SessionSettings } {
    return this.outside.settings(settingsOf(this.options, this.promptTokens));
  }

  /** What the user said meanwhile and the model was not told. */
  get steering(): readonly string[] {
    return this.outside.steering(this.steeringWaits);
  }

  /** What a person has ruled out, in this send and in those before. */
  get commitments(): readonly Commitment[] {
    return this.outside.commitments(this.saidCommitments);
  }

  /** Whether the call had announced that it changes something. */
  hasBegun(callId: string): boolean {
    return this.begunCalls.has(callId);
  }

  /** The system prompt: the same in every round; only families that join change it. */
  get system(): string {
    return this.prompt().text;
  }

  /** Of the next request, by estimate, and of the model's window. */
  contextStatus(): { readonly tokens: number; readonly max: number } {
    const { config, main } = this.options;
    const max = config.contextTokensMax > 0 ? config.contextTokensMax : main.contextTokens;
    return { tokens: this.meter.tokens, max };
  }

  /** The conversation made smaller; what it takes out stands in artifacts by then. */
  async compacted({ summary }: { readonly summary?: string }): Promise<Compacted> {
    const { hotRounds: keepRounds } = this.options.config;
    const compacted = compact(this.conversation.messages, { keepRounds, ...present({ summary }) });
    for (const { text } of compacted.artifacts) await this.artifacts.put(text);
    return compacted;
  }

  private prompt(): Prompt {
    const { version } = this.toolbox;
    if (this.lastPrompt?.version === version) return this.lastPrompt;
    const families = this.toolbox
      .families()
      .map(({ name, active, tools }) => ({ name, active, says: tools.join(", ") }));
    const specs = this.toolbox.offered.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const toolTokens = estimateTextTokens(familiesPart(families)) + estimateTextTokens(JSON.stringify(specs));
    const text = systemPrompt({ ...this.promptParts(), families });
    this.lastPrompt = { version, text, tokens: this.promptTokens + toolTokens };
    return this.lastPrompt;
  }

  private promptParts() {
    const { persona, world, main, instructions } = this.options;
    return { world, model: main.model, ...present({ persona, instructions }) };
  }
}
