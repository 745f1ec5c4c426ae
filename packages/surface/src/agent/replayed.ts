/** A session of a folder, found, read and carried out again; nothing but its log and a tape is looked at. */
import { isAbsolute, join } from "node:path";
import {
  type Difference,
  replayLog,
  type ReplayLogOptions,
  sessionPath,
  type SessionRow,
} from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { Failure, refuse, type Refusal } from "@bridle/record";
import { recordedTools } from "@bridle/tools";
import { loadManifest } from "../manifest/load.js";
import { readOnly } from "./read-only.js";
import { findSession, readRows } from "./sessions.js";
import { visibleJson } from "./visible.js";
import { workspaceOf } from "./workspace.js";

export interface ReplayFlags {
  readonly session?: string;
  readonly workspace?: string;
  readonly tape?: string;
  readonly persona?: string;
}

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

export async function replayed(flags: ReplayFlags, given: Call): Promise<ReplayAnswer | Refusal> {
  const call: Call = { ...given, ports: readOnly(given.ports) };
  const { ports, signal } = call;
  const workspace = await workspaceOf(call, flags);
  const hint = "a child's name is that of its parent, a dot and its own.";
  const session = await findSession(flags.session ?? "last", { workspace, ports, hint, children: true });
  const rows = await readRows(sessionPath(workspace, session), ports);
  call.progress({ doing: `replaying ${session}` });
  const tape = flags.tape === undefined ? undefined : await spokenBy(flags.tape, flags, { call, workspace });
  const { difference } = await replayLog({
    ...{ ports, rows, signal },
    toolsFor: ({ workspace: root, home }) =>
      recordedTools({ root, ports, ...(home === undefined ? {} : { home }) }),
    ...tape?.speaks,
  });
  if (difference !== undefined) return differs(session, rows, difference);
  tape?.finish(session);
  const count = (type: SessionRow["type"]) => rows.filter((row) => row.type === type).length;
  const last = rows.findLast(({ type }) => type !== "steer");
  return {
    action: "agent.replay",
    session,
    rows: rows.length,
    asks: count("send"),
    answers: count("assistant"),
    calls: count("tool_result"),
    unfinished: last?.type !== "end" && last?.type !== "session",
    requestsCompared: tape !== undefined,
  };
}

// --- The tape --------------------------------------------------------------------------------------

interface Spoken {
  readonly speaks: Pick<ReplayLogOptions, "call" | "prompt">;
  finish(session: string): void;
}

async function spokenBy(
  given: string,
  { persona }: ReplayFlags,
  { call, workspace }: { readonly call: Call; readonly workspace: string },
): Promise<Spoken> {
  const { ports, env, cwd } = call;
  const { modelTools, TapeReplay } = await import("@bridle/model");
  const { osName, personaOf, projectText } = await import("./texts.js");
  const { secrets } = await modelTools({ env, cwd, ports });
  const path = isAbsolute(given) ? given : join(cwd, given);
  const replay = await TapeReplay.open({ path, ports, secrets });
  const project = await projectText(workspace, call);
  return {
    speaks: {
      call: replay.call,
      prompt: {
        os: osName(),
        instructions: project === undefined ? [] : [project],
        ...(persona === undefined ? {} : { persona: await personaOf(persona, call) }),
      },
    },
    finish(session) {
      try {
        replay.finish(session);
      } catch (error) {
        // As much of it as there is was asked for: whoever recorded it was killed.
        if (!(error instanceof Failure) || error.failureClass !== "tape_incomplete") throw error;
      }
    },
  };
}

// --- What differs ----------------------------------------------------------------------------------

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
  const now = `Bridle ${loadManifest().version}`;
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
