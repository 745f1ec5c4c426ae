/** The ports of one simulated process: the same doors as the real ones, with the scheduler behind each. */
import type { Ports, ProcessIdentity } from "@bridle/record";
import type { Random } from "./random.js";
import type { Actor, Scheduler } from "./scheduler.js";
import { SimBell } from "./sim-bell.js";
import { type Caller, SimFiles } from "./sim-files.js";
import type { Machine } from "./sim-machine.js";

export interface PortsSetting {
  readonly scheduler: Scheduler;
  readonly actor: Actor;
  readonly machine: Machine;
  readonly identity: ProcessIdentity;
  readonly random: Random;
  readonly nextId: () => string;
  readonly watches: "prompt" | "timeout-only";
}

export function simPorts(setting: PortsSetting): Ports {
  const { scheduler, actor, machine, identity, random, watches } = setting;
  const call = <T>(label: string, act: () => T) => scheduler.request<T>(actor, { label, act });
  const caller: Caller = {
    request: (effect) => scheduler.request(actor, effect),
    wait: (label, options) => scheduler.wait(actor, label, options),
    onDrop: actor.onDrop,
  };
  return {
    clock: {
      now: () => call("now", () => machine.nowMs()),
      monotonic: () => call("monotonic", () => machine.monotonicMs()),
      sleep: (ms, signal) => scheduler.wait(actor, `sleep ${ms}ms`, { ms, signal }),
    },
    ids: { next: () => call("id", setting.nextId) },
    randomness: { bytes: (length) => call(`random ${length}`, () => random.bytes(length)) },
    files: new SimFiles(caller, {
      disk: machine.simDisk,
      random: machine.random,
      faults: () => machine.faults,
      watches,
    }),
    processes: {
      self: () => call("self", () => identity),
      liveness: (other) => call(`liveness ${other.pid}/${other.startTime}`, () => machine.liveness(other)),
      ring: (other) => call(`ring ${other.pid}/${other.startTime}`, () => machine.ring(other)),
      bell: () => call("bell", () => new SimBell(caller, machine, { identity, random, watches })),
    },
    revision: { current: () => call("revision", () => "unknown") },
  };
}
