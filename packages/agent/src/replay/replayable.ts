/**
 * Whether a log says enough to be replayed.
 *
 * Logs of older versions have no rows that say where a send was stopped, broke down
 * or was resumed. They can be resumed, but not replayed: it is said here, before a
 * replay goes wrong somewhere for no reason that anybody sees. A log that states its
 * settings has all of these rows.
 */
import { Failure } from "@bridle/record";
import type { SessionRow } from "../session/rows.js";

export function requireReplayable(rows: readonly SessionRow[]): void {
  let told = new Set<SessionRow["type"]>();
  let open = false;
  for (const [at, row] of rows.entries()) {
    if (row.type === "send") told = new Set();
    if (row.type === "send" || row.type === "assistant" || row.type === "stop") open = false;
    const why = open && row.type === "request" ? "a request that was given up" : unexplained(row, told);
    if (why !== undefined) throw unreplayable(at + 1, why);
    if (row.type === "request") open = true;
    told.add(row.type);
  }
}

/** What the row tells that the rows before it in its send do not account for. */
function unexplained(row: SessionRow, told: ReadonlySet<SessionRow["type"]>): string | undefined {
  if (told.has("stop")) return undefined;
  if (row.type === "end") {
    if (row.reason === "cancelled") return "a send that was stopped";
    return row.refusal?.["refused"] === "internal_error" ? "a send that broke down" : undefined;
  }
  if (row.type !== "tool_result") return undefined;
  if (row.code === "stopped") return "a call that was stopped";
  // With arguments it is the answer of a tool that looked itself.
  const doubt = row.code === "in_doubt" && row.args === undefined && !told.has("resume");
  return doubt ? "a call that is in doubt" : undefined;
}

function unreplayable(row: number, what: string): Failure {
  return new Failure("session_unreplayable", {
    message: `row ${row} of the session is of ${what}, and no row before it says where that came`,
    hint: "It was recorded by an older version: it can be gone on with, and read, but not replayed.",
  });
}
