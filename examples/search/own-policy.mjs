/**
 * A policy of one's own: read the metrics, keep them, and say what they say.
 *
 *     hlq run --pack packs/<pack> --policy ./examples/search/own-policy.mjs --out runs/own
 *
 * `propose` is called once a step with what is asked (`brief`) and what is seen
 * (`observation`), and returns one proposal. What was read is shown once; what was
 * kept stays in `observation.active_artifacts`.
 *
 * @type {import("bridle/search").ProposeFunction}
 */
export function propose({ brief, observation }) {
  const { anchor_market, window_id } = brief;
  const [kept] = observation.active_artifacts;
  const [read] = observation.artifacts;
  if (kept === undefined && read === undefined)
    return { action_name: "read_derived_metrics", action_args: { anchor_market, window_id } };
  if (kept === undefined && read !== undefined)
    return { action_name: "keep_artifact", action_args: { artifact_id: read.artifact_id } };

  const ending = { open_risks: [], retained_artifact_ids: [kept?.artifact_id ?? ""] };
  const score = kept?.payload["funding_z"];
  if (score === undefined)
    return { action_name: "abstain", action_args: { ...ending, stop_reason: "history_missing" } };
  const lasts = Math.abs(Number(score)) > 8;
  return {
    action_name: "finalize",
    action_args: {
      ...ending,
      decision_class: lasts ? "finalize_signal" : "finalize_low_signal",
      stop_reason: "evidence_sufficient",
    },
  };
}
