/**
 * Which tests belong to a source file: all that lie beside it, and for some folders
 * those that drive them from outside.
 *
 * A test that takes seconds where quicker ones decide is left out by name: it would
 * run for every mistake that they do not notice. So is one that builds a broken copy
 * of the sources, which Stryker has rewritten.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";

const agent = (...names) => names.map((name) => `test/agent/${name}.test.ts`);
const sessions = agent(
  ...["planted", "clauses", "clauses-refused", "clauses-writes", "clauses-counted", "clauses-judged"],
  ...["defects", "acceptance", "golden"],
);
/** They write a session, break it off, and go on with it or play it again. */
const again = ["replay/replay-log", "replay/replay-stops", "replay/torn", "children/resumed"].map(
  (name) => `packages/agent/src/${name}.test.ts`,
);
const search = (...names) => names.map((name) => `packages/search/src/${name}.test.ts`);
const schemas = "test/conformance/artifact-schemas.test.ts";
const vectors = (...names) => names.map((name) => `test/conformance/vectors/${name}.test.ts`);

/** By the start of a source's path; `room` stands for all tests under it, but for the slow ones. */
const driven = [
  { under: "packages/agent/src/dispatch/", room: "packages/agent/src/turn", tests: sessions },
  { under: "packages/agent/src/turn/", room: "packages/agent/src/dispatch", tests: [...sessions, ...again] },
  { under: "packages/tools/src/write/", tests: agent("clauses-writes", "asks", "defects") },
  {
    under: "packages/search/src/pack/",
    room: "packages/search/src/pack",
    tests: [
      ...search("operations/data-check", "operations/open-run", "run/contract", "run/run"),
      ...["test/golden/search-v1.test.ts", schemas],
    ],
    slow: ["build/look-ahead", "parts"],
  },
  {
    under: "packages/search/src/eval/",
    tests: [...search("operations/eval-export"), schemas],
  },
  {
    under: "packages/search/src/episode/",
    tests: [
      ...search("run/contract", "run/verbs", "run/run", "policy/heuristic", "policy/planner", "export/atif"),
      ...["test/golden/search-v1.test.ts", schemas],
    ],
  },
  {
    under: "packages/search/src/train/",
    tests: [...search("policy/assisted"), schemas],
  },
  {
    under: "packages/work/src/gate/",
    tests: [...["join-check", "gate"].map((name) => `test/golden/${name}.test.ts`), ...vectors("typestate")],
  },
  {
    under: "packages/work/src/evidence/",
    tests: [
      ...vectors("required"),
      ...["instruction", "required-checks", "issue-finish"].map((name) => `test/end-to-end/${name}.test.ts`),
    ],
  },
  // The checks of a change start programs, and know nothing of how issues are remembered.
  ...["memory", "interchange", "projection"].map((name) => ({
    under: `packages/work/src/${name}/`,
    room: "packages/work/src",
    slow: ["evidence/checks/checks"],
  })),
  {
    under: "packages/work/src/",
    room: "packages/work/src",
    tests: [...vectors("issues", "issues-own"), schemas],
    slow: ["memory/edit/sequence"],
  },
  {
    under: "packages/record/src/",
    room: "packages/record/src",
    tests: [
      ...["test/simulation/record.test.ts", "packages/surface/src/log/log.test.ts"],
      "packages/testing/src/files-suite.test.ts",
      ...["faults", "log-cut", "log-damage", "unwritable"].map((name) => `test/crash/${name}.test.ts`),
    ],
  },
];

export function testsOf(file) {
  const rules = driven.filter(({ under }) => file.startsWith(under));
  const slow = rules.flatMap((rule) => (rule.slow ?? []).map((name) => `${rule.room}/${name}.test.ts`));
  const outside = rules
    .flatMap(({ room, tests = [] }) => [...(room === undefined ? [] : testsIn(room)), ...tests])
    .filter((name) => existsSync(path.join(root, name)));
  return [...testsIn(path.dirname(file), { recursive: false }), ...outside].filter(
    (name) => !slow.includes(name),
  );
}

function testsIn(folder, { recursive = true } = {}) {
  return readdirSync(path.join(root, folder), { recursive })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name));
}
