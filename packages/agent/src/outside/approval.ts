/**
 * Approval: who says yes to a call that can do harm.
 *
 * `safe` calls need nobody. `cautious` ones need a yes unless their tool is on the
 * list of the user; `destructive` ones always do, and so does a call of which its
 * tool says why it must be asked about. A command needs one when what it says it
 * needs is more than the user lets run unasked. With nobody to ask the answer is no. What
 * was edited passes every stage before this one again.
 */
import type { AgentConfig } from "../config/table.js";
import { type ApprovalDecision, type ApprovalRequest, type Approver, needs } from "../types.js";
import type { CheckedCall } from "./calls.js";
import type { Decision } from "./outside.js";

export interface ApprovalOptions {
  readonly config: Pick<AgentConfig, "approvalTimeoutMs">;
  readonly approver: Approver | undefined;
  /** Aborted when the turn is stopped. */
  readonly signal: AbortSignal;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Told before anybody is asked. */
  asked(request: ApprovalRequest): void | Promise<void>;
}

export function needsApproval(
  { tool, intent }: CheckedCall,
  config: Pick<AgentConfig, "autoApproveTools" | "shellUnasked" | "yolo">,
): boolean {
  if (config.yolo) return false;
  if (intent.needs !== undefined) return needs.indexOf(intent.needs) > needs.indexOf(config.shellUnasked);
  if (intent.risk === "safe") return false;
  return intent.risk === "destructive" || !config.autoApproveTools.includes(tool.name);
}

/** Asks about a call that needs it. `because` is what its tool says beyond its intent. */
export async function askPeople(
  call: CheckedCall,
  options: ApprovalOptions,
  because?: string,
): Promise<Decision> {
  const { config, approver } = options;
  const { intent } = call;
  const request: ApprovalRequest = {
    callId: call.id,
    tool: call.tool.name,
    args: call.args,
    intent: because === undefined ? intent : { ...intent, says: `${intent.says}; ${because}` },
    timeoutMs: config.approvalTimeoutMs,
    ...(because === undefined ? {} : { because }),
  };
  if (approver === undefined) return { decision: "reject", reason: "nobody is there to approve it" };
  await options.asked(request);
  return firstAnswer(request, approver, options);
}

/** Of the person, the end of the turn and the end of the time. */
async function firstAnswer(
  request: ApprovalRequest,
  approver: Approver,
  { signal: turn, sleep }: ApprovalOptions,
): Promise<Decision> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, turn]);
  const decided: Promise<ApprovalDecision> = approver(request, signal).catch((error: unknown) => ({
    decision: "reject",
    reason: error instanceof Error ? error.message : String(error),
  }));
  const stopped = new Promise<Decision>((resolve) => {
    const stop = () => resolve({ decision: "reject", reason: "the turn was stopped" });
    if (turn.aborted) stop();
    else turn.addEventListener("abort", stop, { once: true, signal: over.signal });
  });
  const tooLate = sleep(request.timeoutMs, signal).then((): Decision => ({
    decision: "timeout",
    reason: `nobody answered within ${request.timeoutMs / 1000} s`,
  }));
  try {
    return await Promise.race([decided, stopped, tooLate]);
  } finally {
    over.abort();
  }
}
