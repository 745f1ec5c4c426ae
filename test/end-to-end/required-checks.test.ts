/** The map of required checks and the chain of witness and decision, as people and programs meet them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { describe, expect } from "vitest";
import { CheckedProject } from "../support/checked-project.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { commandHere, type Ended } from "../support/command-here.js";
import { Premath } from "../support/premath.js";

const run = (project: CheckedProject, words: string, real = false): Promise<Ended> => {
  const options = { cwd: project.folder, env: project.env };
  return real
    ? Premath.build().then((premath) => premath.run(words.split(" "), options))
    : commandHere(words.split(" "), options);
};

async function ok(project: CheckedProject, words: string): Promise<JsonObject> {
  const ended = await run(project, `${words} --json`);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

/** A checker's answer to a JSON file. */
async function asked(
  project: CheckedProject,
  command: string,
  value: unknown,
  flag = "--input",
): Promise<Ended> {
  writeFileSync(join(project.home, "input.json"), typeof value === "string" ? value : JSON.stringify(value));
  return run(project, `${command} ${flag} ${join(project.home, "input.json")} --json`);
}

describe("the map of required checks", () => {
  test("is drafted from the project, explained, edited and sealed", async () => {
    const project = new CheckedProject({ unchecked: true });
    project.put("package.json", '{"scripts":{"test":"node --test","lint":"true"}}\n');
    const drafted = await run(project, "required-checks init", true);
    expect(drafted.stdout).toContain("npm test");
    expect(await ok(project, "required-checks explain src/a.ts package.json test/a.ts")).toMatchObject({
      items: [
        { path: "src/a.ts", requiredChecks: ["lint", "test"], protectedBy: null },
        { path: "package.json", protectedBy: "package.json#scripts" },
        { path: "test/a.ts", isTest: true },
      ],
    });
    expect((await run(project, "required-checks init")).code).toBe(1);
    const path = "policies/control/required-checks-v1.json";
    project.put(path, project.read(path).replace('"npm test"', '"npm test -- --all"'));
    expect((await run(project, "required-checks explain a --json")).json()["failureClass"]).toBe(
      "required_checks_invalid_digest",
    );
    expect(await ok(project, "required-checks seal")).toMatchObject({ changed: true });
    expect(await ok(project, "required-checks seal")).toMatchObject({ changed: false });
    expect(await ok(project, "required-checks explain a")).toMatchObject({
      items: [{ requiredChecks: ["lint", "test"] }],
    });
    project.put(path, project.read(path).replace('"checks": [', '"checks": 7, "x": ['));
    const before = project.read(path);
    expect((await run(project, "required-checks seal --json")).json()["failureClass"]).toBe(
      "required_checks_invalid_shape",
    );
    expect(project.read(path)).toBe(before);
  });

  test("is not drafted where nothing says how a project is checked", async () => {
    const project = new CheckedProject({ unchecked: true });
    expect((await run(project, "required-checks init --json")).json()["failureClass"]).toBe(
      "required_checks_missing",
    );
    expect(existsSync(join(project.folder, "policies"))).toBe(false);
  });
});

describe("the chain", () => {
  test("from delta to decision comes out the same by hand as in one command [TUSK-14.2.13] [TUSK-14.2.14] [TUSK-14.2.15] [TUSK-14.2.16] [TUSK-14.2.17]", async () => {
    const project = new CheckedProject();
    project.put("src/sum.sh", "# good and new\n");
    project.put("src/other.sh", "x\n");
    git(project.folder, "rm", "--quiet", "readme");
    project.commit("work");
    const attested = await ok(project, "ci-required-attested --from HEAD~1");
    expect(attested).toMatchObject({
      result: "accepted",
      decision: "accept",
      checks: [{ checkId: "test", status: "passed" }],
    });

    const delta = (await asked(project, "required-delta", { fromRef: "HEAD~1" })).json();
    expect(delta).toMatchObject({
      deltaKind: "ci.required.delta.v1",
      source: "git_diff",
      changedPaths: ["readme", "src/other.sh", "src/sum.sh"],
    });
    const projection = (await asked(project, "required-projection", delta)).json();
    expect(projection["projectionDigest"]).toBe(attested["projectionDigest"]);
    const fallback = {
      exitCode: 0,
      projectionDigest: projection["projectionDigest"],
      policyDigest: projection["policyDigest"],
      ctxRef: attested["baseCommit"],
      dataHeadRef: attested["commit"],
    };
    const artifactRelPath = `gates/${String(projection["projectionDigest"])}/01-test.json`;
    const ref = (
      await asked(project, "required-gate-ref", { checkId: "test", artifactRelPath, fallback })
    ).json();
    expect(ref["gatePayload"]).toEqual(JSON.parse(project.read(`artifacts/ciwitness/${artifactRelPath}`)));
    const runtime = {
      ...projection,
      results: [{ checkId: "test", status: "passed", exitCode: 0, durationMs: 5 }],
      gateWitnessRefs: [ref["gateWitnessRef"]],
      deltaSource: "git_diff",
      squeakSiteProfile: "local",
      runStartedAt: "2026-01-01T00:00:00Z",
      runFinishedAt: "2026-01-01T00:00:01Z",
      runDurationMs: 1000,
    };
    const witness = (await asked(project, "required-witness", runtime, "--runtime")).json();
    const question = {
      witness,
      changedPaths: delta["changedPaths"],
      witnessRoot: join(project.folder, "artifacts/ciwitness"),
    };
    expect((await asked(project, "required-witness-verify", question)).json()).toMatchObject({
      errors: [],
      derived: { expectedVerdict: "accepted" },
    });
    const decision = (
      await asked(project, "required-witness-decide", {
        ...question,
        expectedChangedPaths: delta["changedPaths"],
      })
    ).json();
    expect(decision).toMatchObject({ decision: "accept", reasonClass: "verified_accept" });
    const sha = (name: string) => project.read(`artifacts/ciwitness/${name}.sha256`).trim();
    const latest = (name: string) =>
      JSON.parse(project.read(`artifacts/ciwitness/${name}.json`)) as JsonObject;
    const written = {
      decision: latest("latest-decision"),
      witness: latest("latest-required"),
      deltaSnapshot: latest("latest-delta"),
      actualWitnessSha256: sha("latest-required"),
      actualDeltaSha256: sha("latest-delta"),
    };
    expect((await asked(project, "required-decision-verify", written)).json()["errors"]).toEqual([]);
    expect(
      (await asked(project, "required-decision-verify", { ...written, actualWitnessSha256: "0" })).json()[
        "errors"
      ],
    ).toHaveLength(1);
  });

  test("sees deletions, renames and what is not committed", async () => {
    const project = new CheckedProject();
    git(project.folder, "rm", "--quiet", "readme");
    git(project.folder, "mv", "src/sum.sh", "src/total.sh");
    project.put("untracked", "x\n");
    expect((await asked(project, "required-delta", { fromRef: "HEAD" })).json()).toMatchObject({
      source: "git_diff+workspace",
      changedPaths: ["readme", "src/sum.sh", "src/total.sh", "untracked"],
    });
    expect((await asked(project, "required-delta", { fromRef: "nowhere" })).json()).toMatchObject({
      source: "diff_failed+workspace",
    });
  });

  test("in a person's name lists what is protected and does not refuse it; every check can be required", async () => {
    const project = new CheckedProject({
      checks: [
        { id: "one", command: "true" },
        { id: "two", command: "true" },
      ],
      map: { fallback: { checks: ["one"], reason: "some" } },
    });
    project.put("test/sum.test.sh", "true\n");
    project.commit("a person changes a test");
    expect(await ok(project, "ci-required-attested --from HEAD~1")).toMatchObject({
      protectedChanges: [{ path: "test/sum.test.sh", by: "tests" }],
      checks: [{ checkId: "one" }],
    });
    expect(await ok(project, "ci-required-attested --from HEAD --all")).toMatchObject({
      checks: [{ checkId: "one", reused: true }, { checkId: "two" }],
    });
    const written = project.read("artifacts/ciwitness/latest-required.json");
    const question = { witness: JSON.parse(written) as JsonObject, changedPaths: [], everything: true };
    expect((await asked(project, "required-witness-verify", question)).json()["errors"]).toEqual([]);
    expect((await asked(project, "required-witness-decide", question)).json()["decision"]).toBe("accept");
    const less = { ...question, everything: false };
    expect((await asked(project, "required-witness-verify", less)).json()["errors"]).not.toEqual([]);
  });

  test("of every check needs no history: a base that shares none is left aside", async () => {
    const project = new CheckedProject();
    git(project.folder, "checkout", "--quiet", "--orphan", "master");
    project.commit("another beginning");
    git(project.folder, "checkout", "--quiet", "--orphan", "work");
    const commit = project.commit("a beginning of its own");
    for (const name of git(project.folder, "branch", "--format=%(refname:short)").trim().split("\n"))
      if (!["master", "work"].includes(name)) git(project.folder, "branch", "--quiet", "-D", name);
    expect(await ok(project, "ci-required-attested --all")).toMatchObject({ commit, baseCommit: commit });
    expect((await run(project, "ci-required-attested --json")).json()["failureClass"]).toBe("change_unknown");
  });

  test("ends with 1 when a check fails, and says which", async () => {
    const project = new CheckedProject({ checks: [{ id: "bad", command: "echo so bad; exit 4" }] });
    const ended = await run(project, "ci-required-attested --from HEAD --all", true);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("so bad");
    expect(JSON.parse(project.read("artifacts/ciwitness/latest-decision.json"))).toMatchObject({
      decision: "reject",
    });
  });

  test("of a repository without a map is judged by the original's table, and nothing is run by it", async () => {
    const project = new CheckedProject({ unchecked: true });
    const projection = (
      await asked(project, "required-projection", { changedPaths: ["crates/premath-bd/src/lib.rs"] })
    ).json();
    expect(projection).toMatchObject({ projectionPolicy: "ci-topos-v0", requiredChecks: ["build", "test"] });
    expect((await run(project, "ci-required-attested --from HEAD --all --json")).json()["failureClass"]).toBe(
      "required_checks_missing",
    );
  });

  const badInputs: [string, string][] = [
    ["required-projection --input", "required_projection_invalid"],
    ["required-delta --input", "required_delta_invalid"],
    ["required-gate-ref --input", "required_gate_ref_invalid"],
    ["required-witness --runtime", "required_witness_runtime_invalid"],
    ["required-witness-verify --input", "required_witness_verify_invalid"],
    ["required-witness-decide --input", "required_witness_decide_invalid"],
    ["required-decision-verify --input", "required_decision_verify_invalid"],
  ];
  test.each(badInputs)(
    "%s: what cannot be read is one line and exit code 2",
    async (command, failureClass) => {
      const folder = newFolder();
      git(folder, "init", "--quiet");
      const path = join(folder, "input.json");
      const bad = [
        "{",
        "[]",
        '{"changedPaths":7,"checkId":"","witness":{},"expectedChangedPaths":7}',
        `{"x":"${"y".repeat(8 * 1024 * 1024)}"}`,
      ];
      for (const [at, text] of bad.entries()) {
        if (at === 2 && /delta|decision/.test(command)) continue;
        writeFileSync(path, text);
        const ended = await commandHere([...command.split(" "), path], { cwd: folder });
        expect(ended.code, `${command} ${text.slice(0, 40)}`).toBe(2);
        expect(ended.stderr).toMatch(new RegExp(`^${failureClass}: .*\n$`));
      }
      const missing = await commandHere([...command.split(" "), join(folder, "nowhere.json")], {
        cwd: folder,
      });
      expect(missing.code).toBe(2);
      expect(readFileSync(path, "utf8").length).toBeGreaterThan(0);
    },
  );
});
