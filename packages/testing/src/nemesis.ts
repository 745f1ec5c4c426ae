/**
 * Harm at random moments: kills, pauses, crashes and clock jumps, as many as asked for.
 *
 * It is a part of the scenario, so await it there; what it does is decided by
 * the scenario's seed. Restarting what it killed is the scenario's business.
 */
import type { Simulation } from "./simulation.js";
import type { SimProcess } from "./types.js";

export interface NemesisOptions {
  readonly kills?: number;
  readonly pauses?: number;
  readonly crashes?: number;
  readonly clockJumps?: number;
  /** Events between two deeds, at most. Default: 100. */
  readonly gapEventsMax?: number;
  /** How long a pause lasts at most, in virtual time. Default: 1 s. */
  readonly pauseMsMax?: number;
  /** How far the wall clock jumps at most, either way. Default: 1 h. */
  readonly jumpMsMax?: number;
  /** Whom it may harm, asked anew each time. */
  readonly victims: () => readonly SimProcess[];
  /** After each kill or crash; the place to restart. */
  readonly after?: (deed: Deed) => void | Promise<void>;
}

export type Deed = "kill" | "pause" | "crash" | "clock jump";

/** Resolves when all deeds are done and every pause is over; returns how many were done. */
export async function harass(sim: Simulation, options: NemesisOptions): Promise<number> {
  const { random } = sim;
  const left: Deed[] = [
    ...new Array<Deed>(options.kills ?? 0).fill("kill"),
    ...new Array<Deed>(options.pauses ?? 0).fill("pause"),
    ...new Array<Deed>(options.crashes ?? 0).fill("crash"),
    ...new Array<Deed>(options.clockJumps ?? 0).fill("clock jump"),
  ];
  const pauses: Promise<void>[] = [];
  let done = 0;
  while (left.length > 0) {
    await sim.events(random.between(1, options.gapEventsMax ?? 100));
    const deed = left.splice(random.below(left.length), 1)[0] as Deed;
    const victims = options.victims().filter((process) => process.state === "running");
    if (victims.length === 0) continue;
    const victim = random.pick(victims);
    done++;
    switch (deed) {
      case "kill":
        victim.kill();
        break;
      case "crash":
        sim.crashMachine(victim.machine);
        break;
      case "clock jump": {
        const far = options.jumpMsMax ?? 3_600_000;
        sim.machine(victim.machine).jumpClock(random.between(-far, far));
        break;
      }
      case "pause":
        victim.pause();
        pauses.push(sim.sleep(random.between(1, options.pauseMsMax ?? 1000)).then(() => victim.resume()));
    }
    await options.after?.(deed);
  }
  await Promise.all(pauses);
  return done;
}
