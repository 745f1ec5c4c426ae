/**
 * Episodes as an environment: `reset` opens one, `step` carries out one action and
 * says what is seen. For whoever trains or tries something in a loop of their own;
 * nothing is written, and the truth is not in here.
 *
 *     const pack = await openPack("packs/demo");
 *     const environment = environmentOf(pack);
 *     let seen = await environment.reset((await pack.episodeIds())[0]);
 *     while (!seen.ended) seen = environment.step(decide(seen));
 *     console.log(seen.terminal);
 */
import { loaderOf } from "./episode/artifact.js";
import { EpisodeRegistry } from "./episode/registry.js";
import { beginEpisode, type EpisodeState, observe } from "./episode/state.js";
import { step } from "./episode/step.js";
import type { Pack } from "./pack/types.js";
import { startRow } from "./run/drive.js";
import type { ActionRefusal, Brief, Observation, Proposal, TerminalRecord } from "./types.js";

export interface EnvironmentStep {
  readonly brief: Brief;
  readonly observation: Observation;
  readonly ended: boolean;
  /** Why the last action was not carried out; nothing but the count of refusals changed. */
  readonly refusal: ActionRefusal | undefined;
  /** How it ended; undefined before. */
  readonly terminal: TerminalRecord | undefined;
}

export interface Environment {
  /** Contract: fails with `episode_missing`. An episode that is open is left as it is. */
  reset(episodeId: string): Promise<EnvironmentStep>;
  /** Contract: throws before the first `reset`; after the end it answers with the refusal `episode_ended`. */
  step(action: Proposal): EnvironmentStep;
}

/** Steps are the same as in a run of the policy `policyId`, digests included. */
export function environmentOf(pack: Pack, policyId = "environment.v1"): Environment {
  let state: EpisodeState | undefined;
  return {
    async reset(episodeId) {
      const registry = new EpisodeRegistry(
        pack.manifest.pack_id,
        await pack.episode(episodeId),
        loaderOf(pack.manifest),
      );
      state = beginEpisode(registry, startRow(registry.packId, policyId, registry.brief).text);
      return seenIn(state, observe(state));
    },
    step(action) {
      if (state === undefined) throw new Error("no episode is open; reset opens one");
      const outcome = step(state, action);
      state = outcome.state;
      return seenIn(state, observe(state, outcome));
    },
  };
}

function seenIn({ registry, terminal }: EpisodeState, observation: Observation): EnvironmentStep {
  return {
    brief: registry.brief,
    observation,
    ended: terminal !== undefined,
    refusal: observation.refusal,
    terminal,
  };
}
