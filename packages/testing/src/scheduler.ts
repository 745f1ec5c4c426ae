/**
 * The scheduler: every port call of every process is an event, completed in a seeded order.
 *
 * A call takes effect at the moment it is picked, and its caller runs on right
 * after; its next call waits its turn again. So between any two calls of one
 * process all others may have made any number. Processes have weights that
 * change now and then: with even chances, the schedules in which one process
 * runs far ahead of another would hardly ever come up.
 */
import type { Random } from "./random.js";
import { TimerQueue } from "./timer-queue.js";
import type { Trace } from "./trace.js";

export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What a call does when its moment comes. It throws what the caller shall see. */
export interface Effect {
  readonly label: string;
  readonly act: () => unknown;
  /** What may be left of it when its process is killed half way; without this, all of it or nothing. */
  readonly tear?: () => void;
}

export class PendingEffect {
  state: "waiting" | "ready" | "done" = "waiting";
  outcome: Outcome | undefined;

  constructor(
    readonly actor: Actor,
    readonly effect: Effect,
    readonly resolve: (value: unknown) => void,
    readonly reject: (error: unknown) => void,
  ) {}
}

/** Whoever makes calls: a process, or the scenario itself. */
export class Actor {
  readonly ready: PendingEffect[] = [];
  readonly inFlight = new Set<PendingEffect>();
  /** Runs when the actor is dropped, e.g. to give its open files back. */
  readonly onDrop = new Set<() => void>();
  held = false;
  dropped = false;
  weight = 4;

  constructor(readonly name: string) {}
}

const weights = [1, 1, 4, 4, 16, 64];

export class Scheduler {
  /** Virtual time since the start, in microseconds. */
  timeUs = 0;
  events = 0;
  private readonly actors: Actor[] = [];
  private readonly timers = new TimerQueue<PendingEffect>();

  constructor(
    private readonly random: Random,
    private readonly trace: Trace,
    private readonly eventUsMax: number,
    private readonly slowCalls: { readonly rate: number; readonly msMax: number },
  ) {}

  addActor(name: string): Actor {
    const actor = new Actor(name);
    actor.weight = this.random.pick(weights);
    this.actors.push(actor);
    return actor;
  }

  /** The promise of a call; of an actor that is gone it never settles. */
  request<T>(actor: Actor, effect: Effect): Promise<T> {
    return new Promise((resolve, reject) => {
      if (actor.dropped) return;
      const call = this.begin(actor, effect, resolve as (value: unknown) => void, reject);
      if (this.random.chance(this.slowCalls.rate)) {
        this.timers.push(this.timeUs + this.random.below(this.slowCalls.msMax * 1000), call);
      } else this.makeReady(call);
    });
  }

  /**
   * A wait that ends by time, by `signal`, or by the function handed to
   * `subscribe`, whichever is first; the caller learns of it as of any event.
   */
  wait(
    actor: Actor,
    label: string,
    options: { ms: number; signal?: AbortSignal | undefined; subscribe?: (wake: () => void) => void },
  ): Promise<void> {
    return new Promise((resolve) => {
      if (actor.dropped) return;
      const { signal } = options;
      const wake = () => this.makeReady(call);
      const act = () => signal?.removeEventListener("abort", wake);
      const done = () => resolve();
      const call = this.begin(actor, { label, act }, done, done);
      signal?.addEventListener("abort", wake, { once: true });
      options.subscribe?.(wake);
      if (options.ms <= 0 || signal?.aborted === true) wake();
      else if (options.ms < Number.POSITIVE_INFINITY) {
        this.timers.push(this.timeUs + Math.ceil(options.ms * 1000), call);
      }
    });
  }

  /** Completes one event; false when there is nothing left that could happen. */
  step(): boolean {
    this.timeUs += 1 + this.random.below(this.eventUsMax);
    this.releaseDue();
    let actor = this.pickActor();
    if (actor === undefined) {
      const next = this.nextTimer();
      if (next === undefined) return false;
      this.timeUs = Math.max(this.timeUs, next);
      this.releaseDue();
      actor = this.pickActor();
    }
    if (actor === undefined) return true; // Only a paused process was woken; it keeps that for later.
    if (this.random.chance(1 / 64)) this.random.pick(this.actors).weight = this.random.pick(weights);
    const ready = actor.ready;
    const call = ready[ready.length === 1 ? 0 : this.random.below(ready.length)] as PendingEffect;
    this.events++;
    this.deliver(call);
    return true;
  }

  /** Stops an actor: what is in flight may take effect, but nothing is delivered until `release`. */
  hold(actor: Actor): void {
    for (const call of actor.inFlight) {
      // One that took effect during an earlier pause has its outcome already.
      if (call.state !== "ready" || call.outcome !== undefined) continue;
      if (this.random.chance(0.5)) this.perform(call);
    }
    actor.held = true;
  }

  release(actor: Actor): void {
    actor.held = false;
  }

  /** Ends an actor for good: each call in flight has happened, has not, or has in part. */
  drop(actor: Actor): void {
    if (actor.dropped) return;
    actor.dropped = true;
    for (const call of actor.inFlight) {
      call.state = "done";
      if (call.outcome !== undefined) continue;
      const fate = this.random.below(3);
      if (fate === 0 && call.effect.tear !== undefined) call.effect.tear();
      else if (fate !== 2) this.perform(call);
    }
    actor.inFlight.clear();
    actor.ready.length = 0;
    this.actors.splice(this.actors.indexOf(actor), 1);
    for (const clean of actor.onDrop) clean();
  }

  note(text: string): void {
    this.trace.push(`${this.stamp()} ${text}`);
  }

  /** What each actor is waiting for, to explain a standstill. */
  pending(): string[] {
    return this.actors.flatMap((actor) =>
      [...actor.inFlight].map(
        (call) => `${actor.name}${actor.held ? " (paused)" : ""}: ${call.effect.label}`,
      ),
    );
  }

  private begin(
    actor: Actor,
    effect: Effect,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ): PendingEffect {
    const call = new PendingEffect(actor, effect, resolve, reject);
    actor.inFlight.add(call);
    return call;
  }

  private makeReady(call: PendingEffect): void {
    if (call.state !== "waiting") return;
    call.state = "ready";
    call.actor.ready.push(call);
  }

  private releaseDue(): void {
    for (let call = this.timers.popDue(this.timeUs); call !== undefined;) {
      this.makeReady(call);
      call = this.timers.popDue(this.timeUs);
    }
  }

  /** The time of the next timer that somebody still waits for. */
  private nextTimer(): number | undefined {
    for (;;) {
      const first = this.timers.peek();
      if (first === undefined) return undefined;
      if (first.item.state === "waiting") return first.at;
      this.timers.popDue(first.at);
    }
  }

  private pickActor(): Actor | undefined {
    let total = 0;
    for (const actor of this.actors) if (actor.ready.length > 0 && !actor.held) total += actor.weight;
    if (total === 0) return undefined;
    let at = this.random.below(total);
    for (const actor of this.actors) {
      if (actor.ready.length === 0 || actor.held) continue;
      at -= actor.weight;
      if (at < 0) return actor;
    }
    return undefined;
  }

  private perform(call: PendingEffect): Outcome {
    try {
      call.outcome = { value: call.effect.act() };
    } catch (error) {
      call.outcome = { error };
    }
    return call.outcome;
  }

  private deliver(call: PendingEffect): void {
    const { actor } = call;
    actor.ready.splice(actor.ready.indexOf(call), 1);
    actor.inFlight.delete(call);
    call.state = "done";
    const outcome = call.outcome ?? this.perform(call);
    this.trace.push(`${this.stamp()} ${actor.name} ${call.effect.label}${brief(outcome)}`);
    if ("error" in outcome) call.reject(outcome.error);
    else call.resolve(outcome.value);
  }

  private stamp(): string {
    return `#${this.events} ${this.timeUs / 1000}ms`;
  }
}

function brief(outcome: Outcome): string {
  if ("error" in outcome) {
    const { error } = outcome;
    return ` ! ${error instanceof Error && "code" in error ? error.code : String(error)}`;
  }
  const { value } = outcome;
  if (value === undefined) return "";
  if (typeof value === "number" || typeof value === "string") return ` = ${value}`;
  if (value instanceof Uint8Array) return ` = ${value.length} bytes`;
  if (Array.isArray(value)) return ` = ${value.length} names`;
  return "";
}
