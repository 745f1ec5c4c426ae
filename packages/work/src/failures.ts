import { coherenceClasses } from "./evidence/coherence-classes.js";
import { doctrineClasses } from "./evidence/doctrine-classes.js";
import { gateSentences } from "./gate/sentences.js";

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
  escalation_issue_context_ambiguous: "More than one issue could be the one that failed.",
  escalation_issue_context_unbound: "Nothing says which issue failed.",
  escalation_issue_not_found: "The issue that failed is not there.",
  escalation_session_invalid: "The session that should name the failed issue is none.",
  escalation_session_read_failed: "The session that should name the failed issue cannot be read.",
  ...gateSentences,

  // Required checks and their witnesses.
  required_checks_missing: "The project has no map of required checks, or it asks for none.",
  required_checks_exist: "There is a map of required checks already.",
  required_checks_invalid_json: "The map of required checks is not JSON.",
  required_checks_invalid_shape: "The map of required checks lacks something, or says something twice.",
  required_checks_invalid_digest: "The map of required checks was changed after it was sealed.",
  required_projection_invalid: "What a projection was asked for cannot be read.",
  required_delta_invalid: "What a delta was asked for cannot be read, or git cannot tell it.",
  required_gate_ref_invalid: "What a gate ref was asked for cannot be read.",
  required_witness_runtime_invalid: "What a required witness is made from cannot be read.",
  required_witness_verify_invalid: "What a required witness is verified by cannot be read.",
  required_witness_decide_invalid: "What a required witness is decided by cannot be read.",
  required_decision_verify_invalid: "What a decision is verified by cannot be read.",
  required_witness_rejected: "The witness does not hold: derived again from files, something differs.",
  check_failed: "A required check failed, twice on the same tree.",
  check_tampered: "The change touches what its checks go by, which waits for a person.",
  flaky_execution: "A required check failed and then passed on the same tree.",
  gate_timeout: "A required check took longer than it may.",
  executor_unavailable: "A required check could not be started.",
  checks_running: "The required checks are still running; the same call again waits on.",
  change_uncommitted: "There are changes that no commit holds, so checks of the commit would not judge them.",
  no_change: "Nothing changed since the claim.",
  change_unknown: "The commit cannot be found, or it did not grow from where the claim began.",
  claim_missing: "The issue is not claimed, or its claim does not say where it began.",
  "mutation.verified_change_missing":
    "No checks that the harness ran say that the change of the issue is good.",

  // Instructions.
  instruction_filename_invalid: "The name of an instruction is no <time>-<id>.json.",
  instruction_envelope_invalid: "The instruction cannot be read.",
  instruction_envelope_invalid_json: "The instruction is not JSON.",
  instruction_envelope_invalid_shape: "The instruction is no object.",
  instruction_invalid_schema: "The schema of the instruction is no positive whole number.",
  instruction_invalid_intent: "The instruction does not say what it is for.",
  instruction_invalid_normalizer: "The instruction names no normalizer.",
  instruction_invalid_policy_digest: "The instruction names no policy.",
  instruction_scope_missing: "The instruction does not say what it is about.",
  instruction_scope_invalid: "What the instruction is about is blank.",
  instruction_requested_checks_invalid: "The checks that the instruction asks for are no list of names.",
  instruction_unknown_policy: "No policy of the repository has the digest that the instruction names.",
  instruction_policy_invalid_shape: "An instruction policy lacks something.",
  instruction_policy_digest_mismatch: "An instruction policy was changed after it was sealed.",
  instruction_check_not_allowed: "The policy does not allow a check that the instruction asks for.",
  instruction_normalizer_not_allowed: "The policy does not allow the normalizer that the instruction names.",
  instruction_instruction_type_invalid: "The type of the instruction is no text.",
  instruction_typing_policy_invalid: "The typing policy of the instruction cannot be read.",
  instruction_capability_claims_invalid: "The capability claims of the instruction are no list of names.",
  instruction_unknown_unroutable: "The instruction is of no known type, and it does not allow that.",
  instruction_runtime_invalid: "What an instruction witness is made from cannot be read.",
  proposal_invalid_shape: "The proposal lacks something, or there are two.",
  proposal_invalid_kind: "The kind of the proposal is unknown.",
  proposal_invalid_target: "The proposal names no target context.",
  proposal_invalid_target_judgment: "The target judgment of the proposal cannot be read.",
  proposal_invalid_step: "A step of the proposal cannot be read.",
  proposal_unbound_policy: "The proposal is bound to no normalizer and policy.",
  proposal_nondeterministic: "The proposal names another digest than it has.",
  proposal_kcir_ref_mismatch: "The proposal names another KCIR ref than it has.",
  proposal_binding_mismatch: "The proposal is bound to another normalizer or policy than its instruction.",

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
