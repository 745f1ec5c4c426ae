/**
 * An agent with everything that it needs: its session log, its notes, artifacts,
 * counts of rules, its own tools and its children.
 *
 * All it keeps is under `<workspace>/.bridle/agent`. Two files there have names that are older
 * than we are, `.agent_rule_stats.json` and `.agent_notes.json`; see state-paths.ts.
 */
import { type Durability, Failure, present, sha256Hex } from "@bridle/record";
import { Children, type ChildBrief, type ChildIssues } from "./children/children.js";
import type { Verify } from "./children/verify.js";
import { ArtifactStore } from "./context/artifacts.js";
import { ResourceLocks } from "./dispatch/resource-locks.js";
import { judge, type JudgedSend } from "./judge/judge.js";
import { afterFailures } from "./lesson/after-failures.js";
import { NoteIndex } from "./memory/recall.js";
import { notesFileName, NoteStore } from "./memory/store.js";
import { LiveOutside } from "./outside/live.js";
import type { RuleUse } from "./outside/outside.js";
import { Purse } from "./outside/purse.js";
import { ownTools } from "./own-tools/own-tools.js";
import { keepList } from "./plan/keep-list.js";
import { keptFile, makeStateFolder, sessionPath, stateFolder } from "./state-paths.js";
import { buildHarnessRuleRecallMessage, HARNESS_RULES, RuleStats, ruleStatsName } from "@bridle/rules";
import { FileJournal, type Journal } from "./session/journal.js";
import type { SessionRow } from "./session/rows.js";
import { Agent } from "./turn/agent.js";
import type { AgentEvent, AgentOptions, Commitment, SendResult } from "./types.js";

export interface OpenOptions extends AgentOptions {
  /** The id of a session to resume; a new one begins when left out. */
  readonly session?: string;
  /** The name of a new session; made up when left out. */
  readonly newSession?: string;
  readonly durability?: Durability;
  readonly issues?: ChildIssues;
  readonly notice?: (sentence: string) => void;
}

export async function openAgent(options: OpenOptions): Promise<Agent> {
  const id = options.session ?? options.newSession ?? `s-${await options.ports.ids.next()}`;
  const commitments = [...(options.commitments ?? []), ...keptBy(options)];
  return openIn({ ...options, commitments }, { id, locks: new ResourceLocks(), purse: new Purse() });
}

/** What the project itself says is to stay as it is. */
function keptBy({ instructions = [] }: OpenOptions): readonly Commitment[] {
  const project = instructions.filter(({ from }) => from === "AGENTS.md" || from === "CLAUDE.md");
  return project.flatMap(({ text }) => keepList(text) ?? []);
}

interface Base {
  readonly id: string;
  readonly journal: Journal;
  readonly rows: readonly SessionRow[];
  readonly locks: ResourceLocks;
  readonly purse: Purse;
  /** A child recalls the rules as its parent does: counts that change meanwhile would make it depend on who was faster. */
  readonly recall?: () => string;
}

async function openIn(options: OpenOptions, base: Omit<Base, "journal" | "rows">): Promise<Agent> {
  const { ports, workspace, session, durability, notice } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(base.id)) {
    throw new Failure("session_unknown", {
      message: `${JSON.stringify(base.id)} cannot be the name of a session`,
    });
  }
  await makeStateFolder(workspace, ports.files);
  const path = sessionPath(workspace, base.id);
  const journal = await FileJournal.open({
    path,
    ports,
    exclusive: true,
    ...present({ durability, notice }),
  });
  try {
    const rows = session === undefined ? [] : await journal.read();
    if (session === undefined || rows.length > 0) return await assemble(options, { ...base, journal, rows });
    throw new Failure("session_unknown", {
      message: `there is no session ${session} in ${workspace}`,
      hint: "`bridle chat --sessions` lists them.",
    });
  } catch (error) {
    // Nobody is at work on it, so somebody else may be.
    await journal.close().catch(() => {});
    throw error;
  }
}

async function assemble(options: OpenOptions, base: Base): Promise<Agent> {
  const { ports, workspace, config, notice, durability, approver, onEvent, depth = 0 } = options;
  const artifacts = new ArtifactStore({ stateFolder: stateFolder(workspace), ports });
  const stats = new RuleStats({
    ...(await keptFile(workspace, ruleStatsName, ports.files)),
    ports,
    ...present({ notice, durability }),
  });
  const index = new NoteIndex(
    new NoteStore({ ...(await keptFile(workspace, notesFileName, ports.files)), ports }),
  );
  const outside = new LiveOutside({
    ...{ session: base.id, rows: base.rows, purse: base.purse },
    ...{ depth, config, ports, approver, onEvent },
    recall: base.recall ?? (async () => buildHarnessRuleRecallMessage(await stats.violations())),
    lesson: (failed, signal) => afterFailures(failed, signal, { session: base.id, options, stats, index }),
    ...(config.ruleJudge && depth === 0 ? { judge: judgeOf(options, base.id) } : {}),
    count: (use) => stats.add(additions(use)),
  });
  const shared: Base = { ...base, recall: () => outside.recalled };
  const childOf = (brief: ChildBrief) => ({
    ...{ options, base: shared, brief, commitments: agent.current.commitments },
  });
  const children = new Children({
    ...{ config, depth, artifacts },
    run: (brief, run) => runChild({ ...childOf(brief), ...run }),
    idFor: (callId) => childId(callId, base, options),
    sleep: (ms, signal) => ports.clock.sleep(ms, signal),
    tell: (event: AgentEvent) => void agent.current.tell(event),
    ...present({ issues: options.issues }),
  });
  const verify: Verify = async (brief, { callId, signal }) => {
    const taskId = await childId(callId, base, options);
    return runChild({ ...childOf(brief), taskId, signal, onEvent: () => {} });
  };
  const agent: Agent = new Agent(options, {
    ...base,
    artifacts,
    outside,
    ownTools: (self) => ownTools({ options, index, artifacts, children: () => children, verify }, self),
    settleChildren: () => children.settle(),
  });
  return agent;
}

function judgeOf({ fast, main, ports }: OpenOptions, session: string) {
  const { call, model } = fast ?? main;
  return (send: JudgedSend, signal: AbortSignal) =>
    judge(send, { call, model, session, clock: ports.clock, signal });
}

function additions({ violations, preventions, recalled }: RuleUse) {
  return {
    violations: repeated(violations),
    preventions: repeated(preventions),
    injections: recalled ? Object.keys(HARNESS_RULES) : [],
  };
}

function* repeated(counts: ReadonlyMap<string, number>): Generator<string> {
  for (const [id, count] of counts) for (let i = 0; i < count; i++) yield id;
}

/** Derived from the call that starts the child, so that a tape finds it again. A child that a crash left behind keeps its log, and the next one another name. */
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
  /** Those in force for the parent when it starts the child. */
  readonly commitments: readonly Commitment[];
  readonly taskId: string;
  readonly signal: AbortSignal;
  onEvent(event: AgentEvent): void;
}

/** A child has a session of its own, the parent's locks, approver, secrets and commitments, and no tool that the parent has not. */
async function runChild(run: ChildRun): Promise<SendResult> {
  const { base, brief, commitments, taskId, signal, onEvent } = run;
  // A child always has a new session, also where its parent was resumed.
  const { session: _taken, newSession: _named, ...options } = run.options;
  const { config } = options;
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
  const child = await openIn(childOptions, { ...base, id: `${base.id}.${taskId}` });
  try {
    return await child.send(brief.userPrompt, { signal });
  } finally {
    await child.close();
  }
}
