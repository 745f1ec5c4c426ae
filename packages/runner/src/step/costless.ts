/** Failures that say nothing about the issue: somebody else's limit, a worker that slept or died. They cost no attempt. */
export function costsNothing(failureClass: string): boolean {
  return (
    failureClass === "work_interrupted" ||
    failureClass === "rate_limited" ||
    failureClass.startsWith("lease_")
  );
}
