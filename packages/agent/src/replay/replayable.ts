/**
 * Whether a log can be replayed by this version.
 *
 * The first versions took commands, plans and sentences to mean something, and rules
 * and commitments followed from that. Nobody reads it out of them any more, so such a
 * log is refused by the number of its row, before a replay differs for no reason that
 * anybody sees. It can be resumed and read all the same.
 */
import { Failure } from "@bridle/record";
import type { SessionRow } from "../session/rows.js";
import { settingsIn } from "../session/settings.js";

/** Detectors that read prose, and are no more. */
const detectorsGone = new Set([
  ...["R-GREP-BEFORE-REFACTOR", "R-MEMORY-FIRST-IDENTITY", "R-MEMORY-SCOPE", "R-SEQ-SETUP"],
  "R-SYNTHESIZE-VARY",
]);

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
      hint: "It can be resumed, and read. To replay it, use that version.",
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
