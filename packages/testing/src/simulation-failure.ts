/** Why a simulation failed, with all that is needed to see it again: the seed, and the last events. */
import { simulationLimits } from "./simulation-limits.js";

export interface FailureScene {
  readonly seed: number;
  readonly events: number;
  readonly traceDigest: string;
  readonly trace: readonly string[];
}

export class SimulationFailure extends Error {
  readonly seed: number;
  readonly events: number;
  readonly traceDigest: string;
  readonly trace: readonly string[];

  constructor(what: string, scene: FailureScene, cause?: unknown) {
    const tail = scene.trace.slice(-simulationLimits.failureTraceLines).map((line) => `  ${line}`);
    super(
      [
        what,
        `seed ${scene.seed}, event ${scene.events}, trace ${scene.traceDigest}`,
        `see it again with BRIDLE_SEED=${scene.seed}`,
        ...tail,
      ].join("\n"),
      { cause },
    );
    this.name = "SimulationFailure";
    this.seed = scene.seed;
    this.events = scene.events;
    this.traceDigest = scene.traceDigest;
    this.trace = scene.trace;
  }
}
