/**
 * A session carried out again from its log and the tape of its model: nothing
 * outside is asked or changed, and every row must come out as it stands there.
 *
 * It is stopped where the session was stopped, and where a process was killed and
 * another took up the session, so does a new agent here.
 */
import { Failure } from "@bridle/record";
import { artifactId } from "../context/artifacts.js";
import { Agent, type AgentParts } from "../turn/agent.js";
import type { AgentOptions } from "../types.js";
import { asRecorded } from "./journal.js";
import { Recorded } from "./recorded.js";
import { BrokenAgain, Killed, ReplayJournal } from "./replay-journal.js";
import { requireReplayable } from "./replayable.js";
import type { SessionRow } from "./rows.js";

export interface ReplayOptions extends AgentOptions {
  readonly rows: readonly SessionRow[];
  /** As when it was recorded. */
  readonly ownTools: NonNullable<AgentParts["ownTools"]>;
}

export interface Replayed {
  readonly rows: number;
  /** The first row that came out otherwise. */
  readonly difference?: {
    readonly row: number;
    readonly path: string;
    readonly recorded: unknown;
    readonly again: unknown;
  };
}

export async function replaySession({ rows, ownTools, ...options }: ReplayOptions): Promise<Replayed> {
  const [session] = rows;
  if (session?.type !== "session")
    throw new Failure("session_damaged", { message: "the log does not begin with the row of a session" });
  requireReplayable(rows);
  const recorded = new Recorded(rows);
  const journal = new ReplayJournal(recorded);
  const open = () =>
    new Agent(options, {
      id: session.id,
      journal,
      rows: [...journal.rows],
      artifacts: { put: async (text) => artifactId(text) },
      recorded,
      ownTools,
    });
  for (;;) {
    await goOn(open(), recorded, journal);
    if (!journal.killed) return compare(rows, journal.rows);
    journal.goOn();
  }
}

/** As far as this process came, or until a row came out so that nothing can follow. */
async function goOn(agent: Agent, recorded: Recorded, journal: ReplayJournal): Promise<void> {
  for (let before = -1; before !== recorded.written && !journal.killed;) {
    before = recorded.written;
    const { next } = recorded;
    try {
      if (next?.type === "send") await agent.send(next.text);
      else if (next?.type === "resume") await agent.resume();
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof BrokenAgain)) throw error;
    }
  }
}

function compare(recorded: readonly SessionRow[], again: readonly SessionRow[]): Replayed {
  const count = Math.max(recorded.length, again.length);
  for (let row = 0; row < count; row++) {
    const left = rowAt(recorded, row);
    const right = rowAt(again, row);
    if (JSON.stringify(left) !== JSON.stringify(right)) {
      return { rows: again.length, difference: { row: row + 1, ...firstDifference(left, right) } };
    }
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
