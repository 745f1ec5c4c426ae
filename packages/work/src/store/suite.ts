/**
 * What every engine keeps, as cases that any implementation can be run through:
 * ours in files and in memory, and those of others.
 *
 *     for (const each of issueStoreSuite) it(each.name, () => each.run(subject()));
 *
 * A case throws when the contract does not hold. A behaviour that is not here is
 * not promised.
 */
import assert from "node:assert/strict";
import { isRefusal, refuse } from "@bridle/record";
import { decideClaimNext } from "../memory/claim.js";
import { addIssue } from "../memory/edit/add.js";
import { closeIssue } from "../memory/edit/close.js";
import { commentIssue } from "../memory/edit/comment.js";
import { newRow } from "../memory/issue-row.js";
import { newStep } from "../projection/step.js";
import type { IssueStore, StepStore } from "./types.js";

interface SuiteCase<Subject> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

/** Opens a store on one and the same memory, which is empty at first; the caller closes it. */
export type IssueStoreSubject = () => Promise<IssueStore>;
export type StepStoreSubject = () => Promise<StepStore>;

const create = { create: true } as const;

export const issueStoreSuite: readonly SuiteCase<IssueStoreSubject>[] = [
  {
    name: "without memory there is no graph, and a change is refused and makes nothing",
    async run(open) {
      const store = await open();
      assert.equal(await store.graph(), undefined);
      const answer = await store.change(addIssue({ title: "first" }));
      assert.ok(isRefusal(answer) && answer.refused === "issue_memory_missing");
      assert.equal(await store.graph(), undefined);
      await store.close();
    },
  },
  {
    name: "what is refused without any issue makes no memory",
    async run(open) {
      const store = await open();
      const answer = await store.change(commentIssue("bd-1", { text: "hello" }), create);
      assert.ok(isRefusal(answer) && answer.refused === "issue_not_found");
      assert.equal((await store.graph())?.size ?? 0, 0);
      await store.close();
    },
  },
  {
    name: "a change is there at once, for its store and for another on the same memory",
    async run(open) {
      const [one, other] = [await open(), await open()];
      assert.ok(!isRefusal(await one.change(addIssue({ title: "first" }), create)));
      assert.equal((await one.graph())?.get("bd-1")?.title, "first");
      assert.equal((await other.graph())?.get("bd-1")?.title, "first");
      assert.ok(!isRefusal(await other.change(closeIssue("bd-1", {}))));
      assert.equal((await one.graph())?.get("bd-1")?.status, "closed");
      await one.close();
      await other.close();
    },
  },
  {
    name: "a store that was asked before another's change does not answer from before it",
    async run(open) {
      const [one, other] = [await open(), await open()];
      await one.change(addIssue({ title: "first" }), create);
      assert.deepEqual(
        [...((await other.graph())?.ready() ?? [])].map(({ id }) => id),
        ["bd-1"],
      );
      await one.change(closeIssue("bd-1", {}));
      assert.deepEqual(
        [...((await other.graph())?.ready() ?? [])].map(({ id }) => id),
        [],
      );
      await one.close();
      await other.close();
    },
  },
  {
    name: "a refusal changes nothing and is the answer",
    async run(open) {
      const store = await open();
      await store.change(addIssue({ title: "first" }), create);
      const answer = await store.change(() => refuse("input_invalid", { message: "no" }));
      assert.ok(isRefusal(answer) && answer.message === "no");
      assert.equal((await store.graph())?.size, 1);
      await store.close();
    },
  },
  {
    name: "several rows count all together, and replacing leaves no other issue",
    async run(open) {
      const store = await open();
      const rows = ["a", "b", "c"].map((id) => newRow({ id, title: id, status: "open" }));
      await store.change(() => ({ answer: "made", rows }), create);
      assert.equal((await store.graph())?.size, 3);
      const [, b] = rows;
      assert.ok(b !== undefined);
      await store.change(() => ({ answer: "replaced", rows: [b], replaces: true as const }));
      assert.deepEqual(
        [...((await store.graph())?.nodes() ?? [])].map(({ id }) => id),
        ["b"],
      );
      await store.close();
    },
  },
  {
    name: "decisions of many run one after the other: everybody claims something else",
    async run(open) {
      const store = await open();
      const rows = Array.from({ length: 20 }, (_, at) =>
        newRow({ id: `t-${at}`, title: "x", status: "open" }),
      );
      await store.change(() => ({ answer: undefined, rows }), create);
      const stores = await Promise.all([open(), open(), open(), open()]);
      const claims = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const answer = await stores[at % 4]?.change(decideClaimNext({ assignee: `worker-${at}` }));
          assert.ok(answer !== undefined && answer !== null && !isRefusal(answer));
          return answer.issue.id;
        }),
      );
      assert.equal(new Set(claims).size, 20);
      for (const each of [store, ...stores]) await each.close();
    },
  },
  {
    name: "a decision that throws changes nothing, and the store goes on",
    async run(open) {
      const store = await open();
      await store.change(addIssue({ title: "first" }), create);
      await assert.rejects(
        store.change(() => {
          throw new Error("a bug");
        }),
      );
      assert.ok(!isRefusal(await store.change(closeIssue("bd-1", {}))));
      await store.close();
    },
  },
];

function step(stepId: string, finishedAt: string, resultClass = "completed", action = "work") {
  const made = newStep({ stepId, action, resultClass, finishedAt });
  assert.ok(!isRefusal(made));
  return made;
}

const latest = { mode: "latest", limit: 10 } as const;

export const stepStoreSuite: readonly SuiteCase<StepStoreSubject>[] = [
  {
    name: "a trajectory that is not there has no rows, and nothing to read",
    async run(open) {
      const store = await open();
      assert.deepEqual((await store.query(latest)).items, []);
      assert.equal(await store.read(async () => "read"), undefined);
      await store.close();
    },
  },
  {
    name: "the newest step comes first, then by step id and action; counts are of all",
    async run(open) {
      const store = await open();
      for (const each of [
        step("b", "2026-01-02T00:00:00Z"),
        step("a", "2026-01-02T01:00:00+01:00", "failed"),
        step("c", "2026-01-03T00:00:00Z", "retry_needed_lease_stale"),
        step("a", "2026-01-02T00:00:00Z", "completed", "another"),
      ])
        assert.ok((await store.append(each, { durability: "written" })).added);
      const answer = await store.query(latest);
      assert.deepEqual(
        answer.items.map(({ stepId, action }) => `${stepId} ${action}`),
        ["c work", "a another", "a work", "b work"],
      );
      assert.deepEqual([answer.totalCount, answer.failedCount, answer.retryNeededCount], [4, 2, 1]);
      const failed = await store.query({ mode: "failed", limit: 1 });
      assert.deepEqual([failed.items.map(({ stepId }) => stepId), failed.totalCount], [["c"], 4]);
      await store.close();
    },
  },
  {
    name: "once adds a step of an id and an action once, and tells the one that is there",
    async run(open) {
      const store = await open();
      const first = step("a", "2026-01-02T00:00:00Z");
      const again = step("a", "2026-01-03T00:00:00Z", "failed");
      await store.append(first, { durability: "synced", once: true });
      const second = await store.append(again, { durability: "synced", once: true });
      assert.deepEqual([second.added, second.row["resultClass"]], [false, "completed"]);
      const other = step("a", "2026-01-03T00:00:00Z", "failed", "another");
      assert.ok((await store.append(other, { durability: "synced", once: true })).added);
      assert.equal((await store.query(latest)).totalCount, 2);
      await store.close();
    },
  },
  {
    name: "a reading visits every step of the blocks that it wants, and can be asked again",
    async run(open) {
      const store = await open();
      for (const day of [1, 2, 3])
        await store.append(step(`s-${day}`, `2026-01-0${day}T00:00:00Z`), { durability: "written" });
      const seen = await store.read(async (rows) => {
        const found: string[] = [];
        const visit = {
          wants: () => true,
          step: (row: { readonly stepId?: unknown }) => void found.push(String(row.stepId)),
        };
        await rows.visit(visit);
        await rows.visit({ ...visit, wants: () => false });
        return found.sort();
      });
      assert.deepEqual(seen, ["s-1", "s-2", "s-3"]);
      await store.close();
    },
  },
];
