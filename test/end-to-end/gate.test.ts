/**
 * From an empty repository to finished work over real MCP: a person opens a lane, an ordinary
 * client does the rest and writes no evidence of its own.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@bridle/operation";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { digest } from "@bridle/record";
import { CheckedProject } from "../support/checked-project.js";
import { killLeftovers, premath } from "../mcp-support/launch.js";

afterAll(killLeftovers);

class Project {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "bridle-home-")));

  constructor(
    private readonly program: string,
    readonly cwd = realpathSync(mkdtempSync(join(tmpdir(), "bridle-gate-"))),
  ) {
    execFileSync("git", ["init", "-q"], { cwd: this.cwd });
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.home, ...more };
  }

  /** A command at a person's terminal, unless the environment says otherwise. */
  run(words: string[], more: Record<string, string> = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.program, ...words, "--json"], {
      ...{ cwd: this.cwd, env: this.env(more), encoding: "utf8" },
    });
    return { status, stderr, answer: JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, unknown> };
  }

  async connect(flags: string[] = [], more: Record<string, string> = {}) {
    const client = new Client({ name: "ordinary", version: "1" });
    const args = [this.program, "mcp-serve", ...flags];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        cwd: this.cwd,
        env: this.env(more),
        stderr: "ignore",
      }),
    );
    onTestFinished(() => client.close());
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return structuredContent as unknown as Envelope;
    };
    return { client, call };
  }

  rows(): string {
    return readFileSync(join(this.cwd, ".premath/issues.jsonl"), "utf8");
  }
}

const project = async () => new Project(await premath());

describe("an ordinary MCP client", () => {
  it("[TUSK-14.0.7] adds, claims, comments, updates, makes dependencies and writes the session, on a lane that a person opened", async () => {
    const here = await project();
    const { call } = await here.connect();
    const before = await call("issue_add", { title: "Retry the upload" });
    expect(before.resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(before.payload)).toContain("premath lane open");

    expect(here.run(["lane", "open", "editor"])).toMatchObject({
      status: 0,
      answer: { lane: { name: "editor", open: true } },
    });
    const ref = expect.stringMatching(/^instruction:\/\/lane\/editor\//);
    const calls: [tool: string, args: Record<string, unknown>][] = [
      ["issue_add", { title: "Retry the upload" }],
      ["issue_add", { title: "Measure the upload" }],
      ["issue_claim", { id: "bd-1", assignee: "ada" }],
      ["issue_comment", { id: "bd-1", text: "it fails on retries only" }],
      ["issue_show", { id: "bd-1" }],
      ["issue_update", { id: "bd-1", notes: "half way", fence: 1 }],
      ["dep_add", { issueId: "bd-1", dependsOnId: "bd-2" }],
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

    const close = await call("issue_close", { id: "bd-2" });
    expect(close.resultClass).toBe("mutation.verified_change_missing");
    expect(JSON.stringify(close.payload)).toContain("issue finish bd-2");
    expect((await call("issue_compact", {})).resultClass).toBe("mutation.person_required");
    expect((await call("issue_close", { id: "bd-2", force: "please" })).resultClass).toBe(
      "mutation.person_required",
    );
  });

  it("that changes an issue before it looked at anything is refused, and a second one that runs at the same time keeps the turn open", async () => {
    const here = await project();
    here.run(["issue", "add", "one"]);
    here.run(["lane", "open", "editor"]);
    const { call } = await here.connect();
    const first = await call("issue_update", { id: "bd-1", notes: "n" });
    expect(first.resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(first.payload)).toContain("issue_show");
    // That refusal was looked at, so it is what the next one rests on.
    expect((await call("issue_update", { id: "bd-1", notes: "n" })).resultClass).toBe("accepted");
    const both = await Promise.all([
      call("issue_update", { id: "bd-1", notes: "a" }),
      call("issue_update", { id: "bd-1", notes: "b" }),
    ]);
    expect(both.map(({ resultClass }) => resultClass)).toEqual(["accepted", "tool.join_incomplete"]);
    expect((await call("issue_update", { id: "bd-1", notes: "b" })).resultClass).toBe("accepted");
  });

  it("is refused as soon as its lane is closed, with the command for a person", async () => {
    const here = await project();
    here.run(["lane", "open", "editor", "--for", "1h", "--allow", "issue.add"]);
    const { call } = await here.connect(["--lane", "editor"]);
    expect((await call("issue_add", { title: "one" })).resultClass).toBe("accepted");
    expect((await call("issue_claim", { id: "bd-1", assignee: "ada" })).resultClass).toBe(
      "mutation.capability_claim_missing",
    );
    expect(here.run(["lane", "close", "editor"]).status).toBe(0);
    const { resultClass, payload } = await call("issue_add", { title: "two" });
    expect(resultClass).toBe("mutation.use_evidence_missing");
    expect(JSON.stringify(payload)).toContain("premath lane open editor");
  });

  it("under open does as it likes, and under a human override for its time and with a reason", async () => {
    const here = await project();
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
    const long = here.run([
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
  it("a client finishes an issue on its lane, and what it closed is verified", async () => {
    const checked = new CheckedProject();
    const here = new Project(await premath(), realpathSync(checked.folder));
    here.run(["lane", "open", "editor"]);
    const { call } = await here.connect();
    expect((await call("issue_claim", { id: "bd-1", assignee: "ada" })).resultClass).toBe("accepted");
    const refused = await call("issue_close", { id: "bd-1", actor: "ada" });
    expect(refused.resultClass).toBe("mutation.verified_change_missing");
    checked.put("src/sum.sh", "# good and new\n");
    const commit = checked.commit("work");
    const finished = await call("issue_finish", { id: "bd-1", actor: "ada" });
    expect([finished.resultClass, finished.payload]).toEqual([
      "accepted",
      expect.objectContaining({ commit, witnessRefs: [expect.any(String)] }),
    ]);
    expect(finished.instructionRef).toMatch(/^instruction:\/\/lane\/editor\//);
    expect(checked.row("bd-1")).toMatchObject({
      ...{ status: "closed", verified: { commit } },
      metadata: { premathWriteWitness: { action: "issue.finish" } },
    });
  });

  it("a client runs only instructions that are committed, and one for an issue lets it change that once", async () => {
    const checked = new CheckedProject({ checks: [{ id: "hk-check", command: "grep -q good src/sum.sh" }] });
    const here = new Project(await premath(), realpathSync(checked.folder));
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
    here.run(["lane", "open", "editor"]);
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

    here.run(["lane", "close", "editor"]);
    const update = { id: "bd-1", notes: "mended", instructionId: id };
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
    const here = await project();
    expect(here.run(["lane", "list"]).answer).toMatchObject({ lanes: [] });
    here.run(["lane", "open", "ci", "--for", "8h", "--allow", "issue.claim,dep.*", "--workers", "ci.1"]);
    expect(here.run(["lane", "list"]).answer).toMatchObject({
      lanes: [{ name: "ci", open: true, allow: ["issue.claim", "dep.*"], workers: ["ci.1"] }],
    });
    for (const [words, says] of [
      [["lane", "open", "x", "--for", "8 hours"], "8h"],
      [["lane", "open", "x", "--for", "400d"], "366d"],
      [["lane", "open", "x", "--allow", "issue.updte"], "Did you mean issue.update?"],
      [["lane", "open", "x", "--allow", "issue.compact"], "no lane can allow"],
      [["lane", "close", "x"], "there is no lane x"],
    ] as const) {
      const { status, stderr } = here.run([...words]);
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining(says)]);
    }
    expect(here.run(["lane", "close", "ci"]).status).toBe(0);
    expect(here.run(["lane", "list"]).answer).toMatchObject({ lanes: [] });
  });

  it("leave nothing in the repository, and hold in every worktree of it", async () => {
    const here = await project();
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "one"],
      { cwd: here.cwd },
    );
    here.run(["lane", "open", "editor"]);
    expect(
      execFileSync("git", ["status", "--porcelain", "--ignored"], { cwd: here.cwd, encoding: "utf8" }),
    ).toBe("");
    const tree = join(here.home, "tree");
    execFileSync("git", ["worktree", "add", "-q", tree], { cwd: here.cwd });
    const { status, stdout } = spawnSync(process.execPath, [await premath(), "lane", "list", "--json"], {
      ...{ cwd: tree, env: here.env(), encoding: "utf8" },
    });
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ folder: here.cwd })]);
    expect(JSON.parse(stdout).lanes).toHaveLength(1);
  });
});

describe("inside a run", () => {
  it("neither a person's command line nor an open server holds, and the refusal says how to leave it", async () => {
    const here = await project();
    here.run(["lane", "open", "editor"]);
    const dead = { BRIDLE_RUN: "s-gone" };
    for (const words of [
      ["issue", "add", "one"],
      ["lane", "open", "more"],
      ["lane", "close", "editor"],
    ]) {
      const { status, answer, stderr } = here.run(words, dead);
      expect(status).toBe(1);
      const own = words[0] === "issue";
      expect(answer).toMatchObject({
        failureClasses: [own ? "mutation.run_unknown" : "mutation.person_required"],
      });
      if (own) expect(stderr).toContain("unset BRIDLE_RUN");
    }
    expect(here.run(["issue", "ready"], dead).status).not.toBe(2);
    for (const flags of [
      ["--mutation-policy", "open"],
      ["--lane", "editor"],
    ]) {
      const { call } = await here.connect(flags, dead);
      expect((await call("issue_add", { title: "one" })).resultClass).toBe("mutation.run_unknown");
    }
    expect(here.run(["issue", "add", "one"]).status).toBe(0);
  });

  it("that lives, its lane holds: additions at the command line, updates over MCP, nothing of a person's", async () => {
    const here = await project();
    here.run(["issue", "add", "one"]);
    const { nodePorts } = await import("@bridle/record");
    const { Lanes } = await import("@bridle/work");
    const lanes = await Lanes.open({ ports: nodePorts(), cwd: here.cwd, env: here.env() });
    await lanes.add({
      name: "run-1",
      openedAt: "2026-01-31T09:00:00Z",
      process: await nodePorts().processes.self(),
    });
    const inside = { BRIDLE_RUN: "run-1,0f8a" };
    expect(here.run(["issue", "add", "two"], inside)).toMatchObject({
      status: 0,
      answer: { issue: { id: "bd-2" } },
    });
    expect(here.run(["issue", "update", "bd-1", "--notes", "n"], inside).answer).toMatchObject({
      failureClasses: ["mutation.use_evidence_missing"],
    });
    expect(here.run(["issue", "close", "bd-1", "--force", "r"], inside).answer).toMatchObject({
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
  const here = await project();
  const lanes = { lanesKind: "bridle.lanes.v1", folders: [{ folder: here.cwd, lanes: [] }] };
  for (const name of ["lanes.json", ".bridle-lanes.json"])
    writeFileSync(join(here.cwd, name), JSON.stringify(lanes));
  const { call } = await here.connect();
  expect((await call("issue_add", { title: "one" })).resultClass).toBe("mutation.use_evidence_missing");
});
