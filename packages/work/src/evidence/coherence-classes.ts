/** What can be wrong with artifacts that belong together; obligations about issues and routes have their own. */
export const coherenceClasses = {
  coherence_artifact_missing: "A file that the contract is about is not there or is no JSON.",
  coherence_policy_unsealed: "A policy is not what its digest says.",
  coherence_task_unbound: "A task of mise has no npm script of its name.",
  coherence_values_differ: "Values that must agree do not.",
} as const;
