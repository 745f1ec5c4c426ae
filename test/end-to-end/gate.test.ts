/**
 * From an empty repository to finished work over real MCP: a person opens a lane, an ordinary
 * client does the rest and writes no evidence of its own.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Envelope } from "@bridle/operation";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { digest, type JsonObject } from "@bridle/record";
import { CheckedProject } from "../support/checked-project.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { Premath } from "../support/premath.js";
import { witnessPieces } from "../support/witness-pieces.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

class Project {
  readonly home = newFolder();

  constructor(readonly cwd = newFolder()) {
    git(this.cwd, "init", "-q");
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.home, ...more };
  }

  /** A command at a person's terminal, unless the environment says otherwise. */
  async run(words: string[], more: Record<string, string> = {}, cwd = this.cwd) {
    const { code, stdout, stderr } = await premath.here([...words, "--json"], { cwd, env: this.env(more) });
    const answer = JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, unknown>;
    return { status: code, stderr, answer };
  }

  async connect(flags: string[] = [], more: Record<string, string> = {}) {
    const client = new Client({ name: "ordinary", version: "1" });
    const server = {
      ...{ command: process.execPath, args: [premath.program, "mcp-serve", ...flags] },
      ...{ cwd: this.cwd, env: this.env(more), stderr: "ignore" as const },
    };
    await client.connect(new StdioClientTransport(server));
    onTestFinished(() => client.close());
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return structuredContent as unknown as Envelope;
    };
    return { client, call };
  }

  put(path: string, text: string): void {
    mkdirSync(join(this.cwd, dirname(path)), { recursive: true });
    writeFileSync(join(this.cwd, path), text);
  }

  commit(message: string): string {
    git(this.cwd, "add", "--all");
    git(this.cwd, "commit", "--quiet", `--message=${message}`);
    return git(this.cwd, "rev-parse", "HEAD").trim();
  }

  /** Path and text of every file there. */
  filesUnder(...paths: string[]): Map<string, string> {
    const files = git(this.cwd, "ls-files", "--cached", "--others", "--", ...paths)
      .trim()
      .split("\n");
    const there = files.filter((path) => existsSync(join(this.cwd, path)));
    return new Map(there.map((path) => [path, readFileSync(join(this.cwd, path), "utf8")]));
  }

  rows(): string {
    return readFileSync(join(this.cwd, ".premath/issues.jsonl"), "utf8");
  }

  row(id: string): JsonObject {
    const rows = this.rows().trim().split("\n");
    return rows.map((line) => JSON.parse(line) as JsonObject).findLast((row) => row["id"] === id) ?? {};
  }
}

/** As a person writes it, before it is sealed. */
const aMap: JsonObject = {
  ...{ schema: 1, policyKind: "premath.required_checks.v1", policyId: "policy.upload.v1", rules: [] },
  checks: [{ id: "test", command: "grep -q retries upload.sh" }],
  fallback: { checks: ["test"], reason: "every_change" },
  ...{ tests: ["test/**"], protected: ["policies/**"] },
};

describe("an ordinary MCP client", () => {
  it("[TUSK-14.0.7] from an empty repository adds, claims, comments, updates, makes dependencies, writes the session and finishes, on a lane that a person opened", async () => {
    const here = new Project();
    const { call } = await here.connect();
    const before = await call("issue_add", { title: "Retry the upload" });
    expect(before.resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(before.payload)).toContain("premath lane open");

    // What a person does, once.
    expect(await here.run(["lane", "open", "editor"])).toMatchObject({
      status: 0,
      answer: { lane: { name: "editor", open: true } },
    });
    here.put("policies/control/required-checks-v1.json", JSON.stringify(aMap));
    expect((await here.run(["required-checks", "seal"])).status).toBe(0);
    here.put(".gitignore", ".premath/\n");
    here.commit("how changes are checked");

    const ref = expect.stringMatching(/^instruction:\/\/lane\/editor\//);
    const calls: [tool: string, args: Record<string, unknown>][] = [
      ["issue_add", { title: "Retry the upload" }],
      ["issue_add", { title: "Measure the upload" }],
      ["issue_claim", { id: "bd-1", assignee: "ada" }],
      ["issue_comment", { id: "bd-1", text: "it fails on retries only" }],
      ["issue_show", { id: "bd-1" }],
      ["issue_update", { id: "bd-1", notes: "half way", fence: 1 }],
      ["dep_add", { issueId: "bd-2", dependsOnId: "bd-1" }],
      ["issue_discover", { parentIssueId: "bd-1", title: "No timeout" }],
      ["harness_session_write", { state: "active", issueId: "bd-1", summary: "half way" }],
    ];
    for (const [tool, args] of calls) {
      const envelope = await call(tool, args);
      expect([tool, envelope.resultClass]).toEqual([tool, "accepted"]);
      if (tool !== "issue_show") expect(envelope).toMatchObject({ instructionRef: ref });
    }
    expect(here.rows()).toContain("premathWriteWitness");
    expect(here.rows()).not.toContain(here.cwd);

    const close = await call("issue_close", { id: "bd-1", actor: "ada" });
    expect(close.resultClass).toBe("mutation.verified_change_missing");
    expect(JSON.stringify(close.payload)).toContain("issue finish bd-1");
    expect((await call("issue_compact", {})).resultClass).toBe("mutation.person_required");
    expect((await call("issue_close", { id: "bd-1", force: "please" })).resultClass).toBe(
      "mutation.person_required",
    );

    here.put("upload.sh", "# retries\n");
    const commit = here.commit("work");
    const finished = await call("issue_finish", { id: "bd-1", actor: "ada" });
    expect([finished.resultClass, finished.payload]).toEqual([
      "accepted",
      expect.objectContaining({ commit, witnessRefs: [expect.any(String)] }),
    ]);
    expect(finished).toMatchObject({ instructionRef: ref });
    expect(here.row("bd-1")).toMatchObject({
      ...{ status: "closed", verified: { commit } },
      metadata: { premathWriteWitness: { action: "issue.finish" } },
    });
    expect((await here.run(["issue", "list", "--unverified"])).answer).toMatchObject({ count: 0 });
  });

  it("that changes an issue before it looked at anything is refused, and a second one that runs at the same time keeps the turn open", async () => {
    const here = new Project();
    await here.run(["issue", "add", "one"]);
    await here.run(["lane", "open", "editor"]);
    const { call } = await here.connect();
    const first = await call("issue_update", { id: "bd-1", notes: "n" });
    expect(first.resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(first.payload)).toContain("issue_show");
    // That refusal was looked at, so it is what the next one rests on.
    expect((await call("issue_update", { id: "bd-1", notes: "n" })).resultClass).toBe("accepted");
    // On a busy machine the first may be answered before the second is read; that is tried again.
    const seen = new Set<string>();
    for (let i = 0; i < 50 && !seen.has("accepted tool.join_incomplete"); i++) {
      const both = await Promise.all([
        call("issue_update", { id: "bd-1", notes: `a${i}` }),
        call("issue_update", { id: "bd-1", notes: `b${i}` }),
      ]);
      seen.add(both.map(({ resultClass }) => resultClass).join(" "));
    }
    seen.delete("accepted accepted");
    expect([...seen]).toEqual(["accepted tool.join_incomplete"]);
    expect((await call("issue_update", { id: "bd-1", notes: "b" })).resultClass).toBe("accepted");
  });

  it("is refused as soon as its lane is closed, with the command for a person", async () => {
    const here = new Project();
    await here.run(["lane", "open", "editor", "--for", "1h", "--allow", "issue.add"]);
    const { call } = await here.connect(["--lane", "editor"]);
    expect((await call("issue_add", { title: "one" })).resultClass).toBe("accepted");
    expect((await call("issue_claim", { id: "bd-1", assignee: "ada" })).resultClass).toBe(
      "mutation.capability_claim_missing",
    );
    expect((await here.run(["lane", "close", "editor"])).status).toBe(0);
    const { resultClass, payload } = await call("issue_add", { title: "two" });
    expect(resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(payload)).toContain("premath lane open editor");
  });

  it("under open does as it likes, and under a human override for its time and with a reason", async () => {
    const here = new Project();
    const open = await here.connect(["--mutation-policy", "open"]);
    expect((await open.call("issue_add", { title: "one" })).resultClass).toBe("accepted");
    expect(here.rows()).not.toContain("premathWriteWitness");
    const override = await here.connect([
      ...[
        "--mutation-policy",
        "human-override",
        "--override-reason",
        "no lanes on this machine",
        "--override-for",
        "2h",
      ],
    ]);
    expect((await override.call("issue_close", { id: "bd-1" })).resultClass).toBe("accepted");
    expect(here.rows()).toContain("no lanes on this machine");
    const long = await here.run([
      "mcp-serve",
      "--mutation-policy",
      "human-override",
      "--override-reason",
      "r",
      "--override-for",
      "25h",
    ]);
    expect([long.status, long.stderr]).toEqual([1, expect.stringContaining("24 hours")]);
  });
});

describe("with checks of the project", () => {
  it("[TUSK-14.2.32] [TUSK-1.3] a client runs only instructions that are committed; one for an issue, whole in every piece, lets it change that once", async () => {
    const checked = new CheckedProject({ checks: [{ id: "hk-check", command: "grep -q good src/sum.sh" }] });
    const here = new Project(checked.folder);
    const policy = {
      ...{ schema: 1, policyKind: "ci.instruction.policy.v1", policyId: "policy.mine.v1" },
      ...{ allowedChecks: ["hk-check"], allowedNormalizers: ["normalizer.ci.v1"] },
    };
    const policyDigest = digest("pol1_", policy);
    const id = "20260101T000000Z-mend";
    const change = "capabilities.change_morphisms";
    const envelope = {
      ...{ schema: 1, intent: "Mend it.", scope: { issueId: "bd-1", fence: 1 }, policyDigest },
      ...{ normalizerId: "normalizer.ci.v1", requestedChecks: ["hk-check"] },
      capabilityClaims: [change, `${change}.issue_update`],
    };
    checked.put("policies/instruction/mine.json", JSON.stringify({ ...policy, policyDigest }));
    checked.put(`instructions/${id}.json`, JSON.stringify(envelope));
    await here.run(["lane", "open", "editor"]);
    const { call } = await here.connect(["--family", "issue", "--family", "instruction"]);
    await call("issue_claim", { id: "bd-1", assignee: "ada" });
    const instructionPath = `instructions/${id}.json`;
    expect((await call("instruction_run", { instructionPath })).resultClass).toBe(
      "mutation.envelope_not_in_base",
    );
    checked.commit("an instruction");
    checked.put(instructionPath, JSON.stringify({ ...envelope, scope: { issueId: "bd-2", fence: 0 } }));
    expect((await call("instruction_run", { instructionPath })).resultClass).toBe(
      "mutation.envelope_not_in_base",
    );
    checked.put(instructionPath, JSON.stringify(envelope));
    const ran = await call("instruction_run", { instructionPath });
    expect([ran.resultClass, ran.payload]).toEqual([
      "accepted",
      expect.objectContaining({ verdictClass: "accepted" }),
    ]);

    await here.run(["lane", "close", "editor"]);
    expect((await call("instruction_run", { instructionPath })).resultClass).toBe(
      "mutation.use_evidence_missing",
    );
    const update = { id: "bd-1", notes: "mended", instructionId: id };
    const evidence = ["artifacts", "instructions", "policies", ".premath/issues.jsonl"];
    const sound = here.filesUnder(...evidence);
    const scope = { issueId: "bd-1", fence: 1 };
    const policyPath = "policies/instruction/mine.json";
    expect(witnessPieces.length).toBeGreaterThanOrEqual(12);
    for (const { what, failureClass, alter } of witnessPieces) {
      alter({ folder: here.cwd, instructionId: id, policyPath, scope, nowMs: Date.now() });
      const altered = here.filesUnder(...evidence);
      expect([what, (await call("issue_update", update)).resultClass]).toEqual([what, failureClass]);
      expect(here.filesUnder(...evidence)).toEqual(altered);
      for (const [path, text] of sound) here.put(path, text);
    }
    expect((await call("issue_update", { ...update, id: "bd-2" })).resultClass).toBe(
      "mutation.witness_issue_mismatch",
    );
    const first = await call("issue_update", update);
    expect(first).toMatchObject({
      resultClass: "accepted",
      instructionRef: `instruction://${id}`,
      policyDigest,
    });
    expect((await call("issue_update", update)).payload).toEqual(first.payload);
    expect((await call("issue_update", { ...update, notes: "more" })).resultClass).toBe(
      "mutation.witness_spent",
    );
    expect((await call("issue_comment", { id: "bd-1", text: "t" })).resultClass).toBe(
      "mutation.use_evidence_missing",
    );
  });
});

describe("lanes", () => {
  it("are a person's: listed, narrowed, refused for what they cannot be", async () => {
    const here = new Project();
    expect((await here.run(["lane", "list"])).answer).toMatchObject({ lanes: [] });
    await here.run([
      "lane",
      "open",
      "ci",
      "--for",
      "8h",
      "--allow",
      "issue.claim,dep.*",
      "--workers",
      "ci.1",
    ]);
    expect((await here.run(["lane", "list"])).answer).toMatchObject({
      lanes: [{ name: "ci", open: true, allow: ["issue.claim", "dep.*"], workers: ["ci.1"] }],
    });
    for (const [words, says] of [
      [["lane", "open", "x", "--for", "8 hours"], "8h"],
      [["lane", "open", "x", "--for", "400d"], "366d"],
      [["lane", "open", "x", "--allow", "issue.updte"], "Did you mean issue.update?"],
      [["lane", "open", "x", "--allow", "issue.compact"], "no lane can allow"],
      [["lane", "close", "x"], "there is no lane x"],
    ] as const) {
      const { status, stderr } = await here.run([...words]);
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining(says)]);
    }
    expect((await here.run(["lane", "close", "ci"])).status).toBe(0);
    expect((await here.run(["lane", "list"])).answer).toMatchObject({ lanes: [] });
  });

  it("leave nothing in the repository, and hold in every worktree of it", async () => {
    const here = new Project();
    git(here.cwd, "commit", "-q", "--allow-empty", "-m", "one");
    await here.run(["lane", "open", "editor"]);
    expect(git(here.cwd, "status", "--porcelain", "--ignored")).toBe("");
    const tree = join(here.home, "tree");
    git(here.cwd, "worktree", "add", "-q", tree);
    const { status, answer } = await here.run(["lane", "list"], {}, tree);
    expect([status, answer]).toEqual([0, expect.objectContaining({ folder: here.cwd })]);
    expect(answer["lanes"]).toHaveLength(1);
  });
});

describe("inside a run", () => {
  it("neither a person's command line nor an open server holds, and the refusal says how to leave it", async () => {
    const here = new Project();
    await here.run(["lane", "open", "editor"]);
    const dead = { BRIDLE_RUN: "s-gone" };
    for (const words of [
      ["issue", "add", "one"],
      ["lane", "open", "more"],
      ["lane", "close", "editor"],
    ]) {
      const { status, answer, stderr } = await here.run(words, dead);
      expect(status).toBe(1);
      const own = words[0] === "issue";
      expect(answer).toMatchObject({
        failureClasses: [own ? "mutation.run_unknown" : "mutation.person_required"],
      });
      if (own) expect(stderr).toContain("unset BRIDLE_RUN");
    }
    expect((await here.run(["issue", "ready"], dead)).status).not.toBe(2);
    for (const flags of [
      ["--mutation-policy", "open"],
      ["--lane", "editor"],
    ]) {
      const { call } = await here.connect(flags, dead);
      expect((await call("issue_add", { title: "one" })).resultClass).toBe("mutation.run_unknown");
    }
    expect((await here.run(["issue", "add", "one"])).status).toBe(0);
  });

  it("that lives, its lane holds: additions at the command line, updates over MCP, nothing of a person's", async () => {
    const here = new Project();
    await here.run(["issue", "add", "one"]);
    const { nodePorts } = await import("@bridle/record");
    const { Lanes } = await import("@bridle/work");
    const lanes = await Lanes.open({ ports: nodePorts(), cwd: here.cwd, env: here.env() });
    await lanes.add({
      name: "run-1",
      openedAt: "2026-01-31T09:00:00Z",
      process: await nodePorts().processes.self(),
    });
    const inside = { BRIDLE_RUN: "run-1,0f8a" };
    expect(await here.run(["issue", "add", "two"], inside)).toMatchObject({
      status: 0,
      answer: { issue: { id: "bd-2" } },
    });
    expect((await here.run(["issue", "update", "bd-1", "--notes", "n"], inside)).answer).toMatchObject({
      failureClasses: ["mutation.use_evidence_missing"],
    });
    expect((await here.run(["issue", "close", "bd-1", "--force", "r"], inside)).answer).toMatchObject({
      failureClasses: ["mutation.person_required"],
    });
    const { call } = await here.connect(["--mutation-policy", "open"], inside);
    await call("issue_ready", {});
    expect((await call("issue_update", { id: "bd-1", notes: "n" })).resultClass).toBe("accepted");
    expect((await call("issue_close", { id: "bd-1" })).resultClass).toBe("mutation.verified_change_missing");
    await lanes.remove("run-1");
    expect((await call("issue_add", { title: "three" })).resultClass).toBe("mutation.run_unknown");
  });
});

it("a clone that brings lanes, settings and marks opens nothing", async () => {
  const here = new Project();
  const lanes = { lanesKind: "bridle.lanes.v1", folders: [{ folder: here.cwd, lanes: [] }] };
  for (const name of ["lanes.json", ".bridle-lanes.json"])
    writeFileSync(join(here.cwd, name), JSON.stringify(lanes));
  const { call } = await here.connect();
  expect((await call("issue_add", { title: "one" })).resultClass).toBe("mutation.use_evidence_missing");
});
