/**
 * What the simulator plays with the runner: workers that drive steps, are killed and started again, sleep past the end
 * of their leases, lose power and have their clocks set; then one undisturbed worker ends what is left.
 */
import { strict as assert } from "node:assert";
import type { Ports } from "@bridle/record";
import { harass, type SimProcess, type Simulation } from "@bridle/testing";
import type * as Room from "./runner-room.js";
import { type Books, type Habit, paths, SimWorld } from "./runner-world.js";
import { ToyGit } from "./toy-git.js";

export interface Tally {
  readonly steps: number;
  readonly completed: number;
  readonly failed: number;
}

interface Play {
  readonly workers: number;
  /** Each works as chance says. */
  readonly issues: number;
  readonly kills: number;
  readonly pauses: number;
  readonly crashes: number;
  readonly clockJumps: number;
  readonly leaseTtlSeconds: number;
}

const night: Play = {
  workers: 2,
  issues: 4,
  kills: 0,
  pauses: 0,
  crashes: 0,
  clockJumps: 0,
  leaseTtlSeconds: 60,
};

export const runnerScenarios = {
  undisturbed: scenario({ ...night, workers: 3, issues: 8 }),
  killed: scenario({ ...night, kills: 8 }),
  slept: scenario({ ...night, pauses: 6, leaseTtlSeconds: 30 }),
  powerLost: scenario({ ...night, kills: 4, crashes: 4 }),
  clocksSet: scenario({ ...night, kills: 4, clockJumps: 6, leaseTtlSeconds: 30 }),
};

export type RunnerScenario = (room: typeof Room, sim: Simulation) => Promise<Tally>;

function scenario(play: Play): RunnerScenario {
  return (room, sim) => new Night(room, sim, play).run();
}

class Night {
  private readonly git = new ToyGit(new Map([["readme", "hello"]]));
  private readonly books: Books = { begun: new Map(), passed: new Set(), closed: [] };
  private readonly workers = new Map<string, SimProcess>();
  private calm = false;

  constructor(
    private readonly room: typeof Room,
    private readonly sim: Simulation,
    private readonly play: Play,
  ) {}

  async run(): Promise<Tally> {
    const { sim, play } = this;
    sim.machine().disk.put("/data/.premath/runs/run-1/.keep", "");
    let tally: Tally | undefined;
    await sim.run(async () => {
      await sim.spawn("setup", (ports) => this.addIssues(ports)).ended;
      for (let n = 1; n <= play.workers; n++) this.start(`worker.${n}`);
      await harass(sim, {
        kills: play.kills,
        pauses: play.pauses,
        crashes: play.crashes,
        clockJumps: play.clockJumps,
        pauseMsMax: 90_000,
        jumpMsMax: 120_000,
        gapEventsMax: 250,
        victims: () => [...this.workers.values()],
        after: () => this.startAgain(),
      });
      await Promise.all([...this.workers.values()].map((process) => process.ended));
      this.calm = true;
      await sim.spawn("person", (ports) => this.repair(ports)).ended;
      // Whoever is left takes up every step that its worker did not end, and the rest of the issues.
      for (let n = 1; n <= play.workers; n++) {
        const end = await this.start(`worker.${n}`).ended;
        assert.equal(end.how, "returned", `worker.${n} ended as ${end.how}`);
      }
      tally = await this.check();
    });
    assert.ok(tally !== undefined);
    return tally;
  }

  private startAgain(): void {
    for (const [name, process] of this.workers) if (process.state === "ended") this.start(name);
  }

  private start(name: string): SimProcess {
    const process = this.sim.spawn(name, (ports) => this.work(name, ports), { mayThrow: !this.calm });
    this.workers.set(name, process);
    return process;
  }

  /** `bridle log repair`, where a power loss left half a row. */
  private async repair(ports: Ports): Promise<void> {
    const log = await this.room.Log.open({
      path: paths.issues,
      bearing: "state",
      conflicts: "sides",
      comments: true,
      ports,
    });
    await log.repair();
    await log.close();
  }

  private async addIssues(ports: Ports): Promise<void> {
    const store = await this.room.engineFor(ports).issues({ path: paths.issues, ports });
    const habits: Habit[] = ["good", "good", "good", "shared", "shared", "nothing", "fails", "red"];
    for (let n = 0; n < this.play.issues; n++) {
      const habit = this.sim.random.pick(habits);
      const added = await store.change(
        this.room.addIssue({ id: `bd-${n + 1}`, title: `${habit} ${n + 1}` }),
        {
          create: true,
        },
      );
      assert.ok(!this.room.isRefusal(added), JSON.stringify(added));
    }
    await store.close();
  }

  /** A worker's life: what its last step left undone first, then new steps until there is nothing to claim. */
  private async work(name: string, ports: Ports): Promise<void> {
    const { room, sim } = this;
    const journal = await room.Journal.open(paths.journal, ports);
    const rows = (await journal.rows()).filter(({ worker }) => worker === name);
    const ids = [...new Set(rows.flatMap(({ step }) => (step === undefined ? [] : [step])))];
    let count = ids.length;
    const last = ids.at(-1);
    const world = new SimWorld(
      room,
      ports,
      this.git,
      this.books,
      sim.random,
      this.play.leaseTtlSeconds,
      journal,
    );
    const driving = { journal, world, rules: { merge: "auto" as const, renewBeforeMs: 20_000 } };
    if (last !== undefined) await room.driveStep(room.stepFrom(last, name, rows), driving);
    for (let idle = 0; idle < 3;) {
      const id = `${name}.${++count}`;
      const end = await room.driveStep(room.newStep(id, name), driving);
      // Nothing was claimed, although there is something: memory is damaged, and that is for a person.
      if (end === "failed" && !(await world.hasClaimed(id))) break;
      if (end !== "idle") continue;
      idle++;
      await ports.clock.sleep(this.play.leaseTtlSeconds * 1_000);
    }
    await world.leave();
    await journal.close();
  }

  private async check(): Promise<Tally> {
    const { git, books } = this;
    const disk = this.sim.machine().disk;
    const lines = (path: string) =>
      (disk.peekText(path) ?? "")
        .split("\n")
        // What a power loss leaves of a row that nobody was told of.
        .filter((line) => line !== "" && !line.startsWith("\0"))
        .map((line) => JSON.parse(line));
    const target = git.branches.get("target")!;
    const history = git.ancestors(target);
    for (const step of books.begun)
      assert.equal(step[1], 1, `the work of ${step[0]} was begun ${step[1]} times`);
    const last = new Map(lines(paths.issues).map((row) => [row.id as string, row]));
    const closings = new Map<string, number>();
    for (const row of lines(paths.issues)) {
      if (row.status !== "closed") continue;
      const key = `${row.id} ${row.close_reason}`;
      closings.set(row.id, (closings.get(row.id) ?? 0) + (closings.has(key) ? 0 : 1));
      closings.set(key, 1);
    }
    const merged = new Map<string, string[]>();
    for (const id of history) {
      const { parents, step } = git.get(id);
      if (parents.length === 2 && step !== undefined) merged.set(step, [...(merged.get(step) ?? []), id]);
    }
    const issueOf = new Map(
      lines(paths.journal)
        .filter(
          (row) => row.kind === "outcome" && row.effect === "claim" && typeof row.data.issueId === "string",
        )
        .map((row) => [row.step as string, row.data.issueId as string]),
    );
    const mergedIssues = new Map<string, number>();
    for (const [step, commits] of merged) {
      assert.equal(commits.length, 1, `${step} was merged ${commits.length} times`);
      const issue = issueOf.get(step)!;
      mergedIssues.set(issue, (mergedIssues.get(issue) ?? 0) + 1);
      assert.ok(
        books.passed.has(commits[0]!),
        `${commits[0]} stands in the target and never passed its checks`,
      );
    }
    for (const move of git.moves) {
      const red = [...git.get(move).files.values()].includes("red");
      assert.ok(!red, "a change that fails its checks reached the target");
    }
    for (const [id, row] of last) {
      const habit = (row.title as string).split(" ")[0] as Habit;
      if (habit === "good" || habit === "shared") {
        if (row.status === "blocked") {
          assert.equal(habit, "shared", `${id} is blocked: ${JSON.stringify(row.left)}`);
          continue;
        }
        assert.equal(row.status, "closed", `${id} is ${row.status}`);
        // Nothing was wrong with it: whoever died, slept or was late costs it nothing.
        if (habit === "good") assert.equal(row.attempts ?? 0, 0, `${id} cost ${row.attempts} attempts`);
        assert.equal(mergedIssues.get(id), 1, `${id} was merged ${mergedIssues.get(id) ?? 0} times`);
        assert.equal(closings.get(id), 1, `${id} was closed ${closings.get(id) ?? 0} times`);
        const commit = String(row.close_reason);
        assert.ok(history.has(commit), `${id} is closed with ${commit}, which is not in the target`);
      } else {
        assert.equal(row.status, "blocked", `${id} (${habit}) is ${row.status}`);
        assert.equal(row.attempts, 3, `${id} cost ${row.attempts} attempts`);
        assert.equal(mergedIssues.get(id) ?? 0, 0, `${id} was merged`);
      }
    }
    const rows = lines(paths.trajectory);
    const ids = rows.map((row) => row.stepId as string);
    assert.equal(new Set(ids).size, ids.length, "a step has two rows");
    for (const [step, issue] of issueOf) {
      const ended = lines(paths.journal).some(
        (row) => row.step === step && row.kind === "outcome" && row.effect === "stop",
      );
      const lost = lines(paths.journal).some((row) => row.step === step && row.effect === "lost");
      assert.ok(ended || lost, `${step} on ${issue} was never ended`);
      assert.equal(
        ids.includes(step),
        ended,
        `${step} ${ended ? "has no row" : "has a row although it was lost"}`,
      );
    }
    const completed = rows.filter((row) => row.resultClass === "completed").length;
    return { steps: issueOf.size, completed, failed: rows.length - completed };
  }
}
