/**
 * How full the context is, kept up as messages come.
 *
 * What a newcomer gets wrong: nothing here walks the conversation. A message is
 * estimated once, when it is added; only a compaction counts anew.
 */
import type { Message } from "@bridle/model";
import { estimateTokens } from "./tokens.js";

export type ContextStatus = "OK" | "HIGH" | "CRITICAL";

export interface ContextReading {
  readonly tokens: number;
  readonly max: number;
  /** Of `max`, rounded down. */
  readonly percent: number;
  readonly status: ContextStatus;
}

export class ContextMeter {
  private count: number;

  /** `base`: tokens of what every request has besides its messages. */
  constructor(private readonly base = 0) {
    this.count = base;
  }

  get tokens(): number {
    return this.count;
  }

  add(message: Message): void {
    this.count += estimateTokens(message);
  }

  /** What the provider counted for a request with everything that was added so far. */
  counted(tokens: number): void {
    this.count = tokens;
  }

  /** The conversation is another one now: after a compaction, or when a session is resumed. */
  restart(messages: readonly Message[]): void {
    this.count = this.base + tokensOf(messages);
  }
}

export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

export function readContext({
  tokens,
  max,
}: {
  readonly tokens: number;
  readonly max: number;
}): ContextReading {
  const percent = max > 0 ? Math.floor((tokens * 100) / max) : 100;
  const status = percent >= 85 ? "CRITICAL" : percent >= 60 ? "HIGH" : "OK";
  return { tokens, max, percent, status };
}
