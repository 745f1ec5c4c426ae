/** Proposals and what comes of them on the sample episode, for tests that state a clause each. */
import {
  beginEpisode,
  type EpisodeWithTruth,
  EpisodeRegistry,
  type EpisodeState,
  type Outcome,
  type Proposal,
  step,
} from "@bridle/search";
import type { JsonObject } from "@bridle/record";
import { sampleEpisode, type SampleOptions, windowIds } from "./search-episode.js";

export const btc = { anchor_market: "BTC", window_id: windowIds[1] };

export function begin(options: SampleOptions = {}): EpisodeState {
  return beginOn(sampleEpisode(options));
}

export function beginOn(record: EpisodeWithTruth): EpisodeState {
  return beginEpisode(new EpisodeRegistry("pack_test", record), "start");
}

export const propose = (action_name: string, action_args: JsonObject): Proposal => ({
  action_name,
  action_args,
});

export const keep = (artifact_id: string) => propose("keep_artifact", { artifact_id });
export const drop = (artifact_id: string) => propose("drop_artifact", { artifact_id });
export const prune = (artifact_ids: readonly string[], reason = "irrelevant") =>
  propose("prune_working_set", { artifact_ids, reason });
export const branch = (subquery_type: string, args: JsonObject) =>
  propose("branch_subquery", { arguments: args, subquery_type });
export const update = (confidence: number, leaning: string) =>
  propose("decision_update", { stop_candidate: { confidence, leaning } });
export const finalize = (ids: readonly string[], decision_class = "finalize_signal") =>
  propose("finalize", {
    decision_class,
    open_risks: ["thin book"],
    retained_artifact_ids: ids,
    stop_reason: "evidence_sufficient",
  });
export const abstain = (ids: readonly string[]) =>
  propose("abstain", { open_risks: [], retained_artifact_ids: ids, stop_reason: "evidence_missing" });

/** Each proposal in the state that the one before it left. */
export function play(state: EpisodeState, ...proposals: readonly Proposal[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const proposal of proposals) outcomes.push(step(outcomes.at(-1)?.state ?? state, proposal));
  return outcomes;
}

export function playLast(state: EpisodeState, ...proposals: readonly Proposal[]): Outcome {
  return play(state, ...proposals).at(-1) as Outcome;
}

export const idOf = ({ artifacts }: Outcome) => artifacts[0]?.artifact.artifact_id ?? "";

/** What the rows of an outcome say, as a reader of the file gets it. */
export const written = ({ steps }: Outcome) => steps.map(({ text }) => JSON.parse(text) as JsonObject);

/** A state in which these three views of BTC were read and kept, and their ids. */
export function withKept(options: SampleOptions = {}) {
  const ids: string[] = [];
  let state = begin({ stepBudget: 30, ...options });
  for (const name of ["read_market_state", "read_derived_metrics", "read_persistence"]) {
    const read = step(state, propose(name, btc));
    ids.push(idOf(read));
    state = playLast(read.state, keep(idOf(read))).state;
  }
  return { state, ids: ids as [string, string, string] };
}
