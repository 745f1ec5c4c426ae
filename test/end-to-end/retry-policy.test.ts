/** The retry policy and what fails, as people meet them: the built commands and real files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const policyFile = "policies/control/harness-retry-policy-v1.json";
const ours = readFileSync(fileURLToPath(new URL(`../../${policyFile}`, import.meta.url)), "utf8");

class Project {
  readonly folder = newFolder();

  constructor(policy: string | null = ours) {
    if (policy !== null) this.write(policyFile, policy);
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  run(...words: string[]) {
    return premath.oneOfMany(words, { cwd: this.folder });
  }
}

describe("harness-retry-policy", () => {
  test("check answers with the rules and the digest of a sealed policy", async () => {
    const ended = await new Project().run("harness-retry-policy", "check", "--json");
    expect(ended.code, ended.stderr).toBe(0);
    const { policyDigest } = JSON.parse(ours) as { policyDigest: string };
    expect(ended.json()).toMatchObject({ action: "harness-retry-policy.check", policyDigest });
  });

  test.each<[string, string | null, string]>([
    ["missing", null, "retry_policy_missing"],
    ["no JSON", "{", "retry_policy_invalid_json"],
    ["of another shape", "{}", "retry_policy_invalid_shape"],
    ["edited", ours.replace('"maxAttempts": 3', '"maxAttempts": 5'), "retry_policy_invalid_digest"],
  ])("check of one that is %s says its class and exits with 2", async (_what, policy, failureClass) => {
    const project = new Project(policy);
    const ended = await project.run("harness-retry-policy", "check");
    expect(ended.code).toBe(2);
    expect(ended.stderr.startsWith(`${failureClass}: `)).toBe(true);
  });

  test("seal makes an edit count, and leaves everything else as it stands", async () => {
    const edited = ours.replace('"maxAttempts": 3', '"maxAttempts": 5');
    const project = new Project(edited);
    const sealed = await project.run("harness-retry-policy", "seal", "--json");
    expect(sealed.json()).toMatchObject({ changed: true });
    expect((await project.run("harness-retry-policy", "check")).code).toBe(0);
    const { policyDigest: _new, ...now } = JSON.parse(project.read(policyFile)) as { policyDigest: string };
    const { policyDigest: _old, ...before } = JSON.parse(edited) as { policyDigest: string };
    expect(now).toEqual(before);
    const again = await project.run("harness-retry-policy", "seal", "--json");
    expect(again.json()).toMatchObject({ changed: false });
  });

  test("seal does not seal what is no policy, and changes no byte of it", async () => {
    const broken = ours.replace('"maxAttempts": 3', '"maxAttempts": 0');
    const project = new Project(broken);
    const ended = await project.run("harness-retry-policy", "seal");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^retry_policy_invalid_shape: .*rules\[0\]\.maxAttempts/);
    expect(project.read(policyFile)).toBe(broken);
  });
});

describe("harness-trajectory cluster", () => {
  const failed = (project: Project, stepId: string, ...more: string[]) =>
    project.run(
      ...["harness-trajectory", "append", "--step-id", stepId, "--action", "worker.loop"],
      ...["--issue-id", "bd-1", ...more],
    );

  test("[TUSK-8.1] gathers failures, and names the classes that the policy lacks", async () => {
    const project = new Project();
    await failed(project, "s-1", "--result-class", "gate_timeout");
    await failed(project, "s-2", "--result-class", "failed", "--failure-class", "odd_failure");
    await failed(project, "s-3", "--result-class", "completed");
    const ended = await project.run("harness-trajectory", "cluster", "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({
      ...{ totalCount: 3, failedCount: 2, missingFromPolicy: ["odd_failure"] },
      clusters: [
        { failureClass: "gate_timeout", ruleId: "transient_retry", count: 1 },
        { failureClass: "odd_failure", ruleId: null, count: 1 },
      ],
    });
    const text = await project.run("harness-trajectory", "cluster");
    expect(text.stdout).toContain(
      "has no rule for odd_failure: add each, then `premath harness-retry-policy seal`",
    );
  });

  test("[TUSK-8.1] a policy that was edited and not sealed is not asked", async () => {
    const project = new Project(ours.replace('"maxAttempts": 3', '"maxAttempts": 5'));
    const ended = await project.run("harness-trajectory", "cluster");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("retry_policy_invalid_digest");
  });

  test("answers without a trajectory", async () => {
    const ended = await new Project().run("harness-trajectory", "cluster");
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("no failure in 0 steps");
  });
});
