import fc from "fast-check";
import { expect, it } from "vitest";
import { buildAdaptiveRuleMessage, buildHarnessRuleRecallMessage } from "./recall.js";
import { HARNESS_RULES, rules } from "./table.js";

const declared = Object.keys(HARNESS_RULES);
const idsIn = (message: string) => [...message.matchAll(/R-[A-Z0-9-]+/g)].map(([id]) => id);

it("[AGENT-2.2] [AGENT-4.1] [AGENT-5.31] the recall lists all thirty harness rules, in their order when nothing was counted", () => {
  expect(idsIn(buildHarnessRuleRecallMessage())).toEqual(declared);
  expect(idsIn(buildHarnessRuleRecallMessage(new Map()))).toEqual(declared);
});

it("[AGENT-2.6] [AGENT-2.8] the recall is a heading and bare ids, without the text of any rule", () => {
  const [, ...lines] = buildHarnessRuleRecallMessage().trimEnd().split("\n");
  expect(lines).toEqual(declared.map((id) => `- **${id}**`));
  for (const { text } of rules) expect(buildHarnessRuleRecallMessage()).not.toContain(text);
});

it("[AGENT-2.7] [AGENT-4.2] rules that were broken more often come first, and equal ones keep their order", () => {
  const counts = new Map([
    ["R-MULTI-PART-USER", 2],
    ["R-SCOPE-CREEP", 7],
    ["R-CITE-PATHS", 2],
  ]);
  const first = ["R-SCOPE-CREEP", "R-CITE-PATHS", "R-MULTI-PART-USER"];
  expect(idsIn(buildHarnessRuleRecallMessage(counts))).toEqual([
    ...first,
    ...declared.filter((id) => !first.includes(id)),
  ]);
});

it("counts of rules that the harness does not recall, and counts that are none, change nothing", () => {
  const counts = new Map([
    ["R-KNOWN-UNKNOWNS", 99],
    ["R-FROM-ELSEWHERE", 99],
    ["R-SCOPE-CREEP", Number.NaN],
    ["R-ORCH-ID", Number.POSITIVE_INFINITY],
    ["R-CITE-PATHS", -4],
  ]);
  expect(idsIn(buildHarnessRuleRecallMessage(counts))).toEqual(declared);
});

it("whatever was counted, the recall is a permutation sorted by count and then by declaration", () => {
  const counted = fc.array(fc.tuple(fc.constantFrom(...declared), fc.nat({ max: 4 })));
  fc.assert(
    fc.property(counted, (entries) => {
      const counts = new Map(entries);
      const listed = idsIn(buildHarnessRuleRecallMessage(counts));
      expect(listed.toSorted()).toEqual(declared.toSorted());
      const keys = listed.map((id) => [-(counts.get(id) ?? 0), declared.indexOf(id)] as const);
      expect(keys).toEqual(keys.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
  );
});

it("[AGENT-4.4] [AGENT-4.5] the old name gives the same message, whatever its first argument says", () => {
  const counts = new Map([["R-SCOPE-CREEP", 7]]);
  for (const topN of [0, 1, 5, 1_000]) {
    expect(buildAdaptiveRuleMessage(topN, counts)).toBe(buildHarnessRuleRecallMessage(counts));
  }
});
