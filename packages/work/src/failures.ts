import { coherenceClasses } from "./evidence/coherence-classes.js";
import { doctrineClasses } from "./evidence/doctrine-classes.js";
import { gateSentences } from "./gate/sentences.js";

/** Every way that the work room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // The call itself.
  operation_engine_denied: "The operation needs a file, and the memory is kept by another engine.",

  // Gates.
  harness_join_check_invalid: "The evidence of a turn cannot be read or has no normal form.",
  lane_settings_missing: "Nothing says where a person's settings are, in which lanes stand.",
  "mutation.person_required": "Only a person at their own machine may do this.",
  "mutation.capability_claim_missing": "The instruction does not allow this action.",
  "mutation.worker_not_allowed": "The lane is not for this worker.",
  "mutation.lane_ended": "The lane was closed, or its time is over.",
  "mutation.lane_ambiguous": "Several lanes are open for the folder, and the server names none.",
  "mutation.run_unknown": "BRIDLE_RUN names no run that is alive.",
  "mutation.override_expired": "The time of a human override is over.",
  "mutation.override_invalid": "A human override needs a reason and at most 24 hours.",
  "mutation.witness_missing": "No witness has that instruction id.",
  "mutation.witness_invalid":
    "The witness of the instruction is not one, or was changed after it was written.",
  "mutation.witness_rejected": "The witness says that the instruction was rejected.",
  "mutation.witness_expired": "The witness of the instruction has expired.",
  "mutation.witness_spent": "The witness was used for this action already.",
  "mutation.witness_issue_mismatch": "The witness is for another issue.",
  "mutation.witness_fence_mismatch": "The witness is for another claim of the issue.",
  "mutation.verified_change_missing": "No checks that the harness ran say that the change is good.",
  "mutation.envelope_not_in_base": "The base commit does not hold that instruction envelope.",
  retry_policy_missing: "There is no retry policy.",
  retry_policy_invalid_json: "The retry policy is not JSON.",
  retry_policy_io_error: "The retry policy cannot be read.",
  retry_policy_invalid_shape: "The retry policy lacks something, or says something twice.",
  retry_policy_invalid_digest: "The retry policy was changed after it was sealed.",
  escalation_issue_context_ambiguous: "More than one issue could be the one that failed.",
  escalation_issue_context_unbound: "Nothing says which issue failed.",
  escalation_issue_not_found: "The issue that failed is not there.",
  escalation_session_invalid: "The session that should name the failed issue is none.",
  escalation_session_read_failed: "The session that should name the failed issue cannot be read.",
  ...gateSentences,

  // Transport from one folder to another, as the contracts call it.
  world_invalid: "The description of a world is none.",
  world_morphism_missing: "Two worlds have no way to each other.",
  world_capability_mismatch: "The destination does not take what is sent.",
  world_policy_mismatch: "Two worlds do not read or compare witnesses alike.",
  transport_context_unresolved: "What is sent, or where to, is not to be found.",
  transport_witness_unverifiable: "A packet is not what it says.",
  transport_non_composable: "The way leads back to where it began.",
  site_overlap_mismatch: "Two locations say different things about the same work.",
  site_glue_missing: "Nothing says how the parts make a whole.",
  site_glue_non_contractible: "The parts make a whole in more than one way.",

  // What there is to see, and whether it belongs together.
  observation_invalid: "The observation that was written down cannot be read or is none.",
  observation_not_found: "Nothing of that name was observed.",
  coherence_contract_invalid: "The contract of what belongs together cannot be read or is none.",
  ...coherenceClasses,
  ...doctrineClasses,

  // Harness session and trajectory.
  session_missing: "There is no harness session at that path.",
  session_invalid: "The harness session file breaks its contract.",
  step_invalid: "The trajectory row breaks its contract.",

  // Feature ledger.
  feature_ledger_missing: "There is no feature ledger at that path.",
  feature_ledger_invalid: "The feature ledger file breaks its contract.",
  "harness_feature_ledger.updated_at.empty": "The feature ledger does not say when it was updated.",
  "harness_feature_ledger.empty": "The feature ledger has no features.",
  "harness_feature_ledger.feature_id.empty": "A feature has no id.",
  "harness_feature_ledger.feature_id.duplicate": "Two features have the same id.",
  "harness_feature_ledger.feature.updated_at.empty": "A feature does not say when it was updated.",
  "harness_feature_ledger.status.invalid": "A feature's status is not one of the four.",
  "harness_feature_ledger.completed_missing_verification_ref":
    "A feature is completed, but nothing is named that verified it.",
  "harness_feature_ledger.instruction_ref.empty": "A feature has a blank instruction ref.",
  "harness_feature_ledger.verification_ref.empty": "A feature has a blank verification ref.",
  "harness_feature_ledger.in_progress.non_contractible": "More than one feature would be in progress.",
  "harness_feature_ledger.closure_incomplete": "Not every feature is completed.",

  // Issue memory.
  issue_memory_missing: "There is no issue memory at that path.",
  issue_memory_unmerged: "Issue memory holds two sides that git or somebody has not made one yet.",
  issue_memory_too_large: "Issue memory is larger than the limit.",
  issue_not_found: "No issue has that id.",
  issue_exists: "An issue with that id is there already.",
  issue_row_invalid: "The row of that issue breaks its contract, so the issue is not changed.",
  issue_invalid: "The value does not fit the field of an issue.",
  issue_update_empty: "Nothing was named that could be changed.",
  issue_closed: "The issue is closed.",
  issue_not_closed: "The issue is not closed.",
  issue_close_open_children: "The issue is an epic, and not all of its children are closed.",
  issue_not_work: "The issue is a record of another program, and nothing that can be worked on.",
  issue_close_blocked: "The issue has blockers that are not closed.",
  issue_force_reason_missing: "A change is forced only with a reason, which is recorded.",
  issue_discover_parent_missing: "The issue that the work was discovered from is not there.",
  issue_discover_id_conflict: "The discovered issue's id is taken.",
  issue_source_invalid: "The file to import or merge has a line that is no issue; nothing was changed.",
  issue_export_onto_memory: "An export does not replace issue memory itself.",
  "issue_graph.row.invalid": "A row of issue memory is no issue.",
  "issue_graph.issue_type.epic_mismatch": "An issue that calls itself an epic has another type.",
  "issue_graph.acceptance.missing": "An active issue says nowhere what would be accepted.",
  "issue_graph.verification_command.missing": "An active issue names no command that verifies it.",

  // Leases.
  issue_claim_closed: "A closed issue cannot be claimed.",
  issue_already_claimed: "Somebody else is assigned, without a lease.",
  lease_not_found: "No issue has that id, so there is nothing to lease.",
  lease_issue_closed: "The lease of a closed issue cannot be renewed.",
  lease_contention_active: "Somebody else's lease is active.",
  lease_invalid_assignee: "The assignee is blank.",
  lease_invalid_ttl: "The lease's time to live is out of range.",
  lease_invalid_expires_at: "The lease's end is no time in the future.",
  lease_binding_ambiguous: "Both a time to live and an end were given for the lease.",
  lease_invalid_payload: "The lease request does not fit its schema.",
  lease_missing: "The issue has no lease.",
  lease_stale: "The lease has ended.",
  lease_owner_mismatch: "The lease belongs to somebody else.",
  lease_id_mismatch: "The lease has another id.",
  lease_fence_stale: "The fence is not that of the issue's last claim.",
  lease_request_reused: "The request id was used for another claim.",
  lease_mutation_lock_busy: "Issue memory is locked by somebody else for too long.",
  lease_mutation_lock_io: "The lock of issue memory cannot be used.",
  lease_mutation_store_io: "Issue memory cannot be read or written.",

  // Dependencies.
  dependency_self_loop: "An issue cannot depend on itself.",
  dependency_exists: "The dependency is there already.",
  dependency_not_found: "There is no such dependency.",
  dependency_on_parent: "A child cannot wait for its own parent, which is done when its children are.",
  dependency_cycle: "The dependency would close a cycle that can never be worked off.",

  // The event stream of issues.
  event_stream_missing: "There is no event stream at that path.",
  event_schema_unsupported: "An event has a schema that this version does not know.",
  event_invalid: "A line of the event stream is no event.",
  event_id_mismatch: "An event carries the row of another issue than it names.",
  event_dependency_unresolved: "An event makes a dependency between issues that the stream does not have.",
  event_replay_not_equivalent: "Replaying the stream would not give the same issues.",
  event_replay_differs: "Issue memory has something that replaying the stream would take away.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
