/** How a test asks for a refusal by its class. */
import { Failure, type FailureClass } from "@bridle/record";
import { expect } from "vitest";

export function classOf(act: () => unknown): FailureClass | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error.failureClass;
    throw error;
  }
  return undefined;
}

/** The failure that the promise rejects with; anything else it does fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const outcome: unknown = await promise.then(
    () => "it resolved",
    (error: unknown) => error,
  );
  expect(outcome, "a Failure").toBeInstanceOf(Failure);
  return outcome as Failure;
}

export async function rejectsWith(failureClass: FailureClass, promise: Promise<unknown>): Promise<Failure> {
  const failure = await failureOf(promise);
  expect(failure.failureClass, failure.message).toBe(failureClass);
  return failure;
}
