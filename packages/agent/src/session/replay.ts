/**
 * A session carried out again from its log and the tape of its model: nothing
 * outside is asked or changed, and every row must come out as it stands there.
 */
import { canonicalJson, Failure } from "@bridle/record";
import { artifactId } from "../context/artifacts.js";
import { Agent, type AgentParts } from "../turn/agent.js";
import type { AgentOptions } from "../types.js";
import { asRecorded, MemoryJournal } from "./journal.js";
import { Recorded } from "./recorded.js";
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
  const journal = new MemoryJournal();
  const agent = new Agent(options, {
    id: session.id,
    journal,
    rows: [],
    artifacts: { put: async (text) => artifactId(text) },
    recorded: new Recorded(rows),
    ownTools,
  });
  for (const row of rows) if (row.type === "send") await agent.send(row.text);
  return compare(rows, journal.rows);
}

function compare(recorded: readonly SessionRow[], again: readonly SessionRow[]): Replayed {
  const count = Math.max(recorded.length, again.length);
  for (let row = 0; row < count; row++) {
    const left = rowAt(recorded, row);
    const right = rowAt(again, row);
    if (left === undefined || right === undefined || canonicalJson(left) !== canonicalJson(right)) {
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
