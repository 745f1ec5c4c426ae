/** `premath harness-loop coordinator`: keeps several workers at work until nothing is ready. */
import { resolve } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { runNight } from "../run/run-night.js";
import { flags, loopByPerson, loopNamed, whole } from "./define.js";
import { budgetInput, runInput } from "./loop-input.js";
import { budgetsOf, placeFor, workerWords } from "./loop-worker.js";
import { surroundingsOf } from "./run-of.js";

const input = flags({
  worktrees: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      ...{ "x-flag": "worktree", "x-placeholder": "folder", "x-path": true },
      description:
        "A git worktree to work in; repeatable. PREMATH_WORKTREES, or as many as --parallel says, when left out.",
    }),
  ),
  parallel: whole("number", "Workers at once; 1 when left out.", { maximum: 64 }),
  rounds: whole("number", "Passes over the worktrees; until nothing is left to do when left out."),
  workerPrefix: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$",
      "x-placeholder": "name",
      description: "What the workers' names begin with; worker when left out.",
    }),
  ),
  maxStepsPerWorker: whole("number", "At most so many steps a worker and round; 1000 when left out."),
  ...runInput,
  ...budgetInput,
});

const output = Type.Object({
  action: Type.Literal("harness.loop.coordinator"),
  run: Type.String(),
  because: Type.String({ description: "Why it ended." }),
  rounds: Type.Integer(),
  started: Type.Integer({ description: "Workers that were started, each time counted." }),
  died: Type.Integer({ description: "Of those, how many ended otherwise than by themselves." }),
});

export const loopCoordinator = defineOperation({
  names: loopNamed("op/harness.loop_coordinator"),
  ...loopByPerson,
  summary: "Keep several workers at work on the issues that are ready.",
  description:
    "Workers are processes of their own, one a worktree, in the sorted order of the worktrees' paths. Before each pass " +
    "dependencies are checked and what is ready is asked again. A worker that dies is started again and ends what it " +
    "left. There is one coordinator a repository.",
  examples: [
    {
      command: "premath harness-loop coordinator --parallel 3 --work-cmd ./work.sh",
      says: "three workers, until nothing is ready",
    },
  ],
  input,
  output,
  async run(given, call) {
    const { env, cwd } = call;
    const listed = given.worktrees ?? (env["PREMATH_WORKTREES"] ?? "").split(",");
    const worktrees = listed.map((each) => each.trim()).filter((each) => each !== "");
    if (worktrees.length > 0 && given.parallel !== undefined)
      return refuse("input_invalid", {
        message: "--parallel and --worktree both say how many workers there are",
        hint: "Name one of them.",
      });
    const place = await placeFor(given, call);
    if (isRefusal(place)) return place;
    const night = await runNight(
      place,
      {
        ...{ merge: given.merge ?? "auto", parallel: given.parallel ?? 1, budgets: budgetsOf(given) },
        workerPrefix: given.workerPrefix ?? "worker",
        worktrees: worktrees.map((each) => resolve(cwd, each)),
        workerWords: workerWords(given),
        stepsPerWorker: given.maxStepsPerWorker ?? 1_000,
        ...(given.rounds === undefined ? {} : { roundsMax: given.rounds }),
        onEvent: async (event) => call.warn(`needs a person: ${JSON.stringify(event)}`),
        onRow: ({ worker, effect, kind }) => {
          if (kind === "intent") call.progress({ doing: `${worker}: ${effect}` });
        },
      },
      surroundingsOf(call),
    );
    return isRefusal(night) ? night : { action: "harness.loop.coordinator" as const, ...night };
  },
  present: ({ run, because, rounds, started, died }) =>
    `  ${run} ended: ${because}; ${rounds} ${rounds === 1 ? "round" : "rounds"}, ${started} workers started, ${died} died`,
});
