/**
 * An agent with everything that it needs: its session log, its notes, artifacts,
 * counts of rules, its own tools and its children.
 *
 * All it keeps is under `<workspace>/.bridle/agent` but for the two files whose
 * names are older than we are: `.agent_rule_stats.json` and `.agent_notes.json`.
 */
import { join } from "node:path";
import { type Durability, Failure, sha256Hex } from "@bridle/record";
import { Children, type ChildBrief, type ChildIssues } from "./children/children.js";
import { childTools } from "./children/tools.js";
import { ArtifactStore } from "./context/artifacts.js";
import { contextTools } from "./context/tools.js";
import { ResourceLocks } from "./dispatch/resource-locks.js";
import { memoryTools } from "./memory/tools.js";
import { NoteIndex } from "./memory/recall.js";
import { notesFileName, NoteStore } from "./memory/store.js";
import { familyTools } from "./own-tools/families.js";
import { thinkTool } from "./own-tools/think.js";
import { type Verify, verifyTool } from "./own-tools/verify.js";
import { sessionPath, stateFolder } from "./place.js";
import { planTool } from "./plan/tool.js";
import { afterFailures } from "./turn/after-failures.js";
import { RuleStats } from "@bridle/rules";
import { FileJournal, type Journal } from "./session/journal.js";
import type { SessionRow } from "./session/rows.js";
import { Agent } from "./turn/agent.js";
import { Purse } from "./turn/purse.js";
import { type Replayed, replaySession } from "./session/replay.js";
import { requireReplayable } from "./session/replayable.js";
import type { AgentEvent, AgentOptions, AgentTool, Commitment, SendResult } from "./types.js";

export interface OpenOptions extends AgentOptions {
  /** Of a session that is there; a new one when left out. */
  readonly session?: string;
  /** The name of a new session; made up when left out. */
  readonly newSession?: string;
  readonly durability?: Durability;
  readonly issues?: ChildIssues;
  readonly notice?: (sentence: string) => void;
}

export async function openAgent(options: OpenOptions): Promise<Agent> {
  const id = options.session ?? options.newSession ?? `s-${await options.ports.ids.next()}`;
  const { journal, rows } = await openJournal(options, id);
  return assemble(options, { id, journal, rows, locks: new ResourceLocks(), purse: new Purse() });
}

interface Base {
  readonly id: string;
  readonly journal: Journal;
  readonly rows: readonly SessionRow[];
  readonly locks: ResourceLocks;
  readonly purse: Purse;
  readonly recall?: () => string;
}

async function openJournal(
  options: OpenOptions,
  id: string,
): Promise<{ journal: FileJournal; rows: SessionRow[] }> {
  const { ports, workspace, session, durability, notice } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new Failure("session_unknown", {
      message: `${JSON.stringify(id)} cannot be the name of a session`,
    });
  }
  const path = sessionPath(workspace, id);
  await ports.files.makeDirectory(join(stateFolder(workspace), "sessions"));
  const journal = await FileJournal.open({
    path,
    ports,
    exclusive: true,
    ...(durability === undefined ? {} : { durability }),
    ...(notice === undefined ? {} : { notice }),
  });
  const rows = session === undefined ? [] : await readAll(journal);
  if (session !== undefined && rows.length === 0) {
    await journal.close();
    throw new Failure("session_unknown", {
      message: `there is no session ${session} in ${workspace}`,
      hint: "`bridle chat --sessions` lists them.",
    });
  }
  return { journal, rows };
}

async function readAll(journal: FileJournal): Promise<SessionRow[]> {
  try {
    return await journal.read();
  } catch (error) {
    await journal.close().catch(() => {});
    throw error;
  }
}

async function assemble(options: OpenOptions, base: Base): Promise<Agent> {
  const { ports, workspace, config, notice, durability } = options;
  const artifacts = new ArtifactStore({ stateFolder: stateFolder(workspace), ports });
  const stats = new RuleStats({
    workspace,
    ports,
    ...(notice === undefined ? {} : { notice }),
    ...(durability === undefined ? {} : { durability }),
  });
  const index = new NoteIndex(new NoteStore({ path: join(workspace, notesFileName), ports }));
  const children = new Children({
    config,
    depth: options.depth ?? 0,
    artifacts,
    run: (brief, run) => runChild({ options, base: shared, brief, commitments: ruledOut(), ...run }),
    idFor: (callId) => childId(callId, base, options),
    sleep: (ms, signal) => ports.clock.sleep(ms, signal),
    tell: (event: AgentEvent) => void agent.current.tell(event),
    ...(options.issues === undefined ? {} : { issues: options.issues }),
  });
  const ruledOut = () => agent.current.plan.commitments;
  const shared: Base = { ...base, recall: () => agent.recall };
  const verify: Verify = async (brief, { callId, signal }) => {
    const taskId = await childId(callId, base, options);
    return runChild({
      ...{ options, base: shared, brief, commitments: ruledOut() },
      ...{ taskId, signal, onEvent: () => {} },
    });
  };
  const agent: Agent = new Agent(options, {
    ...base,
    artifacts,
    stats,
    ownTools: (self) => ownTools({ options, index, artifacts, children, verify }, self),
    reflect: (state, signal) => afterFailures(state, signal, { session: base.id, options, stats, index }),
    settleChildren: () => children.settle(),
  });
  return agent;
}

interface OwnToolParts {
  readonly options: AgentOptions;
  readonly index: NoteIndex;
  readonly artifacts: ArtifactStore;
  readonly children: Children | undefined;
  readonly verify: Verify;
}

function ownTools({ options, index, artifacts, children, verify }: OwnToolParts, self: Agent): AgentTool[] {
  const { config, ports, depth = 0 } = options;
  const mayHaveChildren = depth < config.childDepthMax;
  const the = () => {
    if (children === undefined) throw new Error("nothing runs in a replay");
    return children;
  };
  return [
    thinkTool,
    // What it sets is reduced from the row of its result, so a resume has it too.
    planTool({ current: () => self.current.plan.current, set: () => {} }),
    ...familyTools(() => self.toolbox),
    ...memoryTools({ index, clock: ports.clock, maxAgeDays: config.memoryMaxAgeDays }),
    ...contextTools(
      {
        status: () => self.current.contextStatus(),
        compress: (summary) => self.current.askToCompress(summary),
      },
      artifacts,
    ),
    ...(mayHaveChildren ? childTools(the) : []),
    ...(mayHaveChildren && config.verifyTools ? [verifyTool(verify)] : []),
  ];
}

/** The session again, from its log and the tape that `main.call` replays; nothing outside is asked or changed. */
export async function replayAgent(
  options: AgentOptions & { readonly rows: readonly SessionRow[] },
): Promise<Replayed> {
  requireReplayable(options.rows);
  const opening = { options, ownTools: ownToolsAgain(options) };
  return replaySession({ rows: options.rows, open: () => opening });
}

/** Those of an agent that does nothing. */
export function ownToolsAgain(options: AgentOptions): (self: Agent) => AgentTool[] {
  const { workspace, ports } = options;
  const index = new NoteIndex(new NoteStore({ path: join(workspace, notesFileName), ports }));
  const artifacts = new ArtifactStore({ stateFolder: stateFolder(workspace), ports });
  const verify = () => Promise.reject(new Error("nothing runs in a replay"));
  return (self) => ownTools({ options, index, artifacts, children: undefined, verify }, self);
}

/** From the call that starts it, so that a tape knows it again. One that a crash left behind keeps its log. */
async function childId(callId: string, { id }: Base, { ports, workspace }: OpenOptions): Promise<string> {
  const name = sha256Hex(callId).slice(0, 20);
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`;
    if ((await ports.files.stat(sessionPath(workspace, `${id}.${free}`))) === undefined) return free;
  }
}

interface ChildRun {
  readonly options: OpenOptions;
  readonly base: Base;
  readonly brief: ChildBrief;
  /** What holds for the parent now. */
  readonly commitments: readonly Commitment[];
  readonly taskId: string;
  readonly signal: AbortSignal;
  onEvent(event: AgentEvent): void;
}

/** A child has a session of its own, the parent's locks, approver, secrets and commitments, and no tool that the parent has not. */
async function runChild(run: ChildRun): Promise<SendResult> {
  const { base, brief, commitments, taskId, signal, onEvent } = run;
  // The child of a session that was taken up again is new all the same.
  const { session: _taken, newSession: _named, ...options } = run.options;
  const { config } = options;
  const id = `${base.id}.${taskId}`;
  const wanted = brief.tools;
  const childOptions: OpenOptions = {
    ...options,
    depth: (options.depth ?? 0) + 1,
    persona: brief.systemPrompt,
    commitments,
    tools: wanted === undefined ? options.tools : options.tools.filter(({ name }) => wanted.includes(name)),
    config: {
      ...config,
      ...(brief.maxRounds === undefined ? {} : { roundsMax: Math.min(brief.maxRounds, config.roundsMax) }),
      sendTimeoutMs: brief.timeoutMs ?? config.childTimeoutMs,
    },
    onEvent,
  };
  const { journal } = await openJournal(childOptions, id);
  const child = await assemble(childOptions, { ...base, id, journal, rows: [] });
  try {
    return await child.send(brief.userPrompt, { signal });
  } finally {
    await child.close();
  }
}
