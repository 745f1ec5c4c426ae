/** Episodes played to their end and gathered as a run reads them back; and random ones. */
import { canonicalJson, type JsonObject } from "@bridle/record";
import {
  abstainFor,
  type Artifact,
  beginEpisode,
  type EpisodeRecord,
  EpisodeRegistry,
  type EpisodeState,
  type Proposal,
  type RefusalRecord,
  type RunEpisode,
  type RunManifest,
  type StartRecord,
  step,
  type StepRecord,
} from "@bridle/search";

export const samplePackId = "pack_sample";

export function sampleManifest(members: Partial<RunManifest> = {}): RunManifest {
  return {
    code_revision: "0.1.0",
    episode_count: 1,
    episode_ids_sha256: "00",
    loader_version: "1",
    nondeterministic_components: [],
    pack_id: samplePackId,
    pack_schema_version: "hlq.replay_pack.v1",
    policy_id: "sample.v1",
    policy_params: {},
    schema_version: "hlq.run.v1",
    ...members,
  };
}

/** Chooses the next proposal from the state; undefined leaves the end to the harness. */
export type Chooser = (state: EpisodeState, count: number) => Proposal | undefined;

export function playEpisode(record: EpisodeRecord, choose: Chooser, policyId = "sample.v1"): RunEpisode {
  const { anchor_market, episode_id, query, step_budget, token_budget_class, window_id } = record;
  const start: StartRecord = {
    anchor_market,
    episode_id,
    pack_id: samplePackId,
    policy_id: policyId,
    query,
    step_budget,
    token_budget_class,
    window_id,
  };
  let state = beginEpisode(
    new EpisodeRegistry(samplePackId, record),
    canonicalJson(start as unknown as JsonObject),
  );
  const steps: StepRecord[] = [];
  const refusals: RefusalRecord[] = [];
  const artifacts = new Map<string, Artifact>();
  for (let count = 0; ; count++) {
    const proposal = choose(state, count);
    const outcome =
      proposal === undefined ? abstainFor(state, "policy_failed", "it gave up") : step(state, proposal);
    for (const { artifact } of outcome.artifacts) artifacts.set(artifact.artifact_id, artifact);
    for (const { text } of outcome.steps) steps.push(JSON.parse(text) as StepRecord);
    if (outcome.refusalRow !== undefined) refusals.push(JSON.parse(outcome.refusalRow.text) as RefusalRecord);
    state = outcome.state;
    if (outcome.terminal !== undefined) {
      return {
        artifacts: [...artifacts.values()],
        refusals,
        start,
        steps,
        terminal: outcome.terminal.record,
      };
    }
  }
}

/** Each proposal in turn. `$0`, `$1` stand for the artifacts in the order in which they were first read. */
export function script(proposals: readonly (readonly [string, JsonObject])[]): Chooser {
  return (state, count) => {
    const next = proposals[count];
    if (next === undefined) return undefined;
    const text = JSON.stringify(next[1]).replaceAll(
      /\$(\d+)/g,
      (_, i: string) => state.retrieved[Number(i)] ?? "art_none",
    );
    return { action_name: next[0], action_args: JSON.parse(text) as JsonObject };
  };
}
