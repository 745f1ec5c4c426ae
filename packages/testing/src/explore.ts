/**
 * Runs one scenario under many seeds and stops at the first that fails.
 *
 * With BRIDLE_SEED set, only that seed is run: the line to copy from a failure.
 * Nothing here is part of a simulation, so real time may be read.
 */
import { Simulation } from "./simulation.js";
import { SimulationFailure } from "./simulation-failure.js";
import type { SimulationOptions } from "./types.js";

export interface ExploreOptions {
  /** How many seeds at most. */
  readonly seeds: number;
  /** The first seed. Default: 1. */
  readonly from?: number;
  /** Stop after this much real time, even if seeds are left. */
  readonly minutes?: number;
  /** What each simulation is made with; may depend on the seed. */
  readonly options?: Omit<SimulationOptions, "seed"> | ((seed: number) => Omit<SimulationOptions, "seed">);
  /** The scenario; it calls `sim.run` itself, once or several times. It fails by rejecting. */
  readonly run: (sim: Simulation) => Promise<unknown>;
  /** Default: the environment's BRIDLE_SEED. */
  readonly onlySeed?: number;
}

export interface Exploration {
  readonly seedsTried: number;
  readonly events: number;
  readonly failure?: ExplorationFailure;
}

export interface ExplorationFailure {
  readonly seed: number;
  readonly error: Error;
  readonly traceDigest: string;
  readonly trace: readonly string[];
}

export async function explore(options: ExploreOptions): Promise<Exploration> {
  const only = options.onlySeed ?? seedFromEnvironment();
  const from = only ?? options.from ?? 1;
  const count = only === undefined ? options.seeds : 1;
  const deadline = options.minutes === undefined ? Infinity : performance.now() + options.minutes * 60_000;
  let events = 0;
  let seedsTried = 0;
  for (let seed = from; seed < from + count && performance.now() < deadline; seed++) {
    const given = typeof options.options === "function" ? options.options(seed) : options.options;
    const sim = new Simulation({ ...given, seed });
    seedsTried++;
    try {
      await options.run(sim);
      events += sim.eventCount;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const failure = { seed, error, traceDigest: sim.traceDigest, trace: sim.trace };
      return { seedsTried, events: events + sim.eventCount, failure };
    }
  }
  return { seedsTried, events };
}

/** `explore`, but a failing seed is thrown, with a message that says how to see it again. */
export async function exploreOrThrow(options: ExploreOptions): Promise<Exploration> {
  const exploration = await explore(options);
  const { failure } = exploration;
  if (failure === undefined) return exploration;
  if (failure.error instanceof SimulationFailure) throw failure.error;
  const scene = { ...failure, events: exploration.events };
  throw new SimulationFailure(failure.error.message, scene, failure.error);
}

function seedFromEnvironment(): number | undefined {
  const text = process.env["BRIDLE_SEED"];
  if (text === undefined || text === "") return undefined;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error(`BRIDLE_SEED is "${text}", expected a whole number`);
  return seed;
}
