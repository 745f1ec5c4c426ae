/** How a conversation ended: what was asked last, and what was answered. */
import { sessionPath, readRows } from "@bridle/agent";
import type { Ports } from "@bridle/record";
import type { OpenedAgent } from "../agent/open.js";

export interface LastExchange {
  readonly sends: number;
  readonly asked: string;
  /** Left out where the log ends before it. */
  readonly answer?: string;
  /** How the turn ended. */
  readonly reason?: string;
}

/** Undefined where nothing was asked yet. */
export async function lastExchange(
  { agent, workspace }: OpenedAgent,
  ports: Ports,
): Promise<LastExchange | undefined> {
  const rows = await readRows(sessionPath(workspace, agent.id), ports);
  const asks = rows.filter((row) => row.type === "send");
  const last = asks.at(-1);
  if (last === undefined) return undefined;
  const end = rows.findLast((row) => row.type === "end" && row.send === last.send);
  const answered = end?.type === "end" ? { answer: end.text, reason: end.reason } : {};
  return { sends: asks.length, asked: last.text, ...answered };
}
