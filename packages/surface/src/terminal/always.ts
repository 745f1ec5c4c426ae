/**
 * What "always" would mean for a call: a rule that is kept for this folder, or a
 * yes to a tool for this conversation. Undefined where it is asked each time: what
 * can destroy something, commands without a wall, and what a tool wants asked although
 * it is approved in advance.
 */
import type { ApprovalRequest } from "@bridle/agent";

export interface Always {
  readonly kind: "rule" | "tool";
  /** As it is offered. */
  readonly choice: string;
}

export function alwaysOf({ tool, intent, because }: ApprovalRequest): Always | undefined {
  if (intent.risk === "destructive" || intent.needs === "host" || because !== undefined) return undefined;
  return { kind: "tool", choice: `[a]lways ${tool} in this conversation` };
}
