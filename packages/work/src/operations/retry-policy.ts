/** `premath harness-retry-policy check` and `seal`: whether the policy can be relied on, and its digest after an edit. */
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { NamedRetryRule, retryPolicyForm, RetryRule } from "../evidence/retry-policy.js";
import { loadRetryPolicy, readPolicyText, retryPolicyDefault } from "../evidence/retry-policy-file.js";
import { parseUnsealed } from "../sealed-policy.js";
import { writeSealed } from "../seal.js";
import { locateFile, type LocatedFile, pathInput, rootInput } from "../calls/place.js";
import { counted } from "./text-layout.js";

const policyInput = { path: pathInput("The retry policy", retryPolicyDefault, "policy"), root: rootInput };

/** A policy is committed, so each git worktree has its own. */
export function retryPolicyPlace(
  { path, root }: { readonly path?: string; readonly root?: string },
  call: Call,
): Promise<LocatedFile> {
  return locateFile({ flag: path, root, fallback: retryPolicyDefault, own: true }, call);
}

export const retryPolicyCheck = defineOperation({
  names: {
    id: "op/harness.retry_policy_check",
    action: "harness.retry_policy.check",
    command: ["harness-retry-policy", "check"],
    tool: "harness_retry_policy_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  summary: "Check the retry policy and its seal.",
  description:
    "The shape, that no class stands in two rules, and the digest over all of it. A policy that cannot be relied on " +
    "exits with 2 and its class. Nothing is changed.",
  examples: [
    { command: "premath harness-retry-policy check", says: "is the policy whole, and as it was sealed?" },
  ],
  input: Type.Object(policyInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("harness-retry-policy.check"),
    path: Type.String(),
    policyId: Type.String(),
    policyDigest: Type.String(),
    rules: Type.Array(NamedRetryRule),
    defaultRule: RetryRule,
  }),
  async run(input, call) {
    const place = await retryPolicyPlace(input, call);
    const policy = await loadRetryPolicy(place, call.ports.files);
    if (isRefusal(policy)) return policy;
    const { policyId, policyDigest, rules, defaultRule } = policy;
    const action = "harness-retry-policy.check" as const;
    return { action, path: place.shown, policyId, policyDigest, rules, defaultRule };
  },
  present({ path, policyDigest, rules }, paint) {
    const classes = rules.reduce((sum, rule) => sum + rule.failureClasses.length, 0);
    const says = `${counted(rules.length, "rule", "rules")} for ${counted(classes, "class", "classes")}`;
    return `  ${paint.good("sealed")}  ${says} ${paint.dim(`${path} ${policyDigest}`)}`;
  },
});

export const retryPolicySeal = defineOperation({
  names: {
    id: "op/harness.retry_policy_seal",
    action: "harness.retry_policy.seal",
    command: ["harness-retry-policy", "seal"],
    tool: "harness_retry_policy_seal",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  checker: true,
  summary: "Write the digest of the retry policy into it.",
  description: "After somebody looked at an edit. A policy whose shape is wrong is not sealed.",
  examples: [{ command: "premath harness-retry-policy seal", says: "seals what stands there now" }],
  input: Type.Object(policyInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("harness-retry-policy.seal"),
    path: Type.String(),
    policyDigest: Type.String(),
    changed: Type.Boolean(),
  }),
  async run(input, call) {
    const place = await retryPolicyPlace(input, call);
    const text = await readPolicyText(place, call.ports.files);
    if (isRefusal(text)) return text;
    const policy = parseUnsealed(retryPolicyForm, text, place.shown);
    if (isRefusal(policy)) return policy;
    const sealed = await writeSealed(place.path, policy, call.ports);
    return { action: "harness-retry-policy.seal" as const, path: place.shown, ...sealed };
  },
  present: ({ path, policyDigest, changed }, paint) =>
    `  ${changed ? paint.good("sealed") : "was sealed already"} ${path} ${paint.dim(policyDigest)}`,
});
