/**
 * Behaviour that a small mistake could change unnoticed: each was planted once by
 * hand, and each of these tests fails when it is.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type JsonObject, Log, nodePorts, parseInstant } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { mergeIssues } from "./interchange/merge.js";
import { mergeRow } from "./interchange/merge-row.js";
import { type IssueTree, readTree } from "./interchange/tree.js";
import { closeIssue } from "./memory/edit/close.js";
import { readyItems } from "./memory/ready.js";
import { InstantReader } from "./projection/instant-reader.js";
import { kpiDefaults, measureKpi } from "./projection/kpi.js";
import { readTrajectory } from "./projection/trajectory.js";
import { FileIssues } from "./store/file-issues.js";

const ports = nodePorts();

const row = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: id,
  status: "open",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  ...more,
});

function treeOf(...rows: JsonObject[]): IssueTree {
  const tree = readTree(Buffer.from(rows.map((each) => `${JSON.stringify(each)}\n`).join("")), "rows");
  if (isRefusal(tree)) throw new Error(tree.message);
  return tree;
}

const lease = (owner: string): JsonObject => ({
  lease_id: owner,
  owner,
  acquired_at: "2026-01-02T00:00:00Z",
  expires_at: "9999-01-01T00:00:00Z",
});

test("a process that lives on answers what is ready as it is after another's change", async () => {
  const path = join(newFastFolder(), "issues.jsonl");
  writeFileSync(path, `${JSON.stringify(row("bd-1"))}\n${JSON.stringify(row("bd-2"))}\n`);
  const [server, other] = [await FileIssues.open({ path, ports }), await FileIssues.open({ path, ports })];
  const ready = async () => readyItems((await server.graph()) ?? never()).map(({ id }) => id);
  expect(await ready()).toEqual(["bd-1", "bd-2"]);
  expect(await ready()).toEqual(["bd-1", "bd-2"]);
  await other.change(closeIssue("bd-1", {}));
  expect(await ready()).toEqual(["bd-2"]);
  await server.close();
  await other.close();
});

describe("a merge", () => {
  test("that renames an issue with fence 1 lets the one that keeps the id have a greater fence", () => {
    const first = row("bd-7", { title: "first" });
    const second = row("bd-7", { title: "second", created_at: "2026-01-02T00:00:00Z", fence: 1 });
    const { rows } = mergeIssues(treeOf(), treeOf(first), treeOf(second));
    expect(rows.get("bd-7")?.row).toMatchObject({ title: "first", fence: 2 });
    const renamed = [...rows.values()].find(({ row: each }) => each["title"] === "second");
    expect(renamed?.row).toMatchObject({ fence: 1, aliases: ["bd-7"] });
  });

  test("puts claims in the order of their fences, ten behind nine", () => {
    const claim = (fence: number) => ({ request_id: `r-${fence}`, fence, lease: lease("ada") });
    const [left, right] = [
      row("bd-1", { claims: [claim(9)], fence: 9, notes: "left" }),
      row("bd-1", { claims: [claim(10)], fence: 10, priority: 0 }),
    ];
    const { text } = mergeRow(JSON.stringify(row("bd-1")), JSON.stringify(left), JSON.stringify(right));
    const claims = (JSON.parse(text) as { claims: { fence: number }[] }).claims;
    expect(claims.map(({ fence }) => fence)).toEqual([9, 10]);
  });

  test("keeps an assignee that somebody set by hand when another's lease ends", () => {
    const base = row("bd-1");
    const leased = row("bd-1", { status: "in_progress", assignee: "ada", lease: lease("ada"), fence: 1 });
    const byHand = row("bd-1", { assignee: "carol", fence: 2, updated_at: "2026-01-03T00:00:00Z" });
    const { text } = mergeRow(JSON.stringify(base), JSON.stringify(leased), JSON.stringify(byHand));
    expect(JSON.parse(text)).toMatchObject({ assignee: "carol" });
    expect(JSON.parse(text)).not.toHaveProperty("lease");
  });
});

test("the same day of two years is two days, one read after the other", () => {
  const reader = new InstantReader();
  for (const year of ["2024", "2025", "2026", "1926"]) {
    const text = `${year}-03-01T12:00:00Z`;
    expect(reader.read(text)).toBe(true);
    expect([year, reader.seconds]).toEqual([year, parseInstant(text)?.seconds]);
  }
});

test("a row exactly at the window's start is in it, and one a second before is not", async () => {
  const path = join(newFastFolder(), "trajectory.jsonl");
  for (const [at, finishedAt] of [
    "2026-01-30T12:00:00Z",
    "2026-01-30T11:59:59Z",
    "2026-01-31T12:00:00Z",
  ].entries()) {
    const step = {
      schema: 1,
      stepKind: "premath.harness.step.v1",
      stepId: `w.bd-${at}.1`,
      action: "worker.loop",
    };
    appendFileSync(path, `${JSON.stringify({ ...step, resultClass: "completed", finishedAt })}\n`);
  }
  const log = await Log.open({ path, bearing: "trajectory", ports });
  const now = parseInstant("2026-01-31T12:00:00Z") ?? never();
  const findings = await readTrajectory(log, (rows) =>
    measureKpi(rows, { ...kpiDefaults, windowHours: 24, now }),
  );
  expect(findings?.counts.windowRows).toBe(2);
});

function never(): never {
  throw new Error("it is there");
}
