/**
 * A simulation: machines, processes and time, all decided by one seed.
 *
 * `run` takes the scenario, which spawns processes, waits in virtual time or in
 * events, and kills, pauses and crashes at will. It returns when the scenario
 * and every process in the foreground have ended, and rejects with a
 * SimulationFailure when an invariant breaks, a process throws, nothing can
 * happen any more, or too much happens.
 *
 *     const sim = new Simulation({ seed: 1 });
 *     await sim.run(async () => {
 *       const writer = sim.spawn("writer", async (ports) => { … });
 *       await sim.events(sim.random.below(200));
 *       sim.crashMachine();
 *       await sim.spawn("reader", async (ports) => { … }).ended;
 *     });
 */
import { Random } from "./random.js";
import { type Actor, Scheduler } from "./scheduler.js";
import { Machine } from "./sim-machine.js";
import { simPorts } from "./sim-ports.js";
import { type Running, RunningProcess } from "./sim-process.js";
import { SimulationFailure } from "./simulation-failure.js";
import { simulationLimits } from "./simulation-limits.js";
import { Trace } from "./trace.js";
import type {
  InvariantOptions,
  ProcessBody,
  ProcessEnd,
  SimMachine,
  SimProcess,
  SimulationOptions,
  SpawnOptions,
} from "./types.js";

interface Waiter {
  readonly ready: () => boolean;
  /** Also woken when nothing else is left to happen. */
  readonly whenIdle: boolean;
  readonly wake: () => void;
}

export class Simulation {
  readonly seed: number;
  /** For the scenario's own choices; drawing from it does not disturb scheduler or disks. */
  readonly random: Random;
  private readonly options: SimulationOptions;
  private readonly origin: Random;
  private readonly log: Trace;
  private readonly scheduler: Scheduler;
  private readonly scenario: Actor;
  private readonly machines = new Map<string, Machine>();
  private readonly live = new Set<Running>();
  private readonly invariants: { name: string; check: () => void; when: "event" | "end" }[] = [];
  private waiters: Waiter[] = [];
  private broken: { what: string; cause: unknown } | undefined;
  private spawned = 0;
  private idsGiven = 0;

  constructor(options: SimulationOptions) {
    this.seed = options.seed;
    this.options = options;
    this.origin = new Random(options.seed);
    this.random = this.origin.fork("scenario");
    this.log = new Trace(options.traceLinesMax ?? simulationLimits.traceLinesMax);
    this.scheduler = new Scheduler(
      this.origin.fork("scheduler"),
      this.log,
      simulationLimits.eventUsMax,
      options.slowCalls ?? { rate: 0.01, msMax: 20 },
    );
    this.scenario = this.scheduler.addActor("scenario");
  }

  /** Events so far, over all runs. */
  get eventCount(): number {
    return this.scheduler.events;
  }

  /** Virtual milliseconds so far. */
  get elapsedMs(): number {
    return this.scheduler.timeUs / 1000;
  }

  /** The last lines of what happened. */
  get trace(): string[] {
    return this.log.lines;
  }

  /** Equal for two runs that took the same steps. */
  get traceDigest(): string {
    return this.log.digest;
  }

  /** The machine of that name, made when first asked for. */
  machine(name = "machine"): SimMachine {
    return this.machineOf(name);
  }

  /** Starts a process; its body begins to run as an event of its own. */
  spawn<T>(name: string, body: ProcessBody<T>, options: SpawnOptions = {}): SimProcess<T> {
    const machine = this.machineOf(options.machine ?? "machine");
    const identity = machine.newIdentity();
    const actor = this.scheduler.addActor(`${name}/${++this.spawned}`);
    const process = new RunningProcess<T>({
      name,
      background: options.background === true,
      machine,
      identity,
      actor,
      scheduler: this.scheduler,
      respawn: () => this.spawn(name, body, options),
      onEnd: (end) => {
        this.live.delete(process);
        if (end.how === "threw" && options.mayThrow !== true) this.fail(`process ${name} threw`, end.error);
      },
    });
    this.live.add(process);
    machine.processes.add(process);
    const ports = simPorts({
      scheduler: this.scheduler,
      actor,
      machine,
      identity,
      random: this.origin.fork(actor.name),
      nextId: () => this.nextId(),
      watches: this.options.watches ?? "prompt",
    });
    const end = (how: ProcessEnd<T>) => {
      if (process.state !== "ended") this.scheduler.note(`${actor.name} ${how.how}`);
      process.end(how);
    };
    void this.scheduler
      .request<void>(actor, { label: `starts as ${identity.pid}/${identity.startTime}`, act: () => {} })
      .then(() => body(ports))
      .then(
        (value) => end({ how: "returned", value }),
        (error: unknown) => end({ how: "threw", error }),
      );
    return process;
  }

  /** Power loss; see `SimMachine.crash`. */
  crashMachine(name = "machine"): void {
    this.machineOf(name).crash();
  }

  /** Something that must hold after each event or at the end of each run; `check` throws when it does not. */
  invariant(name: string, check: () => void, options: InvariantOptions = {}): void {
    this.invariants.push({ name, check, when: options.when ?? "event" });
  }

  /** For the scenario: resolves after that many more events, or when nothing is left to happen. */
  events(count: number): Promise<void> {
    const target = this.scheduler.events + count;
    return this.when({ ready: () => this.scheduler.events >= target, whenIdle: true });
  }

  /** For the scenario: resolves as soon as `condition` holds after an event. */
  until(condition: () => boolean): Promise<void> {
    return this.when({ ready: condition, whenIdle: false });
  }

  /** For the scenario: resolves after that much virtual time. */
  sleep(ms: number): Promise<void> {
    return this.scheduler.wait(this.scenario, `sleep ${ms}ms`, { ms });
  }

  /** A line of the scenario's own in the trace. */
  note(text: string): void {
    this.scheduler.note(`scenario: ${text}`);
  }

  async run<T>(scenario?: () => Promise<T>): Promise<T | undefined> {
    const body: { state: "open" | "done"; value?: T } = { state: "open" };
    Promise.resolve()
      .then(() => scenario?.())
      .then(
        (value) => Object.assign(body, { state: "done", value }),
        (error: unknown) => this.fail("the scenario threw", error),
      );
    for (;;) {
      await settled();
      this.check("event");
      this.throwIfBroken();
      if (this.wakeWaiters()) continue;
      if (body.state === "done" && this.foreground() === 0) break;
      if (this.scheduler.events >= (this.options.eventsMax ?? simulationLimits.eventsMax)) {
        this.fail(`livelock: more than ${this.scheduler.events} events`, undefined);
      } else if (!this.scheduler.step() && !this.wakeIdle())
        this.fail(this.standstill(body.state), undefined);
      this.throwIfBroken();
    }
    this.killAll();
    this.check("end");
    this.throwIfBroken();
    return body.value;
  }

  private machineOf(name: string): Machine {
    const known = this.machines.get(name);
    if (known !== undefined) return known;
    const machine = new Machine({
      name,
      scheduler: this.scheduler,
      random: this.origin.fork(name),
      startMs: this.options.startMs ?? Date.UTC(2026, 0, 1),
      faults: this.options.faults ?? {},
      folders: this.options.folders ?? ["/data"],
    });
    this.machines.set(name, machine);
    return machine;
  }

  private nextId(): string {
    // The counter makes it unique; the rest keeps code from leaning on its order.
    const noise = this.origin.next().toString(36).padStart(7, "0");
    return `${noise}${(++this.idsGiven).toString(36).padStart(4, "0")}`;
  }

  private when(waiter: Omit<Waiter, "wake">): Promise<void> {
    return new Promise((wake) => this.waiters.push({ ...waiter, wake }));
  }

  private wakeWaiters(): boolean {
    const ready = this.waiters.filter((waiter) => waiter.ready());
    if (ready.length === 0) return false;
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.wake();
    return true;
  }

  private wakeIdle(): boolean {
    const first = this.waiters.find((waiter) => waiter.whenIdle);
    if (first === undefined) return false;
    this.waiters = this.waiters.filter((waiter) => waiter !== first);
    first.wake();
    return true;
  }

  private foreground(): number {
    let count = 0;
    for (const { background } of this.live) if (!background) count++;
    return count;
  }

  private killAll(): void {
    for (const process of [...this.live]) process.kill();
  }

  private check(when: "event" | "end"): void {
    for (const invariant of this.invariants) {
      if (invariant.when !== when) continue;
      try {
        invariant.check();
      } catch (error) {
        this.fail(`invariant "${invariant.name}" is broken`, error);
      }
    }
  }

  private standstill(scenario: "open" | "done"): string {
    const waiting = this.scheduler.pending();
    if (scenario === "open") waiting.push("the scenario has not returned");
    const outside = "somebody waits for something outside of the simulation";
    return `stuck: nothing is left to happen\n  ${waiting.length > 0 ? waiting.join("\n  ") : outside}`;
  }

  private fail(what: string, cause: unknown): void {
    this.broken ??= { what, cause };
  }

  private throwIfBroken(): void {
    if (this.broken === undefined) return;
    const { what, cause } = this.broken;
    this.killAll();
    const why =
      cause === undefined ? what : `${what}: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SimulationFailure(
      why,
      { seed: this.seed, events: this.scheduler.events, traceDigest: this.traceDigest, trace: this.trace },
      cause,
    );
  }
}

/** Resolves when all that the last event set in motion has come to rest. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
