/**
 * A session carried out again from its log: nothing outside is asked or changed,
 * and every row must come out as it stands there.
 *
 * It is stopped where the session was stopped, and where a process was killed and
 * another took up the session, so does a new agent here; and so it does where the
 * session was resumed with other settings.
 */
import { Failure } from "@bridle/record";
import { artifactId } from "../context/artifacts.js";
import { Agent, type AgentParts } from "../turn/agent.js";
import type { AgentOptions } from "../types.js";
import { asRecorded } from "../session/journal.js";
import { recordedOwnTools } from "./own-tools.js";
import { RecordedOutside } from "./recorded.js";
import { BrokenAgain, Differs, Killed, ReplayJournal } from "./replay-journal.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import { requireSettings } from "../session/settings.js";

/** What an agent is opened with, as when it was recorded. */
export interface Opening extends Required<Pick<AgentParts, "ownTools">>, Pick<AgentParts, "promptTokens"> {
  readonly options: AgentOptions;
}

export interface ReplayOptions {
  readonly rows: readonly SessionRow[];
  /** Asked for each process of the session; `recorded` stands before its first row. */
  open(recorded: RecordedOutside): Opening;
  /** Ends at the first row that comes out otherwise; see replay-journal.ts. */
  readonly strict?: boolean;
}

export interface Replayed {
  readonly rows: number;
  /** The first row that came out otherwise. */
  readonly difference?: Difference;
}

export interface Difference {
  readonly row: number;
  /** As recorded. */
  readonly type?: SessionRow["type"];
  readonly path: string;
  readonly recorded: unknown;
  readonly again: unknown;
  /** Why it came to no row at all, where that is known. */
  readonly because?: string;
}

/** Throws a `Failure` when the log cannot be one of a session. */
export function sessionOf(rows: readonly SessionRow[]): RowOf<"session"> {
  const [session] = rows;
  if (session?.type !== "session")
    throw new Failure("session_damaged", { message: "the log does not begin with the row of a session" });
  return session;
}

/** The session again, from its log and the tape that `main.call` replays; nothing outside is asked or changed. */
export async function replayAgent(
  options: AgentOptions & { readonly rows: readonly SessionRow[] },
): Promise<Replayed> {
  requireSettings(sessionOf(options.rows).under);
  const opening = { options, ownTools: recordedOwnTools(options) };
  return replaySession({ rows: options.rows, open: () => opening });
}

export async function replaySession({ rows, open, strict = false }: ReplayOptions): Promise<Replayed> {
  const { id } = sessionOf(rows);
  const recorded = new RecordedOutside(rows);
  const journal = new ReplayJournal(recorded, strict);
  const artifacts = { put: async (text: string) => artifactId(text) };
  const newAgent = () => {
    const { options, ...parts } = open(recorded);
    return new Agent(options, {
      id,
      journal,
      rows: [...journal.rows],
      artifacts,
      outside: recorded,
      ...parts,
    });
  };
  try {
    await carryOut(newAgent, recorded, journal);
    return compare(rows, journal.rows);
  } catch (error) {
    if (error instanceof Differs) return compare(rows, journal.rows);
    if (!(error instanceof Failure)) throw strict ? noRow(error, recorded.written) : error;
    if (error.failureClass !== "replay_differs") throw error;
    return compare(rows, journal.rows, error.message);
  }
}

/** Nothing runs and nobody is asked, so it is a row that nobody could have written. */
function noRow(error: unknown, written: number): Failure {
  return new Failure("session_damaged", {
    message: `row ${written + 1} cannot be carried out again: ${error instanceof Error ? error.message : String(error)}`,
    hint: "It, or a row before it, is not as a session writes it.",
    cause: error,
  });
}

/** As far as the session came, or until a row came out so that nothing can follow. */
async function carryOut(
  newAgent: () => Agent,
  recorded: RecordedOutside,
  journal: ReplayJournal,
): Promise<void> {
  let agent = newAgent();
  for (let before = -1; before !== recorded.written;) {
    before = recorded.written;
    const { next } = recorded;
    if (next?.type !== "send" && next?.type !== "resume") return;
    if (journal.killed || next.under !== undefined) {
      journal.goOn();
      agent = newAgent();
    }
    try {
      if (next.type === "send") await agent.send(next.text, { compact: next.compact });
      else await agent.resume();
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof BrokenAgain)) throw error;
    }
  }
}

function compare(recorded: readonly SessionRow[], again: readonly SessionRow[], because?: string): Replayed {
  const count = Math.max(recorded.length, again.length);
  for (let row = 0; row < count; row++) {
    const left = rowAt(recorded, row);
    const right = rowAt(again, row);
    if (JSON.stringify(left) === JSON.stringify(right)) continue;
    const type = recorded[row]?.type;
    const difference = {
      row: row + 1,
      ...(type === undefined ? {} : { type }),
      ...firstDifference(left, right),
      ...(because === undefined || right !== undefined ? {} : { because }),
    };
    return { rows: again.length, difference };
  }
  return { rows: count };
}

function rowAt(rows: readonly SessionRow[], at: number) {
  const row = rows[at];
  return row === undefined ? undefined : asRecorded(row);
}

function firstDifference(
  left: unknown,
  right: unknown,
  path = "",
): { path: string; recorded: unknown; again: unknown } {
  if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (JSON.stringify(left[name]) !== JSON.stringify(right[name]))
        return firstDifference(left[name], right[name], path === "" ? name : `${path}.${name}`);
    }
  }
  return { path: path === "" ? "(the row)" : path, recorded: left, again: right };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
