import { expect, it } from "vitest";
import { FailureClusters } from "./failure-clusters.js";

const at = (hour: number) => `2026-01-31T${String(hour).padStart(2, "0")}:00:00Z`;

it("[TUSK-6.5] [TUSK-6.6] failed steps are gathered by class, with whether the issue got on afterwards", () => {
  const clusters = new FailureClusters();
  for (const [hour, resultClass, issueId, failureClasses] of [
    [3, "gate_timeout", "bd-1", undefined],
    [1, "gate_timeout", "bd-2", undefined],
    [4, "completed", "bd-1", undefined],
    [0, "completed", "bd-2", undefined],
    [5, "failed", "bd-3", ["check_failed", "gate_timeout"]],
    [6, "odd", undefined, undefined],
  ] as const) {
    clusters.add({
      finishedAt: at(hour),
      resultClass,
      ...(issueId === undefined ? {} : { issueId }),
      ...(failureClasses === undefined ? {} : { failureClasses: [...failureClasses] }),
    });
  }
  expect(clusters.clusters()).toEqual([
    {
      ...{ failureClass: "gate_timeout", count: 3, issueCount: 3, recoveredIssueCount: 1 },
      ...{ firstAt: at(1), lastAt: at(5) },
    },
    {
      ...{ failureClass: "check_failed", count: 1, issueCount: 1, recoveredIssueCount: 0 },
      ...{ firstAt: at(5), lastAt: at(5) },
    },
    {
      ...{ failureClass: "odd", count: 1, issueCount: 0, recoveredIssueCount: 0 },
      ...{ firstAt: at(6), lastAt: at(6) },
    },
  ]);
});

it("the most frequent class is named first, and of equally frequent ones the one with the smaller name", () => {
  const clusters = new FailureClusters();
  for (const resultClass of ["odd_c", "odd_a", "odd_d", "odd_b", "odd_d"])
    clusters.add({ finishedAt: at(1), resultClass });
  expect(clusters.clusters().map(({ failureClass }) => failureClass)).toEqual([
    ...["odd_d", "odd_a", "odd_b", "odd_c"],
  ]);
});
