/** Claims and leases as people and programs meet them: the built command, real files, real processes, a real MCP client. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMutationPolicyDigest } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { handoffLeaseState, handoffRef, recoveryAction } from "@bridle/work";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { forbidWriting } from "../support/bad-ground.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath, type RunOptions } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

/** A project folder with issue memory in it, and the issue commands. */
class Project {
  readonly folder = newFolder();
  readonly path = join(this.folder, ".premath/issues.jsonl");

  constructor(...rows: (JsonObject | string)[]) {
    mkdirSync(join(this.folder, ".premath"));
    const lines = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
    writeFileSync(this.path, lines.map((line) => `${line}\n`).join(""));
  }

  issue(words: string, options: Partial<RunOptions> = {}): Promise<Ended> {
    return premath.run(["issue", ...words.split(" ")], { cwd: this.folder, ...options });
  }

  /** Where many commands must say the same. */
  one(words: string): Promise<Ended> {
    return premath.oneOfMany(["issue", ...words.split(" ")], { cwd: this.folder });
  }

  async ok(words: string): Promise<JsonObject> {
    const ended = await this.issue(`${words} --json`);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  async refused(words: string): Promise<string> {
    const ended = await this.one(`${words} --json`);
    expect(ended.code, ended.stdout).toBe(1);
    return String(ended.json()["failureClass"]);
  }

  rows(): JsonObject[] {
    const lines = readFileSync(this.path, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as JsonObject);
  }
}

const issue = (id: string, more: JsonObject = {}): JsonObject => ({ id, title: `Title of ${id}`, ...more });
const lapsed = {
  lease_id: "l-1",
  owner: "crashed",
  acquired_at: "2026-01-31T08:00:00Z",
  expires_at: "2026-01-31T09:00:00Z",
};

describe("an issue", () => {
  test("is claimed, renewed and released, each with its answer as JSON [TUSK-14.2.20] [TUSK-14.2.23] [TUSK-14.2.24]", async () => {
    const project = new Project(issue("bd-1"));
    const claimed = await project.ok("claim bd-1 --assignee ada --issues .premath/issues.jsonl");
    expect(claimed).toMatchObject({
      action: "issue.claim",
      issuesPath: ".premath/issues.jsonl",
      changed: true,
      issue: {
        id: "bd-1",
        status: "in_progress",
        assignee: "ada",
        fence: 1,
        lease: { leaseId: "lease1_bd-1_ada", owner: "ada", state: "active", fence: 1 },
      },
    });
    const renewed = await project.ok(
      "lease-renew bd-1 --assignee ada --lease-id lease1_bd-1_ada --lease-ttl-seconds 7200 --fence 1",
    );
    expect(renewed).toMatchObject({ action: "issue.lease_renew", changed: true, issue: { fence: 1 } });
    const released = await project.ok("lease-release bd-1 --assignee ada");
    expect(released).toMatchObject({
      action: "issue.lease_release",
      changed: true,
      issue: { status: "open", assignee: "", fence: 1 },
    });
    expect(project.rows().map(({ status, fence }) => [status, fence])).toEqual([
      [undefined, undefined],
      ["in_progress", 1],
      ["in_progress", 1],
      ["open", 1],
    ]);
    expect(await project.ok("claim bd-1 --assignee bob")).toMatchObject({ issue: { fence: 2 } });
  });

  test("that is held is refused to others in words that say by whom, until when and what to do", async () => {
    const project = new Project(issue("bd-1"));
    const claimed = await project.issue("claim bd-1 --assignee ada");
    expect(claimed.stdout).toMatch(/^  bd-1 is yours until .+ \(lease1_bd-1_ada, fence 1\)\.\n$/);
    const refused = await project.issue("claim bd-1 --assignee bob");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      /^error: bd-1 is held by ada until \S+, lease lease1_bd-1_ada \(lease_contention_active\)\.\n +Wait, pick another/,
    );
    expect(await project.refused("lease-release bd-1")).toBe("lease_contention_active");
    expect(await project.refused("lease-release bd-1 --assignee bob")).toBe("lease_owner_mismatch");
    expect(await project.refused("lease-renew bd-1 --assignee ada --lease-id other")).toBe(
      "lease_id_mismatch",
    );
    expect(
      await project.refused("lease-renew bd-1 --assignee ada --lease-id lease1_bd-1_ada --fence 0"),
    ).toBe("lease_fence_stale");
    expect(project.rows()).toHaveLength(2);
  });

  test("that a crashed worker left in progress is taken over by the next claim, and its worker is told", async () => {
    const left = { status: "in_progress", assignee: "crashed", lease: lapsed, fence: 4 };
    const project = new Project(issue("bd-1", left), issue("bd-2", { priority: 3 }));
    const leases = await project.issue("leases");
    expect(leases.stdout).toMatch(
      /^ {2}bd-1 {2}stale {2}crashed {2}ended \d+ days ago {2}fence 4 {2}l-1\n {2}1 lease · 1 stale/,
    );
    expect(await project.ok("claim-next --assignee ada")).toMatchObject({
      action: "issue.claim_next",
      claimed: true,
      issue: { id: "bd-1", assignee: "ada", fence: 5 },
    });
    expect(await project.refused("lease-renew bd-1 --assignee crashed --lease-id l-1")).toBe(
      "lease_owner_mismatch",
    );
    expect(await project.refused("lease-release bd-1 --fence 4")).toBe("lease_fence_stale");
    expect(await project.ok("leases")).toMatchObject({ staleCount: 0, count: 1, leases: [{ owner: "ada" }] });
  });

  test("is claimed once by many processes, and its unknown members keep their bytes [RUNTIME-7.5]", async () => {
    const odd = `{"2":1.0,"id":"bd-1","title":"\\u0041","big":18446744073709551615}`;
    const project = new Project(odd);
    const names = Array.from({ length: 6 }, (_, i) => `worker.${i + 1}`);
    const ended = await Promise.all(
      names.map((name) => project.issue(`claim bd-1 --assignee ${name} --json`)),
    );
    const winners = ended.filter(({ code }) => code === 0).map((one) => one.json()["issue"] as JsonObject);
    expect(winners).toHaveLength(1);
    const owner = String(winners[0]?.["assignee"]);
    expect(winners[0]).toMatchObject({
      fence: 1,
      lease: { leaseId: `lease1_bd-1_${owner.replace(".", "_")}`, owner, state: "active" },
    });
    const losers = ended.filter(({ code }) => code !== 0).map((one) => one.json()["failureClass"]);
    expect(losers).toEqual(Array.from({ length: 5 }, () => "lease_contention_active"));
    const row = readFileSync(project.path, "utf8").trim().split("\n").at(-1);
    expect(row).toContain(odd.slice(0, -1));
  });

  test("is given to one worker each by claim-next, by priority and then id, until nothing is left", async () => {
    const project = new Project(issue("bd-3"), issue("bd-10"), issue("bd-2", { priority: 0 }));
    const words = ["a", "b", "c", "d"].map((name) => `claim-next --assignee ${name} --json`);
    const ended = await Promise.all(words.map((each) => project.issue(each)));
    const got = ended.map((one) => (one.json()["issue"] as JsonObject | null)?.["id"] ?? null);
    expect(got.toSorted()).toEqual(["bd-10", "bd-2", "bd-3", null]);
    const nothing = await project.issue("claim-next --assignee e");
    expect([nothing.code, nothing.stdout]).toEqual([0, expect.stringMatching(/^  nothing to claim/)]);
  });
});

test("a claim repeated with its request id is answered the same, by another process and after a release", async () => {
  const project = new Project(issue("bd-1"), issue("bd-2"));
  const words = "claim-next --assignee ada --request-id run-7";
  const first = await project.ok(words);
  const again = await project.ok(words);
  expect(again).toMatchObject({ issue: first["issue"]!, repeated: true, changed: false });
  expect(await project.refused("claim bd-2 --assignee ada --request-id run-7")).toBe("lease_request_reused");
  expect(await project.refused("claim-next --assignee bob --request-id run-7")).toBe("lease_request_reused");
  await project.ok("lease-release bd-1 --fence 1");
  expect(await project.ok(words)).toMatchObject({ issue: first["issue"]!, repeated: true, released: true });
  await project.ok("claim bd-1 --assignee bob");
  expect(await project.ok(words)).toMatchObject({ issue: { id: "bd-1", fence: 1 }, superseded: true });
  // A repeated answer makes its row durable again, and adds nothing.
  expect(new Set(project.rows().map((row) => JSON.stringify(row))).size).toBe(5);
});

describe("bad input", () => {
  test.each([
    ["claim bd-9 --assignee ada", "lease_not_found", 1],
    ["claim bd-1 --assignee=\t", "lease_invalid_assignee", 1],
    ["claim bd-1 --assignee ada --lease-ttl-seconds 29", "lease_invalid_ttl", 1],
    [
      "claim bd-1 --assignee ada --lease-ttl-seconds 60 --lease-expires-at 2030-01-01T00:00:00Z",
      "lease_binding_ambiguous",
      1,
    ],
    ["claim bd-1 --assignee ada --lease-expires-at 2020-01-01T00:00:00Z", "lease_invalid_expires_at", 1],
    ["claim bd-1 --assignee ada --fence 7", "lease_fence_stale", 1],
    ["claim bd-1", "lease_invalid_payload", 2],
    ["claim bd-1 --assignee ada --ttl 5", "invocation_invalid", 2],
    ["lease-renew bd-1 --assignee ada --lease-id l", "lease_missing", 1],
    ["lease-release bd-1 --assignee ada", "lease_missing", 1],
    ["claim bd-1 --assignee ada --issues nowhere.jsonl", "lease_not_found", 1],
    ["claim bd-1 --assignee ada --issues .premath", "lease_mutation_store_io", 1],
    ["leases --issues nowhere.jsonl", "issue_memory_missing", 1],
  ])("premath issue %s: %s, and nothing changes", async (words, failureClass, code) => {
    const project = new Project(issue("bd-1"));
    const before = readFileSync(project.path, "utf8");
    const ended = await project.one(words);
    expect(ended.stderr).toContain(`(${failureClass})`);
    expect(ended.code).toBe(code);
    expect(readFileSync(project.path, "utf8")).toBe(before);
  });

  test("a file that may not be written says so, and a lock that is none is named", async () => {
    const project = new Project(issue("bd-1"));
    forbidWriting(project.folder);
    const refused = await project.issue("claim bd-1 --assignee ada --json", { unprivileged: true });
    expect(refused.json()).toMatchObject({ failureClass: "lease_mutation_store_io" });
    const other = new Project(issue("bd-1"));
    mkdirSync(join(other.folder, ".premath/.local/locks"), { recursive: true });
    symlinkSync("not a lock", join(other.folder, ".premath/.local/locks/issues.jsonl.lock"));
    expect(await other.refused("claim bd-1 --assignee ada")).toMatch(/^lease_mutation_(store|lock)_io$/);
  });
});

describe("over MCP", () => {
  async function connect(project: Project, ...flags: string[]): Promise<Client> {
    const client = new Client({ name: "bridle-test", version: "1" });
    const args = [premath.program, "mcp-serve", ...flags];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: project.folder, stderr: "ignore" }),
    );
    onTestFinished(() => client.close());
    return client;
  }

  async function call(client: Client, name: string, given: JsonObject): Promise<JsonObject> {
    const { structuredContent } = await client.callTool({ name, arguments: given });
    return structuredContent as JsonObject;
  }

  const calls: readonly (readonly [string, JsonObject])[] = [
    ["issue_claim", { id: "bd-1", assignee: "ada", lease_ttl_seconds: 600 }],
    ["issue_lease_renew", { id: "bd-1", assignee: "ada", leaseId: "lease1_bd-1_ada" }],
    ["issue_lease_release", { id: "bd-1", assignee: "ada", lease_id: "lease1_bd-1_ada" }],
    ["issue_claim_next", { assignee: "ada" }],
  ];

  test("changes of leases are refused without evidence, and nothing is written", async () => {
    const project = new Project(issue("bd-1"));
    const client = await connect(project);
    for (const [tool, given] of calls) {
      const envelope = await call(client, tool, given);
      expect(envelope["failureClasses"]).toEqual(["mutation.use_evidence_missing"]);
    }
    expect(await call(client, "issue_lease_projection", {})).toMatchObject({
      resultClass: "accepted",
      payload: { action: "issue.lease_projection", staleCount: 0, contendedCount: 0, leases: [] },
    });
    expect(project.rows()).toHaveLength(1);
  });

  test("a worker claims, renews and releases under an open policy, beside a command line that does the same", async () => {
    const project = new Project(issue("bd-1"), issue("bd-2", { priority: 4 }));
    const client = await connect(project, "--mutation-policy", "open");
    const fences: unknown[] = [];
    for (const [tool, given] of calls) {
      const envelope = await call(client, tool, given);
      expect(envelope).toMatchObject({ resultClass: "accepted", policyDigest: openMutationPolicyDigest() });
      fences.push(((envelope["payload"] as JsonObject)["issue"] as JsonObject)["fence"]);
    }
    expect(fences).toEqual([1, 1, 1, 2]);
    expect(await project.refused("claim bd-1 --assignee bob")).toBe("lease_contention_active");
    await project.ok("claim bd-2 --assignee bob");
    expect(await call(client, "issue_claim", { id: "bd-2", assignee: "ada" })).toMatchObject({
      resultClass: "lease_contention_active",
      payload: { message: expect.stringContaining("held by bob") },
    });
    expect(await call(client, "issue_lease_projection", {})).toMatchObject({
      payload: {
        count: 2,
        leases: [
          { owner: "ada", fence: 2 },
          { owner: "bob", fence: 1 },
        ],
      },
    });
  });

  test("whoever stops reads the state of the lease from issue memory, leaves its ref, and the tool that it recommends goes on [TUSK-7.8] [TUSK-7.10]", async () => {
    const contended = {
      lease_id: "l-3",
      owner: "eve",
      acquired_at: lapsed.acquired_at,
      expires_at: "9999-01-01T00:00:00Z",
    };
    const project = new Project(
      issue("bd-1"),
      issue("bd-2", { status: "in_progress", assignee: "crashed", lease: lapsed, fence: 4 }),
      issue("bd-3", { status: "open", assignee: "ada", lease: contended }),
      issue("bd-4"),
    );
    const client = await connect(project, "--mutation-policy", "open");
    await call(client, "issue_claim", { id: "bd-1", assignee: "ada" });

    const outcomes: string[] = [];
    for (const issueId of ["bd-1", "bd-2", "bd-3", "bd-4", "bd-9"]) {
      const row = project.rows().findLast(({ id }) => id === issueId);
      const leaseState = handoffLeaseState(row, Date.now());
      const leaseAction = recoveryAction(leaseState);
      const { lease_id: leaseId = "", owner: leaseOwner = "" } = (row?.["lease"] ?? {}) as Record<
        string,
        string
      >;
      const text = (name: string) => String(row?.[name] ?? "");
      const ref = handoffRef({
        issueId,
        workerId: "ada",
        leaseId,
        leaseOwner,
        leaseState,
        leaseAction,
        status: text("status"),
        assignee: text("assignee"),
      });
      const refs = { issueId, witnessRefs: [ref] };
      const session = await call(client, "harness_session_write", { ...refs, state: "stopped" });
      expect(session).toMatchObject({ payload: { session: { state: "stopped", witnessRefs: [ref] } } });
      const step = { stepId: `ada.${issueId}.1`, action: "worker.loop", resultClass: "retry_needed" };
      expect(await call(client, "harness_trajectory_append", { ...refs, ...step })).toMatchObject({
        payload: { row: { witnessRefs: [ref] } },
      });
      const request = {
        id: issueId,
        assignee: "ada",
        ...(leaseAction === "issue_lease_renew" ? { leaseId } : {}),
      };
      const went =
        leaseAction === "stop" ? "stopped" : (await call(client, leaseAction, request))["resultClass"];
      outcomes.push(`${issueId} ${leaseState}: ${leaseAction}, ${String(went)}`);
    }
    expect(outcomes).toEqual([
      "bd-1 active: issue_lease_renew, accepted",
      "bd-2 stale: issue_claim, accepted",
      "bd-3 contended: stop, stopped",
      "bd-4 unleased: issue_claim, accepted",
      "bd-9 missing_issue: stop, stopped",
    ]);
    for (const id of ["bd-1", "bd-2", "bd-4"]) {
      expect(await call(client, "issue_lease_release", { id, assignee: "ada" })).toMatchObject({
        resultClass: "accepted",
      });
    }
  });
});
