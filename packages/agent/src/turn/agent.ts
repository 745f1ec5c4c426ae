/**
 * The agent: a session and its sends, one at a time.
 *
 *     const agent = await openAgent({ … });
 *     const { text } = await agent.send("Fix the failing test");
 *     await agent.close();
 */
import { Failure, present } from "@bridle/record";
import type { Conversation } from "../context/conversation.js";
import type { SessionRow } from "../session/rows.js";
import type { AgentOptions, AgentTool, Commitment, SendResult } from "../types.js";
import { Send } from "./send.js";
import { Session, type SessionParts } from "./session.js";
import type { Toolbox } from "./toolbox.js";

/** What an agent rests on, made by `openAgent` and by a replay. */
export interface AgentParts extends Omit<SessionParts, "options"> {
  /** What the journal holds already. */
  readonly rows: readonly SessionRow[];
  /** Tools that act on the agent itself, such as `plan` and `compress_context`. */
  readonly ownTools?: (agent: Agent) => readonly AgentTool[];
  /** Ends whatever children still run. */
  readonly settleChildren?: () => Promise<void>;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Make room before the first request, however much there is. */
  readonly compact?: true | undefined;
}

export class Agent {
  readonly id: string;
  readonly session: Session;
  private running: Send | undefined;
  /** Resolves when the last send is over, however it ended. */
  private driven: Promise<unknown> = Promise.resolve();
  private interrupted: Send | undefined;

  constructor(
    readonly options: AgentOptions,
    private readonly parts: AgentParts,
  ) {
    this.id = parts.id;
    this.session = new Session({ ...parts, options }, parts.ownTools?.(this) ?? []);
    if (parts.rows.length === 0) this.session.journal.add(this.session.sessionRow());
    else this.takeUp(parts.rows);
  }

  get conversation(): Conversation {
    return this.session.conversation;
  }
  get toolbox(): Toolbox {
    return this.session.toolbox;
  }
  /** Size of the next request, by estimate. */
  get contextTokens(): number {
    return this.session.contextStatus().tokens;
  }
  /** Size of the model's context window. */
  get contextMax(): number {
    return this.session.contextStatus().max;
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

  /** Runs until there is an answer; one at a time. */
  async send(text: string, { signal, compact: asked }: SendOptions = {}): Promise<SendResult> {
    if (this.interrupted !== undefined) await this.resume(present({ signal }));
    if (this.running !== undefined) {
      throw new Failure("send_running", {
        message: "the agent is still at work on what it was asked before",
        hint: "Wait for it, stop it, or steer it.",
      });
    }
    const ask = this.typed(text);
    const send = this.newSend(ask, signal);
    this.running = send;
    send.begin({
      ...{ type: "send", send: this.conversation.lastSend + 1, text: ask },
      ...present({ compact: asked }),
      ...this.session.settings(),
    });
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
    send.begin({ type: "resume", send: send.number, ...this.session.settings() });
    return this.drive(send);
  }

  /** A word to the agent while it works: the model hears it before its next answer. */
  steer(text: string): void {
    const row: SessionRow = { type: "steer", send: this.conversation.lastSend, text: this.typed(text) };
    this.session.journal.add(row);
    this.session.apply(row);
    this.running?.writing.now();
  }

  /** A person rules something out: paths, tools, or what commands may need. It holds from now on, in every send. */
  commit({ text, paths = [], tools = [], needs = [] }: Partial<Commitment>): Commitment {
    const commitment = { text: text ?? saidOf({ paths, tools, needs }), paths, tools, needs };
    const row: SessionRow = {
      ...{ type: "commitment", send: this.conversation.lastSend, from: "person" },
      ...commitment,
    };
    this.session.journal.add(row);
    this.session.apply(row);
    this.running?.writing.now();
    return commitment;
  }

  /** Stops what runs, and waits for its last rows. Contract: not awaited by whoever the send waits for, such as `onEvent`. */
  async close(): Promise<void> {
    this.running?.stop();
    await this.driven;
    await this.settleChildren();
    await this.session.journal.close();
  }

  /** A key that a person typed is neither written down nor sent to the model. */
  private typed(text: string): string {
    return this.options.secrets?.hideTyped(text) ?? text;
  }

  private drive(send: Send): Promise<SendResult> {
    const driven = send.run().finally(() => {
      this.running = undefined;
    });
    this.driven = driven.catch(() => {});
    return driven;
  }

  private newSend(ask: string, signal = new AbortController().signal): Send {
    return new Send(this.session, { ask, signal, settleChildren: () => this.settleChildren() });
  }

  private async settleChildren(): Promise<void> {
    await this.parts.settleChildren?.();
  }

  /** What the rows of other processes say; a send without its end was interrupted. */
  private takeUp(rows: readonly SessionRow[]): void {
    let send: Send | undefined;
    for (const row of rows) {
      this.session.apply(row);
      if (row.type === "send") send = this.newSend(row.text);
      send?.takeUp(row);
      if (row.type === "end") send = undefined;
    }
    this.interrupted = send;
  }
}

/** A commitment without words, in words. */
function saidOf({ paths, tools, needs }: Omit<Commitment, "text">): string {
  return [
    ...(paths.length === 0 ? [] : [`${paths.join(", ")} stays as it is`]),
    ...(tools.length === 0 ? [] : [`${tools.join(", ")} is not called`]),
    ...(needs.length === 0 ? [] : [`no command needs ${needs.join(", ")}`]),
  ].join("; ");
}
