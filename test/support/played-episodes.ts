/** Episodes played to their end and gathered as a run reads them back; and random ones. */
import { canonicalJson, type JsonObject } from "@bridle/record";
import {
  abstainFor,
  type Artifact,
  beginEpisode,
  type EpisodeWithTruth,
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
import fc from "fast-check";
import { marketNames, sampleEpisode, windowIds } from "./search-episode.js";

export const samplePackId = "pack_sample";

export function sampleManifest(members: Partial<Omit<RunManifest, "forked_from">> = {}): RunManifest {
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
    run_id: "run_sample",
    schema_version: "hlq.run.v1",
    ...members,
  };
}

/** Chooses the next proposal from the state; undefined leaves the end to the harness. */
export type Chooser = (state: EpisodeState, count: number) => Proposal | undefined;

export function playEpisode(
  record: EpisodeWithTruth,
  choose: Chooser,
  { packId = samplePackId, policyId = "sample.v1" }: { packId?: string; policyId?: string } = {},
): RunEpisode {
  const { anchor_market, episode_id, query, step_budget, token_budget_class, window_id } = record;
  const start: StartRecord = {
    anchor_market,
    episode_id,
    pack_id: packId,
    policy_id: policyId,
    query,
    step_budget,
    token_budget_class,
    window_id,
  };
  let state = beginEpisode(
    new EpisodeRegistry(packId, record),
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

const market = fc.constantFrom(...marketNames);
const window = fc.constantFrom(...windowIds);
/** Artifacts by their number, see `script`. */
const artifact = fc.nat({ max: 5 }).map((i) => `$${i}`);
const artifacts = fc.uniqueArray(artifact, { maxLength: 3 });
const remark = fc.constantFrom("", ": because", ": 三つ", ": 😀");
const ending = {
  open_risks: fc.array(fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }), { maxLength: 2 }),
  retained_artifact_ids: artifacts,
  stop_reason: fc
    .tuple(fc.constantFrom("evidence_sufficient", "history_missing"), remark)
    .map((parts) => parts.join("")),
};
const confidence = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000);
const leaning = fc.constantFrom("finalize_signal", "finalize_low_signal", "abstain");

const named = <Name extends string>(name: Name, args: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constant(name), args as fc.Arbitrary<JsonObject>);

/** Mostly what can be carried out, and what a confused model says. */
const anyProposal = fc.oneof(
  ...["read_market_state", "read_derived_metrics", "read_persistence"].map((name) => ({
    weight: 5,
    arbitrary: named(name, fc.record({ anchor_market: market, window_id: window })),
  })),
  named(
    "compare_markets",
    fc.record({
      anchor_market: market,
      peer_markets: fc.array(market, { minLength: 1, maxLength: 3 }),
      window_id: window,
    }),
  ),
  named(
    "retrieve_similar_prior_episodes",
    fc.record({
      anchor_market: market,
      pattern_id_or_query: fc.constantFrom("funding_stress_up", "short funding", "none"),
    }),
  ),
  { weight: 5, arbitrary: named("keep_artifact", fc.record({ artifact_id: artifact })) },
  named("drop_artifact", fc.record({ artifact_id: artifact })),
  {
    weight: 2,
    arbitrary: named(
      "prune_working_set",
      fc.record({
        artifact_ids: fc.uniqueArray(artifact, { minLength: 1, maxLength: 2 }),
        reason: fc
          .tuple(fc.constantFrom("irrelevant", "context_pressure"), remark)
          .map((parts) => parts.join("")),
      }),
    ),
  },
  named(
    "branch_subquery",
    fc.record({
      arguments: fc.record({
        anchor_market: market,
        window_ids: fc.uniqueArray(window, { minLength: 1, maxLength: 2 }),
      }),
      subquery_type: fc.constantFrom("derived_metrics", "persistence_check"),
    }),
  ),
  named("decision_update", fc.record({ stop_candidate: fc.record({ confidence, leaning }) })),
  named(
    "finalize",
    fc.record({ ...ending, decision_class: fc.constantFrom("finalize_signal", "finalize_low_signal") }),
  ),
  named("abstain", fc.record(ending)),
  named("read_everything", fc.jsonValue({ maxDepth: 2 })),
);

/** Random episodes that end, by the policy or by the harness. */
export const anyEpisode: fc.Arbitrary<RunEpisode> = fc
  .record({
    proposals: fc.array(fc.tuple(anyProposal, fc.option(fc.string({ maxLength: 30, unit: "grapheme" }))), {
      minLength: 4,
      maxLength: 30,
    }),
    stepBudget: fc.integer({ min: 1, max: 16 }),
    id: fc.integer({ min: 1, max: 9 }).map((n) => `ep-${n}`),
  })
  .map(({ proposals, stepBudget, id }) => {
    const plain = script(proposals.map(([proposal]) => proposal as readonly [string, JsonObject]));
    return playEpisode(sampleEpisode({ id, stepBudget }), (state, count) => {
      const proposal = plain(state, count);
      const notes = proposals[count]?.[1] ?? undefined;
      return proposal === undefined || notes === undefined ? proposal : { ...proposal, notes };
    });
  });
