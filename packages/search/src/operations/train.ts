/** `hlq train`: small models from trajectories, for the assisted policy. */
import { columns, defineOperation, type Call, type Operation } from "@bridle/operation";
import { Failure, putFile, refuse } from "@bridle/record";
import * as Type from "typebox";
import type { EpisodeTruth } from "../eval/types.js";
import { openPack } from "../pack/open.js";
import { trainingParts } from "../pack/part-of-pack.js";
import { partAt, type Parts } from "../pack/parts.js";
import type { Pack } from "../pack/types.js";
import { type Lesson, lessonOf } from "../train/examples.js";
import { modelDigest, modelFailure, modelText, type TaskModel } from "../train/model.js";
import { endHourOf } from "../window.js";
import { trainModel } from "../train/train.js";
import { requireOutside } from "./outside-record.js";
import { pathOf, shown } from "./pack-input.js";
import type { OpenRun } from "./run-source.js";

const folders = (flag: string, description: string) =>
  Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    "x-flag": flag,
    "x-placeholder": "folder",
    "x-path": true,
    description,
  });

const taskOutput = Type.Object({
  failed: Type.Union([Type.String(), Type.Null()], { description: "Why it is of no use; null otherwise." }),
  examples: Type.Integer({ description: "Of the validation part." }),
  logLoss: Type.String({ description: "Of the model, on the validation part." }),
  baseLogLoss: Type.String({
    description: "Of always stating the base rate of the training part, on the same.",
  }),
  gain: Type.String({ description: "By how much the model is better." }),
  standardError: Type.Union([Type.String(), Type.Null()], {
    description: "Of the gain; null with too few markets or blocks of time.",
  }),
  calibrationError: Type.String({ description: "Mean probability less the share that happened." }),
});

/** `openRun` reads the folders of runs. */
export function trainOperation(openRun: OpenRun): Operation {
  return defineOperation({
    names: { id: "op/hlq.train", action: "hlq.train", command: ["train"], tool: "hlq_train" },
    family: "hlq",
    effect: "mutate",
    needs: "nothing",
    surfaces: ["cli"],
    summary: "Train the assisted policy's models from runs.",
    description:
      "Learns from trajectories which artifacts to keep, and how likely a stress lasts. Only the training part of the pack is " +
      "learnt from; the validation part judges by log loss and calibration, and the test part is left for measuring. A model " +
      "that does not beat the base rate by more than one standard error is reported as failed and is not saved, unless " +
      "--save-failed is given. The same runs give the same bytes.",
    examples: [
      {
        command: "hlq train --run runs/heuristic --pack packs/demo --out model.json",
        says: "from one run and the pack that holds its truth",
      },
    ],
    input: Type.Object(
      {
        runs: folders("run", "A run to learn from; given once per run."),
        packs: folders("pack", "The pack that a run was made with; given once per pack."),
        out: Type.String({
          minLength: 1,
          "x-placeholder": "file",
          "x-path": true,
          description: "Where the model goes.",
        }),
        saveFailed: Type.Optional(Type.Boolean({ description: "Save a model that failed, too." })),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("hlq.train"),
      file: Type.String(),
      modelSha256: Type.String({ description: "Names the model in the parameters of a run." }),
      learntUntilUtc: Type.String({ description: "What began before counts as train, in every pack." }),
      trajectories: Type.Integer({ description: "Of the training part." }),
      validationTrajectories: Type.Integer(),
      heldBack: Type.Integer({ description: "Trajectories that were not used." }),
      stop: taskOutput,
      keep: taskOutput,
    }),
    async run(input, call) {
      const path = pathOf(call, input.out);
      const records = [...input.runs, ...input.packs].map((folder) => pathOf(call, folder));
      const inside = await requireOutside(path, records, call.ports.files);
      if (inside !== undefined) return inside;
      const { lessons, embargoHours } = await lessonsOf(input, openRun, call);
      if (!lessons.some(({ part }) => part === "train")) {
        return refuse("training_data_missing", {
          message: `none of ${lessons.length} trajectories is of the training part of its pack`,
          hint: "Run a policy on the whole pack, or make one over more weeks.",
        });
      }
      call.progress({ doing: "training" });
      const model = trainModel(lessons, { embargoHours });
      const failed = modelFailure(model);
      if (failed !== undefined && input.saveFailed !== true) {
        return refuse("model_failed", {
          message: `the model failed and was not saved: ${failed}`,
          hint: "Give it runs of more coins and weeks, or --save-failed to look at it.",
          detail: { stop: taskOf(model.stop), keep: taskOf(model.keep) },
        });
      }
      if (failed !== undefined) call.warn(`the model failed and was saved all the same: ${failed}`);
      await putFile(path, Buffer.from(modelText(model)), call.ports);
      const { trajectories, validation_trajectories, until_hour } = model.training;
      return {
        action: "hlq.train" as const,
        file: shown(call, path),
        modelSha256: modelDigest(model),
        learntUntilUtc: new Date(until_hour * 3_600_000).toISOString(),
        trajectories,
        validationTrajectories: validation_trajectories,
        heldBack: lessons.length - trajectories - validation_trajectories,
        stop: taskOf(model.stop),
        keep: taskOf(model.keep),
      };
    },
    present(answer, paint) {
      const { file, modelSha256, trajectories, validationTrajectories, heldBack, learntUntilUtc } = answer;
      const line = (name: string, task: typeof answer.stop) => [
        name,
        task.failed === null ? paint.good("learnt") : paint.bad("failed"),
        `log loss ${task.logLoss}`,
        `base rate ${task.baseLogLoss}`,
        `gain ${task.gain} ± ${task.standardError ?? "unknown"}`,
        `calibration ${task.calibrationError}`,
        `${task.examples} examples`,
      ];
      return [
        ...columns([line("stop", answer.stop), line("keep", answer.keep)]),
        `  ${trajectories} trajectories learnt from, ${validationTrajectories} judged by, ${heldBack} held back; what begins before ${learntUntilUtc} counts as learnt`,
        `  ${paint.strong(modelSha256.slice(0, 16))}  ${paint.dim(file)}`,
      ].join("\n");
    },
  }) as unknown as Operation;
}

interface Gathered {
  readonly lessons: readonly Lesson[];
  /** The longest of the packs'. */
  readonly embargoHours: number;
}

async function lessonsOf(
  { runs, packs }: { readonly runs: readonly string[]; readonly packs: readonly string[] },
  openRun: OpenRun,
  call: Call,
): Promise<Gathered> {
  const opened = new Map<string, KnownPack>();
  for (const folder of packs) {
    const pack = await openPack(pathOf(call, folder), call.ports);
    try {
      opened.set(pack.manifest.pack_id, await knownPack(pack));
    } finally {
      await pack.close();
    }
  }
  const lessons: Lesson[] = [];
  let embargoHours = 0;
  for (const folder of runs) {
    const run = await openRun(pathOf(call, folder), call);
    const { pack_id: packId } = run.manifest;
    const known = opened.get(packId);
    if (known === undefined) {
      throw new Failure("pack_missing", {
        message: `${folder} was made with ${packId}, and that pack was not given`,
        hint: "Name it with --pack.",
      });
    }
    embargoHours = Math.max(embargoHours, known.parts?.embargo_hours ?? 0);
    for await (const { start, artifacts, steps } of run.episodes()) {
      call.signal.throwIfAborted();
      const episode = known.truths.get(start.episode_id);
      if (episode === undefined) throw strange(folder, start.episode_id, packId);
      const hour = endHourOf(episode.window_id);
      const part = known.parts === null || hour === undefined ? undefined : partAt(known.parts, hour);
      lessons.push(lessonOf({ packId, part, episode, artifacts, steps }));
      call.progress({ doing: "reading trajectories", done: lessons.length });
    }
  }
  return { lessons, embargoHours };
}

interface KnownPack {
  readonly truths: ReadonlyMap<string, EpisodeTruth>;
  readonly parts: Parts | null;
}

async function knownPack(pack: Pack): Promise<KnownPack> {
  const truths = new Map<string, EpisodeTruth>();
  for await (const truth of pack.truths()) truths.set(truth.episode_id, truth);
  return { truths, parts: trainingParts(pack.manifest, truths.values()) };
}

function strange(run: string, episode: string, pack: string): Failure {
  return new Failure("episode_missing", {
    message: `${run} has the episode ${episode}, and ${pack} does not`,
    hint: "Name the pack that the run was made with.",
  });
}

function taskOf({ failed, validation }: TaskModel) {
  return {
    failed,
    examples: validation.examples,
    logLoss: validation.log_loss,
    baseLogLoss: validation.base_log_loss,
    gain: validation.gain,
    standardError: validation.standard_error,
    calibrationError: validation.calibration_error,
  };
}
