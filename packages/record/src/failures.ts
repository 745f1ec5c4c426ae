/**
 * Failure classes: every way that Bridle says no, one line each, declared in the
 * `failures.ts` of the room that says it.
 *
 * A class is for programs; the sentence is for people. Names from the contracts
 * are spelled as the contracts spell them. Expected failures travel as `Refusal`
 * values; `Failure` is thrown where the outside world broke (disk, lock, damage).
 *
 * A room adds its classes to `FailureClasses` below, and its `index.ts` imports
 * its `failures.ts`, so that whoever imports the room may name them: a class that
 * nobody declared does not compile. The build writes all of them into the manifest,
 * which is where a running program looks a sentence up.
 */
import type { JsonObject } from "./json.js";

/** Those of this room, and those that rooms share which do not know each other. */
export const failures = {
  // The call itself.
  input_invalid: "The input does not fit the operation's schema.",
  setting_unknown: "An environment variable looks like one of ours but is not.",
  aborted: "The caller gave up before the operation was done.",
  internal_error: "Bridle itself went wrong; this is a bug.",

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
  document_invalid: "The file is not the document that it should be.",
  document_too_large: "The document is larger than the limit.",

  // Paths of a workspace.
  path_outside: "The path leads out of the workspace.",

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

  // Runs of a policy on a pack.
  replay_differs: "Carried out again, the run does not come out the same.",

  // Git.
  git_unavailable: "git cannot be run, or this is no git repository.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

/** Every declared class with its sentence; rooms add to it. */
export interface FailureClasses extends Declared {}

export type FailureClass = keyof FailureClasses;

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
