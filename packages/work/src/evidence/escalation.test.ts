import { readFileSync } from "node:fs";
import { isRefusal } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { blockedItems } from "../memory/blocked.js";
import { checkIssues } from "../memory/check.js";
import { decideClaim, decideClaimNext } from "../memory/claim.js";
import { addIssue } from "../memory/edit/add.js";
import { closeIssue } from "../memory/edit/close.js";
import { commentIssue } from "../memory/edit/comment.js";
import { updateIssue } from "../memory/edit/update.js";
import type { Decide } from "../memory/types.js";
import { MemoryIssues } from "../store/memory-issues.js";
import { escalate, escalationNote } from "./escalation.js";
import { decideRetry } from "./retry-decision.js";
import { parseRetryPolicy, type RetryPolicy } from "./retry-policy.js";

const file = new URL("../../../../policies/control/harness-retry-policy-v1.json", import.meta.url);
const policy = parseRetryPolicy(readFileSync(file, "utf8"), "policy") as RetryPolicy;

/** One issue, claimed by a worker under fence 1. */
class Failing {
  readonly store = new MemoryIssues({ clock: new VirtualClock({ startMs: Date.UTC(2026, 0, 31) }) });

  static async begin(): Promise<Failing> {
    const failing = new Failing();
    await failing.change(addIssue({ title: "Retry uploads", notes: "first thoughts" }), true);
    await failing.change(decideClaim("bd-1", { assignee: "worker.1" }));
    return failing;
  }

  async change<Answer>(decide: Decide<Answer>, create = false): Promise<Answer> {
    const answer = await this.store.change(decide, { create });
    if (isRefusal(answer)) throw new Error(`${answer.refused}: ${answer.message}`);
    return answer;
  }

  request(failureClass: string, attempt: number, fence = 1) {
    const decision = decideRetry(policy, { failureClasses: [failureClass], attempt });
    return {
      ...{ issueId: "bd-1", scope: "required checks", decision, witnessRef: "artifacts/ciwitness/x.json" },
      asker: { actor: "worker.1", fence },
    };
  }

  escalate(failureClass: string, attempt = 1) {
    return this.change(escalate(this.request(failureClass, attempt)));
  }

  async issue(id = "bd-1") {
    const issue = (await this.store.graph())?.get(id)?.issue;
    if (issue === undefined || "problem" in issue) throw new Error(`${id} is none`);
    return issue;
  }

  async next(): Promise<string | undefined> {
    return (await this.change(decideClaimNext({ assignee: "worker.2" })))?.issue.id;
  }

  async blocked() {
    const graph = await this.store.graph();
    return graph === undefined ? [] : blockedItems(graph);
  }
}

describe("[TUSK-5.4] [RUNTIME-1.1.14] [RUNTIME-1.1.17] an issue whose attempts are used up", () => {
  it("waits for a new issue that says what failed, and is offered again once that is closed", async () => {
    const failing = await Failing.begin();
    const answer = await failing.escalate("gate_timeout", 3);
    expect(answer).toMatchObject({ action: "issue_discover", createdIssueId: "bd-2", changed: true });
    const child = await failing.issue("bd-2");
    expect(child).toMatchObject({
      title: "[HarnessEscalation] required checks retry exhausted (gate_timeout)",
      dependencies: [{ dependsOnId: "bd-1", type: "discovered-from", createdBy: "worker.1" }],
    });
    expect(await failing.issue()).toMatchObject({
      status: "open",
      dependencies: [{ dependsOnId: "bd-2", type: "waits-for" }],
    });
    expect((await failing.issue()).lease).toBeUndefined();
    expect(await failing.next()).toBe("bd-2");
    expect(await failing.next()).toBeUndefined();
    await failing.change(closeIssue("bd-2", { actor: "worker.2" }));
    expect(await failing.next()).toBe("bd-1");
  });

  it("is blocked with a note behind what was noted before", async () => {
    const failing = await Failing.begin();
    expect(await failing.escalate("check_failed")).toMatchObject({ action: "mark_blocked", changed: true });
    const { status, notes } = await failing.issue();
    expect(status).toBe("blocked");
    expect(notes).toBe(`first thoughts\n\n${escalationNote(failing.request("check_failed", 1))}`);
    expect(await failing.next()).toBeUndefined();
  });

  it("is withheld until somebody changes it, and told among the blocked", async () => {
    const failing = await Failing.begin();
    expect(await failing.escalate("never_heard_of")).toMatchObject({ action: "stop", changed: true });
    expect(await failing.next()).toBeUndefined();
    expect(await failing.blocked()).toMatchObject([
      { id: "bd-1", status: "open", manualBlocked: false, withheld: { class: "never_heard_of" } },
    ]);
    await failing.change(commentIssue("bd-1", { text: "seen", actor: "ada" }));
    expect(await failing.blocked()).toEqual([]);
    expect(await failing.next()).toBe("bd-1");
  });

  it("that somebody claims by name although it is withheld is withheld no longer", async () => {
    const failing = await Failing.begin();
    await failing.escalate("never_heard_of");
    await failing.change(decideClaim("bd-1", { assignee: "ada" }));
    await failing.change(updateIssue("bd-1", { status: "open", assignee: "" }, { actor: "ada" }));
    expect(await failing.next()).toBe("bd-1");
  });

  it.each(["gate_timeout", "check_failed", "never_heard_of"])(
    "by %s is escalated once, however often the decision is made",
    async (failureClass) => {
      const failing = await Failing.begin();
      const first = await failing.escalate(failureClass, 3);
      const before = await failing.issue();
      expect(await failing.escalate(failureClass, 3)).toEqual({ ...first, changed: false });
      expect(await failing.issue()).toEqual(before);
      expect((await failing.store.graph())?.size).toBe(failureClass === "gate_timeout" ? 2 : 1);
    },
  );
});

it("an escalation under a fence that is not the last, or on no issue, changes nothing", async () => {
  const failing = await Failing.begin();
  const before = await failing.issue();
  expect(await failing.store.change(escalate(failing.request("check_failed", 1, 7)))).toMatchObject({
    refused: "lease_fence_stale",
  });
  const elsewhere = { ...failing.request("check_failed", 1), issueId: "bd-9" };
  expect(await failing.store.change(escalate(elsewhere))).toMatchObject({
    refused: "escalation_issue_not_found",
  });
  expect(await failing.issue()).toEqual(before);
});

it("the note has the lines of the contract, what there is to decide, and a digest of its own", async () => {
  const failing = await Failing.begin();
  const note = escalationNote(failing.request("check_failed", 1));
  expect(note.split("\n").map((line) => line.split(":")[0])).toEqual([
    "[harness-escalation]",
    ...["scope", "action", "policyId", "policyDigest", "ruleId", "matchedFailureClass", "attempt"],
    ...["failureClasses", "witnessRef", "decide"],
  ]);
  expect(note).toContain(`policyDigest: ${policy.policyDigest}`);
  expect(note).toContain("attempt: 1/1");
  expect(note).toContain("premath issue update bd-1 --status open");
  expect((await failing.escalate("check_failed")).noteDigest).toMatch(/^note1_[0-9a-f]{64}$/);
});

it("the issue that an escalation makes is in order itself", async () => {
  const failing = await Failing.begin();
  await failing.escalate("gate_timeout", 3);
  const graph = await failing.store.graph();
  const errors =
    graph === undefined ? [] : checkIssues(graph, { noteWarnThreshold: 2_000, linesWithoutId: [] }).errors;
  expect(errors.filter(({ issueId }) => issueId === "bd-2")).toEqual([]);
});
