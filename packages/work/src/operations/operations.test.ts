/** The operations through the pipeline: their names, their payloads, their files, their words. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Call,
  commandLineAuthority,
  type Envelope,
  type Operation,
  type Paint,
  perform,
  propertiesOf,
} from "@bridle/operation";
import { type JsonObject, nodePorts, type Ports } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { artifactKinds } from "../index.js";
import { operations as harness } from "../rooms/harness.js";
import { operations as reading } from "../rooms/session-read.js";

const operations = [...reading, ...harness];

const plain: Paint = {
  strong: (text) => text,
  dim: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  note: (text) => text,
};

function operationOf(tool: string): Operation {
  const operation = operations.find(({ names }) => names.tool === tool);
  if (operation === undefined) throw new Error(`no ${tool}`);
  return operation;
}

class Desk {
  readonly warnings: string[] = [];
  readonly progress: number[] = [];
  now = Date.UTC(2026, 0, 31, 9, 30);
  env: Record<string, string | undefined> = {};
  private readonly store = new TestStore();

  constructor(
    readonly cwd = newFolder(),
    private readonly signal = new AbortController().signal,
  ) {}

  private get ports(): Ports {
    const ports = nodePorts();
    return this.store.over({ ...ports, clock: { ...ports.clock, now: async () => this.now } });
  }

  call(tool: string, input: JsonObject = {}): Promise<Envelope> {
    const call: Call = {
      ports: this.ports,
      signal: this.signal,
      cwd: this.cwd,
      env: this.env,
      warn: (sentence) => void this.warnings.push(sentence),
      progress: ({ done }) => void this.progress.push(done ?? 0),
    };
    return perform(operationOf(tool), input, { call, authority: commandLineAuthority(), gates: [] });
  }

  async payload(tool: string, input: JsonObject = {}): Promise<JsonObject> {
    const envelope = await this.call(tool, input);
    expect(envelope.resultClass, JSON.stringify(envelope.payload)).toBe("accepted");
    return envelope.payload as JsonObject;
  }

  async text(tool: string, input: JsonObject = {}): Promise<string> {
    return operationOf(tool).present?.(await this.payload(tool, input), plain) ?? "";
  }

  read(path: string): string {
    return this.store.text(join(this.cwd, path));
  }
}

const step = { stepId: "s-1", action: "verify", resultClass: "accepted" };

describe("the table", () => {
  it("has the frozen names of each operation [RUNTIME-1.1.3] [RUNTIME-8.3] [RUNTIME-8.4] [RUNTIME-8.5] [TUSK-14.2.29] [TUSK-14.2.30] [TUSK-14.2.31]", () => {
    const names = operations.map(({ names: { id, action, command, tool } }) => [
      id,
      action,
      command.join(" "),
      tool,
    ]);
    expect(names).toEqual([
      ["op/harness.session_read", "harness.session.read", "harness-session read", "harness_session_read"],
      ["op/harness.session_write", "harness.session.write", "harness-session write", "harness_session_write"],
      [
        "op/harness.session_bootstrap",
        "harness.session.bootstrap",
        "harness-session bootstrap",
        "harness_session_bootstrap",
      ],
      ["op/harness.feature_read", "harness.feature.read", "harness-feature read", "harness_feature_read"],
      ["op/harness.feature_write", "harness.feature.write", "harness-feature write", "harness_feature_write"],
      ["op/harness.feature_check", "harness.feature.check", "harness-feature check", "harness_feature_check"],
      ["op/harness.feature_next", "harness.feature.next", "harness-feature next", "harness_feature_next"],
      [
        "op/harness.trajectory_append",
        "harness.trajectory.append",
        "harness-trajectory append",
        "harness_trajectory_append",
      ],
      [
        "op/harness.trajectory_query",
        "harness.trajectory.query",
        "harness-trajectory query",
        "harness_trajectory_query",
      ],
      ["op/harness.kpi_report", "harness.kpi.report", "harness-kpi", "harness_kpi_report"],
      ["op/harness.kpi_remediate", "harness.kpi.remediate", "harness-kpi remediate", "harness_kpi_remediate"],
    ]);
    for (const { surfaces, family } of operations) {
      expect(surfaces).toEqual(["cli", "mcp", "scheme", "http"]);
      expect(family).toBe("premath");
    }
  });

  it("mutates where it writes and only there [TUSK-13.22] [TUSK-13.23]", () => {
    const mutations = operations.filter(({ effect }) => effect === "mutate").map(({ names }) => names.action);
    expect(mutations).toEqual([
      "harness.session.write",
      "harness.feature.write",
      "harness.trajectory.append",
      "harness.kpi.remediate",
    ]);
  });

  it("has the frozen flags of each command", () => {
    const flags = Object.fromEntries(
      operations.map(({ names, input }) => [
        names.tool,
        propertiesOf(input)
          .map(({ flag }) => flag)
          .join(" "),
      ]),
    );
    expect(flags).toEqual({
      harness_session_read: "path root",
      harness_session_write:
        "path session-id state issue-id summary next-step instruction-ref witness-ref lineage-ref issues root instruction-id",
      harness_session_bootstrap: "path feature-ledger root",
      harness_feature_read: "path root",
      harness_feature_write:
        "path feature-id status issue-id summary session-ref instruction-ref verification-ref take-over root instruction-id",
      harness_feature_check: "path require-closure root",
      harness_feature_next: "path root",
      harness_trajectory_append:
        "path step-id issue-id action result-class failure-class next-step instruction-ref witness-ref lineage-ref started-at finished-at " +
        "once durability root instruction-id",
      harness_trajectory_query: "path mode lineage limit root",
      harness_kpi_report:
        "trajectory-path session-path issues-path window-hours now target-kpi rollback-kpi min-sample-rows root",
      harness_kpi_remediate: "trajectory-path issue reason instruction-ref witness-ref root instruction-id",
    });
  });

  it("publishes a schema for every kind", () => {
    expect(artifactKinds.map(({ kind }) => kind)).toEqual([
      "premath.harness.session.v1",
      "premath.harness.bootstrap.v1",
      "premath.harness.feature_ledger.v1",
      "premath.harness.feature_ledger.check.v1",
      "premath.harness.step.v1",
      "premath.harness.trajectory.projection.v1",
      "premath.multithread.throughput.v1",
      "premath.issue.row.v1",
      "premath.issue_graph.check.v1",
      "issue.event.v1",
      "bridle.lanes.v1",
      "issue.replay.cache.v1",
      "premath.required_checks.v1",
      "ci.required.v1",
      "ci.required.decision.v1",
      "ci.instruction.v1",
      "ci.observation.surface.v0",
    ]);
  });
});

onBothStores("operations/operations.test.ts", (it) => {
  describe("session", () => {
    it("is written, read and bootstrapped with the payloads of the contract [TUSK-14.1.5] [RUNTIME-2.1]", async () => {
      const desk = new Desk();
      const written = await desk.payload("harness_session_write", {
        state: "active",
        issueId: "bd-1",
        witnessRefs: ["w"],
      });
      const session = {
        schema: 1,
        sessionKind: "premath.harness.session.v1",
        sessionId: "hs1_20260131T093000Z_bd-1",
        state: "active",
        issueId: "bd-1",
        witnessRefs: ["w"],
        startedAt: "2026-01-31T09:30:00Z",
        updatedAt: "2026-01-31T09:30:00Z",
        issuesPath: ".premath/issues.jsonl",
      };
      const path = ".premath/harness_session.json";
      expect(written).toEqual({ action: "harness-session.write", path, session });
      expect(desk.read(path)).toBe(`${JSON.stringify(session, null, 2)}\n`);
      expect(await desk.payload("harness_session_read")).toEqual({
        action: "harness-session.read",
        path,
        session,
      });
      expect(await desk.payload("harness_session_bootstrap")).toMatchObject({
        action: "harness-session.bootstrap",
        sessionRef: path,
        mode: "attach",
        resumeIssueId: "bd-1",
      });
    });

    it("that is missing is refused with how to write one, and nothing is made", async () => {
      const desk = new Desk();
      for (const tool of ["harness_session_read", "harness_session_bootstrap"]) {
        const envelope = await desk.call(tool);
        expect(envelope.resultClass).toBe("session_missing");
        expect(envelope.payload).toMatchObject({
          message: "there is no harness session at .premath/harness_session.json",
          hint: expect.stringContaining("premath harness-session write"),
        });
      }
      expect(existsSync(join(desk.cwd, ".premath"))).toBe(false);
    });

    it("is found by flag, then setting, then the nearest .premath upwards [TUSK-11.4] [RUNTIME-2.1]", async () => {
      const desk = new Desk();
      const inner = join(desk.cwd, "a", "b");
      mkdirSync(inner, { recursive: true });
      await desk.payload("harness_session_write", { sessionId: "top" });
      const deeper = new Desk(inner);
      const found = await deeper.payload("harness_session_read");
      expect(found).toMatchObject({
        path: join(desk.cwd, ".premath/harness_session.json"),
        session: { sessionId: "top" },
      });

      deeper.env = { PREMATH_HARNESS_SESSION_PATH: "set.json" };
      await deeper.payload("harness_session_write", { sessionId: "set" });
      expect(existsSync(join(inner, "set.json"))).toBe(true);
      expect(await deeper.payload("harness_session_read")).toMatchObject({ path: "set.json" });

      await deeper.payload("harness_session_write", { sessionId: "flag", path: "../x.json" });
      expect(await deeper.payload("harness_session_read", { path: "../x.json" })).toMatchObject({
        path: "../x.json",
        session: { sessionId: "flag" },
      });
      const elsewhere = newFolder();
      await deeper.payload("harness_session_write", { sessionId: "root", root: elsewhere, path: "y.json" });
      deeper.env = {};
      await deeper.payload("harness_session_write", { sessionId: "root", root: elsewhere });
      expect(await deeper.payload("harness_session_read", { root: elsewhere })).toMatchObject({
        path: join(elsewhere, ".premath/harness_session.json"),
      });
    });

    it("notes where issue memory is and its digest [TUSK-11.10] [TUSK-11.16]", async () => {
      const desk = new Desk();
      mkdirSync(join(desk.cwd, ".premath"));
      writeFileSync(join(desk.cwd, ".premath/issues.jsonl"), "");
      writeFileSync(join(desk.cwd, "other.jsonl"), '{"id":"bd-1","title":"x"}\n');
      const empty = "iss1_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
      expect(await desk.payload("harness_session_write")).toMatchObject({
        session: { issuesPath: ".premath/issues.jsonl", issuesSnapshotRef: empty },
      });
      const other = {
        issuesPath: "other.jsonl",
        issuesSnapshotRef: expect.stringMatching(/^iss1_(?!e3b0c)/),
      };
      expect(await desk.payload("harness_session_write", { issues: "other.jsonl" })).toMatchObject({
        session: other,
      });
      desk.env = { PREMATH_ISSUES_PATH: "other.jsonl" };
      expect(await desk.payload("harness_session_write", { issues: " " })).toMatchObject({ session: other });
    });

    it("is written in spite of issues that cannot be read, with a warning", async () => {
      const desk = new Desk();
      mkdirSync(join(desk.cwd, ".premath"));
      writeFileSync(join(desk.cwd, ".premath/issues.jsonl"), "{oops\n");
      const { session } = await desk.payload("harness_session_write");
      expect(session).not.toHaveProperty("issuesSnapshotRef");
      expect(desk.warnings).toEqual([
        expect.stringMatching(/^\.premath\/issues\.jsonl line 1 \(byte 0\): text that is not JSON/),
      ]);
    });

    it("refers to issues and witnesses and holds none of them [TUSK-11.2]", async () => {
      const desk = new Desk();
      mkdirSync(join(desk.cwd, ".premath"));
      writeFileSync(join(desk.cwd, ".premath/issues.jsonl"), '{"id":"bd-1","title":"SECRET TITLE"}\n');
      await desk.payload("harness_session_write", { issueId: "bd-1", witnessRefs: ["ci://1"] });
      const written = desk.read(".premath/harness_session.json");
      expect(written).toContain('"bd-1"');
      expect(written).not.toContain("SECRET TITLE");
    });

    it("projects the feature ledger where there is one [TUSK-11.23] [TUSK-11.24] [TUSK-7.4] [RUNTIME-5.9]", async () => {
      const desk = new Desk();
      const ledgerOf = async () => {
        const { featureLedgerRef, nextFeatureId, featureClosureComplete, featureCount } =
          await desk.payload("harness_session_bootstrap");
        return [featureLedgerRef, nextFeatureId, featureClosureComplete, featureCount];
      };
      await desk.payload("harness_session_write");
      const path = ".premath/harness_feature_ledger.json";
      expect(await ledgerOf()).toEqual([null, null, null, null]);
      for (const featureId of ["b", "a"]) {
        await desk.payload("harness_feature_write", { featureId, status: "pending" });
      }
      expect(await ledgerOf()).toEqual([path, "a", false, 2]);
      for (const featureId of ["b", "a"]) {
        await desk.payload("harness_feature_write", {
          featureId,
          status: "completed",
          verificationRefs: ["v"],
        });
      }
      expect(await ledgerOf()).toEqual([path, null, true, 2]);
      expect(desk.warnings).toEqual([]);
      expect(await desk.text("harness_session_bootstrap")).toContain(`features  2, all completed ${path}`);
    });

    it("is bootstrapped in spite of a feature ledger that cannot be trusted, with a warning that names why", async () => {
      const desk = new Desk();
      await desk.payload("harness_session_write");
      const path = ".premath/harness_feature_ledger.json";
      const row = (featureId: string) => ({ featureId, status: "in_progress", updatedAt: "x" });
      const kind = { schema: 1, ledgerKind: "premath.harness.feature_ledger.v1", updatedAt: "x" };
      const cases: [string, string][] = [
        ["{}", "ledgerKind is missing"],
        ["not JSON", "is not JSON"],
        [
          JSON.stringify({ ...kind, features: [row("a"), row("b")] }),
          "is rejected: harness_feature_ledger.in_progress.non_contractible",
        ],
      ];
      for (const [content, says] of cases) {
        writeFileSync(join(desk.cwd, path), content);
        expect(await desk.payload("harness_session_bootstrap")).toMatchObject({
          mode: "resume",
          featureLedgerRef: path,
          nextFeatureId: null,
          featureClosureComplete: null,
          featureCount: null,
        });
        expect(desk.warnings.pop()).toContain(says);
        expect(desk.read(path)).toBe(content);
      }
    });

    it("reads well at a glance", async () => {
      const desk = new Desk();
      const input = {
        state: "active",
        issueId: "bd-1",
        summary: "two\nlines",
        nextStep: "go on",
        witnessRefs: ["b", "a"],
      };
      expect(await desk.text("harness_session_write", input)).toBe(
        [
          "  session    hs1_20260131T093000Z_bd-1",
          "  state      active since 2026-01-31T09:30:00Z",
          "  issue      bd-1",
          "  summary    two",
          "             lines",
          "  next step  go on",
          "  witnesses  a",
          "             b",
          "  issues     .premath/issues.jsonl",
          "  updated    2026-01-31T09:30:00Z",
          "  file       .premath/harness_session.json",
        ].join("\n"),
      );
      await desk.payload("harness_session_write");
      expect(await desk.text("harness_session_bootstrap")).toContain(
        "  resume     hs1_20260131T093000Z_bd-1 stopped at 2026-01-31T09:30:00Z\n  issue      bd-1\n",
      );
      expect(await desk.text("harness_session_read")).toContain(
        "  state      stopped at 2026-01-31T09:30:00Z\n",
      );
    });
  });

  describe("feature ledger", () => {
    const path = ".premath/harness_feature_ledger.json";

    it("is written, read, checked and asked with the payloads of the contract [RUNTIME-1.1.2] [RUNTIME-2.2]", async () => {
      const desk = new Desk();
      expect(await desk.payload("harness_feature_next")).toEqual({
        action: "harness-feature.next",
        path,
        exists: false,
        nextFeatureId: null,
        closureComplete: null,
        featureCount: null,
      });
      const written = await desk.payload("harness_feature_write", {
        featureId: "bd-1",
        status: "in_progress",
        issueId: "bd-1",
        sessionRef: "s.json",
      });
      const ledger = {
        schema: 1,
        ledgerKind: "premath.harness.feature_ledger.v1",
        sessionRef: "s.json",
        updatedAt: "2026-01-31T09:30:00Z",
        features: [
          { featureId: "bd-1", status: "in_progress", issueId: "bd-1", updatedAt: "2026-01-31T09:30:00Z" },
        ],
      };
      expect(written).toEqual({ action: "harness-feature.write", path, featureId: "bd-1", ledger });
      expect(desk.read(path)).toBe(`${JSON.stringify(ledger, null, 2)}\n`);
      expect(await desk.payload("harness_feature_read")).toEqual({
        action: "harness-feature.read",
        path,
        ledger,
      });
      expect(await desk.payload("harness_feature_next")).toEqual({
        action: "harness-feature.next",
        path,
        exists: true,
        nextFeatureId: "bd-1",
        closureComplete: false,
        featureCount: 1,
      });
      const check = {
        action: "harness-feature.check",
        path,
        checkKind: "premath.harness.feature_ledger.check.v1",
        result: "accepted",
        requireClosure: false,
        failureClasses: [],
        errors: [],
        summary: {
          featureCount: 1,
          pendingCount: 0,
          inProgressCount: 1,
          blockedCount: 0,
          completedCount: 0,
          closureComplete: false,
        },
        nextFeatureId: "bd-1",
      };
      expect(await desk.payload("harness_feature_check")).toEqual(check);
      const closure = await desk.call("harness_feature_check", { requireClosure: true });
      expect(closure.failureClasses).toEqual(["harness_feature_ledger.closure_incomplete"]);
      expect(closure.payload).toEqual({
        ...check,
        result: "rejected",
        requireClosure: true,
        failureClasses: ["harness_feature_ledger.closure_incomplete"],
        errors: [
          { class: "harness_feature_ledger.closure_incomplete", message: "0 of 1 features are completed" },
        ],
      });
    });

    it("that is missing or rejected is refused with what to do", async () => {
      const desk = new Desk();
      for (const tool of ["harness_feature_read", "harness_feature_check"]) {
        expect((await desk.call(tool)).resultClass).toBe("feature_ledger_missing");
      }
      expect(existsSync(join(desk.cwd, ".premath"))).toBe(false);
      mkdirSync(join(desk.cwd, ".premath"));
      const kind = { schema: 1, ledgerKind: "premath.harness.feature_ledger.v1" };
      writeFileSync(join(desk.cwd, path), JSON.stringify({ ...kind, features: [] }));
      const next = await desk.call("harness_feature_next");
      expect(next.payload).toMatchObject({
        message: "ledger rejected: harness_feature_ledger.empty, harness_feature_ledger.updated_at.empty",
      });
      expect(next.resultClass).toBe("harness_feature_ledger.empty");
      expect(await desk.payload("harness_feature_read")).toMatchObject({ ledger: { features: [] } });
    });

    it("refuses what would break it and tells of what was broken before", async () => {
      const desk = new Desk();
      await desk.payload("harness_feature_write", { featureId: "a", status: "in_progress" });
      const before = desk.read(path);
      const started = { featureId: "b", status: "in_progress" };
      expect((await desk.call("harness_feature_write", started)).resultClass).toBe(
        "harness_feature_ledger.in_progress.non_contractible",
      );
      const ended = { featureId: "a", status: "completed" };
      expect((await desk.call("harness_feature_write", ended)).resultClass).toBe(
        "harness_feature_ledger.completed_missing_verification_ref",
      );
      for (const input of [
        { ...ended, takeOver: "x" },
        { ...started, takeOver: " " },
      ]) {
        expect((await desk.call("harness_feature_write", input)).resultClass).toBe("input_invalid");
      }
      expect(desk.read(path)).toBe(before);
      const taken = await desk.payload("harness_feature_write", { ...started, takeOver: "it crashed" });
      expect(taken).toMatchObject({ takenOver: ["a"] });
      expect(desk.warnings.splice(0)).toEqual(["a was in progress and was taken over."]);
      await desk.payload("harness_feature_write", { featureId: "c", status: "pending", sessionRef: "s1" });
      await desk.payload("harness_feature_write", { featureId: "c", status: "pending", sessionRef: "s2" });
      expect(desk.warnings.splice(0)).toEqual([
        "The ledger stays with the session s1, which has a feature in progress.",
      ]);
      writeFileSync(join(desk.cwd, path), before.replace('"in_progress"', '"odd"'));
      await desk.payload("harness_feature_write", { featureId: "b", status: "pending" });
      expect(desk.warnings.splice(0)[0]).toContain("still does: harness_feature_ledger.status.invalid");
    });

    it("reads well at a glance", async () => {
      const desk = new Desk();
      expect(await desk.text("harness_feature_next")).toBe(`  no feature ledger at ${path}`);
      await desk.payload("harness_feature_write", { featureId: "a", status: "blocked", summary: "waits" });
      expect(await desk.text("harness_feature_next")).toBe("  nothing but blocked features");
      const counts = `  0 of 2 completed · 0 in progress · 1 pending · 1 blocked · next b ${path}`;
      expect(
        await desk.text("harness_feature_write", { featureId: "b", status: "pending", issueId: "bd-2" }),
      ).toBe(`  b  pending  bd-2\n${counts}`);
      expect(await desk.text("harness_feature_read")).toBe(
        `  a  blocked        waits\n  b  pending  bd-2\n${counts}`,
      );
      expect(await desk.text("harness_feature_next")).toBe("  b");
      expect(await desk.text("harness_feature_check")).toBe(
        `  in order: 0 of 2 completed · 0 in progress · 1 pending · 1 blocked ${path}`,
      );
    });
  });

  describe("trajectory", () => {
    it("takes a row with the payload of the contract, one line a row [TUSK-6.1] [TUSK-12.2] [TUSK-12.6] [RUNTIME-2.3] [RUNTIME-1.1.1]", async () => {
      const desk = new Desk();
      const row = {
        schema: 1,
        stepKind: "premath.harness.step.v1",
        ...step,
        witnessRefs: ["a", "b"],
        finishedAt: "2026-01-31T09:30:00Z",
      };
      const path = ".premath/harness_trajectory.jsonl";
      const payload = await desk.payload("harness_trajectory_append", {
        ...step,
        witnessRefs: ["b", " a ", "b"],
        issueId: " ",
      });
      expect(payload).toEqual({ action: "harness-trajectory.append", path, row, added: true });
      expect(desk.read(path)).toBe(`${JSON.stringify(row)}\n`);
      await desk.payload("harness_trajectory_append", { ...step, durability: "written" });
      expect(desk.read(path).split("\n")).toHaveLength(3);
    });

    it("leaves every earlier byte as it is, also of the same step and of lines that are no step [TUSK-12.1] [RUNTIME-6.1]", async () => {
      const desk = new Desk();
      const path = ".premath/harness_trajectory.jsonl";
      await desk.payload("harness_trajectory_append", step);
      writeFileSync(join(desk.cwd, path), `${desk.read(path).replace(":1,", ": 1 , ")}{"stepId":"s-1"}\n`);
      for (const resultClass of ["failed", "accepted"]) {
        const before = desk.read(path);
        await desk.payload("harness_trajectory_append", { ...step, resultClass });
        const [added, rest] = desk.read(path).slice(before.length).split("\n");
        expect(desk.read(path).slice(0, before.length)).toBe(before);
        expect(JSON.parse(added ?? "")).toMatchObject({ stepId: "s-1", resultClass });
        expect(rest).toBe("");
      }
    });

    it("refuses a bad row and writes nothing, not even a folder [TUSK-12.17]", async () => {
      const desk = new Desk();
      for (const change of [
        { stepId: " " },
        { finishedAt: "today" },
        { finishedAt: "" },
        { startedAt: "2026-02-30T00:00:00Z" },
      ]) {
        const envelope = await desk.call("harness_trajectory_append", { ...step, ...change });
        expect(envelope.resultClass).toMatch(/^(step_invalid|timestamp_invalid)$/);
      }
      expect(existsSync(join(desk.cwd, ".premath"))).toBe(false);
    });

    it("with once adds nothing when the step and action are there, and answers the row that is", async () => {
      const desk = new Desk();
      await desk.payload("harness_trajectory_append", { ...step, stepId: 'é"s' });
      desk.now += 60_000;
      const again = { ...step, stepId: 'é"s', resultClass: "failed", once: true };
      expect(await desk.payload("harness_trajectory_append", again)).toMatchObject({
        added: false,
        row: { resultClass: "accepted", finishedAt: "2026-01-31T09:30:00Z" },
      });
      expect(await desk.payload("harness_trajectory_append", { ...again, action: "push" })).toMatchObject({
        added: true,
      });
      expect(await desk.payload("harness_trajectory_append", { ...again, once: false })).toMatchObject({
        added: true,
      });
      expect(await desk.payload("harness_trajectory_query")).toMatchObject({ totalCount: 3 });
    });

    it("with once is not fooled by the id elsewhere in a row, or by a row that is no step", async () => {
      const desk = new Desk();
      await desk.payload("harness_trajectory_append", { ...step, stepId: "other", issueId: "s-1" });
      writeFileSync(
        join(desk.cwd, ".premath/harness_trajectory.jsonl"),
        `${desk.read(".premath/harness_trajectory.jsonl")}{"stepId":"s-1","action":"verify"}\n`,
      );
      expect(await desk.payload("harness_trajectory_append", { ...step, once: true })).toMatchObject({
        added: true,
      });
    });

    it("is queried with the payload of the contract [TUSK-12.18] [TUSK-12.21] [TUSK-12.23] [TUSK-7.11] [RUNTIME-6.8]", async () => {
      const desk = new Desk();
      await desk.payload("harness_trajectory_append", step);
      desk.now += 1000;
      await desk.payload("harness_trajectory_append", {
        ...step,
        stepId: "s-2",
        resultClass: "network-timeout",
      });
      await desk.payload("harness_trajectory_append", { ...step, stepId: "s-0", resultClass: "failed" });
      const modes = { latest: ["s-0", "s-2", "s-1"], failed: ["s-0", "s-2"] };
      for (const [mode, ids] of Object.entries(modes)) {
        const items = ids.map((stepId) => expect.objectContaining({ stepId }));
        expect(await desk.payload("harness_trajectory_query", { mode })).toMatchObject({ mode, items });
      }
      const payload = await desk.payload("harness_trajectory_query", { mode: "retry-needed" });
      expect(payload).toEqual({
        action: "harness-trajectory.query",
        path: ".premath/harness_trajectory.jsonl",
        projectionKind: "premath.harness.trajectory.projection.v1",
        mode: "retry-needed",
        count: 1,
        totalCount: 3,
        failedCount: 2,
        retryNeededCount: 1,
        items: [
          {
            schema: 1,
            stepKind: "premath.harness.step.v1",
            stepId: "s-2",
            action: "verify",
            resultClass: "network-timeout",
            finishedAt: "2026-01-31T09:30:01Z",
          },
        ],
        damage: [],
        damageCount: 0,
      });
      // Sessions are told where a lineage is asked for.
      expect([...Object.keys(payload), "sessions"]).toEqual(
        Object.keys(
          artifactKinds.find(({ kind }) => kind === payload["projectionKind"])!.schema["properties" as never],
        ),
      );
    });

    it("answers twenty rows when not told how many, and none or ten thousand when told so [TUSK-12.23]", async () => {
      const desk = new Desk();
      for (let i = 0; i < 25; i++) {
        await desk.payload("harness_trajectory_append", { ...step, stepId: `s-${i}`, durability: "written" });
      }
      expect(await desk.payload("harness_trajectory_query")).toMatchObject({
        mode: "latest",
        count: 20,
        totalCount: 25,
      });
      expect(await desk.payload("harness_trajectory_query", { limit: 0 })).toMatchObject({
        count: 0,
        totalCount: 25,
      });
      expect(await desk.payload("harness_trajectory_query", { limit: 10_000 })).toMatchObject({ count: 25 });
      for (const limit of [-1, 10_001, 1.5]) {
        expect((await desk.call("harness_trajectory_query", { limit })).resultClass).toBe("input_invalid");
      }
    });

    it("tells of damage in the answer and as a warning, and of progress", async () => {
      const desk = new Desk();
      await desk.payload("harness_trajectory_append", step);
      const path = join(desk.cwd, ".premath/harness_trajectory.jsonl");
      const good = readFileSync(path, "utf8");
      writeFileSync(path, `${good}{oops\n${good}`);
      const payload = await desk.payload("harness_trajectory_query");
      const byte = Buffer.byteLength(good);
      expect(payload).toMatchObject({
        count: 2,
        damage: [{ line: 2, byte, problem: "text that is not JSON" }],
        damageCount: 1,
      });
      expect(desk.warnings).toEqual([
        `.premath/harness_trajectory.jsonl line 2 (byte ${byte}) is not valid JSON; 1 row before and 1 after it are fine.\n` +
          "Nothing was changed. `bridle log repair .premath/harness_trajectory.jsonl` sets it aside.",
      ]);
      expect(desk.progress.length).toBeGreaterThan(0);
    });

    it("stops when told to", async () => {
      const stopped = new Desk(newFolder(), AbortSignal.abort("SIGINT"));
      for (const [tool, input] of [
        ["harness_session_write", {}],
        ["harness_trajectory_append", step],
      ] as const) {
        expect((await stopped.call(tool, input)).resultClass).toBe("aborted");
      }
      expect(existsSync(join(stopped.cwd, ".premath"))).toBe(false);
    });

    it("reads well at a glance", async () => {
      const desk = new Desk();
      expect(await desk.text("harness_trajectory_query")).toBe(
        "  no steps in .premath/harness_trajectory.jsonl",
      );
      const appended = await desk.text("harness_trajectory_append", { ...step, issueId: "bd-1" });
      expect(appended.split("\n")[0]).toBe("  appended  s-1");
      desk.now += 1000;
      await desk.payload("harness_trajectory_append", {
        stepId: "a\nlong\tid",
        action: "x".repeat(60),
        resultClass: "failed",
      });
      expect((await desk.text("harness_trajectory_append", { ...step, once: true })).split("\n")[0]).toBe(
        "  already there  s-1",
      );
      expect(await desk.text("harness_trajectory_query")).toBe(
        [
          `  finished              result    step       action${" ".repeat(44)}issue`,
          `  2026-01-31T09:30:01Z  failed    a long id  ${"x".repeat(47)}…`,
          `  2026-01-31T09:30:00Z  accepted  s-1        verify${" ".repeat(44)}bd-1`,
          "  2 of 2 steps · 1 failed · 0 to retry",
        ].join("\n"),
      );
    });
  });

  describe("kpi", () => {
    const failing = async (desk: Desk) => {
      for (const minute of [1, 2, 3]) {
        const finishedAt = `2026-01-31T09:0${minute}:00Z`;
        await desk.payload("harness_trajectory_append", {
          stepId: `worker.${minute}.bd-1.${minute}`,
          issueId: "bd-1",
          action: "worker.loop",
          resultClass: "check_failed",
          finishedAt,
        });
      }
    };

    it("is reported with the payload of the contract, and names its kind [TUSK-13.1] [TUSK-13.12]", async () => {
      const desk = new Desk();
      await failing(desk);
      const report = await desk.payload("harness_kpi_report");
      expect(report).toEqual({
        schema: 1,
        kpiKind: "premath.multithread.throughput.v1",
        windowHours: 24,
        windowStart: "2026-01-30T09:03:00Z",
        windowEnd: "2026-01-31T09:03:00Z",
        counts: {
          windowRows: 3,
          completedRows: 0,
          failedRows: 3,
          activeWorkers: 3,
          workerIds: ["worker.1", "worker.2", "worker.3"],
          excludedRows: 0,
        },
        ratios: { gatePassRate: 0, throughputPerWorkerPerDay: 0, kpi: 0 },
        thresholds: { targetKpi: 0.8, rollbackKpi: 0.4, minSampleRows: 3 },
        decision: { state: "rollback", reason: "kpi below rollback threshold" },
        rollback: { since: "2026-01-31T09:03:00Z", remediation: null, expansionPaused: true },
        latest: [3, 2, 1].map((minute) => ({
          finishedAt: `2026-01-31T09:0${minute}:00Z`,
          stepId: `worker.${minute}.bd-1.${minute}`,
          action: "worker.loop",
          resultClass: "check_failed",
        })),
        refs: {
          trajectoryPath: ".premath/harness_trajectory.jsonl",
          sessionPath: ".premath/harness_session.json",
          issuesPath: ".premath/issues.jsonl",
        },
      });
      expect(await desk.text("harness_kpi_report")).toContain(
        "expansion is paused since 2026-01-31T09:03:00Z",
      );
    });

    it("goes on after a remediation, which is a row of the trajectory [TUSK-13.21]", async () => {
      const desk = new Desk();
      await failing(desk);
      const { row } = await desk.payload("harness_kpi_remediate", { issue: " bd-9 ", reason: " one port " });
      expect(row).toEqual({
        schema: 1,
        stepKind: "premath.harness.step.v1",
        stepId: "harness-kpi.bd-9.20260131T093000Z",
        issueId: "bd-9",
        action: "harness.kpi.remediate",
        resultClass: "accepted",
        reason: "one port",
        finishedAt: "2026-01-31T09:30:00Z",
      });
      const { items } = await desk.payload("harness_trajectory_query", { limit: 1 });
      expect(items).toEqual([row]);
      expect(await desk.payload("harness_kpi_report")).toMatchObject({
        windowEnd: "2026-01-31T09:03:00Z",
        counts: { windowRows: 3 },
        rollback: { remediation: { issueId: "bd-9", reason: "one port" }, expansionPaused: false },
      });
      expect(await desk.text("harness_kpi_report")).toContain(
        "remediated at 2026-01-31T09:30:00Z by bd-9: one port",
      );
    });

    it("of a trajectory that is not there decides nothing, and nothing is made", async () => {
      const desk = new Desk();
      expect(await desk.payload("harness_kpi_report")).toMatchObject({
        decision: { state: "insufficient_data" },
      });
      expect(existsSync(join(desk.cwd, ".premath"))).toBe(false);
    });

    it("changes neither the issues nor the session nor the trajectory [TUSK-13.22] [TUSK-13.23]", async () => {
      const desk = new Desk();
      await failing(desk);
      await desk.payload("harness_session_write");
      const files = ["issues.jsonl", "harness_session.json", "harness_trajectory.jsonl"];
      writeFileSync(join(desk.cwd, ".premath/issues.jsonl"), '{"id":"bd-1","title":"a"}\n');
      const read = () => files.map((file) => desk.read(`.premath/${file}`));
      const before = read();
      await desk.payload("harness_kpi_report");
      expect(read()).toEqual(before);
    });

    it("refuses thresholds, times and rows that it cannot decide by", async () => {
      const desk = new Desk();
      await failing(desk);
      for (const input of [
        { targetKpi: 0.4 },
        { rollbackKpi: 0.8 },
        { windowHours: 0 },
        { windowHours: -1 },
        { minSampleRows: 0 },
        { minSampleRows: 1.5 },
        { now: "yesterday" },
        { now: "" },
        { trajectoryPath: "." },
      ]) {
        expect((await desk.call("harness_kpi_report", input)).resultClass, JSON.stringify(input)).toBe(
          "input_invalid",
        );
      }
      for (const input of [{ issue: " ", reason: "x" }, { issue: "bd-1", reason: "" }, { issue: "bd-1" }]) {
        expect((await desk.call("harness_kpi_remediate", input)).resultClass).toBe("input_invalid");
      }
      const path = join(desk.cwd, ".premath/harness_trajectory.jsonl");
      writeFileSync(path, `${desk.read(".premath/harness_trajectory.jsonl")}{"stepId":1}\n`);
      const refused = await desk.call("harness_kpi_report");
      expect(refused.resultClass).toBe("input_invalid");
      expect(refused.payload).toMatchObject({ message: expect.stringContaining("line 4") });
    });
  });
});
