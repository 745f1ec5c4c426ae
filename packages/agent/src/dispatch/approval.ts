/**
 * Approval: who says yes to a call that can do harm.
 *
 * `safe` calls need nobody. `cautious` ones need a yes unless their tool is on the
 * list of the user; `destructive` ones always do, and so does a call of which its
 * tool says why it must be asked about. With nobody to ask the answer is no. What
 * was edited passes every stage before this one again.
 */
import type { AgentConfig } from "../config/table.js";
import type { ApprovalDecision, ApprovalRequest, Approver } from "../types.js";
import type { Call } from "./types.js";

export type Settled =
  | { readonly decision: "approve" }
  | { readonly decision: "edit"; readonly args: Call["args"] }
  | { readonly decision: "reject" | "timeout"; readonly reason: string };

export interface ApprovalDesk {
  readonly config: Pick<AgentConfig, "approvalTimeoutMs" | "autoApproveTools" | "yolo">;
  readonly approver: Approver | undefined;
  /** What was decided before, where nobody is to be asked. */
  readonly decided?: (callId: string) => Settled;
  readonly signal: AbortSignal;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Told before anybody is asked. */
  asked(request: ApprovalRequest): void | Promise<void>;
}

export function needsApproval({ tool, intent }: Call, config: ApprovalDesk["config"]): boolean {
  if (intent.risk === "safe" || config.yolo) return false;
  return intent.risk === "destructive" || !config.autoApproveTools.includes(tool.name);
}

/** Of a call that needs it; `because` is what its tool says beyond its intent. */
export async function settleApproval(call: Call, desk: ApprovalDesk, because?: string): Promise<Settled> {
  const { config, approver } = desk;
  const { intent } = call;
  const request: ApprovalRequest = {
    callId: call.id,
    tool: call.tool.name,
    args: call.args,
    intent: because === undefined ? intent : { ...intent, says: `${intent.says}; ${because}` },
    timeoutMs: config.approvalTimeoutMs,
  };
  if (desk.decided !== undefined) return desk.decided(call.id);
  if (approver === undefined) return { decision: "reject", reason: "nobody is there to approve it" };
  await desk.asked(request);
  return ask(request, approver, desk);
}

async function ask(request: ApprovalRequest, approver: Approver, desk: ApprovalDesk): Promise<Settled> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, desk.signal]);
  const decided: Promise<ApprovalDecision> = approver(request, signal).catch((error: unknown) => ({
    decision: "reject",
    reason: error instanceof Error ? error.message : String(error),
  }));
  const aborted = new Promise<Settled>((resolve) => {
    const stop = () => resolve({ decision: "reject", reason: "the turn was stopped" });
    if (desk.signal.aborted) stop();
    else desk.signal.addEventListener("abort", stop, { once: true, signal: over.signal });
  });
  const tooLate = desk.sleep(request.timeoutMs, signal).then((): Settled => ({
    decision: "timeout",
    reason: `nobody answered within ${request.timeoutMs / 1000} s`,
  }));
  try {
    return await Promise.race([decided, aborted, tooLate]);
  } finally {
    over.abort();
  }
}
