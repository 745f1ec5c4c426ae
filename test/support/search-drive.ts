/** The smallest loop that runs a policy through an episode, for tests that look at decisions and not at files. */
import {
  abstainFor,
  beginEpisode,
  EpisodeRegistry,
  type EpisodeWithTruth,
  type HeldArtifact,
  observe,
  type Policy,
  type RefusalRecord,
  step,
  type StepRecord,
  type TerminalRecord,
} from "@bridle/search";

export interface Driven {
  readonly episode: EpisodeWithTruth;
  readonly steps: readonly StepRecord[];
  readonly artifacts: readonly HeldArtifact["artifact"][];
  readonly refusals: readonly RefusalRecord[];
  readonly terminal: TerminalRecord;
}

export async function driveEpisode(
  policy: Policy,
  episode: EpisodeWithTruth,
  packId = "pack-test",
): Promise<Driven> {
  const registry = new EpisodeRegistry(packId, episode);
  const mind = policy.begin(registry.brief, { signal: new AbortController().signal });
  let state = beginEpisode(registry, episode.episode_id);
  let observation = observe(state);
  const [steps, artifacts, refusals]: [StepRecord[], HeldArtifact["artifact"][], RefusalRecord[]] = [
    [],
    [],
    [],
  ];
  while (state.terminal === undefined) {
    let outcome;
    try {
      outcome = step(state, await mind.propose(observation));
    } catch (error) {
      outcome = abstainFor(state, "policy_failed", String(error));
    }
    steps.push(...outcome.steps.map(({ record }) => record));
    artifacts.push(...outcome.artifacts.map(({ artifact }) => artifact));
    if (outcome.refusalRow !== undefined) refusals.push(outcome.refusalRow.record);
    state = outcome.state;
    observation = observe(state, outcome);
  }
  return { episode, steps, artifacts, refusals, terminal: state.terminal };
}

export async function driveAll(policy: Policy, episodes: readonly EpisodeWithTruth[]): Promise<Driven[]> {
  const driven: Driven[] = [];
  for (const episode of episodes) driven.push(await driveEpisode(policy, episode));
  return driven;
}

export function isRight({ episode, terminal }: Driven): boolean {
  return (terminal.decision_class ?? "abstain") === episode.ground_truth_reference.truth;
}
