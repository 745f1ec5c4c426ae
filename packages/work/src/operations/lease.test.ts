/** The operations on leases through the pipeline: payloads, words, what broke and what is kept. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Call,
  commandLineAuthority,
  type Envelope,
  KeptThings,
  type Operation,
  type Paint,
  perform,
  propertiesOf,
} from "@bridle/operation";
import { type Files, type JsonObject, Lock, nodePorts, type Ports } from "@bridle/record";
import { alterFiles, FaultyFiles } from "@bridle/testing";
import { describe, expect, it as once, onTestFinished } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { operations } from "../rooms/lease.js";

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
  readonly cwd = newFolder();
  readonly store = new TestStore();
  readonly path = join(this.cwd, ".premath/issues.jsonl");
  nowMs = Date.UTC(2026, 0, 31, 9, 30);
  files: Files = nodePorts().files;
  kept: KeptThings | undefined;
  signal = new AbortController().signal;
  /** How many times faster than the real one time passes for those who wait. */
  haste = 1;

  constructor(lines = `{"id":"bd-1","title":"One"}\n{"id":"bd-2","title":"Two","priority":1}\n`) {
    mkdirSync(join(this.cwd, ".premath"));
    writeFileSync(this.path, lines);
  }

  get ports(): Ports {
    const { clock, ...ports } = nodePorts();
    return this.store.over({
      ...ports,
      files: this.files,
      clock: {
        now: async () => this.nowMs,
        monotonic: async () => (await clock.monotonic()) * this.haste,
        sleep: (ms, signal) => clock.sleep(ms / this.haste, signal),
      },
    });
  }

  call(tool: string, input: JsonObject = {}): Promise<Envelope> {
    const call: Call = {
      ports: this.ports,
      signal: this.signal,
      cwd: this.cwd,
      env: {},
      warn: (sentence) => void this.warnings.push(sentence),
      progress() {},
      ...(this.kept === undefined ? {} : { kept: this.kept }),
    };
    return perform(operationOf(tool), input, { call, authority: commandLineAuthority(), gates: [] });
  }

  async ok(tool: string, input: JsonObject = {}): Promise<JsonObject> {
    const envelope = await this.call(tool, input);
    expect(envelope.resultClass, JSON.stringify(envelope.payload)).toBe("accepted");
    return envelope.payload as JsonObject;
  }

  async text(tool: string, input: JsonObject = {}): Promise<string> {
    return operationOf(tool).present?.(await this.ok(tool, input), plain) ?? "";
  }

  async refused(tool: string, input: JsonObject = {}): Promise<JsonObject & { refused: string }> {
    const { resultClass, payload } = await this.call(tool, input);
    return { refused: resultClass, ...(payload as JsonObject) };
  }
}

const ada = { id: "bd-1", assignee: "ada" };

once(
  "has the names of the contract, and mutates where it writes [TUSK-14.2.20] [TUSK-14.2.23] [TUSK-14.2.24] [RUNTIME-8.6] [RUNTIME-8.7] [RUNTIME-8.8] [RUNTIME-8.9]",
  () => {
    expect(
      operations.map(({ names: { id, action, command, tool }, effect }) => [
        id,
        action,
        command.join(" "),
        tool,
        effect,
      ]),
    ).toEqual([
      ["op/mcp.issue_claim", "issue.claim", "issue claim", "issue_claim", "mutate"],
      ["op/transport.issue_claim_next", "issue.claim_next", "issue claim-next", "issue_claim_next", "mutate"],
      ["op/mcp.issue_lease_renew", "issue.lease_renew", "issue lease-renew", "issue_lease_renew", "mutate"],
      [
        "op/mcp.issue_lease_release",
        "issue.lease_release",
        "issue lease-release",
        "issue_lease_release",
        "mutate",
      ],
      [
        "op/mcp.issue_lease_projection",
        "issue.lease_projection",
        "issue leases",
        "issue_lease_projection",
        "read",
      ],
    ]);
    const flags = operations.map(({ input, names }) => [
      names.tool,
      propertiesOf(input)
        .map(({ flag }) => flag)
        .join(" "),
    ]);
    expect(Object.fromEntries(flags)).toEqual({
      issue_claim:
        "id assignee lease-id lease-ttl-seconds lease-expires-at request-id fence actor instruction-id issues root",
      issue_claim_next:
        "assignee lease-id lease-ttl-seconds lease-expires-at request-id actor instruction-id issues root",
      issue_lease_renew:
        "id assignee lease-id lease-ttl-seconds lease-expires-at fence actor instruction-id issues root",
      issue_lease_release: "id assignee lease-id fence actor instruction-id issues root",
      issue_lease_projection: "issues root",
    });
  },
);
onBothStores("operations/lease.test.ts", (it) => {
  const noProjection = { staleCount: 0, staleIssueIds: [], contendedCount: 0, contendedIssueIds: [] };

  describe("the answers", () => {
    it("of a claim, a renewal and a release have the members of the contract", async () => {
      const desk = new Desk();
      const lease = {
        leaseId: "lease1_bd-1_ada",
        owner: "ada",
        acquiredAt: "2026-01-31T09:30:00Z",
        expiresAt: "2026-01-31T10:30:00Z",
        state: "active",
        fence: 1,
      };
      const issue = {
        id: "bd-1",
        title: "One",
        status: "in_progress",
        priority: 2,
        issueType: "task",
        assignee: "ada",
        owner: "",
        fence: 1,
        lease,
      };
      const head = { issuesPath: ".premath/issues.jsonl", changed: true };
      const leaseProjection = { checkedAt: "2026-01-31T09:30:00Z", ...noProjection };
      expect(await desk.ok("issue_claim", ada)).toEqual({
        action: "issue.claim",
        ...head,
        issue,
        leaseProjection,
      });
      const renewed = await desk.ok("issue_lease_renew", {
        ...ada,
        leaseId: "lease1_bd-1_ada",
        leaseExpiresAt: "2026-01-31T12:00:00+01:00",
      });
      expect(renewed).toEqual({
        action: "issue.lease_renew",
        ...head,
        issue: {
          ...issue,
          lease: { ...lease, expiresAt: "2026-01-31T11:00:00Z", renewedAt: "2026-01-31T09:30:00Z" },
        },
        leaseProjection,
      });
      const { lease: _gone, ...freed } = issue;
      expect(await desk.ok("issue_lease_release", ada)).toEqual({
        action: "issue.lease_release",
        ...head,
        issue: { ...freed, status: "open", assignee: "" },
        leaseProjection,
      });
    });

    it("of the next claim say whether there was one", async () => {
      const desk = new Desk();
      const next = { assignee: "ada", requestId: "r" };
      const first = await desk.ok("issue_claim_next", next);
      expect(first).toMatchObject({
        action: "issue.claim_next",
        claimed: true,
        issue: { id: "bd-2", fence: 1 },
      });
      expect(await desk.ok("issue_claim_next", next)).toMatchObject({
        issue: first["issue"]!,
        repeated: true,
      });
      await desk.ok("issue_claim", ada);
      expect(await desk.ok("issue_claim_next", { assignee: "bob" })).toEqual({
        action: "issue.claim_next",
        issuesPath: ".premath/issues.jsonl",
        claimed: false,
        issue: null,
        changed: false,
      });
    });

    it("about leases list each with its state, and those that need a look", async () => {
      const desk = new Desk();
      await desk.ok("issue_claim", { ...ada, leaseTtlSeconds: 60 });
      desk.nowMs += 90_000;
      await desk.ok("issue_claim", { id: "bd-2", assignee: "bob" });
      const row = desk.store.text(desk.path).trim().split("\n").at(-1) ?? "";
      desk.store.put(desk.path, row.replace(`"assignee":"bob"`, `"assignee":"eve"`));
      expect(await desk.ok("issue_lease_projection")).toMatchObject({
        action: "issue.lease_projection",
        checkedAt: "2026-01-31T09:31:30Z",
        staleCount: 1,
        staleIssueIds: ["bd-1"],
        contendedCount: 1,
        contendedIssueIds: ["bd-2"],
        count: 2,
        leases: [
          { issueId: "bd-1", owner: "ada", state: "stale", contended: false, secondsLeft: -30, fence: 1 },
          { issueId: "bd-2", owner: "bob", state: "active", contended: true, secondsLeft: 3_600, fence: 1 },
        ],
      });
      expect(await desk.text("issue_lease_projection")).toBe(
        "  bd-1  stale      ada  ended 30 s ago  fence 1  lease1_bd-1_ada\n" +
          "  bd-2  contended  bob  1 h left        fence 1  lease1_bd-2_bob  assigned to eve\n" +
          "  2 leases · 1 stale · 1 contended",
      );
    });
  });

  describe("the words", () => {
    it("say until when, and under which lease and fence", async () => {
      const desk = new Desk();
      expect(await desk.text("issue_claim", { ...ada, requestId: "r" })).toBe(
        "  bd-1 is yours until 10:30 UTC (lease1_bd-1_ada, fence 1).",
      );
      const long = { ...ada, leaseId: "lease1_bd-1_ada", leaseTtlSeconds: 86_400 };
      expect(await desk.text("issue_lease_renew", long)).toBe(
        "  bd-1 is yours until 2026-02-01T09:30:00Z (lease1_bd-1_ada, fence 1).",
      );
      const held = await desk.refused("issue_claim", { id: "bd-1", assignee: "bob" });
      expect(held).toMatchObject({
        refused: "lease_contention_active",
        message: "bd-1 is held by ada until 2026-02-01T09:30:00Z, lease lease1_bd-1_ada",
        hint: "Wait, pick another with `premath issue ready`, or ask ada to release it.",
      });
      expect(await desk.text("issue_lease_release", { id: "bd-1", fence: 1 })).toBe(
        "  bd-1 is free again (open, fence 1).",
      );
      expect(await desk.text("issue_lease_release", { id: "bd-1" })).toBe(
        "  bd-1 has no lease; nothing was changed.",
      );
      expect(await desk.text("issue_claim", { ...ada, requestId: "r" })).toBe(
        "  bd-1 is no longer yours (lease1_bd-1_ada, fence 1).",
      );
      expect(desk.warnings).toEqual(["bd-1 was given back since; claim it anew with another --request-id."]);
      expect(await desk.text("issue_claim_next", { assignee: "bob" })).toBe(
        "  bd-2 is yours until 10:30 UTC (lease1_bd-2_bob, fence 1).\n  Two",
      );
      expect(await desk.text("issue_lease_projection")).toContain("1 lease · 0 stale · 0 contended");
      expect(await new Desk().text("issue_lease_projection")).toBe("  nobody holds a lease");
    });
  });

  describe("a call that cannot be carried out", () => {
    it.each([
      ["issue_claim", { id: "bd-1" }, "lease_invalid_payload"],
      ["issue_claim", { ...ada, ttl: 5 }, "lease_invalid_payload"],
      ["issue_claim", { ...ada, leaseTtlSeconds: 0.5 }, "lease_invalid_payload"],
      ["issue_claim", { ...ada, requestId: "r".repeat(257) }, "lease_invalid_payload"],
      ["issue_claim_next", { assignee: "ada", fence: 1 }, "lease_invalid_payload"],
      ["issue_lease_renew", ada, "lease_invalid_payload"],
      ["issue_lease_release", { id: 7 }, "lease_invalid_payload"],
      ["issue_claim", { ...ada, leaseTtlSeconds: 5 }, "lease_invalid_ttl"],
      ["issue_claim", { ...ada, assignee: " " }, "lease_invalid_assignee"],
      ["issue_claim", { ...ada, id: "bd-9" }, "lease_not_found"],
      ["issue_lease_renew", { ...ada, leaseId: "x" }, "lease_missing"],
      ["issue_lease_release", ada, "lease_missing"],
    ])("%s %j: %s, and nothing changes", async (tool, input, failureClass) => {
      const desk = new Desk();
      const before = desk.store.text(desk.path);
      expect((await desk.refused(tool, input)).refused).toBe(failureClass);
      expect(desk.store.text(desk.path)).toBe(before);
    });

    it("because there is no issue memory says so, and makes none", async () => {
      const desk = new Desk();
      const elsewhere = { issuesPath: "nowhere/issues.jsonl" };
      for (const [tool, input, failureClass] of [
        ["issue_claim", ada, "lease_not_found"],
        ["issue_lease_renew", { ...ada, leaseId: "x" }, "lease_not_found"],
        ["issue_lease_release", ada, "lease_not_found"],
        ["issue_claim_next", { assignee: "ada" }, "issue_memory_missing"],
        ["issue_lease_projection", {}, "issue_memory_missing"],
      ] as const) {
        const refused = await desk.refused(tool, { ...input, ...elsewhere });
        expect(refused).toMatchObject({
          refused: failureClass,
          message: "there is no issue memory at nowhere/issues.jsonl",
        });
      }
      expect(await desk.files.stat(join(desk.cwd, "nowhere"))).toBeUndefined();
    });

    const lockOf = (desk: Desk): Lock => {
      const folder = join(desk.cwd, ".premath/.local/locks");
      mkdirSync(folder, { recursive: true });
      return new Lock({ path: join(folder, "issues.jsonl.lock"), name: "issues", ports: nodePorts() });
    };

    it("because its caller gave up while the lock was awaited changes nothing", async () => {
      const desk = new Desk();
      desk.kept = new KeptThings();
      onTestFinished(() => desk.kept?.close());
      const before = readFileSync(desk.path, "utf8");
      const held = await lockOf(desk).acquire();
      const giveUp = new AbortController();
      desk.signal = giveUp.signal;
      const inLine = new Promise<void>((resolve) => {
        const symlink: Files["symlink"] = async (target, path) => {
          await nodePorts().files.symlink(target, path);
          if (path.includes(".line/")) resolve();
        };
        desk.files = alterFiles(desk.files, { files: { symlink } });
      });
      const refused = desk.refused("issue_claim", ada);
      await inLine;
      giveUp.abort();
      await held.release();
      expect((await refused).refused).toBe("aborted");
      expect(readFileSync(desk.path, "utf8")).toBe(before);
    });

    it("because somebody holds the lock names the process, after a bounded wait", async () => {
      const desk = new Desk();
      desk.haste = 100;
      const lock = lockOf(desk);
      const held = await lock.acquire();
      onTestFinished(() => held.release());
      desk.files = alterFiles(desk.files, {
        files: {
          watch: async (path) => {
            const watcher = await nodePorts().files.watch(path);
            return {
              changed: (timeoutMs, signal) => watcher.changed(timeoutMs / desk.haste, signal),
              close: () => watcher.close(),
            };
          },
        },
      });
      const refused = await desk.refused("issue_claim", ada);
      expect(refused).toMatchObject({
        refused: "lease_mutation_lock_busy",
        message: expect.stringContaining(`locked by process ${process.pid}`),
        hint: expect.stringContaining(String(process.pid)),
        detail: { pid: process.pid, failureClass: "lock_busy" },
      });
    });

    it("because the file is a folder, damaged or on a bad disk keeps what was said about it", async () => {
      const desk = new Desk();
      mkdirSync(join(desk.cwd, "folder"));
      expect(await desk.refused("issue_claim", { ...ada, issuesPath: "folder" })).toMatchObject({
        refused: "lease_mutation_store_io",
        message: expect.stringContaining("is a folder"),
        detail: { failureClass: "file_not_regular" },
      });
      const damaged = new Desk(`{"id":"bd-1","title":"One"}\n{"id":\n`);
      expect(await damaged.refused("issue_claim", ada)).toMatchObject({
        refused: "lease_mutation_store_io",
        hint: expect.stringContaining("bridle log repair"),
        detail: { failureClass: "log_damaged", line: 2 },
      });
      expect(await damaged.ok("issue_lease_projection")).toMatchObject({ count: 0 });
      expect(damaged.warnings.join()).toContain("line 2");
      const full = new Desk();
      full.files = new FaultyFiles(full.files, { fault: "ENOSPC", at: 1, methods: ["append"] });
      expect(await full.refused("issue_claim", ada)).toMatchObject({
        refused: "lease_mutation_store_io",
        message: expect.stringContaining("the disk is full"),
        detail: { failureClass: "disk_full" },
      });
    });

    it.each([
      [{ requestId: "r-7" }, /Repeat it with the same --request-id r-7/],
      [{}, /Whether it is claimed is not known/],
    ])("because a sync failed: %j says how to find out, and a kept memory goes on", async (more, hint) => {
      const desk = new Desk();
      desk.kept = new KeptThings();
      onTestFinished(() => desk.kept?.close());
      const files = new FaultyFiles(desk.files, { fault: "fsync", at: 1, methods: ["sync"] });
      desk.files = files;
      const refused = await desk.refused("issue_claim", { ...ada, ...more });
      expect([files.fired, refused.refused]).toEqual([1, "row_in_doubt"]);
      expect(refused["hint"]).toMatch(hint);
      const again = await desk.ok("issue_claim", { ...ada, ...more });
      expect(again).toMatchObject({ issue: { lease: { owner: "ada" } } });
      expect(await desk.ok("issue_claim", { ...ada, ...more })).toMatchObject({ issue: { id: "bd-1" } });
      const fences =
        readFileSync(desk.path, "utf8").match(/"fence":\d+,"updated_at|"fence":\d+,"claims/g) ?? [];
      // With a request id there is one claim, whichever of the calls made it.
      if ("requestId" in more) expect(new Set(fences).size).toBe(1);
    });
  });

  it("a process that lives on reads the file once, and from then on only what is new", async () => {
    const lines = Array.from(
      { length: 5_000 },
      (_, i) => `{"id":"bd-${i + 1}","title":"issue number ${i + 1}"}\n`,
    );
    const desk = new Desk(lines.join(""));
    const size = readFileSync(desk.path).length;
    let bytesRead = 0;
    desk.files = alterFiles(desk.files, {
      openFile: (file, path) => ({
        read: async (offset, length) => {
          const bytes = await file.read(offset, length);
          if (path === desk.path) bytesRead += bytes.length;
          return bytes;
        },
      }),
    });
    desk.kept = new KeptThings();
    onTestFinished(() => desk.kept?.close());
    const costOf = async (act: () => Promise<unknown>) => {
      bytesRead = 0;
      await act();
      return bytesRead;
    };
    expect(await costOf(() => desk.ok("issue_lease_projection"))).toBeGreaterThanOrEqual(size);
    const costs = [
      await costOf(() => desk.ok("issue_lease_projection")),
      await costOf(() => desk.ok("issue_claim", ada)),
      await costOf(() => desk.ok("issue_claim_next", { assignee: "bob" })),
      await costOf(() => desk.ok("issue_lease_release", ada)),
      await costOf(() => desk.ok("issue_lease_projection")),
    ];
    expect(costs[0]).toBe(0);
    // A change looks at the end of the file, where a torn row would be.
    expect(Math.max(...costs)).toBeLessThan(1_000);

    const row = `{"id":"bd-1","title":"changed elsewhere"}\n`;
    appendFileSync(desk.path, row);
    const seen = await costOf(async () => {
      expect(await desk.ok("issue_claim", ada)).toMatchObject({ issue: { title: "changed elsewhere" } });
    });
    expect(seen).toBeLessThan(2_000);
  });
});
