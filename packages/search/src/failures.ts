/** Every way that the search room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // Training.
  training_data_missing: "There is nothing to train from: no trajectory of the training part.",
  model_failed: "The trained model is no better than always giving the commoner answer.",
  model_invalid: "The file is no model that this version can use.",

  // Replay packs.
  pack_missing: "There is no replay pack at that path.",
  pack_damaged: "The replay pack is not what its manifest says.",
  pack_version_unknown: "The replay pack was made for another version of its schema.",
  pack_sources_mixed: "A pack cannot mix synthetic and real sources.",
  episode_missing: "The replay pack has no such episode.",
  truths_missing: "The replay pack was given away without its truths.",
  truths_mismatch: "The file of truths is not the one that the replay pack speaks of.",

  // Runs of a policy on a pack.
  run_missing: "There is no run at that path.",
  run_exists: "There is a run at that path already.",
  run_damaged: "A file of the run is not what the others say it is.",
  run_version_unknown: "The run was written for another version of its schema.",
  run_differs: "The run that is there is not the one that was asked for.",
  run_pack_mismatch: "The run was made on another pack.",
  run_cost_reached: "The run has cost as much as it may.",
  runs_differ: "The two runs differ.",
  run_episode_missing: "The run has no such episode.",
  run_step_missing: "The episode has no such step, or cannot be forked there.",
  policy_unknown: "No policy has that name.",
  policy_params_invalid: "The policy does not take these parameters.",

  // Evaluation and exports of runs.
  eval_part_empty: "No episode of the runs is in the part of the pack that was to be judged.",
  eval_truth_missing: "An episode of the run is not in the pack that the truth is taken from.",
  eval_pack_mismatch: "A run was made with another pack.",
  run_incomplete: "No episode of the run has ended, so there is nothing to work with.",
  export_into_record: "A file would be written into a run or a pack, which are never changed.",
  export_too_large: "What is exported is too large for an answer.",
  atif_invalid: "The file is no ATIF trajectory that this program wrote, or it was changed since.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
