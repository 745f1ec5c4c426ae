/** A running simulated process; see `SimProcess` in types.ts for what each method promises. */
import type { ProcessIdentity } from "@bridle/record";
import type { Actor, Scheduler } from "./scheduler.js";
import type { Machine } from "./sim-machine.js";
import type { ProcessEnd, SimProcess } from "./types.js";

/** What a machine needs to know of the processes on it. */
export interface Running {
  readonly identity: ProcessIdentity;
  readonly state: "running" | "paused" | "ended";
  /** Nobody waits for its end. */
  readonly background: boolean;
  kill(): void;
}

export interface ProcessSetting<T> {
  readonly name: string;
  readonly background: boolean;
  readonly machine: Machine;
  readonly identity: ProcessIdentity;
  readonly actor: Actor;
  readonly scheduler: Scheduler;
  readonly respawn: () => SimProcess<T>;
  readonly onEnd: (end: ProcessEnd<T>) => void;
}

export class RunningProcess<T> implements SimProcess<T>, Running {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly background: boolean;
  readonly ended: Promise<ProcessEnd<T>>;
  state: "running" | "paused" | "ended" = "running";
  private resolveEnded: (end: ProcessEnd<T>) => void = () => {};

  constructor(private readonly setting: ProcessSetting<T>) {
    this.name = setting.name;
    this.identity = setting.identity;
    this.background = setting.background;
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
  }

  get machine(): string {
    return this.setting.machine.name;
  }

  kill(): void {
    if (this.state === "ended") return;
    this.setting.scheduler.note(`${this.setting.actor.name} is killed`);
    this.end({ how: "killed" });
  }

  pause(): void {
    if (this.state !== "running") return;
    this.state = "paused";
    this.setting.scheduler.note(`${this.setting.actor.name} is paused`);
    this.setting.scheduler.hold(this.setting.actor);
  }

  resume(): void {
    if (this.state !== "paused") return;
    this.state = "running";
    this.setting.scheduler.note(`${this.setting.actor.name} is resumed`);
    this.setting.scheduler.release(this.setting.actor);
  }

  restart(): SimProcess<T> {
    this.kill();
    return this.setting.respawn();
  }

  /** Also when the body returned or threw: a process that has exited completes no calls. */
  end(end: ProcessEnd<T>): void {
    if (this.state === "ended") return;
    this.state = "ended";
    this.setting.scheduler.drop(this.setting.actor);
    this.setting.machine.forget(this);
    this.setting.onEnd(end);
    this.resolveEnded(end);
  }
}
