/**
 * The tasks, one line each: what it says in the listing, and the Node programs
 * that it runs in order. A step that fails ends the task.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";

const vitest = "node_modules/vitest/vitest.mjs";
const one =
  (script, ...first) =>
  (args) => [{ args: [script, ...first, ...args] }];

export const tasks = {
  start: { says: "build, then a short guided run; --help says more", steps: one("scripts/start.mjs") },
  build: { says: "the command line, as one bundle with lazy chunks", steps: one("scripts/build.mjs") },
  package: { says: "dist/bridle-<version>.tgz, which users install", steps: one("scripts/package.mjs") },
  release: {
    says: "prove, pack, install and try the tarball, then tag; --minutes 30 --proved --dry-run",
    steps: one("scripts/release.mjs"),
  },
  test: { says: "every test; arguments go to vitest", steps: test },
  check: {
    says: "types, lint, format, boundaries, clauses, generated files",
    steps: one("scripts/check.mjs"),
  },
  house: { says: "rooms, folders, lines, cycles, largest files; --folders", steps: one("scripts/house.mjs") },
  clauses: { says: "the contracts against the tests that cite them", steps: one("scripts/clauses.mjs") },
  doctrine: {
    says: "every operation has its route, and no two share a name; --add",
    steps: one("scripts/doctrine.mjs"),
  },
  docs: {
    says: "what the docs quote exists, and stands in the reference; --write",
    steps: one("scripts/docs-coherence.mjs"),
  },
  prove: { says: "the long proofs: --minutes 10 --seed 1", steps: one("scripts/prove.mjs") },
  mutate: {
    says: "small mistakes in <files>, which tests notice: --sample N --seed N",
    steps: one("scripts/mutate.mjs"),
  },
  bench: { says: "ratios against plain code, measured in one run", steps: one("bench/run.mjs") },
  conformance: { says: "suites over data outside the repository: <dir>", steps: conformance },
  format: { says: "write the layout that check asks for", steps: one("node_modules/oxfmt/bin/oxfmt") },
  schemas: { says: "write schemas/ from the types; --check compares", steps: one("scripts/schemas.mjs") },
  rooms: {
    says: "write what tools must be told about the rooms of ARCHITECTURE.md; --check compares",
    steps: one("scripts/rooms.mjs"),
  },
  slices: { says: "write the table of docs/slices.md; --check compares", steps: one("scripts/slices.mjs") },
  api: {
    says: "write docs/api, what users can import; --check compares",
    steps: one("scripts/api.mjs"),
  },
  lockfile: { says: "complete package-lock.json after npm install", steps: one("scripts/lockfile.mjs") },
  "search:report": {
    says: "what the policies achieve on recorded hours, as a page: <files>",
    steps: one("scripts/search-report.mjs"),
  },
  "rules:score": {
    says: "the detectors on labelled transcripts; --json",
    steps: one("scripts/rules-score.mjs"),
  },
  "router:score": {
    says: "the router of questions on labelled ones: [file.jsonl] --json --misses",
    steps: one("scripts/router-score.mjs"),
  },
  "query:texts": {
    says: "write the templates and examples that the bundle carries; --check compares",
    steps: one("scripts/query-texts.mjs"),
  },
  "harness-kpi-report": { says: "how well the workers get on: premath harness-kpi", steps: kpiReport },
  "harness-worker-loop": {
    says: "one worker on the issues that are ready: premath harness-loop worker",
    steps: built("harness-loop", "worker"),
  },
  "harness-coordinator-loop": {
    says: "several workers on the issues that are ready: premath harness-loop coordinator",
    steps: built("harness-loop", "coordinator"),
  },
  "issue-graph-check": {
    says: "our own issues are in order, and no edge is loose: premath issue check --compactness",
    steps: issueCheck,
  },
  "ci-hygiene-check": { says: "the same as check", steps: one("scripts/check.mjs") },
  "docs-coherence-check": { says: "clauses, then docs", steps: docsCoherence },
  "doctrine-check": { says: "the same as doctrine", steps: one("scripts/doctrine.mjs") },
  "ci-required-attested": {
    says: "the required checks on a commit, with witness and decision: premath ci-required-attested",
    steps: built("ci-required-attested"),
  },
  "ci-instruction": {
    says: "the checks that an instruction asks for: premath instruction-run",
    steps: built("instruction-run"),
  },
  "ci-pipeline-test": { says: "the tests of gate, retry and escalation", steps: pipelineTest },
};

/** Built first, so that of many test files that want the command line none has to build it under another's feet. */
function test(args) {
  const isAll = args.every((word) => word.startsWith("-"));
  const env = isAll ? { BRIDLE_TEST_EVERY: "6" } : {};
  // A suite of which nothing was drawn is none that somebody forgot; see test/support/everyday.ts.
  const some = isAll ? ["--passWithNoTests"] : [];
  return [{ args: ["scripts/build.mjs"] }, { args: [vitest, "run", ...some, ...args], env }];
}

function built(...command) {
  return (args) => [{ args: ["scripts/build.mjs"] }, { args: ["bin/premath", ...command, ...args] }];
}

function docsCoherence() {
  return [{ args: ["scripts/clauses.mjs"] }, { args: ["scripts/docs-coherence.mjs"] }];
}

function pipelineTest(args) {
  const tests = ["packages/work/src/gate", "packages/work/src/evidence", "test/golden/join-check.test.ts"];
  return [{ args: [vitest, "run", ...tests, ...args] }];
}

function kpiReport(args) {
  return [{ args: ["scripts/build.mjs"] }, { args: ["bin/premath", "harness-kpi", ...args] }];
}

function issueCheck(args) {
  return [
    { args: ["scripts/build.mjs"] },
    { args: ["bin/premath", "issue", "check", "--compactness", ...args] },
  ];
}

function conformance(all) {
  const [folder, ...rest] = all;
  const named = folder !== undefined && !folder.startsWith("-");
  // npm stands in the root; a path that a person typed starts where the person stood.
  const data = named
    ? path.resolve(process.env.INIT_CWD ?? ".", folder)
    : path.join(root, "../shared/fixtures");
  if (named && !existsSync(data)) throw Object.assign(new Error(`${data} is not there`), { exitCode: 2 });
  const args = [vitest, "run", "test/conformance/vectors", ...(named ? rest : all)];
  return [{ args, env: existsSync(data) ? { BRIDLE_FIXTURES: data } : {} }];
}
