/**
 * A piece of work, tried as often as the retry policy allows, with its pauses.
 *
 * It ends in a success or in a decision to escalate, and in nothing between: what failed without a
 * word of why has failed all the same. Pauses pass on the clock that is handed in, so a test or a
 * replay takes no time.
 */
import type { Clock } from "@bridle/record";
import { decideRetry, type RetryDecision } from "./retry-decision.js";
import type { RetryPolicy } from "./retry-policy.js";

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  /** Classes in the order in which they were found; none where nobody said why. */
  | { readonly ok: false; readonly failureClasses: readonly string[] };

export type Attempts<Value> =
  | { readonly ok: true; readonly value: Value; readonly history: readonly RetryDecision[] }
  /** The last decision says how to escalate; it is missing only where the signal ended the pause. */
  | { readonly ok: false; readonly history: readonly RetryDecision[]; readonly escalate?: RetryDecision };

export interface AttemptOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export async function attempts<Value>(
  work: (attempt: number) => Promise<Attempt<Value>>,
  { policy, clock, signal }: AttemptOptions,
): Promise<Attempts<Value>> {
  const history: RetryDecision[] = [];
  for (let attempt = 1; ;) {
    const ended = await work(attempt);
    if (ended.ok) return { ...ended, history };
    const decision = decideRetry(policy, { failureClasses: ended.failureClasses, attempt });
    history.push(decision);
    if (!decision.retry) return { ok: false, history, escalate: decision };
    await clock.sleep(decision.backoffMs, signal);
    if (signal?.aborted === true) return { ok: false, history };
    if (decision.costsAttempt) attempt++;
  }
}
