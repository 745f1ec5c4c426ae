/** `premath harness-loop worker`: one worker, step after step, until there is nothing to do. */
import { join } from "node:path";
import { type Call, defineOperation, type Standing } from "@bridle/operation";
import { isRefusal, present, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { overrideMsMax } from "@bridle/work";
import { beginRun, openWorker, openWorkplace, type Workplace } from "../run/open-worker.js";
import { RunFiles } from "../run/run-files.js";
import type { Budgets } from "../run/spent.js";
import { type WorkerEnd, workerLoop } from "../run/worker-loop.js";
import type { StepEnd, StepState } from "../types.js";
import { flags, loopByPerson, loopNamed, text, whole } from "./define.js";
import { budgetInput, runInput } from "./loop-input.js";
import { surroundingsOf } from "./run-of.js";

const input = flags({
  workerId: text("name", "The name that it claims with; PREMATH_WORKER_ID when left out."),
  worktreeRoot: text(
    "folder",
    "The git worktree to work in; one of the worker's own, outside the repository, when left out.",
    { "x-path": true },
  ),
  maxSteps: whole("number", "At most so many steps; 1 when left out."),
  ...runInput,
  ...budgetInput,
  run: text("run", "A run that it is a part of; its own when left out."),
  index: whole("number", "Which worker of the run it is; 1 when left out."),
});
export type WorkerInput = Type.Static<typeof input>;

const output = Type.Object({
  action: Type.Literal("harness.loop.worker"),
  result: Type.Enum(["accepted", "rejected"]),
  run: Type.String(),
  workerId: Type.String(),
  because: Type.String({ description: "Why it takes no more steps." }),
  steps: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
});

export const loopWorker = defineOperation({
  names: loopNamed("op/harness.loop_worker"),
  ...loopByPerson,
  summary: "Work on issues: claim, work, verify, merge, close.",
  description:
    "Claims the most urgent issue, runs the work command in a worktree of its own, commits what it changed, merges it " +
    "onto the target's head, runs the required checks there, moves the target and closes the issue with the witness. " +
    "What fails is given back with the reason. Your own tree and branch are not touched. After a crash the same command " +
    "goes on where it was; what a dead worker left is ended first.",
  examples: [
    {
      command: "premath harness-loop worker --worker-id worker.1 --work-cmd ./work.sh --max-steps 5",
      says: "five issues, with a script",
    },
    {
      command:
        "premath harness-loop worker --worker-id worker.1 --preset claude --continue-on-failure --max-steps 30",
      says: "up to thirty, with Claude Code",
    },
  ],
  input,
  output,
  async run(given, call) {
    const begun = await beginWorker(given, call);
    if (isRefusal(begun)) return begun;
    const { worker, files } = begun;
    const end = await runWorker(begun, given, call);
    if (isRefusal(end)) return end;
    if (end.unfit !== undefined) return unfitRefusal(end.unfit);
    const { because, steps, completed, failed } = end;
    const result = because === "failed" ? ("rejected" as const) : ("accepted" as const);
    const told = { run: files.run, workerId: worker, because, steps, completed, failed };
    return { action: "harness.loop.worker" as const, result, ...told };
  },
  present({ run, workerId, because, steps, completed, failed }, paint) {
    const told = `${steps} ${steps === 1 ? "step" : "steps"}, ${completed} completed, ${failed} failed`;
    return `  ${paint.strong(workerId)} ${told} ${paint.dim(`(${run}; ${words[because] ?? because})`)}`;
  },
});

const words: Readonly<Record<string, string>> = {
  idle: "nothing is ready",
  steps: "as many steps as were asked for",
  failed: "a step failed",
  bound: "a budget is used up",
  wish: "somebody asked it to stop",
  rest: "the tool that does the work rests",
  aborted: "stopped",
  unclaimed: "nothing could be claimed",
};

function unfitRefusal({ class: name, message }: NonNullable<WorkerEnd["unfit"]>): Refusal {
  const hint = "Mend it and start again; what was claimed was given back.";
  return refuse(name as Refusal["refused"], { message, hint });
}

type RunInput = Omit<WorkerInput, "workerId" | "worktreeRoot" | "maxSteps" | "run" | "index">;

export function placeFor(given: RunInput, call: Call): Promise<Workplace | Refusal> {
  const { repoRoot, into, preset, minutes } = given;
  const work = given.workCmd ?? (preset === undefined ? call.env["PREMATH_WORK_CMD"] : undefined);
  const verify = given.verifyCmd ?? call.env["PREMATH_VERIFY_CMD"];
  return openWorkplace(
    {
      folder: repoRoot ?? call.cwd,
      ...present({ into, preset, minutes }),
      ...(work === undefined || work.trim() === "" ? {} : { work }),
      ...(verify === undefined || verify.trim() === "" ? {} : { verify }),
    },
    call,
  );
}

/** What a worker is told again of what its run was told. */
export function workerWords(given: RunInput): string[] {
  const { into, preset, workCmd, verifyCmd, leaseTtlSeconds, minutes, mutationMode, overrideReason } = given;
  const flags = {
    ...{ into, preset, "work-cmd": workCmd, "verify-cmd": verifyCmd, "lease-ttl-seconds": leaseTtlSeconds },
    ...{ minutes, "mutation-mode": mutationMode, "override-reason": overrideReason },
  };
  return wordsOf(flags);
}

/** Flags as they are typed; those without a value are left out. */
export function wordsOf(flags: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, String(value)],
  );
}

export function budgetsOf({ maxCost, maxMinutes }: Pick<WorkerInput, "maxCost" | "maxMinutes">): Budgets {
  return present({ costUsdMax: maxCost, minutesMax: maxMinutes });
}

export interface BegunWorker {
  readonly worker: string;
  readonly place: Workplace;
  readonly files: RunFiles;
}

/** Who works, where, and in which run: one of its own unless it is named. */
export async function beginWorker(given: WorkerInput, call: Call): Promise<BegunWorker | Refusal> {
  const worker = (given.workerId ?? call.env["PREMATH_WORKER_ID"] ?? "").trim();
  if (worker === "")
    return refuse("input_invalid", {
      message: "--worker-id is missing",
      hint: "Name the worker, such as --worker-id worker.1, or set PREMATH_WORKER_ID.",
    });
  const place = await placeFor(given, call);
  if (isRefusal(place)) return place;
  const { run, merge = "auto" } = given;
  const files =
    run === undefined
      ? await beginRun(place, { merge, parallel: 1, budgets: budgetsOf(given) }, call.ports)
      : new RunFiles(join(place.runs, run), call.ports);
  return { worker, place, files };
}

export async function runWorker(
  { worker, place, files }: BegunWorker,
  given: WorkerInput,
  call: Call,
): Promise<WorkerEnd | Refusal> {
  const { leaseTtlSeconds = 3_600, index = 1, worktreeRoot } = given;
  const override = overrideOf(given, await call.ports.clock.now());
  if (isRefusal(override)) return override;
  const description = await files.describe();
  if (description === undefined)
    return refuse("run_unknown", { message: `there is no ${files.run} here`, hint: "Leave --run out." });
  const request = {
    ...{ worker, index, leaseTtlSeconds },
    ...present({ worktree: worktreeRoot, override }),
  };
  const opened = await openWorker(place, files, request, surroundingsOf(call));
  if (isRefusal(opened)) return opened;
  try {
    return await workerLoop(opened.context, {
      files,
      rules: { merge: description.merge, renewBeforeMs: (leaseTtlSeconds * 1_000) / 3 },
      budgets: description.budgets,
      stepsMax: given.maxSteps ?? 1,
      continueOnFailure: given.continueOnFailure ?? false,
      onEffect: (step, effect) => call.progress({ doing: doing(step, effect) }),
      onStep: (step, end) => call.remark?.(stepLine(step, end)),
    });
  } finally {
    await opened.close();
  }
}

/** What it stands on in the place of its own lane: a person who vouches for it. Undefined for the lane. */
function overrideOf(
  input: { readonly mutationMode?: string; readonly overrideReason?: string },
  nowMs: number,
): Extract<Standing, { kind: "override" }> | Refusal | undefined {
  if (input.mutationMode !== "human-override") return undefined;
  const reason = input.overrideReason?.trim() ?? "";
  if (reason === "")
    return refuse("mutation.override_invalid", {
      message: "human-override needs a reason",
      hint: "Say why with --override-reason, or leave --mutation-mode out.",
    });
  return { kind: "override", reason, expiresAtMs: nowMs + overrideMsMax };
}

function doing({ claimed }: StepState, effect: string): string {
  return claimed === undefined ? effect : `${claimed.issueId}: ${effect}`;
}

function stepLine({ id, claimed, failure }: StepState, end: StepEnd | undefined): string {
  if (claimed === undefined)
    return failure === undefined ? `${id}: nothing to claim` : `${id}: ${failure.message}`;
  const why = failure === undefined ? "" : `: ${failure.class}`;
  return `${claimed.issueId} ${end ?? "left"}${why}`;
}
