export type {
  DiskFaults,
  InvariantOptions,
  ProcessBody,
  ProcessEnd,
  SimDiskView,
  SimMachine,
  SimProcess,
  SimulationOptions,
  SpawnOptions,
  SuiteCase,
} from "./types.js";
export { VirtualClock } from "./clock.js";
export type { Fault, FaultOptions, FileMethod } from "./faulty-files.js";
export { FaultyFiles, faults } from "./faulty-files.js";
export type { Alterations } from "./altered-files.js";
export { alterFiles } from "./altered-files.js";
export { Random } from "./random.js";
export { Simulation } from "./simulation.js";
export { SimulationFailure } from "./simulation-failure.js";
export { simulationLimits } from "./simulation-limits.js";
export type { Exploration, ExplorationFailure, ExploreOptions } from "./explore.js";
export { explore, exploreOrThrow } from "./explore.js";
export type { Deed, NemesisOptions } from "./nemesis.js";
export { harass } from "./nemesis.js";
export type { FilesSubject } from "./files-suite-subject.js";
export { filesSuite } from "./files-suite.js";
export { clockSuite } from "./clock-suite.js";
export { processesSuite } from "./processes-suite.js";
