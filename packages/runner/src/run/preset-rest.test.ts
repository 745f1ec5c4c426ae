/** When the tool that does the work rests, and what it has cost: pure, from rows of a journal. */
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import type { JournalRow } from "../types.js";
import { restOf } from "./preset-rest.js";
import { boundReached, spentIn } from "./spent.js";

const at = "2026-01-31T00:00:00Z";
const nowMs = Date.parse(at) + 60_000;
let n = 0;

/** The claim and the work of a step on an issue. */
function worked(issueId: string, data: JsonObject): JournalRow[] {
  const step = `s${++n}`;
  const row = { schema: "bridle.run.event.v1", at, worker: "w", kind: "outcome", step } as const;
  return [
    { ...row, effect: "claim", data: { issueId } },
    { ...row, effect: "work", data },
  ];
}

const failing = { failed: { class: "work_failed", message: "" }, changed: false };
const resumed: JournalRow = {
  schema: "bridle.run.event.v1",
  at,
  worker: "person",
  kind: "note",
  effect: "resumed",
  data: {},
};

describe("the tool rests", () => {
  it("after three failures in a row on different issues without a change", () => {
    const rows = [...worked("a", failing), ...worked("b", failing), ...worked("c", failing)];
    expect(restOf(rows.slice(0, 4), nowMs)).toBeUndefined();
    expect(restOf(rows, nowMs)).toMatchObject({
      because: "failing",
      issues: [{ id: "a", failures: 1 }, { id: "b" }, { id: "c" }],
    });
    expect(restOf([...rows, resumed], nowMs)).toBeUndefined();
  });

  it("not when one issue fails again and again, nor when something was changed in between", () => {
    expect(
      restOf([...worked("a", failing), ...worked("a", failing), ...worked("a", failing)], nowMs),
    ).toBeUndefined();
    const rows = [
      ...worked("a", failing),
      ...worked("b", failing),
      ...worked("x", { changed: true }),
      ...worked("c", failing),
    ];
    expect(restOf(rows, nowMs)).toBeUndefined();
  });

  it("until its limit is lifted: as it says, else for a quarter of an hour, then for an hour", () => {
    const limited = { failed: { class: "rate_limited", message: "" } };
    const told = { ...limited, resetsAtMs: nowMs + 5_000 };
    expect(restOf(worked("a", told), nowMs)).toMatchObject({
      because: "rate_limited",
      untilMs: nowMs + 5_000,
    });
    expect(restOf(worked("a", told), nowMs + 5_000)).toBeUndefined();
    const began = Date.parse(at);
    expect(restOf(worked("a", limited), nowMs)).toMatchObject({ untilMs: began + 15 * 60_000 });
    expect(restOf([...worked("a", limited), ...worked("a", limited)], nowMs)).toMatchObject({
      untilMs: began + 60 * 60_000,
    });
  });
});

describe("a budget", () => {
  const rows = [...worked("a", { costUsd: 0.4 }), ...worked("b", {}), ...worked("c", { costUsd: 0.6 })];

  it("counts what is known, and tells what is not", () => {
    expect(spentIn(rows)).toMatchObject({ steps: 3, costUsd: 1, unpricedSteps: 1 });
  });

  it("is reached at its bound of cost, steps or time", () => {
    const spent = spentIn(rows);
    expect(boundReached(spent, { costUsdMax: 1 }, nowMs)).toContain("$1.00 of $1.00");
    expect(boundReached(spent, { stepsMax: 3 }, nowMs)).toContain("3 of 3 steps");
    expect(boundReached(spent, { minutesMax: 1 }, nowMs)).toContain("1 minutes are over");
    expect(boundReached(spent, { costUsdMax: 2, stepsMax: 4, minutesMax: 2 }, nowMs)).toBeUndefined();
  });
});
