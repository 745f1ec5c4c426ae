/** `hlq eval`: runs against the truth of their pack, side by side, as a table, as JSON and as a picture. */
import { resolve } from "node:path";
import { defineOperation, type Operation } from "@bridle/operation";
import { isRefusal, putFile, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { evaluate, type RunToEvaluate } from "../eval/evaluate.js";
import { evaluationPlot } from "../eval/plot.js";
import { evaluationTable } from "../eval/table.js";
import { type EpisodeTruth, Evaluation } from "../eval/types.js";
import { searchLimits } from "../limits.js";
import { openPack } from "../pack/open.js";
import type { Pack } from "../pack/types.js";
import { requireOutside } from "./outside-record.js";
import type { OpenRun } from "./run-source.js";

/** `openRun` reads the folders of runs. */
export function evalOperation(openRun: OpenRun): Operation {
  return defineOperation({
    names: { id: "op/hlq.eval", action: "hlq.eval", command: ["eval"], tool: "hlq_eval" },
    family: "hlq",
    effect: "read",
    surfaces: ["cli", "mcp"],
    summary: "Evaluate runs against the truth of their pack.",
    description:
      "How often each policy is right, over all episodes and over those that it decided; what it abstained from; how " +
      "far its confidence can be trusted; what it read and kept, against the evidence; what it cost. Runs of one " +
      "policy with the same parameters are repeats. Baselines that always give one answer stand beside them, and " +
      "every policy is compared with the best of those on the same episodes. Intervals are 95 % and draw whole " +
      "markets again.",
    examples: [
      {
        command: "hlq eval runs/heuristic --pack packs/demo",
        says: "one run beside the baselines",
      },
      {
        command: "hlq eval runs/codex runs/heuristic --pack packs/demo --plot eval.svg",
        says: "two of them, and a picture",
      },
    ],
    input: Type.Object(
      {
        runs: Type.Array(Type.String({ minLength: 1 }), {
          minItems: 1,
          maxItems: searchLimits.evaluatedRunsMax,
          "x-position": 0,
          "x-flag": "run",
          "x-placeholder": "folder",
          "x-path": true,
          description: "Folders of runs, all made with one pack.",
        }),
        pack: Type.String({
          minLength: 1,
          "x-placeholder": "folder",
          "x-path": true,
          description: "The pack that they were made with; it holds the truth.",
        }),
        against: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "label",
            description: "Compare with this policy; with the best baseline when left out.",
          }),
        ),
        withoutBaselines: Type.Optional(
          Type.Boolean({ description: "Leave out the policies that always give one answer." }),
        ),
        plot: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "file",
            "x-path": true,
            "x-cli-only": true,
            description: "Write a picture here, as SVG.",
          }),
        ),
        replicates: Type.Optional(
          Type.Integer({
            minimum: 100,
            maximum: searchLimits.bootstrapReplicatesMax,
            default: searchLimits.bootstrapReplicates,
            description: `Draws behind each interval, ${searchLimits.bootstrapReplicates} when left out.`,
          }),
        ),
        seed: Type.Optional(
          Type.Integer({ minimum: 0, default: 1, description: "Fixes the draws; 1 when left out." }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("hlq.eval"),
      pack: Type.String(),
      plot: Type.Union([Type.String(), Type.Null()]),
      evaluation: Evaluation,
    }),
    async run(input, call) {
      const folders = input.runs.map((run) => resolve(call.cwd, run));
      const twice = input.runs.find((_, i) => folders.indexOf(folders[i] as string) !== i);
      if (twice !== undefined) {
        return refuse("input_invalid", {
          message: `the run ${twice} is named twice`,
          hint: "A repeat is another run of the same policy, in a folder of its own.",
        });
      }
      const packFolder = resolve(call.cwd, input.pack);
      if (input.plot !== undefined) {
        const inside = await requireOutside(
          resolve(call.cwd, input.plot),
          [...folders, packFolder],
          call.ports.files,
        );
        if (inside !== undefined) return inside;
      }
      const pack = await openPack(packFolder, call.ports);
      try {
        const runs: RunToEvaluate[] = [];
        for (const [i, name] of input.runs.entries()) {
          const { manifest, sidecar, episodes } = await openRun(folders[i] as string, call);
          runs.push({ name, manifest, episodes: episodes(), ...(sidecar === undefined ? {} : { sidecar }) });
        }
        const { against, seed, replicates } = input;
        const evaluation = await evaluate({
          packId: pack.manifest.pack_id,
          truths: truthsOf(pack, call.signal),
          runs,
          baselines: input.withoutBaselines !== true,
          ...(against === undefined ? {} : { against }),
          ...(seed === undefined ? {} : { seed }),
          ...(replicates === undefined ? {} : { replicates }),
        });
        if (isRefusal(evaluation)) return evaluation;
        const empty = nothingEnded(evaluation);
        if (empty !== undefined) return empty;
        if (input.plot !== undefined) {
          await putFile(resolve(call.cwd, input.plot), Buffer.from(evaluationPlot(evaluation)), call.ports);
        }
        return { action: "hlq.eval" as const, pack: input.pack, plot: input.plot ?? null, evaluation };
      } finally {
        await pack.close();
      }
    },
    present({ evaluation, plot }, paint) {
      const picture = plot === null ? [] : [`  ${paint.dim(`plot: ${plot}`)}`];
      return [...evaluationTable(evaluation, paint), ...picture].join("\n");
    },
  }) as unknown as Operation;
}

async function* truthsOf(pack: Pack, signal: AbortSignal): AsyncGenerator<EpisodeTruth> {
  for await (const { anchor_market, episode_id, ground_truth_reference, window_id } of pack.episodes()) {
    signal.throwIfAborted();
    yield { anchor_market, episode_id, ground_truth_reference, window_id };
  }
}

function nothingEnded({ policies }: Evaluation): Refusal | undefined {
  const empty = policies.find(({ kind, episode_count }) => kind === "run" && episode_count === 0);
  if (empty === undefined) return undefined;
  return refuse("run_incomplete", {
    message: `no episode of ${empty.runs.join(", ")} has ended`,
    hint: "Let `hlq run` finish; it goes on where it was stopped.",
  });
}
