/** A simulated process's bell. Where watches are `timeout-only`, every ring gets lost. */
import type { ProcessIdentity, Watcher } from "@bridle/record";
import type { Random } from "./random.js";
import type { Caller } from "./sim-files.js";
import type { Machine } from "./sim-machine.js";

/** How often a wait ends for no reason. */
const spuriousRate = 1 / 16;

export interface BellSetting {
  readonly identity: ProcessIdentity;
  readonly random: Random;
  readonly watches: "prompt" | "timeout-only";
}

export class SimBell implements Watcher {
  private rung = false;
  private wake: (() => void) | undefined;
  private readonly stop: () => void;

  constructor(
    private readonly caller: Caller,
    machine: Machine,
    private readonly setting: BellSetting,
  ) {
    const { identity, watches } = setting;
    this.stop = machine.listen(identity, () => {
      if (watches === "timeout-only") return;
      this.rung = true;
      this.wake?.();
    });
    caller.onDrop.add(this.stop);
  }

  async changed(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { random } = this.setting;
    const ms = this.rung ? 0 : random.chance(spuriousRate) ? random.below(timeoutMs + 1) : timeoutMs;
    await this.caller.wait(`bell ${timeoutMs}ms`, { ms, signal, subscribe: (wake) => (this.wake = wake) });
    this.wake = undefined;
    this.rung = false;
  }

  async close(): Promise<void> {
    this.stop();
    this.caller.onDrop.delete(this.stop);
  }
}
