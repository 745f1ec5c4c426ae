/** What becomes of an issue's row that a work command wrote over. */
import type { IssueGraph } from "@bridle/work";
import { expect, it } from "vitest";
import { rowAsBefore } from "./rows.js";

it("a row is put back as it was, unless somebody has claimed the issue since", () => {
  const text = JSON.stringify({ id: "bd-1", title: "t", fence: 2 });
  const decide = rowAsBefore("bd-1", text, 2);
  const withFence = (fence: number) =>
    ({ get: () => ({ row: { id: "bd-1", title: "forged", fence } }) }) as unknown as IssueGraph;
  expect(decide(withFence(2), 0)).toEqual({ answer: true, rows: [{ id: "bd-1", text }] });
  expect(decide(withFence(3), 0)).toEqual({ answer: false, rows: [] });
});
