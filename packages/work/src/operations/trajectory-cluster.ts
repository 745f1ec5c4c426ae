/** `premath harness-trajectory cluster`: what fails how often, and which of it the retry policy does not name. */
import { columns, defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { loadRetryPolicy, retryPolicyDefault } from "../evidence/retry-policy-file.js";
import { damageWarning } from "../projection/damage-warning.js";
import { FailureClusters } from "../projection/failure-clusters.js";
import { StepReader } from "../projection/step.js";
import { engineFor } from "../store/open.js";
import { pathInput, rootInput, trajectoryDefault, trajectoryPlace } from "../calls/place.js";
import { retryPolicyPlace } from "./retry-policy.js";
import { cell, counted } from "./text-layout.js";

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Cluster = Type.Object({
  failureClass: Type.String(),
  ruleId: orNull(Type.String({ description: "The rule that names it; null when none does." })),
  count: Type.Integer({ description: "Steps that failed with it." }),
  issueCount: Type.Integer(),
  recoveredIssueCount: Type.Integer({ description: "Issues on which a later step succeeded." }),
  firstAt: Type.String(),
  lastAt: Type.String(),
});

export const trajectoryCluster = defineOperation({
  names: {
    id: "op/harness.trajectory_cluster",
    action: "harness.trajectory.cluster",
    command: ["harness-trajectory", "cluster"],
    tool: "harness_trajectory_cluster",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  summary: "Gather failed steps by class, against the retry policy.",
  description:
    "Each class with the rule that names it, how often it came, on how many issues, and on how many of those a later " +
    "step succeeded. What the policy lacks is named, so that somebody decides about it. Nothing is changed.",
  examples: [
    { command: "premath harness-trajectory cluster", says: "what fails here, and is it planned for?" },
  ],
  input: Type.Object(
    {
      path: pathInput("The trajectory", trajectoryDefault),
      policyPath: pathInput("The retry policy", retryPolicyDefault, "policy"),
      root: rootInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-trajectory.cluster"),
    path: Type.String(),
    policyPath: Type.String(),
    policyDigest: Type.String(),
    totalCount: Type.Integer({ description: "Steps of the trajectory." }),
    failedCount: Type.Integer(),
    clusters: Type.Array(Cluster, { description: "The most frequent first." }),
    missingFromPolicy: Type.Array(Type.String(), { description: "Classes that no rule names, sorted." }),
    damageCount: Type.Integer(),
  }),
  async run(input, call) {
    const { ports } = call;
    const under = input.root === undefined ? {} : { root: input.root };
    const policyPlace = await retryPolicyPlace(
      { ...under, ...(input.policyPath === undefined ? {} : { path: input.policyPath }) },
      call,
    );
    const policy = await loadRetryPolicy(policyPlace, ports.files);
    if (isRefusal(policy)) return policy;
    const { path, shown } = await trajectoryPlace(input, call);
    const steps = await engineFor(ports).steps({ path, ports });
    const clusters = new FailureClusters();
    const reader = new StepReader();
    const found = await steps.read(
      async (rows) => {
        await rows.visit({
          wants: () => true,
          step(row) {
            const step = reader.step(row);
            if (step !== undefined) clusters.add(step);
          },
        });
        return rows.findings();
      },
      () => call.signal.throwIfAborted(),
    );
    const warning = found && damageWarning(found, shown);
    if (warning !== undefined) call.warn(warning);
    const ruled = clusters
      .clusters()
      .map((each) => ({ ...each, ruleId: policy.ruleOf.get(each.failureClass)?.ruleId ?? null }));
    return {
      action: "harness-trajectory.cluster" as const,
      path: shown,
      policyPath: policyPlace.shown,
      policyDigest: policy.policyDigest,
      totalCount: found?.totalCount ?? 0,
      failedCount: found?.failedCount ?? 0,
      clusters: ruled,
      missingFromPolicy: ruled
        .filter(({ ruleId }) => ruleId === null)
        .map(({ failureClass }) => failureClass)
        .sort(),
      damageCount: found?.damageCount ?? 0,
    };
  },
  present({ clusters, totalCount, path, policyPath, missingFromPolicy }, paint) {
    if (clusters.length === 0) return `  no failure in ${counted(totalCount, "step", "steps")} of ${path}`;
    const heading = ["class", "steps", "issues", "recovered", "rule"].map((name) => paint.dim(name));
    const rows = clusters.map((each) => [
      cell(each.failureClass),
      String(each.count),
      String(each.issueCount),
      String(each.recoveredIssueCount),
      each.ruleId === null ? paint.note("none") : each.ruleId,
    ]);
    const missing =
      missingFromPolicy.length === 0
        ? []
        : [
            `  ${policyPath} has no rule for ${missingFromPolicy.join(", ")}: add each, then \`premath harness-retry-policy seal\``,
          ];
    return [...columns([heading, ...rows]), ...missing].join("\n");
  },
});
