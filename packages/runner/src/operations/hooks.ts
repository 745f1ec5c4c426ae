/** `premath harness-loop boot|step|stop`: the three hooks of the control loop, each by itself. */
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { boot, Booted } from "../run/boot.js";
import { openWorker, type OpenedWorker } from "../run/open-worker.js";
import { Settled } from "../run/settle-runs.js";
import { stopWorker } from "../run/stop-worker.js";
import { flags, loopByPerson, loopNamed, text } from "./define.js";
import { runInput } from "./loop-input.js";
import { beginWorker, runWorker } from "./loop-worker.js";
import { surroundingsOf } from "./run-of.js";

const workerInput = text("name", "The worker; PREMATH_WORKER_ID when left out.");
const { repoRoot, into } = runInput;
const rules = { merge: "auto" as const, renewBeforeMs: 60_000 };

interface HookInput {
  readonly workerId?: string;
  readonly repoRoot?: string;
  readonly into?: string;
}

/** A worker that does no work: its worktree, its lane and its seat. */
async function withWorker<Answer extends object>(
  given: HookInput,
  call: Call,
  use: (worker: OpenedWorker) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const begun = await beginWorker({ workCmd: "true", ...given }, call);
  if (isRefusal(begun)) return begun;
  const { worker, place, files } = begun;
  const request = { worker, index: 1, leaseTtlSeconds: 3_600 };
  const opened = await openWorker(place, files, request, surroundingsOf(call));
  if (isRefusal(opened)) return opened;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

export const loopBoot = defineOperation({
  names: loopNamed("op/harness.loop_boot"),
  ...loopByPerson,
  summary: "Start a session from what files say, and change no issue.",
  description:
    "Ends what dead workers left, checks dependencies, loads the last handoff, names the next issue and the ledger's next " +
    "feature, and runs the checks of the commit that work would begin from.",
  examples: [
    { command: "premath harness-loop boot --worker-id worker.1", says: "what worker.1 would begin with" },
  ],
  input: flags({ workerId: workerInput, repoRoot, into }),
  output: Type.Object({
    action: Type.Literal("harness.loop.boot"),
    ...Booted.properties,
  }),
  run: (given, call) =>
    withWorker(given, call, async ({ context }) => ({
      action: "harness.loop.boot" as const,
      ...(await boot(context, rules)),
    })),
  present({ nextIssueId, nextFeatureId, handoff, unfit, settled, cyclePath }, paint) {
    return [
      `  next  ${paint.strong(nextIssueId ?? "nothing")}${nextFeatureId === null ? "" : paint.dim(`, feature ${nextFeatureId}`)}`,
      ...(handoff === null ? [] : [`  last  ${handoff.summary}; ${handoff.nextStep}`]),
      ...settled.map(({ step, issueId, end }) => `  ended ${issueId ?? step}: ${end}`),
      ...(cyclePath === null ? [] : [`  ${paint.bad("cycle")} ${cyclePath.join(" → ")}`]),
      unfit === null
        ? `  ${paint.good("the base passes its checks")}`
        : `  ${paint.bad(unfit.class)} ${unfit.message}`,
    ].join("\n");
  },
});

export const loopStep = defineOperation({
  names: loopNamed("op/harness.loop_step"),
  ...loopByPerson,
  summary: "Do one bounded piece of work, with its verification.",
  description:
    "One step of a worker: claim, work, verify, merge, close, and the handoff. `harness-loop worker` does many.",
  examples: [
    { command: "premath harness-loop step --worker-id worker.1 --work-cmd ./work.sh", says: "one issue" },
  ],
  input: flags({ workerId: workerInput, ...runInput }),
  output: Type.Object({
    action: Type.Literal("harness.loop.step"),
    result: Type.Enum(["accepted", "rejected"]),
    run: Type.String(),
    because: Type.String(),
    completed: Type.Integer(),
    failed: Type.Integer(),
  }),
  async run(given, call) {
    const begun = await beginWorker(given, call);
    if (isRefusal(begun)) return begun;
    const { files } = begun;
    const end = await runWorker(begun, { ...given, maxSteps: 1 }, call);
    if (isRefusal(end)) return end;
    const { because, completed, failed } = end;
    const result = failed > 0 || end.unfit !== undefined ? ("rejected" as const) : ("accepted" as const);
    return { action: "harness.loop.step" as const, result, run: files.run, because, completed, failed };
  },
  present: ({ completed, failed, because }) => `  ${completed} completed, ${failed} failed (${because})`,
});

export const loopStop = defineOperation({
  names: loopNamed("op/harness.loop_stop"),
  ...loopByPerson,
  summary: "End what a worker left undone, and leave the handoff.",
  description:
    "Of a worker that was killed: a merge that happened is closed, everything else is given back; each step gets its row " +
    "and the session says where the next one goes on. A worker that lives is refused.",
  examples: [
    { command: "premath harness-loop stop --worker-id worker.1", says: "after worker.1 was killed" },
  ],
  input: flags({ workerId: workerInput, repoRoot, into }),
  output: Type.Object({ action: Type.Literal("harness.loop.stop"), settled: Type.Array(Settled) }),
  run: (given, call) =>
    withWorker(given, call, async ({ context }) => {
      const settled = await stopWorker(context, rules);
      return isRefusal(settled) ? settled : { action: "harness.loop.stop" as const, settled };
    }),
  present: ({ settled }) =>
    settled.length === 0
      ? "  nothing was left undone"
      : settled.map(({ step, issueId, end }) => `  ${issueId ?? step}: ${end}`).join("\n"),
});
