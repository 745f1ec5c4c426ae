/**
 * What is ready, case by case: written down before the code, by beads' rule for
 * parents and ours for missing targets and `waits-for`.
 *
 * A line is an issue: its id, its status (and `!epic` or another type of beads
 * behind it), then what it depends on: `> blocks b`, `^` is `parent-child`,
 * `~` is `waits-for`, `?` is `conditional-blocks`.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@bridle/record";
import { fromBeads } from "../interchange/beads.js";
import { blockedItems } from "./blocked.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { readyItems } from "./ready.js";

const kinds: Readonly<Record<string, string>> = {
  ">": "blocks",
  "^": "parent-child",
  "~": "waits-for",
  "?": "conditional-blocks",
  "-": "related",
};

function nodeOf(line: string): IssueNode {
  const [id = "", state = "", ...edges] = line.trim().split(/\s+/);
  const [status = "", type = "task"] = state.split("!");
  const dependencies = edges.map((edge) => ({
    issue_id: id,
    depends_on_id: edge.slice(1),
    type: kinds[edge[0] ?? ""],
  }));
  const { text } = fromBeads(JSON.stringify({ id, title: id, status, issue_type: type, dependencies }));
  return new IssueNode(id, JSON.parse(text) as JsonObject, text, 1);
}

/** Read at once, put one by one in both orders, and changed into what it is from something else. */
function graphsOf(lines: readonly string[]): IssueGraph[] {
  const made = (order: readonly string[], indexed: boolean) => {
    const graph = new IssueGraph();
    if (indexed) graph.claimable("nobody", 0);
    for (const line of order) graph.put(nodeOf(line));
    return graph;
  };
  const turned = new IssueGraph();
  turned.claimable("nobody", 0);
  for (const line of lines) turned.put(nodeOf(line.replace(/^(\S+) .*$/, "$1 closed")));
  for (const line of lines.toReversed()) turned.put(nodeOf(line));
  return [made(lines, false), made(lines, true), made(lines.toReversed(), true), turned];
}

const cases: readonly (readonly [name: string, lines: string, ready: string])[] = [
  ["an open issue is ready", "a open", "a"],
  ["a closed one is not", "a closed", ""],
  ["one in progress is not", "a in_progress", ""],
  ["one that is marked blocked is not", "a blocked", ""],
  ["one waits for an open blocker", "a open >b; b open", "b"],
  ["one waits for a blocker in progress", "a open >b; b in_progress", ""],
  ["one waits for a blocker that is marked blocked", "a open >b; b blocked", ""],
  ["one waits for a blocker that is put off", "a open >b; b deferred", ""],
  ["a closed blocker keeps nobody waiting", "a open >b; b closed", "a"],
  ["a pinned blocker counts as closed", "a open >b; b pinned", "a"],
  ["a deleted blocker counts as closed", "a open >b; b tombstone", "a"],
  ["a missing blocker keeps waiting", "a open >b", ""],
  ["conditional-blocks waits as blocks does", "a open ?b; b open", "b"],
  ["conditional-blocks of a closed one does not", "a open ?b; b closed", "a"],
  ["waits-for waits for its target", "a open ~b; b open", "b"],
  ["waits-for of a missing target waits", "a open ~b", ""],
  ["what is only related does not wait", "a open -b; b open", "a b"],
  ["two blockers are both waited for", "a open >b >c; b closed; c open", "c"],
  ["an open parent keeps nobody waiting", "a open ^p; p open", "a p"],
  ["a parent in progress keeps nobody waiting", "a open ^p; p in_progress", "a"],
  ["a closed parent keeps nobody waiting", "a open ^p; p closed", "a"],
  ["a missing parent keeps nobody waiting", "a open ^p", "a"],
  ["a parent that is only marked blocked keeps nobody waiting", "a open ^p; p blocked", "a"],
  ["a parent that is put off keeps nobody waiting", "a open ^p; p deferred", "a"],
  ["a parent that waits lets its child wait", "a open ^p; p open >b; b open", "b"],
  ["a parent that waits for a missing one does, too", "a open ^p; p open >b", ""],
  ["a parent whose blocker was closed does not", "a open ^p; p open >b; b closed", "a p"],
  ["a parent in progress that waits lets its child wait", "a open ^p; p in_progress >b; b open", "b"],
  [
    "a parent that is closed and still has an open blocker lets its child wait",
    "a open ^p; p closed >b; b open",
    "b",
  ],
  ["a grandparent that waits, too", "a open ^p; p open ^g; g open >b; b open", "b"],
  ["through a closed parent, too", "a open ^p; p closed ^g; g open >b; b open", "b"],
  ["four levels up, too", "a open ^p; p open ^q; q open ^r; r open ^s; s open >b; b open", "b"],
  ["one of two parents is enough", "a open ^p ^q; p open; q open >b; b open", "b p"],
  ["siblings wait together", "a open ^p; c open ^p; p open >b; b open", "b"],
  ["a child's blocker is its own affair", "a open ^p >b; c open ^p; p open; b open", "b c p"],
  ["parents in a circle keep nobody waiting by themselves", "a open ^p; p open ^a", "a p"],
  ["parents in a circle wait when one of them does", "a open ^p; p open ^a >b; b open", "b"],
  ["an epic with open children is listed", "a open ^e; e open!epic", "a e"],
  ["a bug of beads is work", "a open!bug", "a"],
  [
    "what beads does not offer is not offered",
    "a open!merge-request; b open!gate; c open!molecule; d open!message; e open!agent; f open!role; g open!rig; h open!chore",
    "h",
  ],
  ["a gate still keeps those waiting who wait for it", "a open >g; g open!gate", ""],
  ["a child of a molecule is work", "a open ^m; m open!molecule", "a"],
];

describe("the ready set", () => {
  test.each(cases)("%s", (_, lines, ready) => {
    const split = lines.split(";").map((line) => line.trim());
    for (const graph of graphsOf(split)) {
      const expected = ready.split(" ").filter((id) => id !== "");
      expect(readyItems(graph).map(({ id }) => id)).toEqual(expected);
      expect([...graph.ready()].map(({ id }) => id)).toEqual(expected);
      const standing = graph.standing();
      expect([standing.ready, standing.blocked]).toEqual([expected.length, blockedItems(graph).length]);
      const claimable = graph.claimable("ada", 1);
      const free = expected.filter((id) => !(id === "e" && lines.includes("!epic")));
      expect(claimable?.id).toBe(free[0]);
    }
  });

  test("has its forty cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });

  test("of a child that waits with its parent names the parent", () => {
    for (const graph of graphsOf(["a open ^p", "p open >b", "b open"])) {
      expect(blockedItems(graph).map(({ id, waitsWith }) => [id, waitsWith])).toEqual([
        ["a", ["p"]],
        ["p", []],
      ]);
    }
  });

  test("of an epic says how many of its children are open", () => {
    for (const graph of graphsOf([
      "a open ^e",
      "b in_progress ^e",
      "c closed ^e",
      "e open!epic",
      "f open!epic",
    ])) {
      expect(readyItems(graph).map(({ id, openChildren }) => [id, openChildren])).toEqual([
        ["a", undefined],
        ["e", 2],
        ["f", undefined],
      ]);
    }
  });
});
