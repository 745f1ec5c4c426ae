/** The mutants of required checks and instructions: what a change could get away with. */
import type { Breakage } from "./clause-mutants.js";

const required = "packages/work/src/evidence/required";
const checks = "packages/work/src/evidence/checks";
const operations = "packages/work/src/operations/evidence";

export const requiredMutants: readonly Breakage[] = [
  {
    clauses: ["TUSK-5.2"],
    breaks: "a check that failed and then passed counts as one that failed",
    changes: [
      {
        file: `${checks}/run-checks.ts`,
        find: 'again.failure === undefined ? "flaky_execution" : last.failure;',
        replace: 'again.failure === undefined ? "check_failed" : last.failure;',
      },
    ],
  },
  {
    clauses: ["TUSK-5.5"],
    breaks: "a check that failed is passed through",
    changes: [
      {
        file: `${checks}/run-checks.ts`,
        find: 'return how === "exit" && exitCode === 0 ? undefined : "check_failed";',
        replace: "return undefined;",
      },
      {
        file: `${required}/witness.ts`,
        find: 'every(({ exitCode }) => exitCode === 0) ? "accepted" : "rejected"',
        replace: 'every(({ exitCode }) => exitCode >= 0) ? "accepted" : "rejected"',
      },
    ],
  },
  {
    clauses: ["TUSK-7.7"],
    breaks: "an issue is finished without its checks",
    changes: [
      {
        file: `${checks}/judge-change.ts`,
        find: "checkIds: projection.requiredChecks, reuse };",
        replace: "checkIds: [], reuse };",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.11"],
    breaks: "an instruction of no known type would be executed",
    changes: [
      {
        file: "packages/work/src/evidence/instruction/envelope.ts",
        find: 'if (classification.state === "unknown" && !allowUnknown) {',
        replace: 'if (classification.state === "unknown" && allowUnknown) {',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.13"],
    breaks: "a projection is of no paths",
    changes: [
      {
        file: `${operations}/required-projection.ts`,
        find: "projectChecks(map, changedPaths as string[]);",
        replace: "projectChecks(map, (changedPaths as string[]).slice(1));",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.14"],
    breaks: "a delta does not see what was deleted",
    changes: [
      {
        file: `${checks}/delta.ts`,
        find: "committed.map(({ path }) => path)",
        replace: 'committed.filter(({ how }) => how !== "deleted").map(({ path }) => path)',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.15"],
    breaks: "a gate payload does not say which check it is of",
    changes: [
      {
        file: `${required}/gate-ref.ts`,
        find: "targetScope: `check:${checkId}`,",
        replace: "targetScope: `check:${checkId}${artifactRelPathOf(from)}`,",
      },
      {
        file: `${required}/gate-ref.ts`,
        find: "function failureOf(",
        replace:
          "let made = 0;\nconst artifactRelPathOf = (_from: Fallback) => String(made++);\n\nfunction failureOf(",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.16"],
    breaks: "a witness that holds is said to differ",
    changes: [
      {
        file: `${required}/verify-witness.ts`,
        find: "  return {\n    errors: found.errors,",
        replace: '  return {\n    errors: [...found.errors, "and more"],',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.17"],
    breaks: "a decision about another witness passes",
    changes: [
      {
        file: `${required}/decide.ts`,
        find: "wanted !== undefined && is !== undefined && wanted !== is",
        replace: "wanted !== undefined && is !== undefined && wanted === undefined",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.28"],
    breaks: "a run of an instruction leaves no row in the trajectory",
    changes: [
      {
        file: `${operations}/instruction-run.ts`,
        find: "    ...refs,\n    finishedAt: witness.runFinishedAt,",
        replace: "    finishedAt: witness.runFinishedAt,",
      },
    ],
  },
];
