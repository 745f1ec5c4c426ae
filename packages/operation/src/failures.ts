/** Every way that the pipeline says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // The call itself.
  operation_surface_denied: "The operation is not offered on this surface.",
  operation_output_invalid: "The operation produced something that its own schema refuses; this is a bug.",

  // Gates.
  "mutation.use_evidence_missing": "A mutation came without the evidence that its policy requires.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
