/** `premath harness-loop boot|step|stop`: the three hooks of the control loop, each by itself. */
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { boot } from "../run/boot.js";
import { beginRun, openWorker, type OpenedWorker } from "../run/open-worker.js";
import { stopWorker } from "../run/stop-worker.js";
import { runInput } from "./loop-input.js";
import { placeFor, runWorker } from "./loop-worker.js";

const workerInput = Type.Optional(
  Type.String({
    minLength: 1,
    "x-placeholder": "name",
    description: "The worker; PREMATH_WORKER_ID when left out.",
  }),
);
const nullable = <Of extends Type.TSchema>(of: Of) => Type.Union([of, Type.Null()]);
const { repoRoot, into } = runInput;
const rules = { merge: "auto" as const, renewBeforeMs: 60_000 };

const SettledStep = Type.Object({
  run: Type.String(),
  step: Type.String(),
  issueId: Type.Optional(Type.String()),
  doubt: Type.Optional(
    Type.String({ description: "The effect of which nobody knew whether it had happened." }),
  ),
  end: Type.String(),
});

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
  const worker = given.workerId ?? call.env["PREMATH_WORKER_ID"];
  if (worker === undefined)
    return refuse("input_invalid", {
      message: "--worker-id is missing",
      hint: "Name the worker, such as worker.1.",
    });
  const { env, ports, signal } = call;
  const place = await placeFor({ workCmd: "true", ...given }, call);
  if (isRefusal(place)) return place;
  const files = await beginRun(place, { merge: "auto", parallel: 1, budgets: {} }, ports);
  const request = { worker, index: 1, leaseTtlSeconds: 3_600 };
  const opened = await openWorker(place, files, request, {
    env,
    ports,
    signal,
    say: (words) => call.warn(words),
  });
  if (isRefusal(opened)) return opened;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

export const loopBoot = defineOperation({
  names: {
    id: "op/harness.loop_boot",
    action: "harness.loop.boot",
    command: ["harness-loop", "boot"],
    tool: "harness_loop_boot",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Start a session from what files say, and change no issue.",
  description:
    "Ends what dead workers left, checks dependencies, loads the last handoff, names the next issue and the ledger's next " +
    "feature, and runs the checks of the commit that work would begin from.",
  examples: [
    { command: "premath harness-loop boot --worker-id worker.1", says: "what worker.1 would begin with" },
  ],
  input: Type.Object({ workerId: workerInput, repoRoot, into }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("harness.loop.boot"),
    roots: Type.Record(Type.String(), Type.String()),
    settled: Type.Array(SettledStep),
    cyclePath: nullable(Type.Array(Type.String())),
    handoff: nullable(
      Type.Object({ summary: Type.String(), nextStep: Type.String(), issueId: nullable(Type.String()) }),
    ),
    nextIssueId: nullable(Type.String()),
    nextFeatureId: nullable(Type.String()),
    base: nullable(Type.String()),
    unfit: nullable(Type.Object({ class: Type.String(), message: Type.String() })),
  }),
  run: (given, call) =>
    withWorker(given, call, async ({ context }) => {
      const { settled, cyclePath, ...rest } = await boot(context, rules);
      return {
        ...{ action: "harness.loop.boot" as const, ...rest },
        ...{ settled: [...settled], cyclePath: cyclePath === null ? null : [...cyclePath] },
      };
    }),
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
  names: {
    id: "op/harness.loop_step",
    action: "harness.loop.step",
    command: ["harness-loop", "step"],
    tool: "harness_loop_step",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Do one bounded piece of work, with its verification.",
  description:
    "One step of a worker: claim, work, verify, merge, close, and the handoff. `harness-loop worker` does many.",
  examples: [
    { command: "premath harness-loop step --worker-id worker.1 --work-cmd ./work.sh", says: "one issue" },
  ],
  input: Type.Object({ workerId: workerInput, ...runInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("harness.loop.step"),
    result: Type.Enum(["accepted", "rejected"]),
    run: Type.String(),
    because: Type.String(),
    completed: Type.Integer(),
    failed: Type.Integer(),
  }),
  async run(given, call) {
    const worker = given.workerId ?? call.env["PREMATH_WORKER_ID"];
    if (worker === undefined)
      return refuse("input_invalid", {
        message: "--worker-id is missing",
        hint: "Name the worker, such as worker.1.",
      });
    const place = await placeFor(given, call);
    if (isRefusal(place)) return place;
    const files = await beginRun(
      place,
      { merge: given.merge ?? "auto", parallel: 1, budgets: {} },
      call.ports,
    );
    const end = await runWorker(worker, place, files, { ...given, maxSteps: 1 }, call);
    if (isRefusal(end)) return end;
    const { because, completed, failed } = end;
    const result = failed > 0 || end.unfit !== undefined ? ("rejected" as const) : ("accepted" as const);
    return { action: "harness.loop.step" as const, result, run: files.run, because, completed, failed };
  },
  present: ({ completed, failed, because }) => `  ${completed} completed, ${failed} failed (${because})`,
});

export const loopStop = defineOperation({
  names: {
    id: "op/harness.loop_stop",
    action: "harness.loop.stop",
    command: ["harness-loop", "stop"],
    tool: "harness_loop_stop",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "End what a worker left undone, and leave the handoff.",
  description:
    "Of a worker that was killed: a merge that happened is closed, everything else is given back; each step gets its row " +
    "and the session says where the next one goes on. A worker that lives is refused.",
  examples: [
    { command: "premath harness-loop stop --worker-id worker.1", says: "after worker.1 was killed" },
  ],
  input: Type.Object({ workerId: workerInput, repoRoot, into }, { additionalProperties: false }),
  output: Type.Object({ action: Type.Literal("harness.loop.stop"), settled: Type.Array(SettledStep) }),
  run: (given, call) =>
    withWorker(given, call, async ({ context }) => {
      const settled = await stopWorker(context, rules);
      return isRefusal(settled) ? settled : { action: "harness.loop.stop" as const, settled: [...settled] };
    }),
  present: ({ settled }) =>
    settled.length === 0
      ? "  nothing was left undone"
      : settled.map(({ step, issueId, end }) => `  ${issueId ?? step}: ${end}`).join("\n"),
});
