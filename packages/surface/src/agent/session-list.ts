/** Sessions as a list for a person. */
import type { SessionFacts } from "@bridle/agent";
import { columns, type Paint } from "@bridle/operation";
import { formatSeconds } from "@bridle/record";
import { visibleLine } from "./visible.js";

export function sessionLines(sessions: readonly SessionFacts[], paint: Paint): string[] {
  if (sessions.length === 0) return ["  There is no session here yet."];
  return columns(
    sessions.map(({ id, changedMs, sends, ended, firstAsk }) => [
      paint.strong(id),
      formatSeconds(changedMs),
      `${sends} ask${sends === 1 ? "" : "s"}`,
      ended === "ok" ? paint.good(ended) : paint.note(ended),
      visibleLine(firstAsk, 60),
    ]),
  );
}
