/**
 * The coordinator: keeps workers at work as processes of their own until nothing is left to do.
 *
 * It decides nothing about issues. It looks whether dependencies hold, how many issues are ready and what people wish,
 * starts workers for the free places in the order of their worktrees, and starts one again that died: that one ends
 * what it left. Workers live on without it and end their step.
 */
import { join } from "node:path";
import { ownProgram, type StartedProgram, startProgram } from "@bridle/host";
import { isJsonObject, isRefusal, type JsonObject, type Ports, refuse, type Refusal } from "@bridle/record";
import { Journal } from "../journal/journal.js";
import type { IssueDoor } from "../live/issue-door.js";
import { isUnfit } from "../step/costless.js";
import { unfinishedSteps } from "../step/state.js";
import type { JournalRow } from "../types.js";
import { type Rest, restOf } from "./preset-rest.js";
import type { RunFiles } from "./run-files.js";
import { type Budgets, boundReached, spentIn } from "./spent.js";

export interface Slot {
  readonly worker: string;
  readonly index: number;
  /** The worktree that it works in, absolute. */
  readonly worktree: string;
}

export interface Coordinating {
  readonly files: RunFiles;
  readonly issues: IssueDoor;
  /** In the order of their worktrees' paths. */
  readonly slots: readonly Slot[];
  readonly budgets: Budgets;
  /** The words after `harness-loop worker` that every worker gets. */
  readonly workerWords: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Passes over the places; until nothing is left to do when left out. */
  readonly roundsMax?: number;
  readonly stepsPerWorker: number;
  /** Whether an earlier run may have left something undone. */
  readonly unsettled: boolean;
  /** Something that needs a person. */
  onEvent(event: JsonObject): Promise<void>;
  onRow?(row: JournalRow): void;
}

export interface RunEnd {
  readonly because: "done" | "stopped" | "bound" | "rounds" | "aborted" | "unfit";
  readonly rounds: number;
  readonly started: number;
  /** Workers that ended otherwise than by themselves. */
  readonly died: number;
}

const tickMs = 1_000;
/** Workers that end before they have written a row, one after the other: nothing will come of it. */
const barrenMax = 3;

export async function coordinate(given: Coordinating): Promise<RunEnd | Refusal> {
  return new Coordinator(given).run();
}

/** Why no issue can be worked on here, as a worker found it; until a person says that it is mended. */
function unfitIn(
  rows: readonly JournalRow[],
): { readonly class: string; readonly message: string } | undefined {
  let found: { class: string; message: string } | undefined;
  for (const { effect, data, kind } of rows) {
    if (effect === "resumed") found = undefined;
    const told =
      effect === "unfit" ? data : kind === "outcome" && isJsonObject(data["failed"]) ? data["failed"] : {};
    if (isUnfit(String(told["class"])))
      found = { class: String(told["class"]), message: String(told["message"]) };
  }
  return found;
}

class Coordinator {
  private readonly living = new Map<string, StartedProgram>();
  private started = 0;
  private died = 0;
  private rounds = 0;
  private seen = 0;
  private wake: () => void = () => {};
  private readonly told = new Set<string>();
  /** Workers that ended since the last look, and how long the journal was when each was started. */
  private readonly ends: { readonly worker: string; readonly code: number | null; readonly from: number }[] =
    [];
  private barren = 0;

  constructor(private readonly given: Coordinating) {}

  async run(): Promise<RunEnd | Refusal> {
    const { files, ports } = this.given;
    const journal = await Journal.open(files.journal, ports);
    try {
      for (;;) {
        const over = await this.pass(journal);
        if (over !== undefined && this.living.size === 0) return this.end(over);
        await this.pause();
      }
    } finally {
      await journal.close();
    }
  }

  /** Why nobody new is started; undefined while somebody may be. */
  private async pass(journal: Journal): Promise<RunEnd["because"] | Refusal | undefined> {
    const { files, ports, signal, budgets, roundsMax } = this.given;
    const rows = await journal.rows();
    for (const row of rows.slice(this.seen)) this.given.onRow?.(row);
    this.seen = rows.length;
    const wish = await files.wished();
    if (signal.aborted || wish === "stop_now") for (const program of this.living.values()) program.stop();
    if (signal.aborted) return "aborted";
    if (wish === "stop" || wish === "stop_now") return "stopped";
    if (wish === "pause") return undefined;
    const nowMs = await ports.clock.now();
    const bound = boundReached(spentIn(rows), budgets, nowMs);
    if (bound !== undefined) return this.tell("bound", { kind: "bound", message: bound }, "bound");
    const rest = restOf(rows, nowMs);
    if (rest !== undefined) return this.resting(rest);
    const unfit = unfitIn(rows);
    if (unfit !== undefined) return this.tell("unfit", { kind: "unfit", ...unfit }, "unfit");
    const barren = await this.barrenEnds(rows);
    if (barren !== undefined) return barren;
    if (roundsMax !== undefined && this.rounds >= roundsMax && this.living.size === 0) return "rounds";
    this.startLeft(rows);
    return this.dispatch(roundsMax !== undefined && this.rounds >= roundsMax);
  }

  /** A worker that cannot even begin is not started for ever. */
  private async barrenEnds(rows: readonly JournalRow[]): Promise<Refusal | undefined> {
    for (const { worker, code, from } of this.ends.splice(0)) {
      const isBarren = code !== 0 && !rows.slice(from).some((row) => row.worker === worker);
      this.barren = isBarren ? this.barren + 1 : 0;
      if (this.barren < barrenMax) continue;
      const path = this.logOf(worker);
      return refuse("worker_failed", {
        message: `workers end before they have begun; ${path} says why`,
        hint: "Start one by hand with `premath harness-loop worker` to see it.",
      });
    }
    return undefined;
  }

  private logOf(worker: string): string {
    return join(this.given.files.folder, `${encodeURIComponent(worker)}.log`);
  }

  /** Whoever died in a step is started again, and ends it: its issue is given back, or its merge closed. */
  private startLeft(rows: readonly JournalRow[]): void {
    const left = new Set(unfinishedSteps(rows).map(({ worker }) => worker));
    for (const slot of this.given.slots)
      if (left.has(slot.worker) && !this.living.has(slot.worker)) this.start(slot);
    // What earlier runs left is ended by the first worker of this one, also when nothing is ready.
    const [first] = this.given.slots;
    if (this.started === 0 && this.given.unsettled && first !== undefined) this.start(first);
  }

  /** One pass over the free places. */
  private async dispatch(noMore: boolean): Promise<RunEnd["because"] | Refusal | undefined> {
    const { issues, slots } = this.given;
    const free = slots.filter(({ worker }) => !this.living.has(worker));
    if (free.length === 0 || noMore) return undefined;
    // Dependencies that wait for each other are told before anybody is sent to work.
    const checked = await issues.call("dep.diagnostics", { graphScope: "active" });
    if (isRefusal(checked)) return checked;
    const integrity = isJsonObject(checked["integrity"]) ? checked["integrity"] : {};
    if (integrity["hasCycle"] === true)
      await this.tell("cycle", { kind: "cycle", cyclePath: integrity["cyclePath"] ?? null }, undefined);
    const ready = await issues.call("issue.ready", {});
    if (isRefusal(ready)) return ready;
    if (!(await this.isClaimable())) return this.living.size === 0 ? "done" : undefined;
    const count = Math.max(1, Number(ready["count"]));
    const places = (await this.placesMax()) - this.living.size;
    const starting = free.slice(0, Math.max(0, Math.min(count, places)));
    if (starting.length > 0) this.rounds += 1;
    for (const slot of starting) this.start(slot);
    return undefined;
  }

  /** Not all that is ready can be claimed: an epic has open children; and what a dead worker holds can, later. */
  private async isClaimable(): Promise<boolean> {
    const { issues, ports, slots } = this.given;
    const graph = await issues.graph();
    return graph?.claimable(slots[0]?.worker ?? "", await ports.clock.now()) !== undefined;
  }

  /** While the KPI asks for a rollback nobody is added (TUSK §13). */
  private async placesMax(): Promise<number> {
    const { issues, slots } = this.given;
    const report = await issues.call("harness.kpi.report", {});
    const rollback = isRefusal(report) ? undefined : report["rollback"];
    return isJsonObject(rollback) && rollback["expansionPaused"] === true ? 1 : slots.length;
  }

  private async resting(rest: Rest): Promise<undefined> {
    const told = { kind: rest.because, issues: rest.issues.map(({ id }) => id), until: rest.untilMs ?? null };
    await this.tell(`${rest.because} ${rest.untilMs ?? ""}`, told, undefined);
    return undefined;
  }

  private async tell<Answer>(key: string, event: JsonObject, answer: Answer): Promise<Answer> {
    if (this.told.has(key)) return answer;
    this.told.add(key);
    await this.given.onEvent({ run: this.given.files.run, ...event });
    return answer;
  }

  private start({ worker, index, worktree }: Slot): void {
    const { env, cwd, files, workerWords, stepsPerWorker } = this.given;
    const { BRIDLE_RUN: _outer, ...own } = env;
    const program = startProgram({
      words: [
        ...ownProgram(env["PREMATH_BIN"]),
        ...["harness-loop", "worker", "--worker-id", worker, "--index", String(index), "--run", files.run],
        ...["--worktree-root", worktree, "--max-steps", String(stepsPerWorker), "--continue-on-failure"],
        ...workerWords,
      ],
      ...{ cwd, env: own, outputPath: this.logOf(worker) },
    });
    const from = this.seen;
    this.living.set(worker, program);
    this.started += 1;
    void program.ended.then(({ code, signal }) => {
      this.living.delete(worker);
      this.ends.push({ worker, code, from });
      if (signal !== null || (code !== 0 && code !== 1)) this.died += 1;
      this.wake();
    });
  }

  /** Until a worker ends, or a moment has passed. */
  private async pause(): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await this.given.ports.clock.sleep(tickMs, woken.signal);
  }

  private end(over: RunEnd["because"] | Refusal): RunEnd | Refusal {
    if (isRefusal(over as Refusal)) return over as Refusal;
    const { rounds, started, died } = this;
    return { because: over as RunEnd["because"], rounds, started, died };
  }
}
