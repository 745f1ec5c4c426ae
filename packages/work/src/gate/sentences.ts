/**
 * What each class of the gate means, in a sentence for people. The one that is missing here is the
 * pipeline's own, which refuses by it on every surface.
 */
import type { JoinClass } from "./join.js";
import type { MutationClass } from "./mutation-ready.js";

export const gateSentences: Readonly<
  Record<Exclude<JoinClass | MutationClass, "mutation.use_evidence_missing">, string>
> = {
  "context.injection_point_missing": "A result was not rendered for the model, or no view of the state was.",
  "context.queue_policy_violation":
    "Reminders, renderings or views were not made by the policies of the call.",
  "coordination.decomposition_policy_violation": "The work was not divided as its policy admits.",
  "governance.claim_id_invalid": "Another governance profile is claimed than the one there is.",
  "governance.policy_package_mismatch": "The policy package on disk is not the one that was pinned.",
  "governance.policy_package_unpinned": "Governance is claimed, and no policy package is pinned.",
  "handoff.required_artifact_missing": "The handoff lacks an artifact that it must bring.",
  "handoff.return_path_missing": "The handoff does not say how its result comes back.",
  "handoff.target_not_allowed": "The handoff goes to somebody whom it must not go to.",
  "mutation.context_not_ready": "The model would go on without the context that it must be shown.",
  "mutation.join_open": "The turn is not closed.",
  "mutation.policy_unbound": "The turn ran under another mutation policy than the one in force.",
  "mutation.witness_unlinked": "The turn is linked to no session, or to no trajectory.",
  "protocol.parallel_transport_order_invalid":
    "Answers to parallel calls came in an order that is not admitted.",
  "protocol.stop_reason_unhandled": "The model stopped for a reason that nobody handles.",
  "tool.join_incomplete": "Requests, results and uses of tools do not match each other.",
  "tool.response_truncation_policy_violation": "A response was cut off where it must be whole.",
  "tool.result_missing": "A request has no result.",
  "tool.result_orphan": "A result has no request.",
  "tool.schema_invalid": "An error of a tool says no code, no word on retrying, or no message.",
  "tool.use_digest_mismatch": "What was used is not what came back.",
  "tool.use_missing": "A result was not used, observed or discarded.",
  "tool.use_without_result": "Something was used that never came back.",
};
