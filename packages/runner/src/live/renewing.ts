/**
 * A step's lease, kept while something takes long: work, set-up, checks. It is renewed at a third of its time, so that
 * two renewals may fail before it ends.
 */
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import type { Begun } from "../types.js";
import type { WorkerContext } from "./context.js";

export function renewLease(
  { claimed: { issueId: id, leaseId, fence } }: Begun,
  { issues, worker, leaseTtlSeconds }: WorkerContext,
): Promise<JsonObject | Refusal> {
  return issues.call("issue.lease_renew", { id, assignee: worker, leaseId, fence, leaseTtlSeconds });
}

/** `act` is told by its signal when the issue is somebody else's by now. */
export async function whileRenewing<Answer>(
  step: Begun,
  context: WorkerContext,
  act: (lost: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const lost = new AbortController();
  const renewing = keepRenewing(step, context, over.signal, lost);
  try {
    return await act(lost.signal);
  } finally {
    over.abort();
    await renewing;
  }
}

async function keepRenewing(
  step: Begun,
  context: WorkerContext,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  const everyMs = (context.leaseTtlSeconds * 1_000) / 3;
  for (;;) {
    await context.ports.clock.sleep(everyMs, over);
    if (over.aborted) return;
    // A memory that cannot be reached now may be reached in time; only a clear no ends the work.
    const answer = await renewLease(step, context).catch(() => ({}));
    if (isRefusal(answer) && answer.refused === "lease_fence_stale") return lost.abort();
  }
}
