/**
 * How full the context is: what the provider counted for the last request, and by
 * estimate what came since.
 *
 * It is reduced from rows, so a resume and a replay read the same. Nothing here
 * walks the conversation.
 *
 * What a newcomer gets wrong: not every count is one. Servers that keep a cache of
 * their own may report only what they did not find there, and a request without
 * tools is smaller than the next one with them.
 */
import type { Usage } from "@bridle/model";
import type { SessionRow } from "../session/rows.js";

/** A count below this part of the estimate is not believed. */
const believedMin = 0.5;

export class ContextMeter {
  private closing = false;
  /** By how much the provider counted more than the estimate, for the last request. */
  private correction = 0;

  /** `estimate`: of the next request as the rows so far make it. */
  constructor(private readonly estimate: () => number) {}

  get tokens(): number {
    return this.estimate() + this.correction;
  }

  /** Contract: told each row before it changes the estimate. */
  apply(row: SessionRow): void {
    if (row.type === "request") this.closing = row.closing !== undefined;
    // The messages that the provider counted were replaced.
    else if (row.type === "compacted") this.correction = 0;
    else if (row.type === "assistant" && !this.closing) this.counted(requestTokens(row.usage));
  }

  private counted(tokens: number): void {
    const estimate = this.estimate();
    if (tokens >= estimate * believedMin) this.correction = tokens - estimate;
  }
}

function requestTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** `percent` is of `max`, rounded down. */
export function readContext({ tokens, max }: { readonly tokens: number; readonly max: number }) {
  const percent = max > 0 ? Math.floor((tokens * 100) / max) : 100;
  const status = percent >= 85 ? "CRITICAL" : percent >= 60 ? "HIGH" : "OK";
  return { tokens, max, percent, status } as const;
}
