/** A session of a folder, found, read and carried out again; nothing but its log and a tape is looked at. */
import { resolve } from "node:path";
import { modelTools, TapeReplay } from "@bridle/model";
import type { Call } from "@bridle/operation";
import { Failure, type Ports, present, readOnly } from "@bridle/record";
import { sessionPath } from "../state-paths.js";
import type { Difference } from "../replay/replay.js";
import { replayLog, type ReplayLogOptions } from "../replay/replay-log.js";
import type { SessionRow } from "../session/rows.js";
import { findSession, readRows } from "../session/sessions.js";
import type { SessionSettings } from "../session/settings.js";
import type { AgentTool } from "../types.js";
import { personaOf, projectText } from "./texts.js";
import { workspaceOf } from "./workspace.js";

export interface ReplayFlags {
  /** Its name or the beginning of it; the last one when left out. */
  readonly session?: string;
  readonly workspace?: string;
  readonly tape?: string;
  readonly persona?: string;
}

export interface ReplayConversationOptions {
  readonly call: Call;
  readonly flags: ReplayFlags;
  /** The operating system, as the prompt names it. Compared only where there is a tape. */
  readonly os: string;
  /** As they were given then. None of them runs, and with these ports none could change anything. */
  toolsFor(settings: SessionSettings, ports: Ports): readonly AgentTool[];
}

export interface ReplayedConversation {
  readonly session: string;
  readonly rows: readonly SessionRow[];
  /** The first row that came out otherwise. */
  readonly difference?: Difference;
  /** The log ends in the middle of a turn. */
  readonly unfinished: boolean;
  /** A tape said what the model was asked. */
  readonly requestsCompared: boolean;
}

export async function replayConversation(options: ReplayConversationOptions): Promise<ReplayedConversation> {
  const { flags } = options;
  const call: Call = { ...options.call, ports: readOnly(options.call.ports) };
  const { ports, signal } = call;
  const workspace = await workspaceOf(call, flags);
  const hint = "a child's name is that of its parent, a dot and its own.";
  const session = await findSession(flags.session ?? "last", { workspace, ports, hint, children: true });
  const rows = await readRows(sessionPath(workspace, session), ports);
  call.progress({ doing: `replaying ${session}` });
  const tape =
    flags.tape === undefined ? undefined : await spokenBy(flags.tape, { ...options, call }, workspace);
  const { difference } = await replayLog({
    ...{ ports, rows, signal },
    toolsFor: (settings) => options.toolsFor(settings, ports),
    ...tape?.speaks,
  });
  if (difference === undefined) tape?.finish(session);
  const last = rows.findLast(({ type }) => type !== "steer");
  return {
    session,
    rows,
    ...present({ difference }),
    unfinished: last?.type !== "end" && last?.type !== "session",
    requestsCompared: tape !== undefined,
  };
}

interface Spoken {
  readonly speaks: Pick<ReplayLogOptions, "call" | "prompt">;
  finish(session: string): void;
}

async function spokenBy(
  given: string,
  { call, flags, os }: ReplayConversationOptions,
  workspace: string,
): Promise<Spoken> {
  const { ports, env, cwd } = call;
  const { secrets } = await modelTools({ env, cwd, ports });
  const replay = await TapeReplay.open({ path: resolve(cwd, given), ports, secrets });
  const project = await projectText(workspace, call);
  const { persona } = flags;
  return {
    speaks: {
      call: replay.call,
      prompt: {
        os,
        instructions: project === undefined ? [] : [project],
        ...(persona === undefined ? {} : { persona: await personaOf(persona, call) }),
      },
    },
    finish(session) {
      try {
        replay.finish(session);
      } catch (error) {
        // The recording process was killed, so the tape has no end; every request that it holds was compared.
        if (!(error instanceof Failure) || error.failureClass !== "tape_incomplete") throw error;
      }
    },
  };
}
