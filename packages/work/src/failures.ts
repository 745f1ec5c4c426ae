/** Every way that the work room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // The call itself.
  operation_engine_denied: "The operation needs a file, and the memory is kept by another engine.",

  // Gates.
  harness_join_check_invalid: "The evidence of a turn cannot be read or has no normal form.",
  retry_policy_missing: "There is no retry policy.",
  retry_policy_invalid_json: "The retry policy is not JSON.",
  retry_policy_io_error: "The retry policy cannot be read.",
  retry_policy_invalid_shape: "The retry policy lacks something, or says something twice.",
  retry_policy_invalid_digest: "The retry policy was changed after it was sealed.",

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
