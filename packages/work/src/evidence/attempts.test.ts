import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { type Attempt, attempts } from "./attempts.js";
import { failureKindOf } from "./retry-decision.js";
import { loadRetryPolicy } from "./retry-policy-file.js";
import { parseRetryPolicy, type RetryPolicy } from "./retry-policy.js";
import { failureClassesOf, witnessClasses } from "./witness-classes.js";

const file = new URL("../../../../policies/control/harness-retry-policy-v1.json", import.meta.url);
const text = readFileSync(file, "utf8");
const policy = parseRetryPolicy(text, "policy") as RetryPolicy;

/** Work that fails with these, one after the other, and then succeeds; with the pauses that were made. */
async function tried(failures: readonly string[][], signal?: AbortSignal) {
  const pauses: number[] = [];
  const numbers: number[] = [];
  const left = [...failures];
  const clock = { ...nodePorts().clock, sleep: async (ms: number) => void pauses.push(ms) };
  const ended = await attempts(
    async (attempt): Promise<Attempt<string>> => {
      numbers.push(attempt);
      const failureClasses = left.shift();
      return failureClasses === undefined ? { ok: true, value: "done" } : { ok: false, failureClasses };
    },
    { policy, clock, ...(signal === undefined ? {} : { signal }) },
  );
  return { ended, pauses, numbers };
}

describe("[TUSK-5.1] [TUSK-5.3] attempts", () => {
  it("are made with the pauses of their class, until one succeeds", async () => {
    const { ended, pauses, numbers } = await tried([["gate_timeout"], ["network_timeout"]]);
    expect(ended).toMatchObject({ ok: true, value: "done" });
    expect({ pauses, numbers }).toEqual({ pauses: [2_000, 4_000], numbers: [1, 2, 3] });
    expect(ended.history.map(({ policyDigest }) => policyDigest)).toEqual([
      policy.policyDigest,
      policy.policyDigest,
    ]);
  });

  it("[TUSK-5.5] end in an escalation when they are used up, and never in a success that was none", async () => {
    const { ended, numbers } = await tried([["gate_timeout"], ["gate_timeout"], ["gate_timeout"]]);
    expect(ended).toMatchObject({ ok: false, escalate: { escalationAction: "issue_discover", attempt: 3 } });
    expect(numbers).toEqual([1, 2, 3]);
    const failed = await tried([["check_failed"]]);
    expect(failed.ended).toMatchObject({ ok: false, escalate: { escalationAction: "mark_blocked" } });
    expect(failed.numbers).toEqual([1]);
  });

  it("that failed without a word have failed", async () => {
    const { ended } = await tried([[], []]);
    expect(ended).toMatchObject({
      ok: false,
      escalate: { matchedFailureClass: "pipeline_missing_failure_class" },
    });
  });

  it("wait for a rate limit without being used up", async () => {
    const limited = Array.from({ length: 20 }, () => ["rate_limited"]);
    const { ended, pauses, numbers } = await tried([...limited, ["gate_timeout"]]);
    expect(ended.ok).toBe(true);
    expect(pauses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 60_000));
    expect(numbers.at(-1)).toBe(2);
  });

  it("stop where the signal ends the pause, and nothing is escalated", async () => {
    const { ended } = await tried([["gate_timeout"]], AbortSignal.abort());
    expect(ended).toMatchObject({ ok: false });
    expect(ended).not.toHaveProperty("escalate");
  });
});

it("[TUSK-5.2] [TUSK-9.1] every class is semantic, operational or transient by how the policy treats it", () => {
  const kindOf = (failureClass: string) => failureKindOf(policy, failureClass);
  expect(kindOf("check_failed")).toBe("semantic");
  expect(kindOf("governance.eval_gate_unmet")).toBe("semantic");
  expect(kindOf("required_witness_runtime_invalid")).toBe("operational");
  expect(kindOf("never_heard_of")).toBe("operational");
  expect(kindOf("flaky_execution")).toBe("transient");
  expect(kindOf("rate_limited")).toBe("transient");
});

describe("why something failed, by its witness", () => {
  const classesOf = async (content: string | undefined) => {
    const path = join(newFolder(), "witness.json");
    if (content !== undefined) writeFileSync(path, content);
    return witnessClasses(path, nodePorts().files);
  };

  it.each<[string, string | undefined, string[]]>([
    ["that is missing", undefined, ["pipeline_missing_witness"]],
    ["that is not JSON", "{", ["pipeline_invalid_witness_json"]],
    ["that is no object", "[]", ["pipeline_invalid_witness_shape"]],
    ["that rejects without a word", '{"verdictClass":"rejected"}', ["pipeline_missing_failure_class"]],
    ["that accepts", '{"verdictClass":"accepted","failureClasses":[]}', []],
    [
      "that says why",
      '{"verdictClass":"rejected","failureClasses":["b_c"],"semanticFailureClasses":["a_b","b_c"]}',
      ["a_b", "b_c"],
    ],
  ])("%s", async (_what, content, classes) => {
    expect(await classesOf(content)).toEqual(classes);
  });

  it("that cannot be read", async () => {
    expect(await witnessClasses(newFolder(), nodePorts().files)).toEqual(["pipeline_witness_io_error"]);
  });

  it("comes behind what the process stated, and is never nothing", () => {
    expect(failureClassesOf(["b_c"], ["a_b", "b_c"])).toEqual(["b_c", "a_b"]);
    expect(failureClassesOf([], [])).toEqual(["pipeline_missing_failure_class"]);
  });
});

describe("[RUNTIME-1.1.13] the retry policy on disk", () => {
  const load = (path: string) => loadRetryPolicy({ path, shown: "policy.json" }, nodePorts().files);

  it("is read whole, and each way in which it cannot be is a class", async () => {
    const folder = newFolder();
    const path = join(folder, "policy.json");
    expect(await load(path)).toMatchObject({ refused: "retry_policy_missing" });
    writeFileSync(path, text);
    expect(await load(path)).toMatchObject({ policyDigest: policy.policyDigest });
    writeFileSync(path, text.replace('"maxAttempts": 3', '"maxAttempts": 9'));
    expect(await load(path)).toMatchObject({ refused: "retry_policy_invalid_digest" });
    writeFileSync(path, text.slice(1));
    expect(await load(path)).toMatchObject({ refused: "retry_policy_invalid_json" });
    writeFileSync(path, '{"schema":1}');
    expect(await load(path)).toMatchObject({ refused: "retry_policy_invalid_shape" });
    mkdirSync(join(folder, "folder"));
    expect(await load(join(folder, "folder"))).toMatchObject({ refused: "retry_policy_io_error" });
  });
});
