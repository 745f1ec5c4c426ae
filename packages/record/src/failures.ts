/**
 * Failure classes: every way that Bridle says no, one line each.
 *
 * A class is for programs; the sentence is for people. Names from the contracts
 * are spelled as the contracts spell them. Expected failures travel as `Refusal`
 * values; `Failure` is thrown where the outside world broke (disk, lock, damage).
 */
import type { JsonObject } from "./json.js";

export const failureClasses = {
  // The call itself.
  input_invalid: "The input does not fit the operation's schema.",
  invocation_invalid: "The command line cannot be understood.",
  setting_unknown: "An environment variable looks like one of ours but is not.",
  setting_invalid: "A setting has a value that it cannot have.",
  operation_unknown: "No operation has that name.",
  operation_surface_denied: "The operation is not offered on this surface.",
  operation_engine_denied: "The operation needs a file, and the memory is kept by another engine.",
  operation_output_invalid: "The operation produced something that its own schema refuses; this is a bug.",
  aborted: "The caller gave up before the operation was done.",
  internal_error: "Bridle itself went wrong; this is a bug.",

  // Gates.
  harness_join_check_invalid: "The evidence of a turn cannot be read or has no normal form.",

  retry_policy_missing: "There is no retry policy.",
  retry_policy_invalid_json: "The retry policy is not JSON.",
  retry_policy_io_error: "The retry policy cannot be read.",
  retry_policy_invalid_shape: "The retry policy lacks something, or says something twice.",
  retry_policy_invalid_digest: "The retry policy was changed after it was sealed.",

  // JSON and digests.
  json_invalid: "The text is not JSON.",
  json_unrepresentable:
    "The value has no JSON form (not a finite number, a lone surrogate, undefined, a cycle).",
  json_too_deep: "The value nests deeper than the limit.",
  digest_ambiguous: "Two canonical orderings disagree on this value, so its digest would be ambiguous.",
  timestamp_invalid: "The text is not an RFC 3339 timestamp.",

  // Files.
  file_missing: "The file is not there.",
  file_not_regular: "Something that is not a regular file stands where the file should be.",
  file_unreadable: "The file cannot be read.",
  file_unwritable: "The file or its folder cannot be written.",
  disk_full: "The disk has no room left.",
  disk_error: "The disk reported an error.",
  file_exists: "Something has that name already.",
  file_changed: "The file is not what it was when it was read.",
  file_too_large: "The file is larger than the limit.",
  file_not_text: "The file holds something that is not text.",
  file_readback_differs: "Read back, the file is not what was just written.",
  overwrite_unconfirmed: "A file with content is replaced only with confirmation.",
  document_closed: "The document has its end already, so nothing can be appended.",
  edit_invalid: "The edit says nothing, or nothing clear.",
  edit_unmatched: "What the edit looks for is not in the file, or not as often as it says.",
  write_continuation_lost:
    "The beginning of a write that was cut off is not kept, so its rest alone is not written.",
  write_mode_lost: "A write was cut off before it said what to do with the file that is there.",
  document_invalid: "The file is not the document that it should be.",
  document_too_large: "The document is larger than the limit.",

  // Paths of a workspace.
  path_invalid: "The text cannot be a path of the workspace.",
  path_outside: "The path leads out of the workspace.",
  path_link: "A part of the path is a symbolic link, which is never followed.",
  path_protected: "The path belongs to git or to the harness, and tools do not write there.",
  path_secret: "The path holds credentials, which tools neither read nor write.",
  path_moved: "A folder of the path was moved while it was in use.",
  pattern_invalid: "The pattern cannot be searched for.",
  workspace_unusable: "The folder cannot be a workspace.",

  // Agents.
  session_unknown: "There is no such session.",
  session_busy: "Somebody else is at work on the session.",
  session_damaged: "The log of the session is damaged, so it cannot be gone on with.",
  session_unreplayable: "The log of the session does not say enough for a replay.",
  send_running: "The agent is still at work on what it was asked before.",
  turn_incomplete: "The turn of the agent ended before its work was done.",
  child_unknown: "There is no such child.",
  child_too_deep: "Children may not have children any deeper.",
  children_too_many: "As many children run as may.",
  family_unknown: "There is no such family of tools.",

  // Logs.
  row_invalid: "The row cannot be written as one line of JSON.",
  row_too_long: "The row is longer than the limit.",
  row_in_doubt: "The disk failed while the row was being made durable; whether it is there must be verified.",
  log_poisoned: "An earlier sync of this log failed; reopen it before appending.",
  log_damaged: "The log is damaged; it is left as it is until it has been repaired.",
  log_closed: "The log was closed.",

  // Locks.
  lock_busy: "Another process holds the lock and is alive.",
  lock_holder_stopped: "Another process holds the lock and is stopped.",
  lock_holder_unknown: "The lock's holder cannot be judged from here (another machine or container).",
  lock_lost: "The lock was removed by somebody else while it was held.",

  // Harness session and trajectory.
  session_missing: "There is no harness session at that path.",
  session_invalid: "The harness session file breaks its contract.",
  step_invalid: "The trajectory row breaks its contract.",

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
  interval_unexpected: "Rows of market data stand further apart than an hour.",
  funding_out_of_range: "A funding rate is beyond what the exchange pays in an hour.",
  premium_out_of_range: "A premium is more than half of the price.",
  price_out_of_range: "A price is ten times that of the hour before, or a tenth.",
  market_spelling: "A market is not spelled as the exchange spells it.",
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
  replay_differs: "Carried out again, the run does not come out the same.",
  run_episode_missing: "The run has no such episode.",
  run_step_missing: "The episode has no such step, or cannot be forked there.",
  policy_unknown: "No policy has that name.",
  policy_params_invalid: "The policy does not take these parameters.",

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

  // Git.
  git_unavailable: "git cannot be run, or this is no git repository.",

  // The event stream of issues.
  event_stream_missing: "There is no event stream at that path.",
  event_schema_unsupported: "An event has a schema that this version does not know.",
  event_invalid: "A line of the event stream is no event.",
  event_id_mismatch: "An event carries the row of another issue than it names.",
  event_dependency_unresolved: "An event makes a dependency between issues that the stream does not have.",
  event_replay_not_equivalent: "Replaying the stream would not give the same issues.",
  event_replay_differs: "Issue memory has something that replaying the stream would take away.",

  // Market facts.
  market_row_invalid: "A row of a source cannot be read as a market fact; nothing was loaded.",
  market_rows_conflict: "Two rows of the sources disagree about one fact; nothing was loaded.",
  market_sources_mixed: "Real and synthetic market facts would stand in the same tables.",
  market_source_invalid: "The file is not a source that market facts can be read from.",
  market_engine_missing: "The SQL engine that answers questions is not installed.",
  warehouse_refused:
    "BigQuery did not take the question: no rights, no such project or dataset, or a bad statement.",
  warehouse_over_cap: "The question would read more bytes of BigQuery than it may.",
  warehouse_unreachable: "BigQuery could not be reached.",
  market_source_changed: "The file changed while it was being read.",
  info_unreachable: "The exchange's info endpoint cannot be reached.",
  info_refused: "The exchange's info endpoint refused the request.",
  info_rate_limited: "The exchange's info endpoint asks for fewer requests than we can wait for.",
  info_answer_invalid: "The exchange's info endpoint gave an answer that is not what was asked for.",

  // Questions.
  query_coin_unknown: "The source has no market of that name.",
  query_account_unknown: "The source has no account whose address begins so.",
  query_account_ambiguous: "More than one account's address begins so.",
  query_account_missing: "The question is about an account and names none.",
  query_as_of_invalid: "The time that the question is asked as of lies before the source's data.",
  query_contradiction: "The question asks for what cannot be true at once.",
  query_source_invalid: "The source of a question cannot be used.",

  // Evaluation and exports of runs.
  eval_part_empty: "No episode of the runs is in the part of the pack that was to be judged.",
  eval_truth_missing: "An episode of the run is not in the pack that the truth is taken from.",
  eval_pack_mismatch: "A run was made with another pack.",
  run_incomplete: "No episode of the run has ended, so there is nothing to work with.",
  export_into_record: "A file would be written into a run or a pack, which are never changed.",
  export_too_large: "What is exported is too large for an answer.",
  atif_invalid: "The file is no ATIF trajectory that this program wrote, or it was changed since.",

  // Servers.
  address_unavailable: "The server cannot listen where it was told to.",

  // Models.
  model_unset: "No model was chosen.",
  model_unknown: "No model has that name.",
  model_settings_invalid: "The settings of models cannot be used.",
  model_key_missing: "There is no key for the model's provider.",
  model_unauthorized: "The provider does not accept the key.",
  model_refused: "The provider refused the request.",
  model_rate_limited: "The provider says to slow down, for longer than we may wait.",
  model_unavailable: "The provider cannot be reached, or failed.",
  model_stalled: "The provider fell silent.",
  model_timeout: "The call took longer than its limit.",
  model_answer_invalid: "The provider's answer cannot be understood, or ended too early.",
  script_exhausted: "The scripted model was asked more often than it has answers.",
  login_required: "There are no credentials, or they were revoked.",
  login_failed: "The login did not succeed.",
  credentials_invalid: "The file of credentials cannot be used.",

  // The shell.
  shell_unavailable: "There is no bash to run commands with.",
  shell_folder_invalid: "A command would run in something that is no folder of the workspace.",

  // Tapes.
  tape_missing: "There is no tape at that path, or it has no such session.",
  tape_invalid: "A row of the tape was changed, is missing, or is no row of a tape.",
  tape_incomplete: "The tape of a session has no end: its tail was lost, or its recording was interrupted.",
  tape_miss: "The call is not the one that the tape has next.",
  tape_unused: "The replay ended before the tape did.",
  tape_ended: "The session on the tape is over, so nothing is added to it.",

  // Notes and artifacts of the agent.
  notes_damaged: "The file of notes cannot be read as notes; it is left as it is.",
  notes_full: "There are as many notes as there may be.",
  note_invalid: "The note's key, value or scope is blank or too long.",
  note_missing: "No note has that key.",
  artifact_missing: "No artifact has that id.",
  artifact_damaged: "The artifact is not what was put there.",

  // Gates.
  "mutation.use_evidence_missing": "A mutation came without the evidence that its policy requires.",
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
  "mutation.policy_unbound": "The turn did not run under the policy in force.",
  "mutation.join_open": "The turn of tool use is not closed.",
  "mutation.context_not_ready": "The next call lacks the context that it needs.",
  "mutation.witness_unlinked": "The turn is linked to no session or no trajectory.",
  "mutation.verified_change_missing": "No checks that the harness ran say that the change is good.",
  "mutation.envelope_not_in_base": "The base commit does not hold that instruction envelope.",
  lane_invalid: "A lane's name, time or list is not one.",
  lane_unknown: "The folder has no such lane.",
  "context.injection_point_missing": "What stood before the model is not told.",
  "context.queue_policy_violation": "What stood before the model was made by other policies.",
  "coordination.decomposition_policy_violation": "The work was divided by another policy, or not admissibly.",
  "governance.claim_id_invalid": "The governance profile that is claimed is not the one there is.",
  "governance.policy_package_mismatch": "The policy package on disk is not the one that was pinned.",
  "governance.policy_package_unpinned": "A governance profile is claimed, and no policy package is pinned.",
  "handoff.required_artifact_missing": "The handoff lacks an artifact.",
  "handoff.return_path_missing": "The handoff has no way back.",
  "handoff.target_not_allowed": "The handoff goes where it may not.",
  "protocol.parallel_transport_order_invalid":
    "Results of parallel calls came in an order that is not allowed.",
  "protocol.stop_reason_unhandled": "The turn stopped for a reason that nobody handles.",
  "tool.join_incomplete": "A call has no result, or a result no use.",
  "tool.response_truncation_policy_violation": "A result was cut, and not as the policy says.",
  "tool.result_missing": "A call has no result.",
  "tool.result_orphan": "A result belongs to no call.",
  "tool.schema_invalid": "A failed call does not say how it failed.",
  "tool.use_digest_mismatch": "What was used is not what came back.",
  "tool.use_missing": "A result was neither consumed, observed nor discarded.",
  "tool.use_without_result": "Something was used that no call brought.",
} as const satisfies Record<string, string>;

export type FailureClass = keyof typeof failureClasses;

/** An expected "no": nothing was changed. `hint` says what to do next. */
export interface Refusal {
  readonly refused: FailureClass;
  readonly message: string;
  readonly hint?: string;
  readonly detail?: JsonObject;
}

export interface FailureText {
  readonly message: string;
  readonly hint?: string;
  readonly detail?: JsonObject;
}

export function refuse(refused: FailureClass, text: FailureText): Refusal {
  return { refused, ...text };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "refused" in value && "message" in value;
}

/** The outside world broke, or a caller broke a contract. */
export class Failure extends Error {
  readonly failureClass: FailureClass;
  readonly hint: string | undefined;
  readonly detail: JsonObject | undefined;

  constructor(failureClass: FailureClass, text: FailureText & { readonly cause?: unknown }) {
    super(text.message, text.cause === undefined ? undefined : { cause: text.cause });
    this.name = "Failure";
    this.failureClass = failureClass;
    this.hint = text.hint;
    this.detail = text.detail;
  }

  toRefusal(): Refusal {
    return {
      refused: this.failureClass,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.detail === undefined ? {} : { detail: this.detail }),
    };
  }
}

export function failureFrom(refusal: Refusal): Failure {
  return new Failure(refusal.refused, refusal);
}
