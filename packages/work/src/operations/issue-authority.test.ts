/** Who may change issues: what a read may do, what a change must bring, and what counts for nothing. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Admission,
  type Call,
  type Envelope,
  type Gate,
  openMutationPolicyDigest,
  type Operation,
  perform,
} from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { allOperations } from "../rooms.js";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const operations = await allOperations();
const onIssues = operations.filter(({ names }) => /^(issue|dep)\./.test(names.action));

function operationOf(action: string): Operation {
  const operation = operations.find(({ names }) => names.action === action);
  if (operation === undefined) throw new Error(`no ${action}`);
  return operation;
}

const instructionRef = "instruction://plan-7/step-1";
const policyDigest = openMutationPolicyDigest();
const admitting = (admission: Pick<Admission, "policyDigest" | "instructionRef">): readonly Gate[] => [
  { name: "admitting", judge: async () => ({ mutationPolicy: "instruction-linked", ...admission }) },
];
const evidence = admitting({ policyDigest, instructionRef });
const noEvidence: readonly Gate[] = [];

/** A project folder with issue memory in it, and the operations over MCP. */
class Desk {
  readonly cwd = newFolder();
  readonly store = new TestStore();
  readonly path = join(this.cwd, ".premath/issues.jsonl");
  readonly now = Date.UTC(2026, 0, 31, 9, 30);

  constructor(...rows: JsonObject[]) {
    mkdirSync(join(this.cwd, ".premath"));
    writeFileSync(this.path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }

  call(action: string, input: JsonObject = {}, gates = evidence): Promise<Envelope> {
    const ports = nodePorts();
    const call: Call = {
      ports: this.store.over({ ...ports, clock: { ...ports.clock, now: async () => this.now } }),
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn: () => {},
      progress: () => {},
    };
    return perform(operationOf(action), input, { call, authority: { surface: "mcp" }, gates });
  }

  async ok(action: string, input: JsonObject = {}, gates = evidence): Promise<Envelope> {
    const envelope = await this.call(action, input, gates);
    expect(envelope.resultClass, `${action}: ${JSON.stringify(envelope.payload)}`).toBe("accepted");
    return envelope;
  }

  /** Everything in the folder, files with their content. */
  files(): Record<string, string> {
    const entries = readdirSync(this.cwd, { recursive: true, withFileTypes: true });
    const found = entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : "no file"] as const;
    });
    return { ...Object.fromEntries(found), [this.path]: this.store.text(this.path) };
  }
}

const whole = "Acceptance: it works.\n\nnpm test";
const issue = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: id,
  description: whole,
  ...more,
});
const waitsFor = (id: string): JsonObject => ({
  dependencies: [{ issue_id: "bd-2", depends_on_id: id, type: "blocks" }],
});
const heldBy = (owner: string, until = "2026-01-31T10:00:00Z"): JsonObject => ({
  status: "in_progress",
  assignee: owner,
  fence: 1,
  lease: { lease_id: "l-1", owner, acquired_at: "2026-01-31T09:00:00Z", expires_at: until },
});
const lapsed = heldBy("ada", "2026-01-31T09:10:00Z");

onBothStores("operations/issue-authority.test.ts", (it) => {
  describe("a read", () => {
    /** What cannot be asked without arguments. */
    const needs: Record<string, JsonObject> = {
      "issue.show": { id: "bd-1" },
      "issue.search": { words: ["bd"] },
      "issue.export": { format: "jsonl" },
    };
    const reads = onIssues.filter(({ effect }) => effect === "read").map(({ names }) => names.action);

    it("is what the contract lists as one [TUSK-14.2.1]", () => {
      expect(reads).toEqual(
        expect.arrayContaining([
          "issue.list",
          "issue.ready",
          "issue.blocked",
          "issue.check",
          "dep.diagnostics",
        ]),
      );
    });

    it("answers over MCP without evidence, and not a byte changes in the folder [TUSK-14.2.1]", async () => {
      const desk = new Desk(issue("bd-1"), issue("bd-2", waitsFor("bd-1")), issue("bd-3", lapsed));
      const before = desk.files();
      for (const action of reads) {
        const envelope = await desk.ok(action, needs[action], noEvidence);
        expect([action, desk.files()]).toEqual([action, before]);
        expect(envelope.action).toBe(action);
      }
    });

    it("gains nothing from the evidence of its caller, and names no file to write [TUSK-14.2.1]", async () => {
      const desk = new Desk(issue("bd-1"));
      const before = desk.files();
      for (const action of reads) {
        const envelope = await desk.ok(action, needs[action], evidence);
        expect(envelope).not.toHaveProperty("policyDigest");
        expect(envelope).not.toHaveProperty("instructionRef");
      }
      const { resultClass } = await desk.call("issue.export", { format: "jsonl", to: "copy.jsonl" });
      expect([resultClass, desk.files()]).toEqual(["input_invalid", before]);
    });
  });

  describe("a change", () => {
    const held = { id: "bd-3", assignee: "ada" };
    const changes: [action: string, input: JsonObject][] = [
      ["issue.claim", { id: "bd-1", assignee: "ada" }],
      ["issue.update", { id: "bd-1", notes: "new" }],
      ["issue.discover", { parentIssueId: "bd-1", title: "found" }],
      ["issue.lease_renew", { ...held, leaseId: "l-1" }],
      ["issue.lease_release", held],
      ["dep.add", { issueId: "bd-1", dependsOnId: "bd-3" }],
      ["dep.remove", { issueId: "bd-2", dependsOnId: "bd-1" }],
      ["dep.replace", { issueId: "bd-2", dependsOnId: "bd-1", toDepType: "related" }],
    ];

    it.each(changes)(
      "by %s is made over MCP on an instruction or not at all [TUSK-14.2.19]",
      async (action, input) => {
        const desk = new Desk(issue("bd-1"), issue("bd-2", waitsFor("bd-1")), issue("bd-3", heldBy("ada")));
        const before = desk.files();
        const lacking = [
          noEvidence,
          admitting({ policyDigest: "", instructionRef }),
          admitting({ policyDigest, instructionRef: " " }),
        ];
        for (const gates of lacking) {
          const { resultClass } = await desk.call(action, input, gates);
          expect([resultClass, desk.files()]).toEqual(["mutation.use_evidence_missing", before]);
        }
        // An instruction that is only named among the arguments is none.
        const claimed = await desk.call(action, { ...input, instructionId: "plan-7" }, noEvidence);
        expect([claimed.resultClass, desk.files()]).toEqual(["mutation.use_evidence_missing", before]);

        expect(await desk.ok(action, input, evidence)).toMatchObject({
          action,
          policyDigest,
          instructionRef,
        });
        expect(desk.files()[desk.path]).not.toBe(before[desk.path]);
      },
    );
  });

  describe("a projection", () => {
    /** ada holds bd-1; the session and the ledger say that bob works on it. */
    async function contradicted(): Promise<Desk> {
      const desk = new Desk(issue("bd-1"));
      await desk.ok("issue.claim", { id: "bd-1", assignee: "ada" });
      await desk.ok("harness.session.write", {
        sessionId: "bob",
        state: "active",
        issueId: "bd-1",
        summary: "bob works on bd-1",
        instructionRefs: [instructionRef],
      });
      await desk.ok("harness.feature.write", {
        featureId: "feature.bd-1",
        status: "in_progress",
        issueId: "bd-1",
        sessionRef: ".premath/harness_session.json",
        instructionRefs: [instructionRef],
      });
      return desk;
    }

    const attempts: [action: string, input: JsonObject, failureClass: string][] = [
      ["issue.close", {}, "lease_contention_active"],
      ["issue.update", { status: "closed" }, "lease_contention_active"],
      ["issue.update", { status: "open" }, "lease_contention_active"],
      ["issue.update", { assignee: "bob" }, "lease_contention_active"],
      ["issue.claim", { assignee: "bob" }, "lease_contention_active"],
      ["issue.lease_release", { assignee: "bob" }, "lease_owner_mismatch"],
      ["issue.lease_renew", { assignee: "bob", leaseId: "lease1_bd-1_ada" }, "lease_owner_mismatch"],
    ];

    it("lets nobody change what somebody else holds, whatever it says [RUNTIME-7.12]", async () => {
      const desk = await contradicted();
      const before = desk.store.text(desk.path);
      for (const [action, input, failureClass] of attempts) {
        for (const asker of [{ actor: "bob" }, { actor: "eve" }, {}]) {
          const { resultClass } = await desk.call(action, { id: "bd-1", ...asker, ...input });
          expect([action, input, asker, resultClass]).toEqual([action, input, asker, failureClass]);
        }
      }
      expect(desk.store.text(desk.path)).toBe(before);
    });

    it("is no evidence for a change, although it names an instruction [RUNTIME-7.12]", async () => {
      const desk = await contradicted();
      const before = desk.files();
      for (const [action, input] of attempts) {
        const { resultClass } = await desk.call(action, { id: "bd-1", actor: "bob", ...input }, noEvidence);
        expect([action, resultClass]).toEqual([action, "mutation.use_evidence_missing"]);
      }
      expect(desk.files()).toEqual(before);
    });

    it("is not asked when the holder changes the issue, be it there or not [RUNTIME-7.12]", async () => {
      const desk = await contradicted();
      await desk.ok("issue.update", { id: "bd-1", status: "in_progress", actor: "ada" });
      rmSync(join(desk.cwd, ".premath/harness_session.json"));
      rmSync(join(desk.cwd, ".premath/harness_feature_ledger.json"));
      expect((await desk.call("issue.close", { id: "bd-1", actor: "bob" })).resultClass).toBe(
        "lease_contention_active",
      );
      await desk.ok("issue.close", { id: "bd-1", actor: "ada" });
    });
  });

  describe("the routes", () => {
    const routed = (pattern: RegExp) =>
      onIssues.filter(({ names }) => pattern.test(names.action)).map(({ names }) => [names.action, names.id]);

    it("of leases are the issue lease routes, and there is no other [RUNTIME-1.1.4] [RUNTIME-8.7] [RUNTIME-8.8] [RUNTIME-8.9]", () => {
      expect(routed(/lease/).toSorted()).toEqual([
        ["issue.lease_projection", "op/mcp.issue_lease_projection"],
        ["issue.lease_release", "op/mcp.issue_lease_release"],
        ["issue.lease_renew", "op/mcp.issue_lease_renew"],
      ]);
    });

    it("of claims and diagnostics are those of the contract [RUNTIME-8.6] [RUNTIME-8.10]", () => {
      expect(routed(/^(issue\.claim|dep\.diagnostics)$/).toSorted()).toEqual([
        ["dep.diagnostics", "op/mcp.dep_diagnostics"],
        ["issue.claim", "op/mcp.issue_claim"],
      ]);
    });

    it("lead over MCP to where their action is done [RUNTIME-8.6] [RUNTIME-8.7] [RUNTIME-8.8] [RUNTIME-8.9] [RUNTIME-8.10]", async () => {
      const desk = new Desk(issue("bd-1"));
      const byId = (id: string) => operations.find(({ names }) => names.id === id)?.names.action ?? id;
      const ada = { id: "bd-1", assignee: "ada" };
      const lease = { leaseId: "lease1_bd-1_ada" };
      const claimed = await desk.ok(byId("op/mcp.issue_claim"), ada);
      expect(claimed.payload).toMatchObject({ issue: { lease: { ...lease, owner: "ada" } } });
      const renewed = await desk.ok(byId("op/mcp.issue_lease_renew"), { ...ada, ...lease });
      expect(renewed.payload).toMatchObject({ action: "issue.lease_renew", issue: { lease } });
      const projected = await desk.ok(byId("op/mcp.issue_lease_projection"));
      expect(projected.payload).toMatchObject({ count: 1, leases: [{ issueId: "bd-1", owner: "ada" }] });
      const released = await desk.ok(byId("op/mcp.issue_lease_release"), ada);
      expect(released.payload).toMatchObject({ issue: { status: "open", assignee: "" } });
      const diagnosed = await desk.ok(byId("op/mcp.dep_diagnostics"));
      expect(diagnosed.payload).toMatchObject({ integrity: { hasCycle: false } });
    });
  });

  describe("our own issues", () => {
    it("are in order, and the check would say if they were not [RUNTIME-9.2]", async () => {
      const desk = new Desk();
      copyFileSync(join(repository, ".premath/issues.jsonl"), desk.path);
      const { payload } = await desk.ok("issue.check", {}, noEvidence);
      expect(payload).toMatchObject({ result: "accepted", errors: [] });
      desk.store.put(desk.path, JSON.stringify({ id: "bd-900", title: "[EPIC] nothing said" }));
      const { failureClasses } = await desk.call("issue.check", {}, noEvidence);
      expect(failureClasses).toContain("issue_graph.issue_type.epic_mismatch");
    });
  });
});

describe("our own issues", () => {
  it("are checked by a task that CI runs [RUNTIME-9.2]", () => {
    const ci = readFileSync(join(repository, ".ci/run"), "utf8");
    expect(ci).toMatch(/node scripts\/run\.mjs ci-required-attested --all/);
    const map = readFileSync(join(repository, "policies/control/required-checks-v1.json"), "utf8");
    const { checks } = JSON.parse(map) as { checks: { command: string }[] };
    expect(checks.map(({ command }) => command)).toContain(".ci/part node scripts/run.mjs issue-graph-check");
    const { stdout } = spawnSync(process.execPath, ["scripts/run.mjs", "issue-graph-check"], {
      cwd: repository,
      env: { ...process.env, BRIDLE_DRY_RUN: "1" },
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^would run: node bin\/premath issue check --compactness$/m);
  });
});
