/** `hlq train`: small models from trajectories, for the assisted policy. */
import { columns, defineOperation, type Call, type Operation } from "@bridle/operation";
import { Failure, putFile, refuse } from "@bridle/record";
import * as Type from "typebox";
import { openPack } from "../pack/open.js";
import type { Pack } from "../pack/types.js";
import { type Lesson, lessonOf } from "../train/examples.js";
import { type Model, modelDigest, modelFailure, modelText, type TaskModel } from "../train/model.js";
import { partOf, splitOf } from "../train/split.js";
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
  examples: Type.Integer(),
  accuracy: Type.String({ description: "On coins of the training part that it was fitted without." }),
  majorityAccuracy: Type.String({ description: "Of always giving the commoner answer, on the same." }),
});

/** `openRun` reads the folders of runs. */
export function trainOperation(openRun: OpenRun): Operation {
  return defineOperation({
    names: { id: "op/hlq.train", action: "hlq.train", command: ["train"], tool: "hlq_train" },
    family: "hlq",
    effect: "mutate",
    surfaces: ["cli"],
    summary: "Train the assisted policy's models from runs.",
    description:
      "Learns from trajectories which artifacts to keep, and when to stop with which decision. Only coins and weeks of " +
      "the training part are used: a third of all coins by a digest of their names, and the weeks from a cut on, are " +
      "left for measuring. A model that does no better than always giving the commoner answer is reported as failed and " +
      "is not saved, unless --save-failed is given. The same runs give the same bytes.",
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
      cutUtc: Type.String({ description: "From here on weeks are held out." }),
      trajectories: Type.Integer({ description: "Of the training part." }),
      heldBack: Type.Integer({ description: "Trajectories that were not used." }),
      stop: taskOutput,
      keep: taskOutput,
    }),
    async run(input, call) {
      const path = pathOf(call, input.out);
      const records = [...input.runs, ...input.packs].map((folder) => pathOf(call, folder));
      const inside = await requireOutside(path, records, call.ports.files);
      if (inside !== undefined) return inside;
      const lessons = await lessonsOf(input, openRun, call);
      const split = splitOf(lessons);
      const used = split === undefined ? [] : lessons.filter((each) => partOf(split, each) === "train");
      if (split === undefined || used.length === 0) {
        return refuse("training_data_missing", {
          message: `none of ${lessons.length} trajectories is of a coin and a week to train on`,
          hint: "Run a policy on more coins and over more weeks.",
        });
      }
      call.progress({ doing: "training" });
      const model = trainModel(lessons, split);
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
      return {
        action: "hlq.train" as const,
        ...summaryOf(model),
        file: shown(call, path),
        heldBack: lessons.length - used.length,
      };
    },
    present({ file, modelSha256, trajectories, heldBack, cutUtc, stop, keep }, paint) {
      const line = (name: string, task: typeof stop) => [
        name,
        task.failed === null ? paint.good("learnt") : paint.bad("failed"),
        `${task.accuracy} right on unseen coins`,
        `${task.majorityAccuracy} by the commoner answer`,
        `${task.examples} examples`,
      ];
      return [
        ...columns([line("stop", stop), line("keep", keep)]),
        `  ${trajectories} trajectories, ${heldBack} held back; weeks from ${cutUtc} on and a third of the coins are for measuring`,
        `  ${paint.strong(modelSha256.slice(0, 16))}  ${paint.dim(file)}`,
      ].join("\n");
    },
  }) as unknown as Operation;
}

async function lessonsOf(
  { runs, packs }: { readonly runs: readonly string[]; readonly packs: readonly string[] },
  openRun: OpenRun,
  call: Call,
): Promise<Lesson[]> {
  const opened = new Map<string, Pack>();
  try {
    for (const folder of packs) {
      const pack = await openPack(pathOf(call, folder), call.ports);
      await opened.get(pack.manifest.pack_id)?.close();
      opened.set(pack.manifest.pack_id, pack);
    }
    const lessons: Lesson[] = [];
    for (const folder of runs) {
      const run = await openRun(pathOf(call, folder), call);
      const { pack_id: packId } = run.manifest;
      const pack = opened.get(packId);
      if (pack === undefined) {
        throw new Failure("pack_missing", {
          message: `${folder} was made with ${packId}, and that pack was not given`,
          hint: "Name it with --pack.",
        });
      }
      for await (const { start, artifacts, steps } of run.episodes()) {
        call.signal.throwIfAborted();
        const episode = await pack.episode(start.episode_id);
        lessons.push(lessonOf({ packId, episode, artifacts, steps }));
        call.progress({ doing: "reading trajectories", done: lessons.length });
      }
    }
    return lessons;
  } finally {
    for (const pack of opened.values()) await pack.close();
  }
}

function summaryOf(model: Model) {
  return {
    modelSha256: modelDigest(model),
    cutUtc: new Date(model.split.cut_hour * 3_600_000).toISOString().slice(0, 10),
    trajectories: model.training.trajectories,
    stop: taskOf(model.stop),
    keep: taskOf(model.keep),
  };
}

function taskOf({ failed, validation }: TaskModel) {
  const { accuracy, majority_accuracy: majorityAccuracy, examples } = validation;
  return { failed, examples, accuracy, majorityAccuracy };
}
