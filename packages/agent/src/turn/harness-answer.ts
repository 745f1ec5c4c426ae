/** What the harness says where the model said nothing: why the turn ended, what was done, what is left. */
import type { Plan } from "../types.js";

export interface Account {
  readonly because: string;
  readonly plan: Plan | undefined;
  readonly changed: readonly string[];
  readonly toolCalls: number;
  readonly lastError: string | undefined;
}

const changedShown = 12;

export function harnessAnswer({ because, plan, changed, toolCalls, lastError }: Account): string {
  const lines = [because];
  const done = plan?.steps.filter(({ status }) => status === "done") ?? [];
  const left = plan?.steps.filter(({ status }) => status !== "done") ?? [];
  if (done.length > 0) lines.push(`Done: ${done.map(({ title }) => title).join("; ")}.`);
  if (left.length > 0) lines.push(`Left: ${left.map(({ title }) => title).join("; ")}.`);
  if (changed.length > 0) {
    const more = changed.length - changedShown;
    lines.push(
      `Changed: ${changed.slice(0, changedShown).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    );
  }
  if (plan === undefined && changed.length === 0) {
    lines.push(
      toolCalls === 0 ? "Nothing was done." : `${toolCalls} tool calls were made; nothing was changed.`,
    );
  }
  if (lastError !== undefined) lines.push(`The last error: ${lastError}`);
  return lines.join("\n");
}
