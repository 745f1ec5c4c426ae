/** `premath ci-required-attested`: the whole chain for a commit: delta, projection, checks, witness, decision. */
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { commitOf, mergeBase } from "../../evidence/checks/git-facts.js";
import { usualBases } from "../../evidence/checks/delta.js";
import { judgeChange } from "../../evidence/checks/judge-change.js";
import { type CheckedRepository, checkingOf, CheckTold } from "../../evidence/checks/types.js";
import { writeWitness } from "../../evidence/checks/write-witness.js";
import { repoRootInput, repositoryOf } from "./repository.js";

const texts = Type.Array(Type.String());

export const ciRequiredAttested = defineOperation({
  names: {
    id: "op/ci.required_attested",
    action: "ci.required_attested",
    command: ["ci-required-attested"],
    tool: "ci_required_attested",
  },
  family: "premath",
  effect: "mutate",
  needs: "nothing",
  surfaces: ["cli"],
  summary: "Run the required checks on a commit, and attest what came of it.",
  description:
    "Delta, projection, the checks in a worktree of their own, witness, decision; all of it in artifacts/ciwitness. In a " +
    "person's name: the map is the commit's own, and changed tests and protected files are listed, not refused. Exit " +
    "code 0 when the decision is to accept.",
  examples: [
    { command: "premath ci-required-attested", says: "this commit, against its base" },
    { command: "premath ci-required-attested --all --from HEAD", says: "every check, whatever changed" },
  ],
  input: Type.Object(
    {
      from: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "commit",
          description:
            "What changes are counted from; PREMATH_CI_BASE_REF, or the usual names, when left out.",
        }),
      ),
      commit: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "commit",
          description: "What is checked; HEAD when left out.",
        }),
      ),
      all: Type.Optional(Type.Boolean({ description: "Every check of the map, whatever changed." })),
      rerun: Type.Optional(Type.Boolean({ description: "Also what passed on this tree before." })),
      ...repoRootInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("ci.required_attested"),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: texts,
    decision: Type.Enum(["accept", "reject"]),
    commit: Type.String(),
    baseCommit: Type.String(),
    policyDigest: Type.String(),
    projectionDigest: Type.String(),
    reasons: texts,
    protectedChanges: Type.Array(Type.Object({ path: Type.String(), by: Type.String() })),
    checks: Type.Array(CheckTold),
    witnessPath: Type.String(),
    witnessRefs: texts,
  }),
  async run(input, call) {
    const repository = await repositoryOf(input, call);
    if (isRefusal(repository)) return repository;
    const { top, git } = repository;
    const commit = await commitOf(top, input.commit ?? "HEAD", git);
    if (isRefusal(commit)) return commit;
    const base = await baseOf(input, commit, repository, call);
    if (isRefusal(base)) return base;
    const startedMs = await call.ports.clock.now();
    const everything = input.all === true;
    const verdict = await judgeChange(
      {
        ...{ repository, base, commit, declaredTests: [], byPerson: true, everything },
        reuse: input.rerun !== true,
      },
      checkingOf(call),
    );
    if (isRefusal(verdict)) return verdict;
    const written = await writeWitness({
      verdict,
      repository,
      startedMs,
      everything,
      env: call.env,
      ports: call.ports,
    });
    const { decision, witness, witnessPath, witnessRef } = written;
    const { projection, checks, protectedChanges } = verdict;
    return {
      action: "ci.required_attested" as const,
      result: decision.decision === "accept" ? ("accepted" as const) : ("rejected" as const),
      failureClasses: witness.failureClasses,
      decision: decision.decision,
      commit,
      baseCommit: base,
      policyDigest: projection.projectionPolicy,
      projectionDigest: projection.projectionDigest,
      reasons: projection.reasons,
      protectedChanges,
      checks: checks.map(({ attempts: _attempts, ...check }) => check),
      witnessPath,
      witnessRefs: [witnessRef],
    };
  },
  present({ commit, decision, checks, protectedChanges, witnessPath }, paint) {
    return [
      ...checks.map(({ command, status, durationMs, failureClass, lastLines, reused }) =>
        [
          `  ${status === "passed" ? paint.good("passed") : paint.bad(failureClass ?? "failed")}  ${command}  ${reused ? "before" : `${Math.round(durationMs / 100) / 10} s`}`,
          ...(lastLines === undefined ? [] : lastLines.split("\n").map((line) => `      ${paint.dim(line)}`)),
        ].join("\n"),
      ),
      ...protectedChanges.map(
        ({ path, by }) => `  ${paint.note("look at")}  ${path} ${paint.dim(`(${by})`)}`,
      ),
      `  ${decision === "accept" ? paint.good("accepted") : paint.bad("rejected")} ${commit.slice(0, 7)}  ${paint.dim(witnessPath)}`,
    ].join("\n");
  },
});

/** What changes are counted from. With every check required it does not matter, so a commit without history is its own. */
async function baseOf(
  { from, all = false }: { readonly from?: string; readonly all?: boolean },
  commit: string,
  { top, git }: CheckedRepository,
  { env }: Pick<Call, "env">,
): Promise<string | Refusal> {
  const named = from ?? env["PREMATH_CI_BASE_REF"];
  for (const name of named === undefined ? usualBases : [named]) {
    const base = await commitOf(top, name, git);
    if (!isRefusal(base) && (await mergeBase(top, base, commit, git)) !== undefined) return base;
  }
  if (all && from === undefined) return commit;
  return refuse("change_unknown", {
    message: "there is no commit to count changes from",
    hint: "Name one with --from.",
  });
}
