/**
 * What "always" would mean for a call, widest first: a rule that is kept for this
 * folder, or a yes to a tool for this conversation. Empty where it is asked each
 * time: what can destroy something, commands without a wall, and what a tool wants
 * asked although it is approved in advance.
 */
import { allowRulesFor, type ApprovalRequest } from "@bridle/agent";
import { visibleLine } from "../agent/visible.js";

export interface Always {
  readonly letter: "a" | "x";
  /** As it is offered. */
  readonly choice: string;
  readonly means: "wide" | "exact" | "tool";
}

export function alwaysOf(request: ApprovalRequest): readonly Always[] {
  const { tool, intent, because } = request;
  if (intent.risk === "destructive" || because !== undefined) return [];
  if (intent.needs === undefined)
    return [{ letter: "a", choice: `[a]lways ${visibleLine(tool, 60)} in this conversation`, means: "tool" }];
  const [exact, wide] = allowRulesFor(request);
  if (exact === undefined) return [];
  if (wide === undefined) return [{ letter: "a", choice: "[a]lways here: exactly this", means: "exact" }];
  return [
    { letter: "a", choice: `[a]lways here: ${visibleLine(wide.command, 60)}`, means: "wide" },
    { letter: "x", choice: "e[x]actly this, always", means: "exact" },
  ];
}
