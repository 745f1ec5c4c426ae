/**
 * A simulated machine: a disk, a wall clock, a boot, and the processes of that boot.
 *
 * Process ids are given out again, and after a crash both ids and start times
 * begin anew, so that of two records of a process often only one field differs.
 */
import type { Liveness, ProcessIdentity } from "@bridle/record";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";
import { SimDisk } from "./sim-disk.js";
import { DiskView } from "./sim-disk-view.js";
import type { Running } from "./sim-process.js";
import type { DiskFaults, SimMachine } from "./types.js";

const firstPid = 100;

export interface MachineSetting {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly startMs: number;
  readonly faults: DiskFaults;
  readonly folders: readonly string[];
}

export class Machine implements SimMachine {
  readonly name: string;
  readonly disk: DiskView;
  readonly simDisk: SimDisk;
  /** Draws of this machine's disk: faults, torn writes, what a crash keeps. */
  readonly random: Random;
  faults: DiskFaults;
  bootId: string;
  readonly processes = new Set<Running>();
  private readonly scheduler: Scheduler;
  private wallOffsetMs: number;
  private boots = 0;
  private bootedUs = 0;
  private lastPid = firstPid;
  private lastStart = 0;
  private freePids: number[] = [];
  private readonly bells = new Map<string, Set<() => void>>();

  constructor(setting: MachineSetting) {
    this.name = setting.name;
    this.scheduler = setting.scheduler;
    this.random = setting.random;
    this.faults = setting.faults;
    this.wallOffsetMs = setting.startMs;
    this.bootId = this.nextBootId();
    this.simDisk = new SimDisk(this.random.fork("disk"), () => this.nowMs());
    this.disk = new DiskView(this.simDisk, this.random.fork("view"));
    for (const folder of setting.folders) this.disk.makeFolder(folder);
  }

  nowMs(): number {
    return Math.floor(this.wallOffsetMs + this.scheduler.timeUs / 1000);
  }

  monotonicMs(): number {
    return (this.scheduler.timeUs - this.bootedUs) / 1000;
  }

  jumpClock(ms: number): void {
    this.scheduler.note(`${this.name} clock jumps ${ms}ms`);
    this.wallOffsetMs += ms;
  }

  crash(): void {
    this.scheduler.note(`${this.name} crashes`);
    for (const process of [...this.processes]) process.kill();
    for (const decision of this.simDisk.crash()) this.scheduler.note(`${this.name} ${decision}`);
    this.bootId = this.nextBootId();
    this.bootedUs = this.scheduler.timeUs;
    this.lastPid = firstPid;
    this.lastStart = 0;
    this.freePids = [];
  }

  newIdentity(): ProcessIdentity {
    const reuse = this.freePids.length > 0 && this.random.chance(0.3);
    const pid = reuse
      ? (this.freePids.splice(this.random.below(this.freePids.length), 1)[0] as number)
      : ++this.lastPid;
    // Ticks since boot; no two processes of a boot start in the same one, so pid and start time are a proof.
    this.lastStart = Math.max(this.lastStart + 1, Math.floor(this.monotonicMs() / 10));
    const startTime = String(this.lastStart);
    return { pid, startTime, bootId: this.bootId, pidNamespace: "pid:[1]", host: this.name };
  }

  /** A process that ended gives its id back. */
  forget(process: Running): void {
    if (this.processes.delete(process)) this.freePids.push(process.identity.pid);
  }

  liveness(other: ProcessIdentity): Liveness {
    if (other.host !== this.name) return "unknown";
    if (other.bootId !== this.bootId) return "gone";
    if (other.pidNamespace !== "pid:[1]") return "unknown";
    for (const process of this.processes) {
      const { pid, startTime } = process.identity;
      if (pid === other.pid && startTime === other.startTime) {
        return process.state === "paused" ? "stopped" : "alive";
      }
    }
    return "gone";
  }

  /** Calls back at each ring for this process; returns how to stop. */
  listen(identity: ProcessIdentity, notice: () => void): () => void {
    const notices = this.bells.get(bellOf(identity)) ?? new Set();
    this.bells.set(bellOf(identity), notices.add(notice));
    return () => notices.delete(notice);
  }

  ring(identity: ProcessIdentity): void {
    if (this.liveness(identity) === "unknown") return;
    for (const notice of this.bells.get(bellOf(identity)) ?? []) notice();
  }

  private nextBootId(): string {
    return `${this.name}-boot-${++this.boots}`;
  }
}

function bellOf({ pid, startTime, bootId }: ProcessIdentity): string {
  return `${pid} ${startTime} ${bootId}`;
}
