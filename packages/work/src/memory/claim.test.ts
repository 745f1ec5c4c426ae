/** Claims as decisions on issue memory: repeated, raced, taken over, and next in line. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type JsonObject, nodePorts, type Ports, type Refusal } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, onTestFinished } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { type ClaimAnswer, decideClaim, decideClaimNext } from "./claim.js";
import { IssueGraph } from "./graph.js";
import { leaseProjection } from "./lease-answer.js";
import { decideRelease, decideRenew } from "./lease-change.js";
import { isContended, leaseState } from "./lease.js";
import { IssueNode } from "./node.js";
import type { IssueStore } from "../store/types.js";
import type { Decide } from "./types.js";

const startMs = Date.parse("2026-01-31T10:00:00Z");

/** Memory on a real file or in the process, with a clock that the test sets. */
class Desk {
  nowMs = startMs;
  private constructor(
    readonly path: string,
    readonly memory: () => IssueStore,
  ) {}

  static async with(rows: readonly JsonObject[], folder = newFolder()): Promise<Desk> {
    const path = join(folder, "issues.jsonl");
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const desk: Desk = new Desk(path, () => memory);
    const real = nodePorts();
    const ports: Ports = {
      ...real,
      clock: {
        now: async () => desk.nowMs,
        monotonic: () => real.clock.monotonic(),
        sleep: (ms, signal) => real.clock.sleep(ms, signal),
      },
    };
    const memory = await new TestStore().engine.issues({ path, ports });
    return desk;
  }

  change<Answer>(decide: Decide<Answer>): Promise<Answer | Refusal> {
    return this.memory().change(decide);
  }

  async ok<Answer>(decide: Decide<Answer>): Promise<Answer> {
    const answer = await this.change(decide);
    if (isRefusal(answer)) throw new Error(answer.message);
    return answer;
  }

  async refusal(decide: Decide<unknown>): Promise<string | undefined> {
    const answer = await this.change(decide);
    return isRefusal(answer) ? answer.refused : undefined;
  }
}

async function desk(...rows: JsonObject[]): Promise<Desk> {
  const made = await Desk.with(rows);
  onTestFinished(() => made.memory().close());
  return made;
}

const issue = (id: string, more: JsonObject = {}): JsonObject => ({ id, title: `title of ${id}`, ...more });
const ada = { assignee: "ada" };
const bob = { assignee: "bob" };

onBothStores("memory/claim.test.ts", (it) => {
  describe("a claim with a request id", () => {
    const first = { ...ada, requestId: "r-1" };

    it("is answered the same when it is repeated, and its row is only made sure of [RUNTIME-7.5]", async () => {
      const at = await desk(issue("bd-1"));
      const answer = await at.ok(decideClaim("bd-1", first));
      at.nowMs += 1_000;
      const row = (await at.memory().graph())?.get("bd-1")?.text;
      const again = await at.ok(decideClaim("bd-1", { ...first, leaseTtlSeconds: 60 }));
      expect(again).toMatchObject({ issue: answer.issue, changed: false, repeated: true });
      expect(again).not.toHaveProperty("superseded");
      expect(again).not.toHaveProperty("released");
      expect((await at.memory().graph())?.get("bd-1")?.text).toBe(row);
      expect(await at.ok(decideClaimNext(first))).toMatchObject({ issue: answer.issue, repeated: true });
    });

    it("is answered the same after the lease was renewed, with its new end", async () => {
      const at = await desk(issue("bd-1"));
      const { issue: claimed } = await at.ok(decideClaim("bd-1", first));
      await at.ok(decideRenew("bd-1", { ...ada, leaseId: "lease1_bd-1_ada", leaseTtlSeconds: 7_200 }));
      const again = await at.ok(decideClaim("bd-1", first));
      expect(again.issue).toMatchObject({ fence: 1, lease: { leaseId: claimed.lease?.leaseId, fence: 1 } });
      expect(again.issue.lease?.expiresAt).toBe("2026-01-31T12:00:00Z");
    });

    it("is answered the same after a release, and says so", async () => {
      const at = await desk(issue("bd-1"));
      const { issue: claimed } = await at.ok(decideClaimNext(first) as Decide<ClaimAnswer>);
      await at.ok(decideRelease("bd-1", ada));
      const again = (await at.ok(decideClaimNext(first))) as ClaimAnswer;
      expect(again).toMatchObject({ issue: claimed, repeated: true, released: true });
    });

    it("is answered with its old fence after somebody claimed the issue since, and says so", async () => {
      const at = await desk(issue("bd-1"));
      const { issue: claimed } = await at.ok(decideClaim("bd-1", first));
      at.nowMs += 3_600_000;
      await at.ok(decideClaim("bd-1", bob));
      const again = await at.ok(decideClaim("bd-1", first));
      expect(again).toMatchObject({ repeated: true, superseded: true });
      expect(again.issue).toMatchObject({
        fence: 1,
        assignee: "ada",
        lease: { fence: 1, owner: "ada", state: "stale" },
      });
      expect(again.issue.lease?.expiresAt).toBe(claimed.lease?.expiresAt);
      expect(await at.refusal(decideRenew("bd-1", { ...bob, leaseId: "lease1_bd-1_bob", fence: 1 }))).toBe(
        "lease_fence_stale",
      );
    });

    it("is refused when the id was used by somebody else or for another issue", async () => {
      const at = await desk(issue("bd-1"), issue("bd-2"));
      await at.ok(decideClaim("bd-1", first));
      expect(await at.refusal(decideClaim("bd-1", { ...first, ...bob }))).toBe("lease_request_reused");
      expect(await at.refusal(decideClaim("bd-2", first))).toBe("lease_request_reused");
      expect(await at.refusal(decideClaimNext({ ...first, ...bob }))).toBe("lease_request_reused");
    });

    it("that is blank is a claim without one", async () => {
      const at = await desk(issue("bd-1"));
      await at.ok(decideClaim("bd-1", { ...ada, requestId: " " }));
      const again = await at.ok(decideClaim("bd-1", { ...ada, requestId: " " }));
      expect([again.issue.fence, again.repeated]).toEqual([2, undefined]);
    });
  });

  describe("the next claim", () => {
    const next = async (at: Desk, assignee: string) =>
      (await at.ok(decideClaimNext({ assignee })))?.issue.id ?? null;

    it("is the most urgent one, by priority and then id", async () => {
      const at = await desk(
        issue("bd-10"),
        issue("bd-2"),
        issue("bd-9", { priority: 0 }),
        issue("bd-1", { priority: 4 }),
      );
      expect([await next(at, "a"), await next(at, "b"), await next(at, "c"), await next(at, "d")]).toEqual([
        "bd-9",
        "bd-10",
        "bd-2",
        "bd-1",
      ]);
      expect(await next(at, "e")).toBeNull();
    });

    it("passes over what waits, is closed, or is somebody else's, and takes what is assigned to oneself", async () => {
      const waits = { dependencies: [{ issue_id: "bd-1", depends_on_id: "bd-4", type: "blocks" }] };
      const at = await desk(
        issue("bd-1", { priority: 0, ...waits }),
        issue("bd-2", { priority: 0, status: "closed" }),
        issue("bd-3", { priority: 0, assignee: "bob" }),
        issue("bd-4", { assignee: "ada" }),
      );
      expect(await next(at, "ada")).toBe("bd-4");
      expect(await next(at, "ada")).toBeNull();
      expect(await next(at, "bob")).toBe("bd-3");
    });

    it("takes over what was left in progress, from the moment that the lease ends", async () => {
      const at = await desk(issue("bd-1"));
      await at.ok(decideClaim("bd-1", { ...ada, leaseTtlSeconds: 30 }));
      at.nowMs += 29_999;
      expect(await next(at, "bob")).toBeNull();
      at.nowMs += 1;
      expect(await at.ok(decideClaimNext(bob))).toMatchObject({
        issue: { id: "bd-1", assignee: "bob", fence: 2 },
      });
      expect(await at.refusal(decideRenew("bd-1", { ...ada, leaseId: "lease1_bd-1_ada" }))).toBe(
        "lease_owner_mismatch",
      );
    });

    it("does not take over when the clock was set back before the end", async () => {
      const at = await desk(issue("bd-1"), issue("bd-2", { priority: 3 }));
      await at.ok(decideClaim("bd-1", { ...ada, leaseTtlSeconds: 30 }));
      at.nowMs += 30_000;
      // Somebody looks at it when it has ended.
      (await at.memory().graph())?.claimable("carol", at.nowMs);
      at.nowMs -= 1;
      expect([await next(at, "bob"), await next(at, "carol")]).toEqual(["bd-2", null]);
    });

    it("passes over a row that breaks its contract", async () => {
      const at = await desk(issue("bd-1", { priority: 0, created_at: "yesterday" }), issue("bd-2"));
      expect(await next(at, "ada")).toBe("bd-2");
    });

    it("is refused for a bad term or a blank name, even when there is nothing to claim", async () => {
      const at = await desk();
      expect(await at.refusal(decideClaimNext({ ...ada, leaseTtlSeconds: 1 }))).toBe("lease_invalid_ttl");
      expect(await at.refusal(decideClaimNext({ assignee: " " }))).toBe("lease_invalid_assignee");
    });
  });

  describe("what is not there", () => {
    it("cannot be claimed, renewed or released", async () => {
      const at = await desk(issue("bd-1"));
      expect(await at.refusal(decideClaim("bd-9", ada))).toBe("lease_not_found");
      expect(await at.refusal(decideClaim("bd-9", { assignee: "" }))).toBe("lease_invalid_assignee");
      expect(await at.refusal(decideRenew("bd-9", { ...ada, leaseId: "x" }))).toBe("lease_not_found");
      expect(await at.refusal(decideRelease("bd-9", ada))).toBe("lease_not_found");
    });
  });

  describe("a release that does not say whose lease it is", () => {
    it("is refused while the lease is active, and clears away one that has ended", async () => {
      const at = await desk(issue("bd-1"));
      await at.ok(decideClaim("bd-1", ada));
      const answer = await at.change(decideRelease("bd-1", { fence: 0 }));
      expect(answer).toMatchObject({ refused: "lease_contention_active" });
      expect(await at.change(decideRelease("bd-1", { assignee: " " }))).toMatchObject({
        refused: "lease_contention_active",
        hint: expect.stringMatching(/--assignee, --lease-id or --fence/),
      });
      at.nowMs += 3_600_000;
      expect(await at.ok(decideRelease("bd-1", {}))).toMatchObject({
        changed: true,
        issue: { status: "open", fence: 1 },
      });
      expect(await at.ok(decideRelease("bd-1", {}))).toMatchObject({ changed: false });
    });
  });

  describe("the lease projection of an answer", () => {
    it("is that of the moment after the change", async () => {
      const lease = {
        lease_id: "l",
        owner: "ada",
        acquired_at: "2026-01-31T08:00:00Z",
        expires_at: "2026-01-31T09:00:00Z",
      };
      const held = { status: "in_progress", assignee: "ada", lease };
      const odd = { ...held, assignee: "eve", lease: { ...lease, expires_at: "2026-01-31T11:00:00Z" } };
      const at = await desk(issue("bd-2", held), issue("bd-10", held), issue("bd-3", odd));
      const claimed = await at.ok(decideClaim("bd-2", bob));
      expect(claimed.leaseProjection).toEqual({
        checkedAt: "2026-01-31T10:00:00Z",
        staleCount: 1,
        staleIssueIds: ["bd-10"],
        contendedCount: 1,
        contendedIssueIds: ["bd-3"],
      });
      const released = await at.ok(decideRelease("bd-3", ada));
      expect(released.leaseProjection).toMatchObject({ contendedCount: 0, staleIssueIds: ["bd-10"] });
    });

    it("is the same whether issues are looked at one by one or kept in indexes", () => {
      const time = fc
        .integer({ min: -5, max: 5 })
        .map((minutes) => new Date(startMs + minutes * 60_000).toISOString());
      const name = fc.constantFrom("ada", "bob");
      const lease = fc.record({ lease_id: name, owner: name, acquired_at: time, expires_at: time });
      const row = fc.record(
        {
          id: fc.constantFrom("bd-1", "bd-2", "bd-3", "bd-4"),
          title: fc.constant("t"),
          status: fc.constantFrom("open", "in_progress", "blocked", "closed"),
          assignee: name,
          lease,
        },
        { requiredKeys: ["id", "title"] },
      );
      holds(
        fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
          const graph = new IssueGraph();
          const kept = new IssueGraph();
          kept.claimedBy("nobody");
          for (const one of rows) {
            const node = () => new IssueNode(one.id, one as JsonObject, JSON.stringify(one), 1);
            graph.put(node());
            kept.put(node());
          }
          const issues = graph.sorted().flatMap((node) => ("problem" in node.issue ? [] : [node.issue]));
          const ids = (which: readonly { id: string }[]) => which.map(({ id }) => id);
          const ruled = {
            staleIssueIds: ids(issues.filter((one) => leaseState(one.lease, startMs) === "stale")),
            contendedIssueIds: ids(issues.filter((one) => isContended(one, startMs))),
          };
          expect(leaseProjection(graph, startMs)).toMatchObject(ruled);
          expect(leaseProjection(kept, startMs)).toMatchObject(ruled);
          expect(leaseProjection(graph, startMs)).toMatchObject(ruled);
          expect(ids(graph.leased())).toEqual(ids(kept.leased()));
        }),
      );
    });
  });

  describe("whatever several actors do over time", () => {
    const actor = fc.constantFrom("ada", "bob", "carol");
    const id = fc.constantFrom("bd-1", "bd-2");
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("claim" as const),
          actor,
          id,
          ttl: fc.integer({ min: 30, max: 90 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("next" as const), actor }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("renew" as const), actor, id }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), actor, id }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("wait" as const),
          seconds: fc.integer({ min: 1, max: 60 }),
        }),
      },
    );

    it("no issue has two active owners, and the fence grows by exactly one per claim", async () => {
      await holdsAsync(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const folder = newFastFolder();
          const at = await Desk.with([issue("bd-1"), issue("bd-2", { priority: 1 })], folder);
          // What each actor was told: until when it holds the issue, under which fence.
          const told = new Map<string, Map<string, number>>();
          const fences = new Map<string, number>();
          const holdsIt = (issueId: string) =>
            told.get(issueId) ?? told.set(issueId, new Map()).get(issueId)!;
          const won = (who: string, { issue: claimed }: ClaimAnswer) => {
            const others = [...holdsIt(claimed.id)].filter(([name, end]) => name !== who && end > at.nowMs);
            expect(others).toEqual([]);
            expect(claimed.fence).toBe((fences.get(claimed.id) ?? 0) + 1);
            fences.set(claimed.id, claimed.fence);
            holdsIt(claimed.id).set(who, Date.parse(claimed.lease?.expiresAt ?? ""));
          };
          for (const one of steps) {
            if (one.kind === "wait") {
              at.nowMs += one.seconds * 1_000;
              continue;
            }
            const request = { assignee: one.actor, leaseTtlSeconds: 60 };
            if (one.kind === "claim") {
              const answer = await at.change(decideClaim(one.id, { ...request, leaseTtlSeconds: one.ttl }));
              if (!isRefusal(answer)) won(one.actor, answer);
            } else if (one.kind === "next") {
              const answer = await at.change(decideClaimNext(request));
              if (!isRefusal(answer) && answer !== null) won(one.actor, answer);
            } else if (one.kind === "renew") {
              const leaseId = `lease1_${one.id}_${one.actor}`;
              const answer = await at.change(decideRenew(one.id, { ...request, leaseId }));
              const end = holdsIt(one.id).get(one.actor) ?? 0;
              expect(isRefusal(answer)).toBe(end <= at.nowMs);
              if (!isRefusal(answer))
                holdsIt(one.id).set(one.actor, Date.parse(answer.issue.lease?.expiresAt ?? ""));
            } else {
              const answer = await at.change(decideRelease(one.id, { assignee: one.actor }));
              if (!isRefusal(answer)) holdsIt(one.id).delete(one.actor);
            }
          }
          const graph = await at.memory().graph();
          for (const [issueId, fence] of fences) expect(graph?.get(issueId)?.row["fence"]).toBe(fence);
          await at.memory().close();
        }),
        100,
      );
    });
  });
});
