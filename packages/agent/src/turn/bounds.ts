/** The bounds of a send itself, beside those of a plan: rounds, time, cost. 0 is no limit but for rounds, which have one. */
import type { AgentConfig } from "../config/table.js";
import type { EndReason } from "../types.js";

export interface Bound {
  readonly reason: EndReason;
  readonly message: string;
}

export function sendBound(
  spent: { readonly rounds: number; readonly elapsedMs: number; readonly costUsd: number },
  { roundsMax, sendTimeoutMs, costMaxUsd }: Pick<AgentConfig, "roundsMax" | "sendTimeoutMs" | "costMaxUsd">,
): Bound | undefined {
  if (spent.rounds >= roundsMax)
    return { reason: "round_cap", message: `the turn has used its ${roundsMax} rounds` };
  if (sendTimeoutMs > 0 && spent.elapsedMs >= sendTimeoutMs)
    return { reason: "timeout", message: `the turn has used its ${sendTimeoutMs / 1000} s` };
  if (costMaxUsd > 0 && spent.costUsd >= costMaxUsd)
    return { reason: "cost_cap", message: `the turn has cost its ${costMaxUsd} US dollars` };
  return undefined;
}
