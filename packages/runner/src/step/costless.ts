/** Failures that say that no issue can be worked on here now; whoever finds one stops. */
export function isUnfit(failureClass: string): boolean {
  return ["base_red", "setup_failed", "required_checks_missing", "target_conflict"].includes(failureClass);
}

/** Failures that say nothing about the issue: somebody else's limit, a worker that slept or died. They cost no attempt. */
export function costsNothing(failureClass: string): boolean {
  return (
    isUnfit(failureClass) ||
    failureClass === "work_interrupted" ||
    failureClass === "waits_for_parts" ||
    failureClass === "rate_limited" ||
    failureClass.startsWith("lease_")
  );
}
