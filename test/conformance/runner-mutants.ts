/** The mutants of boot, step, stop and the worker, as `clause-mutants.ts` explains them. */
import type { Breakage } from "./clause-mutants.js";

const boot = "packages/runner/src/run/boot.ts";
const loop = "packages/runner/src/run/worker-loop.ts";
const openWorker = "packages/runner/src/run/open-worker.ts";
const night = "packages/runner/src/run/run-night.ts";
const types = "packages/runner/src/types.ts";
const begin = "packages/runner/src/live/begin.ts";
const change = "packages/runner/src/live/change.ts";
const end = "packages/runner/src/live/end.ts";
const names = "packages/runner/src/live/names.ts";
const turn = "packages/runner/src/live/turn.ts";
const checkpoint = "packages/runner/src/live/checkpoint.ts";
const elsewhere = "packages/runner/src/live/elsewhere.ts";
const coordinate = "packages/runner/src/run/coordinate.ts";
const operations = "packages/runner/src/operations/index.ts";
const one = (file: string, find: string, replace: string) => [{ file, find, replace }];

export const runnerMutants: readonly Breakage[] = [
  {
    clauses: ["TUSK-2.1"],
    breaks: "there is no stop",
    changes: one(operations, "  loopStop,\n", ""),
  },
  {
    clauses: ["RUNTIME-2.7"],
    breaks: "there is no worker loop",
    changes: one(operations, "  loopWorker,\n", ""),
  },
  {
    clauses: ["RUNTIME-1.1.7", "RUNTIME-2.8"],
    breaks: "there is no task harness-worker-loop",
    changes: one("mise.toml", 'harness-worker-loop = "npm run harness-worker-loop"\n', ""),
  },
  {
    clauses: ["RUNTIME-2.9"],
    breaks: "there is no task harness-coordinator-loop",
    changes: one("mise.toml", 'harness-coordinator-loop = "npm run harness-coordinator-loop"\n', ""),
  },
  {
    clauses: ["TUSK-3.1.1", "RUNTIME-3.1.1"],
    breaks: "witnesses are looked for elsewhere",
    changes: one(boot, 'witnesses: "artifacts/ciwitness"', 'witnesses: "artifacts/witnesses"'),
  },
  {
    clauses: ["TUSK-3.1.2", "RUNTIME-3.1.2"],
    breaks: "a circle of dependencies is not seen",
    changes: one(boot, 'Array.isArray(integrity["cyclePath"])', 'Array.isArray(integrity["noPath"])'),
  },
  {
    clauses: ["TUSK-2.2", "TUSK-3.1.3", "TUSK-4.2", "RUNTIME-3.1.3"],
    breaks: "the handoff of the last session is not loaded",
    changes: one(boot, "handoff: isRefusal(last) ? null : handoffIn(last),", "handoff: null,"),
  },
  {
    clauses: ["TUSK-3.1.4", "RUNTIME-3.1.4"],
    breaks: "no next issue is named",
    changes: one(boot, "nextIssueId: next?.id ?? null,", "nextIssueId: null,"),
  },
  {
    clauses: ["TUSK-7.3"],
    breaks: "the ledger's next feature is not named",
    changes: one(boot, 'feature["nextFeatureId"]', 'feature["noFeatureId"]'),
  },
  {
    clauses: ["TUSK-3.1.5", "RUNTIME-3.1.5"],
    breaks: "the base is not checked",
    changes: one(
      boot,
      "isRefusal(base) ? base : await checkCommit(base, context);",
      "isRefusal(base) ? base : undefined;",
    ),
  },
  {
    clauses: ["TUSK-2.3", "TUSK-3.2.1", "RUNTIME-3.2.1"],
    breaks: "a worker takes more than it was asked to",
    changes: one(loop, "while (tally.steps < options.stepsMax) {", "while (tally.steps < 99) {"),
  },
  {
    clauses: ["TUSK-3.2.2", "RUNTIME-3.2.12"],
    breaks: "a worker changes issues as if it were a person",
    changes: one(
      openWorker,
      'standing: override ?? { kind: "run", id: lane },',
      'standing: override ?? { kind: "person" },',
    ),
  },
  {
    clauses: ["TUSK-3.2.3", "RUNTIME-3.2.15", "RUNTIME-7.1"],
    breaks: "nothing is verified before the work",
    changes: one(types, '  "base_checks",\n  "work",', '  "work",\n  "base_checks",'),
  },
  {
    clauses: ["TUSK-3.2.4", "RUNTIME-3.2.16"],
    breaks: "the witness of the checks is not told",
    changes: one(end, ", ...witnessRefsOf(step)];", "];"),
  },
  {
    clauses: ["TUSK-6.2", "TUSK-12.3"],
    breaks: "a step that is done leaves no row",
    changes: one(
      end,
      '"harness.trajectory.append",',
      'end === "completed" ? "harness.trajectory.query" : "harness.trajectory.append",',
    ),
  },
  {
    clauses: ["TUSK-7.8", "RUNTIME-7.9", "TUSK-11.13"],
    breaks: "the state of the lease is made up",
    changes: one(
      end,
      "const leaseState = handoffLeaseState(row, await ports.clock.now());",
      'const leaseState = (await ports.clock.now()) > 0 ? ("active" as const) : handoffLeaseState(row, 0);',
    ),
  },
  {
    clauses: ["TUSK-7.9", "TUSK-12.13", "RUNTIME-6.7", "RUNTIME-7.10"],
    breaks: "the lease's handoff is not told",
    changes: one(end, "const witnessRefs = [lease, ", "const witnessRefs = ["),
  },
  {
    clauses: ["TUSK-12.14", "RUNTIME-6.5", "RUNTIME-6.6", "RUNTIME-7.7"],
    breaks: "a step has no refinement",
    changes: one(
      names,
      "return [ctx, cover, `refinement://worker-loop/${segment}/${worker}/${own}`].sort();",
      'return [ctx, cover, own.slice(64)].filter((ref) => ref !== "").sort();',
    ),
  },
  {
    clauses: ["RUNTIME-7.6"],
    breaks: "the ledger does not say that the work has begun",
    changes: one(
      begin,
      'featureId: issueId, status: "in_progress",',
      'featureId: issueId, status: "pending",',
    ),
  },
  {
    clauses: ["TUSK-2.4", "TUSK-3.3.1", "RUNTIME-3.3.1", "RUNTIME-7.11", "RUNTIME-3.2.18"],
    breaks: "a session that is over says that somebody is at work",
    changes: one(end, 'state: "stopped",', 'state: "active",'),
  },
  {
    clauses: ["TUSK-3.3.2", "TUSK-7.10", "RUNTIME-3.3.2"],
    breaks: "an issue that may be tried again is not given back",
    changes: one(end, 'status: "open" },', 'status: "blocked" },'),
  },
  {
    clauses: ["RUNTIME-3.2.17"],
    breaks: "a turn that is not closed is taken for closed",
    changes: one(
      turn,
      "  if (first !== undefined)\n    return failed(first,",
      '  if (first === "")\n    return failed(first,',
    ),
  },
  {
    clauses: ["RUNTIME-7.8"],
    breaks: "the verify command is not run",
    changes: one(change, "if (verify === undefined) return passed;", 'if (verify !== "") return passed;'),
  },
  {
    clauses: ["RUNTIME-7.2"],
    breaks: "worktrees are taken as they come",
    changes: one(night, "[...new Set(worktrees)].sort(compareCodePoints)", "[...new Set(worktrees)]"),
  },
  {
    clauses: ["RUNTIME-3.2.4"],
    breaks: "the view is of nothing",
    changes: one(turn, "viewDigest: of(stateView(seen, id))", "viewDigest: of({})"),
  },
  {
    clauses: ["RUNTIME-3.2.5"],
    breaks: "the queue is reduced to nothing",
    changes: one(turn, "reducedDigest: of({ reminders })", "reducedDigest: of({})"),
  },
  {
    clauses: ["RUNTIME-3.2.9"],
    breaks: "whoever likes divides its work",
    changes: one(turn, "{ admissible: partsMax > 0 }", "{ admissible: true }"),
  },
  {
    clauses: ["RUNTIME-3.2.13"],
    breaks: "work that belongs elsewhere is done here",
    changes: one(
      elsewhere,
      "if (name === undefined) return undefined;",
      "if (name !== undefined) return undefined;",
    ),
  },
  {
    clauses: ["RUNTIME-3.2.14"],
    breaks: "what another place has not closed is taken for verified",
    changes: one(
      elsewhere,
      'issue.status !== "closed") return undefined;',
      'issue.status !== "closed") return "witness://none";',
    ),
  },
  {
    clauses: ["RUNTIME-3.3.3", "TUSK-3.3.3"],
    breaks: "a row recommends nothing",
    changes: one(end, "...{ nextStep, instructionRefs:", "...{ instructionRefs:"),
  },
  {
    clauses: ["RUNTIME-7.3"],
    breaks: "dependencies are looked at among all issues, closed ones too",
    changes: one(
      coordinate,
      'issues.call("dep.diagnostics", { graphScope: "active" });',
      'issues.call("dep.diagnostics", { graphScope: "full" });',
    ),
  },
  {
    clauses: ["RUNTIME-7.4"],
    breaks: "what is ready is asked once",
    changes: one(
      coordinate,
      'const ready = await issues.call("issue.ready", {});',
      'const ready = this.rounds === 0 ? await issues.call("issue.ready", {}) : { count: 1 };',
    ),
  },
  {
    clauses: ["TUSK-4.3"],
    breaks: "a session grows with what it has to say",
    changes: one(checkpoint, "summary: byteCut(summary, summaryBytesMax),", "summary,"),
  },
  {
    clauses: ["TUSK-6.4"],
    breaks: "a row does not say of which claim it is",
    changes: one(end, "stepId: trajectoryIdOf(worker, step.claimed),", "stepId: step.id,"),
  },
  {
    clauses: ["TUSK-2.5"],
    breaks: "rows have a kind of our own beside the contract's",
    changes: one(
      "packages/work/src/projection/step.ts",
      "    schema: 1,\n    stepKind,\n",
      '    schema: 1,\n    stepKind,\n    ...{ harnessKind: "bridle" },\n',
    ),
  },
];
