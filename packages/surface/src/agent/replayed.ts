/** What `bridle agent replay` answers: what came out the same, or the first row that did not, with both values. */
import { type Difference, replayConversation, type ReplayFlags, type SessionRow } from "@bridle/agent";
import { recordedForeignTools } from "@bridle/extensions";
import type { Call } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import { recordedTools } from "@bridle/tools";
import { harness, osName } from "./open.js";
import { visibleJson } from "./visible.js";

export interface ReplayAnswer {
  readonly action: "agent.replay";
  readonly session: string;
  readonly rows: number;
  readonly asks: number;
  readonly answers: number;
  readonly calls: number;
  readonly unfinished: boolean;
  readonly requestsCompared: boolean;
}

export async function replayed(flags: ReplayFlags, call: Call): Promise<ReplayAnswer | Refusal> {
  const { session, rows, difference, ...rest } = await replayConversation({
    ...{ call, flags, os: osName() },
    toolsFor: ({ workspace: root, home, defined }, ports) => [
      ...recordedTools({ root, ports, ...(home === undefined ? {} : { home }) }),
      ...recordedForeignTools(defined),
    ],
  });
  if (difference !== undefined) return differs(session, rows, difference);
  const count = (type: SessionRow["type"]) => rows.filter((row) => row.type === type).length;
  return {
    action: "agent.replay",
    session,
    rows: rows.length,
    asks: count("send"),
    answers: count("assistant"),
    calls: count("tool_result"),
    ...rest,
  };
}

function differs(session: string, rows: readonly SessionRow[], difference: Difference): Refusal {
  const { row, type, path, because } = difference;
  const { recorded, again } = clipped(difference);
  const where = `row ${row} of ${session}${type === undefined ? "" : ` (${type})`}`;
  const what =
    difference.again === undefined && path === "(the row)"
      ? `it does not come out any more${because === undefined ? "" : `: ${because}`}`
      : `${path} is ${recorded} in the log, and ${again} now`;
  return refuse("replay_differs", {
    message: `${where} comes out otherwise: ${what}`,
    hint: hintFor(rows),
    detail: { session, row, ...(type === undefined ? {} : { type }), path, recorded, again },
  });
}

function hintFor([session]: readonly SessionRow[]): string {
  const { name, version } = harness();
  const now = `${name} ${version}`;
  const then = session?.type === "session" ? session.harness : now;
  return then === now
    ? "The log was changed since it was written, or the program was."
    : `It was recorded by ${then}, and this is ${now}, which may do it otherwise; or the log was changed.`;
}

const charsMax = 100;
const charsBefore = 30;

/** Both cut to where they begin to differ. */
function clipped({ recorded, again }: Difference): { readonly recorded: string; readonly again: string } {
  const [left, right] = [shown(recorded), shown(again)];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const from = same <= charsMax - charsBefore ? 0 : same - charsBefore;
  const cut = (text: string) =>
    `${from === 0 ? "" : "…"}${text.slice(from, from + charsMax)}${text.length > from + charsMax ? "…" : ""}`;
  return { recorded: cut(left), again: cut(right) };
}

function shown(value: unknown): string {
  return value === undefined ? "not there" : visibleJson(value);
}
