/** The mutants of the typestate, of retry and escalation, of the observation and of routing. */
import type { Breakage } from "./clause-mutants.js";

const join = "packages/work/src/gate/join.ts";
const turn = "packages/work/src/gate/turn.ts";
const normalize = "packages/work/src/gate/normalize.ts";
const ready = "packages/work/src/gate/mutation-ready.ts";
const joinOperation = "packages/work/src/operations/join-check.ts";
const sealed = "packages/work/src/sealed-policy.ts";
const decision = "packages/work/src/evidence/retry-decision.ts";
const attempts = "packages/work/src/evidence/attempts.ts";
const escalation = "packages/work/src/evidence/escalation.ts";
const context = "packages/work/src/evidence/issue-context.ts";
const doctrine = "packages/work/src/evidence/doctrine.ts";
const clusters = "packages/work/src/projection/failure-clusters.ts";
const cluster = "packages/work/src/operations/trajectory-cluster.ts";
const observe = "packages/work/src/operations/observe.ts";
const coherence = "packages/work/src/operations/coherence-check.ts";
const resources = "packages/surface/src/mcp/resources.ts";
const send = "packages/work/src/operations/transport-send.ts";
const world = "packages/work/src/transport/world.ts";
const packet = "packages/work/src/transport/packet.ts";
const tasks = "scripts/tasks.mjs";
const slices = "docs/slices.md";
const one = (file: string, find: string, replace: string) => [{ file, find, replace }];

export const evidenceMutants: readonly Breakage[] = [
  {
    clauses: ["RUNTIME-1.1.8"],
    breaks: "the policies of the call are no part of its digest",
    changes: one(turn, "callSpecDigest: of(evidence.callSpec)", "callSpecDigest: of({})"),
  },
  {
    clauses: ["RUNTIME-1.1.9"],
    breaks: "a request without a result goes unnoticed",
    changes: one(join, 'if (join.missingResultCallIds.length > 0) yield "tool.result_missing";', ""),
  },
  {
    clauses: ["RUNTIME-1.1.10"],
    breaks: "a package that is another one than pinned is let through",
    changes: one(join, 'else if (expected !== bound) yield "governance.policy_package_mismatch";', ""),
  },
  {
    clauses: ["RUNTIME-1.1.11"],
    breaks: "a rejection is a failure of the command",
    changes: one(joinOperation, "  rejectionIsAnswer: true,\n", ""),
  },
  {
    clauses: ["RUNTIME-1.1.12"],
    breaks: "conformance runs other tests than the vectors",
    changes: one(tasks, '"test/conformance/vectors"', '"test/golden"'),
  },
  {
    clauses: ["RUNTIME-1.1.13", "RUNTIME-1.1.16"],
    breaks: "an edited policy counts",
    changes: one(
      sealed,
      'if (policy["policyDigest"] === expected)',
      'if (policy["policyDigest"] !== undefined)',
    ),
  },
  {
    clauses: ["RUNTIME-1.1.14", "RUNTIME-1.1.17", "TUSK-5.4"],
    breaks: "a failed issue does not wait for the one that tells of it",
    changes: one(escalation, 'type: "waits-for", created_by', 'type: "related", created_by'),
  },
  {
    clauses: ["TUSK-5.4"],
    breaks: "an issue that was stopped is offered again at once",
    changes: one("packages/work/src/memory/graph.ts", "&& !node.withheld && !waits", "&& !waits"),
  },
  {
    clauses: ["RUNTIME-1.1.15", "TUSK-9.2"],
    breaks: "the session comes before the environment",
    changes: one(
      context,
      "fromEnvironment(options.env) ?? (await fromSession(options))",
      "(await fromSession(options)) ?? fromEnvironment(options.env)",
    ),
  },
  {
    clauses: ["RUNTIME-1.1.18"],
    breaks: "ci-pipeline-test leaves out retry and escalation",
    changes: one(tasks, '"packages/work/src/evidence", ', ""),
  },
  {
    clauses: ["RUNTIME-1.0.1"],
    breaks: "another page states clauses of the runtime",
    changes: one(
      "docs/contracts/typestate.md",
      "## Beyond the original\n",
      "- [RUNTIME-10.1] planned — More.\n",
    ),
  },
  {
    clauses: ["RUNTIME-1.1.19"],
    breaks: "the page stands for itself",
    changes: one(
      "docs/contracts/retry-escalation.md",
      "RUNTIME §1.1, [RUNTIME-1.1.1] to [RUNTIME-1.1.20]",
      "this page",
    ),
  },
  {
    clauses: ["RUNTIME-1.1.20"],
    breaks: "the page names a route that the registry lacks",
    changes: one(
      "docs/contracts/retry-escalation.md",
      "`op/harness.retry_policy_check`",
      "`op/harness.retry_policy_admit`",
    ),
  },
  {
    clauses: ["RUNTIME-3.2.2"],
    breaks: "digests follow the order in which results came",
    changes: one(
      normalize,
      "[...known.keys()].sort(compareCodePoints).map((key) => known.get(key) as Row)",
      "[...known.values()]",
    ),
  },
  {
    clauses: ["RUNTIME-3.2.3"],
    breaks: "any word is a disposition",
    changes: one(
      normalize,
      "dispositions.find((known) => known === said)",
      "said as (typeof dispositions)[number]",
    ),
  },
  {
    clauses: ["RUNTIME-3.2.10"],
    breaks: "a turn under another policy may change issues",
    changes: one(ready, 'yield "mutation.policy_unbound";', "yield* [];"),
  },
  {
    clauses: ["RUNTIME-8.1"],
    breaks: "an operation without a route goes unnoticed",
    changes: one(doctrine, "if (!seen.has(id)) yield", "if (seen.has(id)) yield"),
  },
  {
    clauses: ["TUSK-5.1"],
    breaks: "what failed without a word has not failed",
    changes: one(
      attempts,
      "if (ended.ok) return",
      "if (ended.ok || ended.failureClasses.length === 0) return",
    ),
  },
  {
    clauses: ["TUSK-5.2", "TUSK-9.1"],
    breaks: "a failed check passes for something that passes by itself",
    changes: one(decision, 'rule.maxAttempts === 1 ? "semantic" : "operational"', '"transient"'),
  },
  {
    clauses: ["TUSK-5.3"],
    breaks: "there is always one attempt more",
    changes: one(decision, "attempt < maxAttempts", "attempt <= maxAttempts"),
  },
  {
    clauses: ["TUSK-5.5"],
    breaks: "attempts that are used up end well",
    changes: one(
      attempts,
      "if (!decision.retry) return { ok: false, history, escalate: decision };",
      "if (!decision.retry) return { ok: true, value: undefined as Value, history };",
    ),
  },
  {
    clauses: ["TUSK-6.5"],
    breaks: "steps that say why are counted by how they ended",
    changes: one(clusters, "failureClasses.length === 0 ? [resultClass] : failureClasses", "[resultClass]"),
  },
  {
    clauses: ["TUSK-6.6"],
    breaks: "nobody sees whether the issue got on",
    changes: one(clusters, "?? -Infinity) > at)", "?? -Infinity) > Infinity)"),
  },
  {
    clauses: ["TUSK-7.2"],
    breaks: "a witness is found by no name",
    changes: one(resources, "/^[\\w.-]+\\.json$/", "/^x$/"),
  },
  {
    clauses: ["TUSK-8.1"],
    breaks: "classes that the policy lacks are not named",
    changes: one(cluster, "ruleId === null)", "ruleId === undefined)"),
  },
  {
    clauses: ["TUSK-8.1"],
    breaks: "a policy that was edited and not sealed is asked",
    changes: one(
      sealed,
      'if (policy["policyDigest"] === expected)',
      'if (policy["policyDigest"] !== undefined)',
    ),
  },
  {
    clauses: ["TUSK-9.3"],
    breaks: "one command has two slices",
    changes: one(slices, "| `premath observe-build` ", "| `premath observe` "),
  },
  {
    clauses: ["TUSK-14.2.7"],
    breaks: "the latest checks are not shown",
    changes: one(
      observe,
      "const { observedAt, summary, latest } = seen;",
      "const { observedAt, summary } = seen;\n    const latest = {};",
    ),
  },
  {
    clauses: ["TUSK-14.2.8"],
    breaks: "what needs somebody is counted and not listed",
    changes: one(observe, "items: attention,", "items: [],"),
  },
  {
    clauses: ["TUSK-14.2.9"],
    breaks: "any instruction will do",
    changes: one(observe, 'row["instructionId"] === instructionId)', 'row["instructionId"] !== undefined)'),
  },
  {
    clauses: ["TUSK-14.2.10"],
    breaks: "checks of another projection are shown",
    changes: one(
      observe,
      "if (![required, delta, decision].some(matches)) {",
      "if (projectionDigest === undefined) {",
    ),
  },
  {
    clauses: ["TUSK-14.2.12"],
    breaks: "whatever is wrong is accepted",
    changes: one(
      coherence,
      '("accepted" as const) : ("rejected" as const)',
      '("accepted" as const) : ("accepted" as const)',
    ),
  },
  {
    clauses: ["TUSK-7.12"],
    breaks: "issues do not come back from their events",
    changes: one(
      "packages/work/src/memory/event-apply.ts",
      "return { answer: keeps, rows: added };",
      "return { answer: keeps, rows: [] };",
    ),
  },
  {
    clauses: ["RUNTIME-1.2.1"],
    breaks: "worlds that have nothing in common deal with each other",
    changes: one(world, "if (adapter === undefined)", "if (adapter === null)"),
  },
  {
    clauses: ["RUNTIME-1.2.2"],
    breaks: "the packet does not say which state of the issue it is about",
    changes: one(send, "srcCtxRef: `ctx://issue/${id}/", "srcCtxRef: `ctx://issue/${here}/"),
  },
  {
    clauses: ["RUNTIME-1.2.3"],
    breaks: "every packet has an id of chance",
    changes: one(packet, 'digest("ts1_", { ...content })', 'digest("ts1_", { at: performance.now() })'),
  },
  {
    clauses: ["RUNTIME-1.2.4"],
    breaks: "the destination is not asked",
    changes: one(
      send,
      "const classes = before ? [] : envelope.failureClasses;",
      "const classes: string[] = [];",
    ),
  },
  {
    clauses: ["RUNTIME-1.2.5"],
    breaks: "the destination remembers nothing",
    changes: one(send, '{ folder: there, id: answer.deliveredIssueId, action: "squeak.receive" },', ""),
  },
  {
    clauses: ["RUNTIME-1.2.6", "RUNTIME-1.2.7"],
    breaks: "what arrived counts as taken",
    changes: one(
      send,
      "const failureClasses = outcomes.flatMap(",
      "const failureClasses = outcomes.slice(0, 1).flatMap(",
    ),
  },
  {
    clauses: ["RUNTIME-8.11"],
    breaks: "transport is routed elsewhere",
    changes: one(
      "policies/control/doctrine-op-registry-v1.json",
      '"routeFamilyId": "route.transport"',
      '"routeFamilyId": "route.bridle"',
    ),
  },
  {
    clauses: ["RUNTIME-8.12"],
    breaks: "a packet that was changed on its way is taken",
    changes: one(packet, "packet.payloadRef !== payloadRefOf(payload)", "false"),
  },
];
