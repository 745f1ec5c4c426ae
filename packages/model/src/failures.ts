/** Every way that the model room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
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

  // Tapes.
  tape_missing: "There is no tape at that path, or it has no such session.",
  tape_invalid: "A row of the tape was changed, is missing, or is no row of a tape.",
  tape_incomplete: "The tape of a session has no end: its tail was lost, or its recording was interrupted.",
  tape_miss: "The call is not the one that the tape has next.",
  tape_unused: "The replay ended before the tape did.",
  tape_ended: "The session on the tape is over, so nothing is added to it.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
