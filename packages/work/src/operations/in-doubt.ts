/** A row that may be in the file or not, told with what to do about it here. */
import { Failure } from "@bridle/record";

/** Any other error as it is. */
export function inDoubt(error: unknown, hint: string): unknown {
  if (!(error instanceof Failure) || error.failureClass !== "row_in_doubt") return error;
  return new Failure("row_in_doubt", {
    message: error.message,
    hint,
    cause: error,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
  });
}
