/**
 * Children: agents that work for an agent, each with a conversation of its own.
 *
 * A child is a task with an id. It ends as `ok`, `error`, `cancelled`, `timeout`
 * or `cap`, never as a success that said nothing, and all it said is an artifact.
 * When the parent's turn ends, whatever children still run are stopped: after the
 * end of a turn nothing more happens.
 *
 * Where there is a work root the child's work is an issue there, made through the
 * `ChildIssues` that is handed in, so that it is seen, claimed and closed like any
 * other work and is not a branch that only this process knows of.
 */
import { Failure, present } from "@bridle/record";
import type { AgentConfig } from "../config/table.js";
import type { Artifacts } from "../context/artifacts.js";
import type { AgentEvent, ChildStatus, EndReason, SendResult } from "../types.js";

export interface ChildBrief {
  readonly goal: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  /** Names of the tools that it may use; those of its parent when left out. */
  readonly tools?: readonly string[];
  readonly maxRounds?: number;
  readonly timeoutMs?: number;
}

/** Contract: resolves when the child's turn has ended; nothing of it happens after that. */
export type RunChild = (
  brief: ChildBrief,
  run: { readonly taskId: string; readonly signal: AbortSignal; onEvent(event: AgentEvent): void },
) => Promise<SendResult>;

/** The child's work in issue memory. */
export interface ChildIssues {
  /** Undefined where there is no work root. */
  open(brief: ChildBrief): Promise<string | undefined>;
  close(issue: string, outcome: { readonly status: ChildStatus; readonly summary: string }): Promise<void>;
}

export interface ChildTask {
  readonly id: string;
  readonly goal: string;
  readonly issue?: string;
  status: ChildStatus | "running";
  /** Its answer, whole. */
  text: string;
  artifact: string | undefined;
  rounds: number;
}

export interface ChildrenOptions {
  readonly config: Pick<AgentConfig, "childTimeoutMs" | "childDepthMax" | "childrenMax">;
  /** Of the parent: 0 for the root. */
  readonly depth: number;
  readonly run: RunChild;
  readonly artifacts: Artifacts;
  readonly issues?: ChildIssues;
  /** The id of the child that a call starts. Contract: every call has another, and a replay of the call has the same. */
  idFor(callId: string): Promise<string>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  tell(event: AgentEvent): void;
}

interface Running {
  readonly task: ChildTask;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const statuses: Readonly<Record<EndReason, ChildStatus>> = {
  ok: "ok",
  round_cap: "cap",
  cost_cap: "cap",
  contract_budget: "cap",
  timeout: "timeout",
  cancelled: "cancelled",
  error: "error",
  no_progress: "cap",
  incomplete: "error",
};

export class Children {
  private readonly tasks = new Map<string, Running>();

  constructor(private readonly options: ChildrenOptions) {}

  list(): readonly ChildTask[] {
    return [...this.tasks.values()].map(({ task }) => task);
  }

  async spawn(brief: ChildBrief, callId: string): Promise<ChildTask> {
    this.requireRoom();
    const { issues, idFor, tell } = this.options;
    const id = await idFor(callId);
    const { goal } = brief;
    const issue = present({ issue: await issues?.open(brief) });
    const task: ChildTask = {
      id,
      goal,
      ...issue,
      status: "running",
      text: "",
      artifact: undefined,
      rounds: 0,
    };
    const stop = new AbortController();
    tell({ type: "subtask_spawned", taskId: id, goal, ...issue });
    this.tasks.set(id, { task, stop, ended: this.drive(brief, task, stop) });
    return task;
  }

  find(id: string): ChildTask {
    return this.running(id).task;
  }

  /** By the whole id, or by a beginning that fits one task only. */
  private running(id: string): Running {
    const exact = this.tasks.get(id);
    if (exact !== undefined) return exact;
    const fitting = [...this.tasks.values()].filter(({ task }) => id.length >= 4 && task.id.startsWith(id));
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1) return only;
    const known = [...this.tasks.keys()].join(", ");
    throw new Failure("child_unknown", {
      message: fitting.length > 1 ? `${id} fits ${fitting.length} tasks` : `there is no task ${id}`,
      hint: known === "" ? "Start one with spawn_agent." : `Known tasks: ${known}.`,
    });
  }

  /** False when some still run after that time, or when it was given up. */
  async wait(
    ids: readonly string[],
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const waited = Promise.all(ids.map((id) => this.tasks.get(id)?.ended)).then(() => true);
    const over = new AbortController();
    const late = this.options.sleep(timeoutMs, AbortSignal.any([signal, over.signal])).then(() => false);
    try {
      return await Promise.race([waited, late]);
    } finally {
      over.abort();
    }
  }

  async cancel(id: string): Promise<ChildTask> {
    const { stop, ended, task } = this.running(id);
    stop.abort();
    await ended;
    return task;
  }

  /** Stops those that still run and waits for all: one that has answered may still be closing its issue. */
  async settle(): Promise<void> {
    const all = [...this.tasks.values()];
    for (const { task, stop } of all) if (task.status === "running") stop.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  private requireRoom(): void {
    const { config, depth } = this.options;
    if (depth >= config.childDepthMax) {
      throw new Failure("child_too_deep", {
        message: `an agent at depth ${depth} may have no children; ${config.childDepthMax} is the limit`,
        hint: "Do the work yourself.",
      });
    }
    const running = this.list().filter(({ status }) => status === "running").length;
    if (running >= config.childrenMax) {
      throw new Failure("children_too_many", {
        message: `${running} children are running, and ${config.childrenMax} is the limit`,
        hint: "Wait for one of them with wait_for_agents.",
      });
    }
  }

  private async drive(brief: ChildBrief, task: ChildTask, stop: AbortController): Promise<void> {
    const { run, artifacts, tell, issues, sleep, config } = this.options;
    const timeoutMs = brief.timeoutMs ?? config.childTimeoutMs;
    let late = false;
    if (timeoutMs > 0) {
      void sleep(timeoutMs, stop.signal).then(() => {
        if (stop.signal.aborted || task.status !== "running") return;
        late = true;
        stop.abort();
      });
    }
    let result: SendResult | undefined;
    try {
      const onEvent = (event: AgentEvent) => tell({ type: "subtask_event", taskId: task.id, event });
      result = await run(brief, { taskId: task.id, signal: stop.signal, onEvent });
      task.text = result.text;
    } catch (error) {
      task.text = `The child broke down: ${error instanceof Error ? error.message : String(error)}`;
    }
    const ended = result === undefined ? "error" : statuses[result.reason];
    task.rounds = result?.rounds ?? 0;
    task.artifact = task.text === "" ? undefined : await artifacts.put(task.text).catch(() => undefined);
    task.status = late ? "timeout" : ended;
    stop.abort();
    if (task.issue !== undefined)
      await issues
        ?.close(task.issue, { status: task.status, summary: task.text.slice(0, 400) })
        .catch(() => {});
    tell({ type: "subtask_complete", taskId: task.id, status: task.status });
  }
}
