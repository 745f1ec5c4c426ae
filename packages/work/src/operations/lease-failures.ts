/**
 * What can go wrong around a lease, by the classes that the contract has for it.
 * What the lock and the disk said is kept: who holds the lock, and what to do.
 */
import type { Call } from "@bridle/operation";
import { Failure, type FailureClass, isRefusal, refuse, type Refusal } from "@bridle/record";
import type { Decide } from "../memory/types.js";

const classes: Partial<Record<FailureClass, FailureClass>> = {
  lock_busy: "lease_mutation_lock_busy",
  lock_holder_stopped: "lease_mutation_lock_busy",
  lock_holder_unknown: "lease_mutation_lock_busy",
  lock_lost: "lease_mutation_lock_io",
  file_missing: "lease_mutation_store_io",
  file_not_regular: "lease_mutation_store_io",
  file_unreadable: "lease_mutation_store_io",
  file_unwritable: "lease_mutation_store_io",
  disk_full: "lease_mutation_store_io",
  disk_error: "lease_mutation_store_io",
  row_invalid: "lease_mutation_store_io",
  row_too_long: "lease_mutation_store_io",
  json_too_deep: "lease_mutation_store_io",
  log_poisoned: "lease_mutation_store_io",
  log_damaged: "lease_mutation_store_io",
  log_closed: "lease_mutation_store_io",
  issue_memory_too_large: "lease_mutation_store_io",
};

/** Whoever gave up while the lock was awaited must not hold a lease afterwards. */
export function whileWanted<Answer>({ signal }: Call, decide: Decide<Answer>): Decide<Answer> {
  return (graph, nowMs) =>
    signal.aborted
      ? refuse("aborted", { message: "the caller gave up before the lock was free; nothing was changed" })
      : decide(graph, nowMs);
}

export interface LeaseErrors {
  /** What to do when nobody knows whether the change stands. */
  readonly inDoubt: string;
  /** The class when there is no issue memory at all; its own when left out. */
  readonly missing?: FailureClass;
}

export async function withLeaseFailures<Answer>(
  { inDoubt, missing }: LeaseErrors,
  act: () => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  try {
    const answer = await act();
    if (missing === undefined || !isRefusal(answer) || answer.refused !== "issue_memory_missing")
      return answer;
    return { ...answer, refused: missing };
  } catch (error) {
    throw error instanceof Failure ? leaseFailure(error, inDoubt) : error;
  }
}

function leaseFailure(failure: Failure, inDoubt: string): Failure {
  const { failureClass, message, hint, detail } = failure;
  if (failureClass === "row_in_doubt") {
    return new Failure("row_in_doubt", { message, hint: inDoubt, detail: { ...detail }, cause: failure });
  }
  const known = classes[failureClass];
  if (known === undefined) return failure;
  return new Failure(known, {
    message,
    ...(hint === undefined ? {} : { hint }),
    detail: { ...detail, failureClass },
    cause: failure,
  });
}
