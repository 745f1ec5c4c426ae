import { readFileSync } from "node:fs";
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { backoffMs, decideRetry } from "./retry-decision.js";
import { parseRetryPolicy, type RetryPolicy } from "./retry-policy.js";
import { sealedDigest } from "../seal.js";
import { classesInReport, statedClasses } from "./stated-classes.js";

/** What has something wrong in it has no type. */
type Loose = ReturnType<typeof JSON.parse>;

const file = new URL("../../../../policies/control/harness-retry-policy-v1.json", import.meta.url);
const ours = readFileSync(file, "utf8");
const parsed = parseRetryPolicy(ours, "policy.json");
if (isRefusal(parsed)) throw new Error(parsed.message);
const policy: RetryPolicy = parsed;

/** The policy with something changed, and sealed again unless the change is to the seal. */
function changed(change: (value: Loose) => void, { seal = true } = {}): ReturnType<typeof parseRetryPolicy> {
  const value = JSON.parse(ours);
  change(value);
  if (seal) value.policyDigest = sealedDigest(value);
  return parseRetryPolicy(JSON.stringify(value), "policy.json");
}

describe("[RUNTIME-1.1.13] [RUNTIME-1.1.16] the retry policy", () => {
  it("of this repository is sealed", () => expect(policy.policyDigest).toMatch(/^pol1_[0-9a-f]{64}$/));

  it.each<[string, (value: Loose) => void, string]>([
    ["another schema", (v) => (v.schema = 2), "schema"],
    ["another kind", (v) => (v.policyKind = "x"), "policyKind"],
    ["a blank id", (v) => (v.policyId = " "), "policyId"],
    ["no default", (v) => delete v.defaultRule, "defaultRule"],
    ["no attempt at all", (v) => (v.rules[0].maxAttempts = 0), "rules[0].maxAttempts"],
    ["half an attempt", (v) => (v.rules[0].maxAttempts = 1.5), "rules[0].maxAttempts"],
    ["no rules", (v) => (v.rules = []), "rules"],
    ["an unknown backoff", (v) => (v.rules[1].backoffClass = "soon"), "rules[1].backoffClass"],
    ["an unknown escalation", (v) => (v.rules[1].escalationAction = "pray"), "rules[1].escalationAction"],
    ["one id for two rules", (v) => (v.rules[1].ruleId = v.rules[0].ruleId), "two rules"],
    ["a class in two rules", (v) => v.rules[1].failureClasses.push("flaky_io"), "flaky_io"],
    ["a rule without classes", (v) => (v.rules[0].failureClasses = []), "rules[0].failureClasses"],
  ])("with %s is refused", (_what, change, names) => {
    expect(changed(change)).toMatchObject({
      refused: "retry_policy_invalid_shape",
      message: expect.stringContaining(names) as string,
    });
  });

  it("that was edited after it was sealed is refused", () => {
    expect(changed((v) => (v.rules[0].maxAttempts = 99), { seal: false })).toMatchObject({
      refused: "retry_policy_invalid_digest",
    });
    expect(parseRetryPolicy("{", "policy.json")).toMatchObject({ refused: "retry_policy_invalid_json" });
  });
});

describe("what follows from a failure", () => {
  const decide = (failureClasses: string[], attempt = 1) => decideRetry(policy, { failureClasses, attempt });

  it("[TUSK-5.3] the first class that has a rule decides, up to its attempts, with a pause that is fixed", () => {
    expect(decide(["something_else", "gate_timeout", "check_failed"])).toMatchObject({
      ...{ retry: true, ruleId: "transient_retry", matchedFailureClass: "gate_timeout", backoffMs: 2_000 },
      failureClasses: ["check_failed", "gate_timeout", "something_else"],
    });
    expect(decide(["gate_timeout"], 2)).toMatchObject({ retry: true, backoffMs: 4_000 });
    expect(decide(["gate_timeout"], 3)).toMatchObject({ retry: false, escalationAction: "issue_discover" });
  });

  it("[TUSK-5.4] an unknown class stops, and none at all is a class of its own", () => {
    expect(decide(["never_heard_of"])).toMatchObject({
      ruleId: "default",
      escalationAction: "stop",
      retry: false,
    });
    expect(decide([])).toMatchObject({ matchedFailureClass: "pipeline_missing_failure_class", retry: true });
  });

  it("[TUSK-5.5] a check that failed is never tried again as it was", () => {
    expect(decide(["check_failed"])).toMatchObject({ retry: false, escalationAction: "mark_blocked" });
  });

  it("pauses not at all, for a fixed time, or for one that doubles up to a minute", () => {
    const pauses = (kind: Parameters<typeof backoffMs>[0]) =>
      [1, 2, 5, 6, 50].map((at) => backoffMs(kind, at));
    expect(pauses("none")).toEqual([0, 0, 0, 0, 0]);
    expect(pauses("fixed_short")).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
    expect(pauses("exponential_short")).toEqual([2_000, 4_000, 32_000, 60_000, 60_000]);
    expect(pauses("rate_limited")).toEqual([60_000, 60_000, 60_000, 60_000, 60_000]);
    expect(decide(["merge_conflict"])).toMatchObject({ retry: true, backoffMs: 2_000, costsAttempt: true });
    expect(decide(["merge_conflict"], 3)).toMatchObject({ retry: false, backoffMs: 0 });
  });

  it("a rate limit waits and costs no attempt", () => {
    expect(decide(["rate_limited"], 50)).toMatchObject({
      retry: true,
      costsAttempt: false,
      backoffMs: 60_000,
    });
  });
});

describe("classes that a program states", () => {
  it("stand in its JSON, or at the beginning of a line before a colon, dotted ones too", () => {
    expect(
      statedClasses({ stderr: '{"failureClass":"gate_timeout","failureClasses":["a_b"]}', stdout: "" }),
    ).toEqual(["gate_timeout", "a_b"]);
    expect(
      statedClasses({
        stderr: "warming up\ngovernance.eval_gate_unmet: no report\nerror: check_failed: 3 tests",
        stdout: "flaky_io: again",
      }),
    ).toEqual(["governance.eval_gate_unmet", "check_failed", "flaky_io"]);
  });

  it("are not read out of prose", () => {
    const prose =
      "the run of check_failed: see above\nsomething like gate_timeout happened\nnot_a_class:\nHTTP: x";
    expect(statedClasses({ stderr: prose, stdout: "{broken" })).toEqual([]);
    expect(classesInReport("check_failed")).toEqual([]);
    expect(classesInReport({ failureClass: " ", reasonClass: 7, failureClasses: ["", "a_b", null] })).toEqual(
      ["a_b"],
    );
    expect(
      classesInReport({
        operationalFailureClasses: ["o_p"],
        semanticFailureClasses: "s_t",
        reasonClass: "r_s",
      }),
    ).toEqual(["r_s", "o_p"]);
  });
});
