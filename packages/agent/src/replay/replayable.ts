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
import { settingsIn } from "../session/settings.js";

/** Detectors that read prose, and are no more. */
const detectorsGone = new Set([
  ...[
    "R-GREP-BEFORE-REFACTOR",
    "R-MEMORY-FIRST-IDENTITY",
    "R-MEMORY-SCOPE",
    "R-SEQ-SETUP",
    "R-SYNTHESIZE-VARY",
  ],
]);

/**
 * Refuses a log of before the rules went by structure when something in it followed from
 * what commands and sentences were taken to mean: nobody reads that out of them any more.
 */
export function requireStructure(rows: readonly SessionRow[]): void {
  const [session] = rows;
  if (session?.type !== "session") return;
  let isOld = session.under?.rules === undefined;
  for (const [at, row] of rows.entries()) {
    const under = settingsIn(row);
    if (under !== undefined) isOld = under.rules === undefined;
    const what = isOld ? guessed(row) : undefined;
    if (what === undefined) continue;
    throw new Failure("session_unreplayable", {
      message: `row ${at + 1} of the session is ${what}, and the session was recorded by ${session.harness}, which judged those by their words`,
      hint: "It can be gone on with, and read. To replay it, use that version.",
    });
  }
}

function guessed(row: SessionRow): string | undefined {
  if (row.type === "tool_result" && row.tool === "run_shell") return "the result of a command";
  if (row.type === "violation" && detectorsGone.has(row.rule)) return `a finding of ${row.rule}`;
  const planned = row.type === "tool_result" && row.tool === "plan" ? row.args?.["commitments"] : undefined;
  const given = planned ?? settingsIn(row)?.commitments;
  return Array.isArray(given) && given.length > 0 ? "of a commitment in words" : undefined;
}

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
