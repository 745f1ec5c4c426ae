/**
 * For every clause that is done, what its violation would look like: small changes of the code
 * behind it, each of which a test that cites the clause must notice.
 *
 * A mutant breaks what the clause says and nothing else: the code still loads and still works.
 */
import { agentMutants } from "./agent-mutants.js";
import { evidenceMutants } from "./evidence-mutants.js";
import { gateMutants } from "./gate-mutants.js";
import { queryMutants } from "./query-mutants.js";
import { requiredMutants } from "./required-mutants.js";
import { runnerMutants } from "./runner-mutants.js";
import { searchMutants } from "./search-mutants.js";
import { searchRunMutants } from "./search-run-mutants.js";
import { trajectoryMutants } from "./trajectory-mutants.js";

export interface Change {
  /** From the root of the repository. */
  readonly file: string;
  /** Must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface ClauseMutant {
  readonly clause: string;
  /** What is wrong then, in a phrase. */
  readonly breaks: string;
  readonly changes: readonly Change[];
}

export interface Breakage extends Omit<ClauseMutant, "clause"> {
  /** All that say the same thing. */
  readonly clauses: readonly string[];
}

const types = "packages/work/src/types.ts";
const text = "packages/work/src/text.ts";
const session = "packages/work/src/projection/session.ts";
const bootstrap = "packages/work/src/projection/bootstrap.ts";
const featureCheckRules = "packages/work/src/projection/feature-check.ts";
const featureWriteRules = "packages/work/src/projection/feature-write.ts";
const ledgerFile = "packages/work/src/projection/feature-ledger.ts";
const kpi = "packages/work/src/projection/kpi.ts";
const kpiReport = "packages/work/src/operations/kpi-report.ts";
const kpiRemediate = "packages/work/src/operations/kpi-remediate.ts";
const step = "packages/work/src/projection/step.ts";
const order = "packages/work/src/projection/order.ts";
const trajectory = "packages/work/src/projection/trajectory.ts";
const snapshot = "packages/work/src/memory/snapshot.ts";
const place = "packages/work/src/calls/place.ts";
const refsInput = "packages/work/src/operations/refs-input.ts";
const sessionRead = "packages/work/src/operations/session-read.ts";
const sessionWrite = "packages/work/src/operations/session-write.ts";
const sessionBootstrap = "packages/work/src/operations/session-bootstrap.ts";
const featureWrite = "packages/work/src/operations/feature-write.ts";
const featureNext = "packages/work/src/operations/feature-next.ts";
const trajectoryAppend = "packages/work/src/operations/trajectory-append.ts";
const fileSteps = "packages/work/src/store/file-steps.ts";
const trajectoryQuery = "packages/work/src/operations/trajectory-query.ts";
const issueList = "packages/work/src/operations/issue-list.ts";
const issueReady = "packages/work/src/operations/issue-ready.ts";
const issueBlocked = "packages/work/src/operations/issue-blocked.ts";
const issueCheck = "packages/work/src/operations/issue-check.ts";
const issueExport = "packages/work/src/operations/issue-export.ts";
const issueClaim = "packages/work/src/operations/issue-claim.ts";
const issueUpdate = "packages/work/src/operations/issue-update.ts";
const issueClose = "packages/work/src/operations/issue-close.ts";
const issueDiscover = "packages/work/src/operations/issue-discover.ts";
const issueLeaseRenew = "packages/work/src/operations/issue-lease-renew.ts";
const issueLeaseRelease = "packages/work/src/operations/issue-lease-release.ts";
const issueLeases = "packages/work/src/operations/issue-leases.ts";
const depAdd = "packages/work/src/operations/dep-add.ts";
const depRemove = "packages/work/src/operations/dep-remove.ts";
const depReplace = "packages/work/src/operations/dep-replace.ts";
const depDiagnostics = "packages/work/src/operations/dep-diagnostics.ts";
const lease = "packages/work/src/memory/lease.ts";
const claim = "packages/work/src/memory/claim.ts";
const graph = "packages/work/src/memory/graph.ts";
const blocked = "packages/work/src/memory/blocked.ts";
const issueFilters = "packages/work/src/memory/list.ts";
const compare = "packages/record/src/compare.ts";
const envelope = "packages/operation/src/envelope.ts";
const gates = "packages/operation/src/gates.ts";
const pipeline = "packages/operation/src/pipeline.ts";
const registry = "packages/operation/src/registry.ts";
const commands = "packages/surface/src/cli/commands.ts";
const manifest = "packages/surface/src/manifest/manifest.generated.json";
const mcpServe = "packages/surface/src/mcp/serve.ts";
const mcpResults = "packages/surface/src/mcp/results.ts";
const clauses = "scripts/clauses.mjs";
const slices = "docs/slices.md";
const mise = "mise.toml";
const checkMap = "policies/control/required-checks-v1.json";
const tasks = "scripts/tasks.mjs";

const everySurface = 'surfaces: ["cli", "mcp", "scheme", "http"],';
const notAtTheCommandLine = 'surfaces: ["mcp", "scheme", "http"],';
const notOverMcp = 'surfaces: ["cli", "scheme", "http"],';

const documents: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-0.1"],
    breaks: "a clause without a mark is only recommended",
    changes: [{ file: clauses, find: 'strength = "must", text]', replace: 'strength = "should", text]' }],
  },
  {
    clauses: ["RUNTIME-9.1"],
    breaks: "there is no task ci-hygiene-check",
    changes: [{ file: mise, find: 'ci-hygiene-check = "npm run ci-hygiene-check"\n', replace: "" }],
  },
  {
    clauses: ["RUNTIME-9.3"],
    breaks: "there is no task docs-coherence-check",
    changes: [{ file: mise, find: 'docs-coherence-check = "npm run docs-coherence-check"\n', replace: "" }],
  },
  {
    clauses: ["RUNTIME-9.4"],
    breaks: "there is no task doctrine-check",
    changes: [{ file: mise, find: 'doctrine-check = "npm run doctrine-check"', replace: "" }],
  },
  {
    clauses: ["TUSK-9.4"],
    breaks: "the type of a session says what its published schema does not",
    changes: [
      {
        file: types,
        find: 'nextStep: Type.Optional(text("What to do next.")),',
        replace: "nextStep: Type.Optional(Type.Integer()),",
      },
    ],
  },
  {
    clauses: ["TUSK-9.4"],
    breaks: "a slice names a schema that is not there",
    changes: [
      {
        file: slices,
        find: "(../schemas/premath.harness.bootstrap.v1.json)",
        replace: "(../schemas/premath.harness.bootstrap.v9.json)",
      },
    ],
  },
  {
    clauses: ["TUSK-9.5"],
    breaks: "a slice has a command that the program does not know",
    changes: [
      {
        file: manifest,
        find: '"harness-session",\n          "bootstrap"\n',
        replace: '"harness-session",\n          "boot"\n',
      },
    ],
  },
  {
    clauses: ["TUSK-9.6"],
    breaks: "a slice names an integration test that is not there",
    changes: [
      {
        file: slices,
        find: "(../test/end-to-end/transport.test.ts)",
        replace: "(../test/end-to-end/transported.test.ts)",
      },
    ],
  },
  {
    clauses: ["TUSK-9.7"],
    breaks: "a slice has no acceptance checklist",
    changes: [{ file: slices, find: "\n## Log follow\n", replace: "\n## Following\n" }],
  },
  {
    clauses: ["TUSK-9.8"],
    breaks: "a checklist asks for what its issue does not",
    changes: [
      {
        file: slices,
        find: "- [x] A fresh process needs nothing but the session file.",
        replace: "- [x] A fresh process needs nothing at all.",
      },
    ],
  },
];

const places: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-1.1.1", "RUNTIME-2.1", "TUSK-11.4"],
    breaks: "the session is kept elsewhere",
    changes: [{ file: place, find: ".premath/harness_session.json", replace: ".premath/session.json" }],
  },
  {
    clauses: ["RUNTIME-1.1.1", "RUNTIME-2.3", "TUSK-12.6"],
    breaks: "the trajectory is kept elsewhere",
    changes: [{ file: place, find: ".premath/harness_trajectory.jsonl", replace: ".premath/steps.jsonl" }],
  },
  {
    clauses: ["RUNTIME-1.1.2", "RUNTIME-2.2"],
    breaks: "the feature ledger is kept elsewhere",
    changes: [{ file: place, find: ".premath/harness_feature_ledger.json", replace: ".premath/ledger.json" }],
  },
  {
    clauses: ["RUNTIME-2.2"],
    breaks: "the feature ledger is of another kind",
    changes: [
      {
        file: types,
        find: '"premath.harness.feature_ledger.v1"',
        replace: '"premath.harness.feature_ledger.v2"',
      },
    ],
  },
  {
    clauses: ["RUNTIME-2.2"],
    breaks: "a file of another kind is taken for a feature ledger",
    changes: [
      {
        file: ledgerFile,
        find: 'header.expect("ledgerKind", featureLedgerKind, "was this file written by another program?");',
        replace: "",
      },
    ],
  },
  {
    clauses: ["RUNTIME-2.1"],
    breaks: "the session is of another kind",
    changes: [{ file: types, find: '"premath.harness.session.v1"', replace: '"premath.harness.session.v2"' }],
  },
  {
    clauses: ["RUNTIME-2.3", "TUSK-12.7"],
    breaks: "rows are of another kind",
    changes: [{ file: types, find: '"premath.harness.step.v1"', replace: '"premath.harness.step.v2"' }],
  },
];

const routes: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-1.1.3", "RUNTIME-8.3"],
    breaks: "reading a session has another operation id",
    changes: [{ file: sessionRead, find: '"op/harness.session_read"', replace: '"op/session.harness_read"' }],
  },
  {
    clauses: ["RUNTIME-1.1.3", "RUNTIME-8.4"],
    breaks: "writing a session has another operation id",
    changes: [
      { file: sessionWrite, find: '"op/harness.session_write"', replace: '"op/session.harness_write"' },
    ],
  },
  {
    clauses: ["RUNTIME-1.1.3", "RUNTIME-8.5"],
    breaks: "bootstrapping has another operation id",
    changes: [
      {
        file: sessionBootstrap,
        find: '"op/harness.session_bootstrap"',
        replace: '"op/session.harness_boot"',
      },
    ],
  },
  {
    clauses: ["RUNTIME-8.2"],
    breaks: "two operations may share an id",
    changes: [
      { file: registry, find: 'this.#refuseTaken("id", id, this.#byId.get(id), operation);', replace: "" },
    ],
  },
  {
    clauses: ["RUNTIME-1.1.5", "RUNTIME-1.1.6"],
    breaks: "the commands are bridle's and not premath's",
    changes: [
      {
        file: commands,
        find: '(launcher === "bridle" || family === launcher)',
        replace: '(launcher === "bridle" || (launcher === "hlq" && family === "hlq"))',
      },
    ],
  },
  {
    clauses: ["RUNTIME-2.4"],
    breaks: "bootstrap is not offered at the command line",
    changes: [{ file: sessionBootstrap, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["RUNTIME-2.5"],
    breaks: "next is not offered at the command line",
    changes: [{ file: featureNext, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.30"],
    breaks: "harness.feature.write is not offered at the command line",
    changes: [{ file: featureWrite, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["RUNTIME-2.6"],
    breaks: "query is not offered at the command line",
    changes: [{ file: trajectoryQuery, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.29"],
    breaks: "harness.session.write is not offered at the command line",
    changes: [{ file: sessionWrite, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.31"],
    breaks: "harness.trajectory.append is not offered at the command line",
    changes: [{ file: trajectoryAppend, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-11.17"],
    breaks: "write does not mind --path",
    changes: [
      {
        file: sessionWrite,
        find: "await sessionPlace(input, call)",
        replace: "await sessionPlace({}, call)",
      },
    ],
  },
  {
    clauses: ["TUSK-11.18"],
    breaks: "read does not mind --path",
    changes: [
      { file: sessionRead, find: "await sessionPlace(input, call)", replace: "await sessionPlace({}, call)" },
    ],
  },
  {
    clauses: ["TUSK-11.19"],
    breaks: "bootstrap does not mind --path",
    changes: [
      {
        file: sessionBootstrap,
        find: "await sessionPlace(input, call)",
        replace: "await sessionPlace({}, call)",
      },
    ],
  },
  {
    clauses: ["TUSK-12.22"],
    breaks: "append knows no --witness-ref",
    changes: [{ file: refsInput, find: 'refsFlag("witness-ref",', replace: 'refsFlag("witness",' }],
  },
  {
    clauses: ["TUSK-12.23"],
    breaks: "a query does not mind its limit",
    changes: [
      {
        file: trajectoryQuery,
        find: "      mode,\n      limit,\n      reading(byte) {",
        replace: "      mode,\n      limit: workLimits.queryItemsMax,\n      reading(byte) {",
      },
    ],
  },
];

const sessions: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-4.1", "TUSK-11.7"],
    breaks: "a session is written without its schema",
    changes: [
      {
        file: session,
        find: "    schema: 1,\n    sessionKind,\n    sessionId: optionalText(",
        replace: "    schema: undefined,\n    sessionKind,\n    sessionId: optionalText(",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.1", "TUSK-11.7"],
    breaks: "a file without a session id is accepted",
    changes: [
      { file: session, find: 'requiredString("sessionId")', replace: '(string("sessionId") ?? "unnamed")' },
    ],
  },
  {
    clauses: ["RUNTIME-4.2", "TUSK-11.8"],
    breaks: "a file in any state is accepted",
    changes: [
      {
        file: session,
        find: 'if (state !== "active" && state !== "stopped") throw',
        replace: "if (state === undefined) throw",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.3", "TUSK-11.9"],
    breaks: "times are whatever Date understands",
    changes: [
      {
        file: session,
        find: "parseInstant(found) === undefined) {",
        replace: "Number.isNaN(Date.parse(found))) {",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.4"],
    breaks: "the lineage refs of a file are not read",
    changes: [{ file: session, find: 'refs("lineageRefs")', replace: "undefined" }],
  },
  {
    clauses: ["TUSK-11.10"],
    breaks: "the next step of a file is not read",
    changes: [{ file: session, find: 'string("nextStep")', replace: "undefined" }],
  },
  {
    clauses: ["TUSK-11.10"],
    breaks: "the path of the issues is not noted",
    changes: [
      {
        file: session,
        find: "    issuesPath,\n    issuesSnapshotRef,\n  });",
        replace: "    issuesPath: undefined,\n    issuesSnapshotRef,\n  });",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.5", "TUSK-11.25"],
    breaks: "an update gives the session a new id",
    changes: [{ file: session, find: "?? current?.sessionId ?? newSessionId", replace: "?? newSessionId" }],
  },
  {
    clauses: ["RUNTIME-4.6", "TUSK-11.26"],
    breaks: "an update starts the session anew",
    changes: [{ file: session, find: "startedAt: current?.startedAt ?? now,", replace: "startedAt: now," }],
  },
  {
    clauses: ["RUNTIME-4.6", "TUSK-11.27"],
    breaks: "an update leaves the time of the last one",
    changes: [{ file: session, find: "updatedAt: now,", replace: "updatedAt: current?.updatedAt ?? now," }],
  },
  {
    clauses: ["RUNTIME-4.7", "TUSK-12.15"],
    breaks: "refs are not trimmed",
    changes: [{ file: compare, find: "refs.map((ref) => ref.trim())", replace: "refs" }],
  },
  {
    clauses: ["RUNTIME-4.7", "TUSK-12.15"],
    breaks: "refs are not sorted",
    changes: [
      {
        file: compare,
        find: "[...new Set(trimmed)].sort(compareCodePoints)",
        replace: "[...new Set(trimmed)]",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.7", "TUSK-12.15"],
    breaks: "refs are repeated",
    changes: [{ file: compare, find: "[...new Set(trimmed)]", replace: "[...trimmed]" }],
  },
  {
    clauses: ["TUSK-11.11"],
    breaks: "instruction refs are kept as they were given",
    changes: [
      {
        file: session,
        find: "mergeRefs(update.instructionRefs, kept?.instructionRefs)",
        replace: "(update.instructionRefs ?? kept?.instructionRefs) as string[] | undefined",
      },
    ],
  },
  {
    clauses: ["TUSK-11.12"],
    breaks: "witness refs are kept as they were given",
    changes: [
      {
        file: session,
        find: "mergeRefs(update.witnessRefs, kept?.witnessRefs)",
        replace: "(update.witnessRefs ?? kept?.witnessRefs) as string[] | undefined",
      },
    ],
  },
  {
    clauses: ["TUSK-11.14"],
    breaks: "lineage refs are kept as they were given",
    changes: [
      {
        file: session,
        find: "mergeRefs(update.lineageRefs, kept?.lineageRefs)",
        replace: "(update.lineageRefs ?? kept?.lineageRefs) as string[] | undefined",
      },
    ],
  },
  {
    clauses: ["RUNTIME-4.8"],
    breaks: "an empty text is a text",
    changes: [
      { file: text, find: 'return trimmed === "" ? undefined : trimmed;', replace: "return trimmed;" },
    ],
  },
  {
    clauses: ["TUSK-11.29"],
    breaks: "white space is a text",
    changes: [{ file: text, find: "text?.trim()", replace: "text" }],
  },
  {
    clauses: ["TUSK-11.2"],
    breaks: "the session holds the issues in place of their digest",
    changes: [
      {
        file: snapshot,
        find: 'return first ?? `iss1_${hash.digest("hex")}`;',
        replace: 'return first ?? `iss1_${graph.sorted().map(({ text }) => text).join("")}`;',
      },
    ],
  },
  {
    clauses: ["TUSK-11.5"],
    breaks: "a file of any kind is accepted",
    changes: [
      {
        file: session,
        find: 'if (value["sessionKind"] !== sessionKind) throw',
        replace: 'if (value["sessionKind"] === undefined) throw',
      },
    ],
  },
  {
    clauses: ["TUSK-11.6"],
    breaks: "a file with any schema number is accepted",
    changes: [
      {
        file: session,
        find: 'if (value["schema"] !== 1) throw',
        replace: 'if (typeof value["schema"] !== "number") throw',
      },
    ],
  },
  {
    clauses: ["TUSK-11.15"],
    breaks: "a session that stops does not say when",
    changes: [
      {
        file: session,
        find: 'stoppedAt: state === "stopped" ? now : undefined,',
        replace: "stoppedAt: undefined,",
      },
    ],
  },
  {
    clauses: ["TUSK-11.15"],
    breaks: "a file that stopped at no time of the calendar is accepted",
    changes: [{ file: session, find: 'timestamp("stoppedAt")', replace: 'string("stoppedAt")' }],
  },
  {
    clauses: ["TUSK-11.16"],
    breaks: "the digest of issue memory is that of the ids alone",
    changes: [
      {
        file: snapshot,
        find: "hash.update(`${digestedLine(issue, text)}\\n`)",
        replace: "hash.update(`${id}\\n`)",
      },
    ],
  },
  {
    clauses: ["TUSK-11.28"],
    breaks: "the digest of issue memory depends on the order of rows",
    changes: [
      {
        file: snapshot,
        find: "{ id, line, issue, text } of graph.sorted()",
        replace: "{ id, line, issue, text } of graph.nodes()",
      },
    ],
  },
];

const bootstraps: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-4.9", "TUSK-11.20"],
    breaks: "a bootstrap is of another kind",
    changes: [
      { file: types, find: '"premath.harness.bootstrap.v1"', replace: '"premath.harness.bootstrap.v2"' },
    ],
  },
  {
    clauses: ["RUNTIME-4.9", "RUNTIME-4.10", "TUSK-11.21"],
    breaks: "a stopped session is attached to",
    changes: [
      { file: bootstrap, find: 'session.state === "stopped" ? "resume" : "attach"', replace: '"attach"' },
    ],
  },
  {
    clauses: ["RUNTIME-4.9", "RUNTIME-4.11", "TUSK-11.22"],
    breaks: "an active session is resumed",
    changes: [
      { file: bootstrap, find: 'session.state === "stopped" ? "resume" : "attach"', replace: '"resume"' },
    ],
  },
  {
    clauses: ["TUSK-4.1"],
    breaks: "a fresh process is not told what to do next",
    changes: [{ file: bootstrap, find: "session.nextStep ?? null", replace: "null" }],
  },
  {
    clauses: ["TUSK-11.1"],
    breaks: "the summary that a stop left does not reach the next boot",
    changes: [{ file: bootstrap, find: "session.summary ?? null", replace: "null" }],
  },
  {
    clauses: ["TUSK-11.23"],
    breaks: "features are counted although there is no ledger",
    changes: [
      { file: bootstrap, find: "features?.featureCount ?? null", replace: "features?.featureCount ?? 0" },
    ],
  },
];

const features: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-5.1"],
    breaks: "rows stand in the order in which they were written",
    changes: [
      {
        file: featureWriteRules,
        find: "  features.sort((left, right) => compareCodePoints(left.featureId, right.featureId));\n",
        replace: "",
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.2"],
    breaks: "two rows of one feature are accepted",
    changes: [{ file: featureCheckRules, find: "if (repeated)\n", replace: "if (!repeated && repeated)\n" }],
  },
  {
    clauses: ["RUNTIME-5.2"],
    breaks: "a write adds a second row of a feature",
    changes: [
      {
        file: featureWriteRules,
        find: "if (place === -1) features.push(row);",
        replace: "if (place !== -2) features.push(row);",
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.3"],
    breaks: "a fifth status is accepted",
    changes: [
      {
        file: types,
        find: 'featureStatuses = ["pending", "in_progress", "blocked", "completed"] as const',
        replace:
          'featureStatuses = ["pending", "in_progress", "blocked", "completed", "started", "done"] as const',
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.4"],
    breaks: "a second feature is started",
    changes: [
      {
        file: featureWriteRules,
        find: "if (inTheWay.length > 0 && reason === undefined) return",
        replace: "if (inTheWay.length > 1 && reason === undefined) return",
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.4"],
    breaks: "two features in progress are accepted",
    changes: [
      {
        file: featureCheckRules,
        find: "if (inProgress.length > 1) {",
        replace: "if (inProgress.length > 2) {",
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.5"],
    breaks: "a feature is completed without a verification ref",
    changes: [
      {
        file: featureCheckRules,
        find: 'if (status === "completed" && !verificationRefs',
        replace: 'if (status === "verified" && !verificationRefs',
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.6"],
    breaks: "what is in progress is not next",
    changes: [{ file: featureCheckRules, find: 'smallest(features, "in_progress") ?? ', replace: "" }],
  },
  {
    clauses: ["RUNTIME-5.1", "RUNTIME-5.6", "RUNTIME-5.7"],
    breaks: "the first row is next and not the smallest id",
    changes: [{ file: featureCheckRules, find: "ids.sort(compareCodePoints)[0]", replace: "ids[0]" }],
  },
  {
    clauses: ["RUNTIME-5.7"],
    breaks: "what is pending is not next",
    changes: [{ file: featureCheckRules, find: 'smallest(features, "pending") ?? ', replace: "" }],
  },
  {
    clauses: ["RUNTIME-5.8"],
    breaks: "what is blocked is next",
    changes: [
      {
        file: featureCheckRules,
        find: 'smallest(features, "pending") ?? null',
        replace:
          'smallest(features, "pending") ?? smallest(features, "blocked") ?? smallest(features, "completed") ?? null',
      },
    ],
  },
  {
    clauses: ["RUNTIME-5.9", "TUSK-11.24", "TUSK-7.4"],
    breaks: "bootstrap does not say which feature is next",
    changes: [{ file: bootstrap, find: "features?.nextFeatureId ?? null", replace: "null" }],
  },
  {
    clauses: ["RUNTIME-5.9", "TUSK-11.24"],
    breaks: "bootstrap does not say whether every feature is completed",
    changes: [{ file: bootstrap, find: "features?.closureComplete ?? null", replace: "null" }],
  },
  {
    clauses: ["RUNTIME-5.9", "TUSK-11.24"],
    breaks: "bootstrap does not count the features",
    changes: [{ file: bootstrap, find: "features?.featureCount ?? null", replace: "null" }],
  },
];

const kpis: readonly Breakage[] = [
  {
    clauses: ["TUSK-13.1"],
    breaks: "the report is of another kind",
    changes: [
      {
        file: types,
        find: '"premath.multithread.throughput.v1"',
        replace: '"premath.multithread.throughput.v2"',
      },
    ],
  },
  {
    clauses: ["TUSK-13.2"],
    breaks: "the pass rate is left out of the KPI",
    changes: [
      {
        file: kpi,
        find: "kpi: sixDigits(throughputPerWorkerPerDay * gatePassRate)",
        replace: "kpi: sixDigits(throughputPerWorkerPerDay)",
      },
    ],
  },
  {
    clauses: ["TUSK-13.3"],
    breaks: "throughput is not shared among the workers",
    changes: [
      {
        file: kpi,
        find: "completedRowsPerDay / Math.max(activeWorkers, 1)",
        replace: "completedRowsPerDay / Math.max(Math.min(activeWorkers, 1), 1)",
      },
    ],
  },
  {
    clauses: ["TUSK-13.4"],
    breaks: "rows of the window count as rows of a day",
    changes: [
      {
        file: kpi,
        find: "completedRows * (24 / windowHours)",
        replace: "completedRows * (windowHours / windowHours)",
      },
    ],
  },
  {
    clauses: ["TUSK-13.5"],
    breaks: "the pass rate is that of failed rows",
    changes: [
      {
        file: kpi,
        find: "windowRows === 0 ? 0 : completedRows / windowRows",
        replace: "windowRows === 0 ? 0 : 1 - completedRows / windowRows",
      },
    ],
  },
  {
    clauses: ["TUSK-13.6", "TUSK-13.10"],
    breaks: "rows before the window count",
    changes: [
      {
        file: kpi,
        find: "if (compareInstants(finished, windowStart) >= 0 && compareInstants(finished, windowEnd) <= 0) {",
        replace: "if (compareInstants(finished, windowEnd) <= 0) {",
      },
    ],
  },
  {
    clauses: ["TUSK-13.6"],
    breaks: "the trajectory is looked for elsewhere",
    changes: [{ file: place, find: ".premath/harness_trajectory.jsonl", replace: ".premath/steps.jsonl" }],
  },
  {
    clauses: ["TUSK-13.7"],
    breaks: "the window is 25 hours long",
    changes: [{ file: kpi, find: "windowHours: 24,", replace: "windowHours: 25," }],
  },
  {
    clauses: ["TUSK-13.7"],
    breaks: "the window ends whenever one asks",
    changes: [
      {
        file: kpi,
        find: "options.now ?? (await newestWork(rows)) ?? ",
        replace:
          "options.now ?? { seconds: Math.floor(performance.timeOrigin / 1000), fraction: String(process.pid) } ?? ",
      },
    ],
  },
  {
    clauses: ["TUSK-13.8"],
    breaks: "rows of one instant are in ascending order",
    changes: [
      {
        file: kpi,
        find: "compareCodePoints(right.shown.stepId, left.shown.stepId)",
        replace: "compareCodePoints(left.shown.stepId, right.shown.stepId)",
      },
    ],
  },
  {
    clauses: ["TUSK-13.8"],
    breaks: "the oldest rows come first",
    changes: [
      {
        file: kpi,
        find: "compareInstants(right.at, left.at) ||",
        replace: "compareInstants(left.at, right.at) ||",
      },
    ],
  },
  {
    clauses: ["TUSK-13.9"],
    breaks: "what failed counts as a success",
    changes: [
      {
        file: kpi,
        find: "issueId !== undefined && !meanings.of(",
        replace: "issueId !== undefined && meanings.of(",
      },
    ],
  },
  {
    clauses: ["TUSK-13.10"],
    breaks: "workers without an issue count",
    changes: [
      {
        file: kpi,
        find: "issueId === undefined ? undefined : workerOf(",
        replace: 'issueId === "" ? undefined : workerOf(',
      },
    ],
  },
  {
    clauses: ["TUSK-13.11", "TUSK-13.17"],
    breaks: "nothing passes",
    changes: [{ file: kpi, find: "if (kpi < targetKpi) return", replace: "if (kpi < Infinity) return" }],
  },
  {
    clauses: ["TUSK-13.11", "TUSK-13.20"],
    breaks: "a decision is made on too few rows",
    changes: [
      {
        file: kpi,
        find: "if (counts.windowRows < minSampleRows) {",
        replace: "if (counts.windowRows < 0) {",
      },
    ],
  },
  {
    clauses: ["TUSK-13.17"],
    breaks: "the target itself is no pass",
    changes: [{ file: kpi, find: "if (kpi < targetKpi) return", replace: "if (kpi <= targetKpi) return" }],
  },
  {
    clauses: ["TUSK-13.18"],
    breaks: "the rollback KPI itself is a rollback",
    changes: [
      { file: kpi, find: "if (kpi < rollbackKpi) return", replace: "if (kpi <= rollbackKpi) return" },
    ],
  },
  {
    clauses: ["TUSK-13.18"],
    breaks: "nothing is watched",
    changes: [{ file: kpi, find: "if (kpi < targetKpi) return", replace: "if (kpi < 0) return" }],
  },
  {
    clauses: ["TUSK-13.19"],
    breaks: "nothing is rolled back",
    changes: [{ file: kpi, find: "if (kpi < rollbackKpi) return", replace: "if (kpi < 0) return" }],
  },
  {
    clauses: ["TUSK-13.12"],
    breaks: "the report is not offered at the command line",
    changes: [{ file: kpiReport, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-13.13"],
    breaks: "there is no task harness-kpi-report",
    changes: [{ file: mise, find: 'harness-kpi-report = "npm run harness-kpi-report"\n', replace: "" }],
  },
  {
    clauses: ["TUSK-13.14"],
    breaks: "the target is another",
    changes: [{ file: kpi, find: "targetKpi: 0.8", replace: "targetKpi: 0.9" }],
  },
  {
    clauses: ["TUSK-13.15"],
    breaks: "the rollback KPI is another",
    changes: [{ file: kpi, find: "rollbackKpi: 0.4", replace: "rollbackKpi: 0.3" }],
  },
  {
    clauses: ["TUSK-13.16"],
    breaks: "the minimum of rows is another",
    changes: [{ file: kpi, find: "minSampleRows: 3", replace: "minSampleRows: 2" }],
  },
  {
    clauses: ["TUSK-13.21"],
    breaks: "a remediation does not end the pause",
    changes: [
      {
        file: kpi,
        find: "expansionPaused: newest === undefined",
        replace: "expansionPaused: newest?.at !== null",
      },
    ],
  },
  {
    clauses: ["TUSK-13.21"],
    breaks: "a remediation counts although it is older than the rollback",
    changes: [
      {
        file: kpi,
        find: ".filter(({ at }) => compareInstants(at, since) >= 0)",
        replace: ".filter(({ at }) => compareInstants(at, since) >= -1)",
      },
    ],
  },
  {
    clauses: ["TUSK-13.21"],
    breaks: "a remediation is recorded under another action",
    changes: [
      {
        file: kpiRemediate,
        find: "      action: remediationAction,\n      resultClass",
        replace: '      action: "harness.kpi.note",\n      resultClass',
      },
    ],
  },
  {
    clauses: ["TUSK-13.22", "TUSK-13.23"],
    breaks: "the report counts as a mutation",
    changes: [
      { file: kpiReport, find: 'effect: "read",', replace: 'effect: "mutate", needs: "instruction",' },
    ],
  },
];

const steps: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-6.1", "TUSK-12.1"],
    breaks: "a step that is recorded again replaces its earlier row",
    changes: [
      {
        file: fileSteps,
        find: "const { added, byte } = await log.append(",
        replace: `await log.rewrite(async function* (rows) {
        for await (const row of rows)
          if (row.kind !== "row" || row.row["stepId"] !== step.stepId) yield row.text;
      });
      const { added, byte } = await log.append(`,
      },
    ],
  },
  {
    clauses: ["TUSK-6.1", "TUSK-12.2"],
    breaks: "an append writes its row twice",
    changes: [
      {
        file: fileSteps,
        find: "const { added, byte } = await log.append(",
        replace: `await log.append(step as unknown as JsonObject);
      const { added, byte } = await log.append(`,
      },
    ],
  },
  {
    clauses: ["TUSK-6.3", "TUSK-12.4"],
    breaks: "a row keeps what a caller hands over beside the refs",
    changes: [
      {
        file: step,
        find: "    schema: 1,\n    stepKind,\n",
        replace: "    ...(input as object),\n    schema: 1,\n    stepKind,\n",
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.2", "TUSK-12.9"],
    breaks: "a row without an action is a step",
    changes: [
      {
        file: step,
        find: 'if (typeof action !== "string" || action.trim() === "")',
        replace: "if (action === null)",
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.2", "TUSK-12.8"],
    breaks: "a row with any schema number is a step",
    changes: [
      { file: step, find: 'if (row["schema"] !== 1)', replace: 'if (typeof row["schema"] !== "number")' },
    ],
  },
  {
    clauses: ["RUNTIME-6.3", "TUSK-12.10"],
    breaks: "a new row may end at no time of the calendar",
    changes: [{ file: step, find: 'badTimestamp("finishedAt", step.finishedAt) ?? ', replace: "" }],
  },
  {
    clauses: ["RUNTIME-6.3"],
    breaks: "a row that ended at no time of the calendar is a step",
    changes: [
      {
        file: step,
        find: "!this.finished.read(finishedAt.trim())",
        replace: "(this.finished.read(finishedAt.trim()), false)",
      },
    ],
  },
  {
    clauses: ["TUSK-12.12"],
    breaks: "a new row may begin at no time of the calendar",
    changes: [{ file: step, find: 'badTimestamp("startedAt", step.startedAt) ?? ', replace: "" }],
  },
  {
    clauses: ["RUNTIME-6.4"],
    breaks: "a row does not say when it began",
    changes: [{ file: step, find: "...(startedAt === undefined ? {} : { startedAt }),", replace: "" }],
  },
  {
    clauses: ["TUSK-12.11"],
    breaks: "a row does not name its issue",
    changes: [{ file: step, find: "...(issueId === undefined ? {} : { issueId }),", replace: "" }],
  },
  {
    clauses: ["TUSK-12.16"],
    breaks: "an empty issue is written",
    changes: [{ file: step, find: "optionalText(input.issueId)", replace: "input.issueId" }],
  },
  {
    clauses: ["TUSK-12.17"],
    breaks: "a malformed time is written as it is",
    changes: [
      { file: step, find: "parseInstant(text) !== undefined) return", replace: 'text !== "") return' },
    ],
  },
];

const projections: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-6.8", "TUSK-12.18"],
    breaks: "a projection is of another kind",
    changes: [
      {
        file: types,
        find: '"premath.harness.trajectory.projection.v1"',
        replace: '"premath.harness.trajectory.projection.v2"',
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.8", "TUSK-7.11", "TUSK-12.19"],
    breaks: "retry-needed answers all that failed",
    changes: [
      {
        file: trajectory,
        find: 'mode === "failed" ? failed : retryNeeded',
        replace: 'mode === "failed" ? failed : failed || retryNeeded',
      },
    ],
  },
  {
    clauses: ["TUSK-7.11", "TUSK-12.19"],
    breaks: "failed answers what succeeded too",
    changes: [
      {
        file: trajectory,
        find: 'mode === "failed" ? failed : retryNeeded',
        replace: 'mode === "failed" ? true : retryNeeded',
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.9", "TUSK-12.20"],
    breaks: "times are compared to the second only",
    changes: [
      {
        file: order,
        find: "compareInstants(right.finished, left.finished)",
        replace: "right.finished.seconds - left.finished.seconds",
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.9"],
    breaks: "the oldest come first",
    changes: [
      {
        file: order,
        find: "compareInstants(right.finished, left.finished)",
        replace: "compareInstants(left.finished, right.finished)",
      },
    ],
  },
  {
    clauses: ["RUNTIME-6.10", "TUSK-12.20"],
    breaks: "rows of one time are not sorted by step id",
    changes: [{ file: order, find: "compareCodePoints(left.stepId, right.stepId) ||", replace: "" }],
  },
  {
    clauses: ["RUNTIME-6.11", "TUSK-12.20"],
    breaks: "rows of one step are not sorted by action",
    changes: [{ file: order, find: "compareCodePoints(left.action, right.action) ||", replace: "" }],
  },
  {
    clauses: ["RUNTIME-6.8", "TUSK-12.5"],
    breaks: "rows that are equal in all else come in another order every time",
    changes: [
      {
        file: order,
        find: "export function compareRanks(",
        replace: "let tie = 1;\nexport function compareRanks(",
      },
      { file: order, find: "left.byte - right.byte", replace: "(tie = -tie)" },
    ],
  },
  {
    clauses: ["TUSK-12.21"],
    breaks: "the total counts only the rows that are answered",
    changes: [
      {
        file: trajectory,
        find: "totalCount: this.sum(({ steps }) => steps),",
        replace: "totalCount: items.length,",
      },
    ],
  },
];

const effects: readonly Breakage[] = [
  {
    clauses: ["TUSK-7.1"],
    breaks: "the session is not offered to be read over MCP",
    changes: [{ file: sessionRead, find: everySurface, replace: notOverMcp }],
  },
  {
    clauses: ["TUSK-7.5"],
    breaks: "a server is open to mutations unless told otherwise",
    changes: [
      {
        file: mcpServe,
        find: 'mutationPolicy: policy = "instruction-linked"',
        replace: 'mutationPolicy: policy = "open"',
      },
    ],
  },
  {
    clauses: ["TUSK-14.0.5"],
    breaks: "a mutation over MCP is not asked for its evidence",
    changes: [
      {
        file: gates,
        find: 'if (operation.effect !== "mutate") return undefined;',
        replace: 'if (operation.effect !== "mutate" || authority.surface === "mcp") return undefined;',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.18"],
    breaks: "appending to the trajectory counts as reading",
    changes: [
      {
        file: trajectoryAppend,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.18"],
    breaks: "writing a feature counts as reading",
    changes: [
      {
        file: featureWrite,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.18"],
    breaks: "writing the session counts as reading",
    changes: [
      {
        file: sessionWrite,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.1"],
    breaks: "the envelope names another schema",
    changes: [{ file: envelope, find: '"premath.host_effect.v0"', replace: '"premath.host_effect.v1"' }],
  },
  {
    clauses: ["TUSK-14.1.2"],
    breaks: "the envelope names the tool in place of the action",
    changes: [
      { file: envelope, find: "action: operation.names.action,", replace: "action: operation.names.tool," },
    ],
  },
  {
    clauses: ["TUSK-14.1.3"],
    breaks: "the digest is over the arguments as they were given",
    changes: [
      {
        file: pipeline,
        find: "return canonicalJson(input as JsonValue);",
        replace: "return JSON.stringify(input);",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.4"],
    breaks: "every failure has the same class",
    changes: [
      {
        file: envelope,
        find: 'resultClass: outcome.failureClasses[0] ?? "accepted",',
        replace: 'resultClass: outcome.failureClasses.length === 0 ? "accepted" : "failed",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.5"],
    breaks: "an answer may have any shape",
    changes: [
      {
        file: pipeline,
        find: "return (await checkOutput(operation, answer)) ?? (answer as JsonValue);",
        replace: "return answer as JsonValue;",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.6"],
    breaks: "refs that the effect consumed are left out",
    changes: [
      { file: envelope, find: "normalizeRefs([...given, ...single,", replace: "normalizeRefs([...single," },
    ],
  },
  {
    clauses: ["TUSK-14.1.6"],
    breaks: "refs are listed as they came",
    changes: [
      {
        file: envelope,
        find: 'return normalizeRefs([...given, ...single, ...stringsIn(payload["witnessRefs"])]);',
        replace: 'return [...given, ...single, ...stringsIn(payload["witnessRefs"])];',
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.7"],
    breaks: "the envelope of a mutation does not carry the policy",
    changes: [
      {
        file: envelope,
        find: "{ policyDigest: admission.policyDigest, instructionRef",
        replace: "{ instructionRef",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.7"],
    breaks: "a mutation runs without a policy",
    changes: [
      {
        file: gates,
        find: "!isBlank(checked.policyDigest) && ",
        replace: "",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.8"],
    breaks: "the envelope of a mutation does not carry the instruction",
    changes: [
      {
        file: envelope,
        find: "policyDigest: admission.policyDigest, instructionRef: admission.instructionRef",
        replace: "policyDigest: admission.policyDigest",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.8"],
    breaks: "a mutation runs without an instruction",
    changes: [
      {
        file: gates,
        find: " && !isBlank(checked.instructionRef)",
        replace: "",
      },
    ],
  },
  {
    clauses: ["TUSK-14.1.9"],
    breaks: "a tool answers with its payload and no envelope",
    changes: [
      { file: mcpResults, find: "= { ...envelope };", replace: "= { ...(envelope.payload as object) };" },
    ],
  },
];

const issues: readonly Breakage[] = [
  {
    clauses: ["TUSK-14.2.1"],
    breaks: "listing issues counts as a mutation",
    changes: [
      { file: issueList, find: 'effect: "read",', replace: 'effect: "mutate", needs: "instruction",' },
    ],
  },
  {
    clauses: ["TUSK-14.2.1"],
    breaks: "diagnostics count as a mutation",
    changes: [
      { file: depDiagnostics, find: 'effect: "read",', replace: 'effect: "mutate", needs: "instruction",' },
    ],
  },
  {
    clauses: ["TUSK-14.2.1"],
    breaks: "a read over MCP may name a file to write",
    changes: [{ file: issueExport, find: '          "x-cli-only": true,\n', replace: "" }],
  },
  {
    clauses: ["TUSK-14.2.1"],
    breaks: "the envelope of a read carries the authority of its caller",
    changes: [
      {
        file: gates,
        find: 'if (operation.effect !== "mutate") return undefined;',
        replace: 'if (operation.effect !== "mutate") return checked;',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.2"],
    breaks: "issue.list is not offered at the command line",
    changes: [{ file: issueList, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.2"],
    breaks: "list does not mind the status",
    changes: [
      {
        file: issueFilters,
        find: "if (status !== undefined && node.status !== status) return false;\n  ",
        replace: "",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.3"],
    breaks: "issue.ready is not offered at the command line",
    changes: [{ file: issueReady, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.3"],
    breaks: "what is ready comes in the order of the file",
    changes: [{ file: graph, find: "ready: byUrgency(ready), blocked", replace: "ready, blocked" }],
  },
  {
    clauses: ["TUSK-14.2.3"],
    breaks: "what waits for something is ready",
    changes: [{ file: graph, find: "!node.withheld && !waits;", replace: "!node.withheld;" }],
  },
  {
    clauses: ["TUSK-14.2.4"],
    breaks: "issue.blocked is not offered at the command line",
    changes: [{ file: issueBlocked, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.4"],
    breaks: "what waits for a missing issue does not say for which",
    changes: [
      {
        file: blocked,
        find: "!keepsWaiting(edge.type) || blocker?.settled === true",
        replace: "!keepsWaiting(edge.type) || blocker?.settled !== false",
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.5"],
    breaks: "issue.check is not offered at the command line",
    changes: [{ file: issueCheck, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.5"],
    breaks: "whatever is wrong is accepted",
    changes: [
      {
        file: issueCheck,
        find: '("accepted" as const) : ("rejected" as const)',
        replace: '("accepted" as const) : ("accepted" as const)',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.6"],
    breaks: "dep.diagnostics is not offered at the command line",
    changes: [{ file: depDiagnostics, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.6"],
    breaks: "diagnostics do not mind their scope",
    changes: [
      { file: depDiagnostics, find: "waitsIn(graph, graphScope)", replace: 'waitsIn(graph, "active")' },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "claiming counts as reading",
    changes: [
      {
        file: issueClaim,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "updating an issue counts as reading",
    changes: [
      {
        file: issueUpdate,
        find: `effect: "mutate",
  needs: "evidence",
  needsWhen: [{ input: "status", is: "closed", needs: "verified-change" }],`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "discovering counts as reading",
    changes: [
      {
        file: issueDiscover,
        find: `effect: "mutate",
  needs: "evidence",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "renewing a lease counts as reading",
    changes: [
      {
        file: issueLeaseRenew,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "releasing a lease counts as reading",
    changes: [
      {
        file: issueLeaseRelease,
        find: `effect: "mutate",
  needs: "instruction",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "adding a dependency counts as reading",
    changes: [
      {
        file: depAdd,
        find: `effect: "mutate",
  needs: "evidence",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "removing a dependency counts as reading",
    changes: [
      {
        file: depRemove,
        find: `effect: "mutate",
  needs: "evidence",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "replacing a dependency counts as reading",
    changes: [
      {
        file: depReplace,
        find: `effect: "mutate",
  needs: "evidence",`,
        replace: 'effect: "read",',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.19"],
    breaks: "a mutation over MCP is not asked for its evidence",
    changes: [
      {
        file: gates,
        find: 'if (operation.effect !== "mutate") return undefined;',
        replace: 'if (operation.effect !== "mutate" || authority.surface === "mcp") return undefined;',
      },
    ],
  },
  {
    clauses: ["TUSK-14.2.20"],
    breaks: "issue.claim is not offered at the command line",
    changes: [{ file: issueClaim, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.20"],
    breaks: "a claim answers as another action",
    changes: [
      { file: issueClaim, find: 'Type.Literal("issue.claim")', replace: 'Type.Literal("issue-claim")' },
      { file: issueClaim, find: 'action: "issue.claim" as const', replace: 'action: "issue-claim" as const' },
    ],
  },
  {
    clauses: ["TUSK-14.2.21"],
    breaks: "issue.update is not offered at the command line",
    changes: [{ file: issueUpdate, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.22"],
    breaks: "issue.discover is not offered at the command line",
    changes: [{ file: issueDiscover, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.23"],
    breaks: "issue.lease_renew is not offered at the command line",
    changes: [{ file: issueLeaseRenew, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.24"],
    breaks: "issue.lease_release is not offered at the command line",
    changes: [{ file: issueLeaseRelease, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.25"],
    breaks: "dep.add is not offered at the command line",
    changes: [{ file: depAdd, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.25"],
    breaks: "a dependency is related unless told otherwise",
    changes: [{ file: depAdd, find: 'input.depType ?? "blocks"', replace: 'input.depType ?? "related"' }],
  },
  {
    clauses: ["TUSK-14.2.26"],
    breaks: "dep.remove is not offered at the command line",
    changes: [{ file: depRemove, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.27"],
    breaks: "dep.replace is not offered at the command line",
    changes: [{ file: depReplace, find: everySurface, replace: notAtTheCommandLine }],
  },
  {
    clauses: ["TUSK-14.2.27"],
    breaks: "a dependency keeps its type",
    changes: [
      {
        file: depReplace,
        find: "replaceDependency({ ...input, fromType, toType })",
        replace: "replaceDependency({ ...input, fromType, toType: fromType })",
      },
    ],
  },
  {
    clauses: ["RUNTIME-8.6"],
    breaks: "claiming has another operation id",
    changes: [{ file: issueClaim, find: '"op/mcp.issue_claim"', replace: '"op/issue.claim"' }],
  },
  {
    clauses: ["RUNTIME-1.1.4", "RUNTIME-8.7"],
    breaks: "renewing a lease has another operation id",
    changes: [{ file: issueLeaseRenew, find: '"op/mcp.issue_lease_renew"', replace: '"op/lease.renew"' }],
  },
  {
    clauses: ["RUNTIME-1.1.4", "RUNTIME-8.8"],
    breaks: "releasing a lease has another operation id",
    changes: [
      { file: issueLeaseRelease, find: '"op/mcp.issue_lease_release"', replace: '"op/lease.release"' },
    ],
  },
  {
    clauses: ["RUNTIME-1.1.4", "RUNTIME-8.9"],
    breaks: "the projection of leases has another operation id",
    changes: [{ file: issueLeases, find: '"op/mcp.issue_lease_projection"', replace: '"op/issue.leases"' }],
  },
  {
    clauses: ["RUNTIME-8.10"],
    breaks: "diagnostics have another operation id",
    changes: [{ file: depDiagnostics, find: '"op/mcp.dep_diagnostics"', replace: '"op/dep.diagnostics"' }],
  },
  {
    clauses: ["RUNTIME-7.5"],
    breaks: "a lease is called after the process that made it",
    changes: [{ file: lease, find: "_${token(assignee)}`", replace: "_${process.pid}`" }],
  },
  {
    clauses: ["RUNTIME-7.5"],
    breaks: "what is held can be claimed by another",
    changes: [
      {
        file: lease,
        find: 'if (state === "active" && issue.lease !== undefined && issue.lease.owner !== assignee) {',
        replace: 'if (state === "active" && issue.lease === undefined) {',
      },
    ],
  },
  {
    clauses: ["RUNTIME-7.5"],
    breaks: "the fence does not grow with a claim",
    changes: [
      {
        file: lease,
        find: "const fence = issue.fence + 1;",
        replace: "const fence = Math.max(issue.fence, 1);",
      },
    ],
  },
  {
    clauses: ["RUNTIME-7.5"],
    breaks: "a claim that is repeated is another claim",
    changes: [
      {
        file: claim,
        find: "requestId === undefined ? undefined : graph.claimedBy(requestId)",
        replace: "undefined",
      },
    ],
  },
  {
    clauses: ["RUNTIME-7.12"],
    breaks: "a session that names the issue overrules its holder",
    changes: [
      {
        file: issueClose,
        find: "closeIssue(input.id, asActor(input, call))",
        replace:
          'closeIssue(input.id, JSON.stringify(await (await import("./text-file.js")).readTextFile(".premath/harness_session.json", call)).includes(input.id) ? { ...input, force: "the session says so" } : asActor(input, call))',
      },
    ],
  },
  {
    clauses: ["RUNTIME-7.12"],
    breaks: "whoever works by a ledger that names the issue counts as its holder",
    changes: [
      {
        file: issueUpdate,
        find: "updateIssue(input.id, update, asActor(input, call))",
        replace:
          'JSON.stringify(await readTextFile(".premath/harness_feature_ledger.json", call)).includes(input.id) ? (graph, nowMs) => updateIssue(input.id, update, { fence: graph.get(input.id).row.fence })(graph, nowMs) : updateIssue(input.id, update, asActor(input, call))',
      },
    ],
  },
  {
    clauses: ["RUNTIME-7.12"],
    breaks: "nobody can change the issue when there is no session",
    changes: [
      {
        file: issueClose,
        find: "closeIssue(input.id, asActor(input, call))",
        replace:
          "closeIssue(input.id, (await call.ports.files.stat(`${call.cwd}/.premath/harness_session.json`)) === undefined ? { ...input, fence: -1 } : asActor(input, call))",
      },
    ],
  },
  {
    clauses: ["RUNTIME-9.2"],
    breaks: "CI does not check our issues",
    changes: [
      {
        file: checkMap,
        find: "node scripts/run.mjs issue-graph-check",
        replace: "node scripts/run.mjs clauses",
      },
    ],
  },
  {
    clauses: ["RUNTIME-9.2"],
    breaks: "the task lists our issues and checks nothing",
    changes: [
      {
        file: tasks,
        find: '["bin/premath", "issue", "check", "--compactness", ...args]',
        replace: '["bin/premath", "issue", "list", ...args]',
      },
    ],
  },
  {
    clauses: ["RUNTIME-9.2"],
    breaks: "whatever is wrong is accepted",
    changes: [
      {
        file: issueCheck,
        find: '("accepted" as const) : ("rejected" as const)',
        replace: '("accepted" as const) : ("accepted" as const)',
      },
    ],
  },
];

export const clauseMutants: readonly ClauseMutant[] = [
  ...documents,
  ...places,
  ...routes,
  ...sessions,
  ...bootstraps,
  ...features,
  ...kpis,
  ...steps,
  ...projections,
  ...effects,
  ...issues,
  ...evidenceMutants,
  ...searchMutants,
  ...searchRunMutants,
  ...trajectoryMutants,
  ...queryMutants,
  ...agentMutants,
  ...requiredMutants,
  ...gateMutants,
  ...runnerMutants,
].flatMap(({ clauses: ids, breaks, changes }) => ids.map((clause) => ({ clause, breaks, changes })));
