/** A run as the operations on runs want it. Who reads run folders hands this in; see `OpenRun`. */
import type { Call } from "@bridle/operation";
import type { RunEpisode, RunManifest, RunSidecar } from "../run/types.js";

export interface RunSource {
  readonly manifest: RunManifest;
  /** Where a bill was kept beside the folder. */
  readonly sidecar?: RunSidecar;
  /**
   * Contract: the episodes that ended, in the order of the run. May be asked for
   * again and then begins anew; whatever it opens it closes when it is left.
   */
  episodes(): AsyncIterable<RunEpisode>;
}

/** Contract: `folder` is absolute. Throws a `Failure` when it is no run, or one that is damaged. */
export type OpenRun = (folder: string, call: Call) => Promise<RunSource>;
