import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { expect, it } from "vitest";
import { useChildren } from "../../../test/support/children.js";
import { newFolder } from "../../../test/support/folder.js";
import { share } from "../../../test/support/scale.js";
import { extractRuleIds, namedRulesIn } from "./ids.js";
import { buildHarnessRuleRecallMessage } from "./recall.js";
import { bumpRuleHits, RuleStats, ruleStatsName } from "./stats.js";

const children = useChildren();
const ports = nodePorts();

function opened(content?: string) {
  const workspace = newFolder();
  const path = join(workspace, ruleStatsName);
  if (content !== undefined) writeFileSync(path, content);
  const notices: string[] = [];
  const stats = new RuleStats({ path, ports, notice: (sentence) => notices.push(sentence) });
  const text = () => readFileSync(path, "utf8");
  return { workspace, stats, notices, text, rows: () => JSON.parse(text()).rules };
}

it("an id is found where it stands as a word, once, and without what hangs on it", () => {
  const text =
    "(R-DEDUP-TOOLS) **R-ORCH-ID**, R-DEDUP-TOOLS; R-PLAN-3STEPS- FOR-EACH r-orch-id R-x R- XR-AB R-ABc";
  expect(extractRuleIds(text)).toEqual(["R-DEDUP-TOOLS", "R-ORCH-ID", "R-PLAN-3STEPS"]);
  expect(extractRuleIds("R-A")).toEqual([]);
});

it("what only looks like an id of ours is not counted", async () => {
  expect(namedRulesIn("R-2024 R-SQUARED R-ORCH-ID")).toEqual(["R-ORCH-ID"]);
  const { stats, rows } = opened();
  await bumpRuleHits("R-2024 R-SQUARED R-ORCH-ID", { stats });
  expect(Object.keys(rows())).toEqual(["R-ORCH-ID"]);
});

it("[AGENT-3.2] the file has the shape that other programs know, and ours beside it", async () => {
  const { stats, text } = opened();
  const before = await ports.clock.now();
  expect(await bumpRuleHits("read_file: refused (R-DEDUP-TOOLS)", { stats, prevented: true })).toEqual([
    "R-DEDUP-TOOLS",
  ]);
  const { version, updatedAt, rules } = JSON.parse(text());
  expect(version).toBe(1);
  expect(updatedAt).toBeGreaterThanOrEqual(before);
  expect(rules).toEqual({
    "R-DEDUP-TOOLS": {
      ...{ ruleId: "R-DEDUP-TOOLS", hitCount: 1, preventedErrorCount: 1, lastHitAt: updatedAt },
      ...{ violations: 1, injections: 0, preventions: 1 },
    },
  });
});

it("a text without ids writes nothing", async () => {
  const { stats, text } = opened();
  expect(await bumpRuleHits("ENOENT: no such file", { stats })).toEqual([]);
  await stats.add({ violations: [] });
  expect(text).toThrow("ENOENT");
});

it("recalling a rule does not make it look broken", async () => {
  const { stats, rows } = opened();
  await stats.add({ violations: ["R-ORCH-ID"], injections: ["R-CITE-PATHS", "R-CITE-PATHS", "R-ORCH-ID"] });
  expect(rows()["R-CITE-PATHS"]).toEqual({
    ...{ ruleId: "R-CITE-PATHS", hitCount: 0, preventedErrorCount: 0, lastHitAt: 0 },
    ...{ violations: 0, injections: 2, preventions: 0 },
  });
  const [, first] = buildHarnessRuleRecallMessage(await stats.violations()).split("\n");
  expect(first).toBe("- **R-ORCH-ID**");
});

it("a file of the old shape is counted on, and what we do not know in it stays", async () => {
  const old = {
    version: 1,
    updatedAt: 5,
    rules: {
      "R-ORCH-ID": {
        ruleId: "R-ORCH-ID",
        hitCount: 4,
        preventedErrorCount: 1,
        lastHitAt: 5,
        outcomeSum: 1.5,
      },
      "R-GONE": { ruleId: "R-GONE", hitCount: 9, preventedErrorCount: 0, lastHitAt: 3 },
    },
    theirs: { kept: [1, 2] },
  };
  const { stats, text, rows } = opened(JSON.stringify(old));
  await stats.add({ violations: ["R-ORCH-ID"] });
  expect(rows()["R-ORCH-ID"]).toMatchObject({
    ...{ hitCount: 5, violations: 5, preventions: 1, preventedErrorCount: 1, outcomeSum: 1.5 },
  });
  expect(rows()["R-GONE"]).toEqual(old.rules["R-GONE"]);
  expect(JSON.parse(text()).theirs).toEqual({ kept: [1, 2] });
  expect(await stats.violations()).toEqual(
    new Map([
      ["R-ORCH-ID", 5],
      ["R-GONE", 9],
    ]),
  );
});

it("hits that another program counted on top of ours are not lost", async () => {
  const row = { ruleId: "R-ORCH-ID", hitCount: 7, preventedErrorCount: 2, violations: 5, preventions: 2 };
  const { stats, rows } = opened(JSON.stringify({ version: 1, updatedAt: 5, rules: { "R-ORCH-ID": row } }));
  await stats.add({ violations: ["R-ORCH-ID"] });
  expect(rows()["R-ORCH-ID"]).toMatchObject({ hitCount: 8, violations: 8, preventions: 2 });
});

const spoilt = {
  "no JSON": "{ half",
  "no object": "[]",
  "another version": '{"version":2,"rules":{}}',
  "a row that is none": '{"version":1,"updatedAt":1,"rules":{"R-ORCH-ID":7}}',
  "a count that is none": '{"version":1,"updatedAt":1,"rules":{"R-ORCH-ID":{"hitCount":-1}}}',
  "an empty file": "",
};

it.each(Object.entries(spoilt))(
  "with %s the file is left as it is, that is said once, and counting goes on in memory",
  async (_what, content) => {
    const { stats, notices, text } = opened(content);
    const declared = buildHarnessRuleRecallMessage();
    expect(buildHarnessRuleRecallMessage(await stats.violations())).toBe(declared);
    await stats.add({ violations: ["R-ORCH-ID"] });
    await bumpRuleHits("R-ORCH-ID", { stats });
    expect(await stats.violations()).toEqual(new Map([["R-ORCH-ID", 2]]));
    expect(text()).toBe(content);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(ruleStatsName);
  },
);

it.each(["elsewhere.json", ruleStatsName])(
  "a link in the file's place, to %s, is not followed, and counting goes on in memory",
  async (name) => {
    const outside = newFolder();
    const { stats, notices, workspace } = opened();
    const target = name === ruleStatsName ? name : join(outside, name);
    symlinkSync(target, join(workspace, ruleStatsName));
    await stats.add({ violations: ["R-ORCH-ID"] });
    expect(existsSync(join(outside, name))).toBe(false);
    expect(await stats.violations()).toEqual(new Map([["R-ORCH-ID", 1]]));
    expect(notices).toEqual([expect.stringContaining("is a link")]);
  },
);

it("what two writes that fail at once were to count is kept of both", async () => {
  const { stats } = opened("{ half");
  await Promise.all([
    stats.add({ violations: ["R-ORCH-ID"] }),
    stats.add({ violations: ["R-ORCH-ID", "R-DEDUP-TOOLS"] }),
  ]);
  expect(await stats.violations()).toEqual(
    new Map([
      ["R-ORCH-ID", 2],
      ["R-DEDUP-TOOLS", 1],
    ]),
  );
});

it("what was counted while the file was spoilt is written once it is whole again", async () => {
  const { stats, workspace, rows } = opened("{ half");
  await stats.add({ violations: ["R-ORCH-ID"] });
  writeFileSync(join(workspace, ruleStatsName), '{"version":1,"updatedAt":1,"rules":{}}');
  await stats.add({ injections: ["R-CITE-PATHS"] });
  expect(rows()["R-ORCH-ID"].violations).toBe(1);
  expect(await stats.violations()).toEqual(
    new Map([
      ["R-ORCH-ID", 1],
      ["R-CITE-PATHS", 0],
    ]),
  );
});

it("of two writes that fail at once, neither loses what the other was to count", async () => {
  const { stats, workspace, rows } = opened("{ half");
  await Promise.all([
    stats.add({ violations: ["R-ORCH-ID"], injections: ["R-CITE-PATHS"] }),
    stats.add({ violations: ["R-ORCH-ID", "R-CITE-PATHS"] }),
  ]);
  expect(await stats.violations()).toEqual(
    new Map([
      ["R-ORCH-ID", 2],
      ["R-CITE-PATHS", 1],
    ]),
  );
  writeFileSync(join(workspace, ruleStatsName), '{"version":1,"updatedAt":1,"rules":{}}');
  await stats.add({ preventions: ["R-ORCH-ID"] });
  expect(rows()).toMatchObject({
    "R-ORCH-ID": { violations: 2, preventions: 1 },
    "R-CITE-PATHS": { violations: 1, injections: 1 },
  });
});

it("[AGENT-15.3] of 8 processes that count at the same time, no count is lost", async () => {
  // Even: every second one is a prevention.
  const times = 2 * share(50, 10);
  const { workspace, rows } = opened();
  const ids = ["R-ORCH-ID", "R-CITE-PATHS"];
  const started = Array.from({ length: 8 }, (_, i) =>
    children.start("bump-rules", { workspace, times, rule: ids[i % 2] }),
  );
  await Promise.all(started.map((child) => child.finish()));
  expect(started.flatMap(({ lines }) => lines)).toEqual(Array.from({ length: 8 }, () => "done"));
  for (const id of ids)
    expect(rows()[id]).toMatchObject({ hitCount: 4 * times, violations: 4 * times, preventions: 2 * times });
});
