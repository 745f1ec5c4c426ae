/** `hlq eval`: runs against the truth of their pack, side by side, as a table, as JSON and as a picture. */
import { resolve } from "node:path";
import { type Call, defineOperation, type Operation } from "@bridle/operation";
import { failureAt, isRefusal, putFile, refuse, type Refusal } from "@bridle/record";
import { hourOf, parseTime } from "@bridle/market";
import * as Type from "typebox";
import { type CostMatrix, readCosts } from "../eval/costs.js";
import { evaluate, type EvaluateOptions, type RunToEvaluate } from "../eval/evaluate.js";
import { learntUntil } from "../eval/learnt-until.js";
import { evaluationPlot } from "../eval/plot.js";
import { evaluationTable } from "../eval/table.js";
import { type EpisodeTruth, Evaluation, judgedParts } from "../eval/types.js";
import { searchLimits } from "../limits.js";
import { openPack } from "../pack/open.js";
import { horizonOf, partOfPack } from "../pack/part-of-pack.js";
import type { Pack } from "../pack/types.js";
import { readWhole } from "../read-whole.js";
import { episodeIdsFrom } from "./episode-ids.js";
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
      "Judges the test part of the pack unless told otherwise; what a model has learnt from is never in it. How often each " +
      "policy is right where it could be known; what its probabilities are worth (AUC, log loss, Brier skill, calibration, " +
      "risk at coverage); what its answers cost by a matrix of your own; each against always-low, always-signal, the base " +
      "rate of the training part and the market's last outcome, and between two policies on the same episodes. Intervals " +
      "are 95 %, by market and week at once; where nothing can be told, it says so.",
    examples: [
      {
        command: "hlq eval runs/heuristic --pack packs/demo",
        says: "one run beside the baselines, on the test part",
      },
      {
        command: "hlq eval runs/codex runs/heuristic --pack packs/demo --plot eval.svg",
        says: "two of them, and a picture",
      },
      {
        command: "hlq eval runs/heuristic --pack packs/demo --part all --costs costs.json",
        says: "every part, which is marked as no measure, and your own costs",
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
        part: Type.Optional(
          Type.Enum([...judgedParts], {
            default: "test",
            description:
              "Which part of the pack is judged; test when left out. train and all are no measure.",
          }),
        ),
        episodes: Type.Optional(
          Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            "x-placeholder": "id,…|@file",
            description:
              "Of that part, only these: ids with commas between, or @ and a file with one a line.",
          }),
        ),
        from: Type.Optional(
          Type.String({ "x-placeholder": "time", description: "Only from this hour on, RFC 3339." }),
        ),
        to: Type.Optional(
          Type.String({ "x-placeholder": "time", description: "Only up to this hour, RFC 3339." }),
        ),
        costs: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "file",
            "x-path": true,
            description: "What each answer costs you for each truth, as JSON.",
          }),
        ),
        against: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "label",
            description: "Compare with this one only; with every baseline and run when left out.",
          }),
        ),
        withoutBaselines: Type.Optional(Type.Boolean({ description: "Leave out the baselines." })),
        plot: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "file",
            "x-path": true,
            "x-cli-only": true,
            description: "Write a picture here, as SVG.",
          }),
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
      const chosen = await choiceOf(input, call);
      if (isRefusal(chosen)) return chosen;
      const pack = await openPack(packFolder, call.ports);
      try {
        const runs: RunToEvaluate[] = [];
        for (const [i, name] of input.runs.entries()) {
          const { manifest, sidecar, episodes } = await openRun(folders[i] as string, call);
          runs.push({ name, manifest, episodes: episodes(), ...(sidecar === undefined ? {} : { sidecar }) });
        }
        const truths = await truthsOf(pack);
        const evaluation = await evaluate({
          packId: pack.manifest.pack_id,
          truths,
          runs,
          part: input.part ?? "test",
          partOf: partOfPack(pack.manifest, truths),
          learntUntil,
          horizonHours: horizonOf(pack.manifest),
          baselines: input.withoutBaselines !== true,
          ...chosen,
          ...(input.against === undefined ? {} : { against: input.against }),
        });
        if (isRefusal(evaluation)) return evaluation;
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

async function truthsOf(pack: Pack): Promise<EpisodeTruth[]> {
  const truths: EpisodeTruth[] = [];
  for await (const truth of pack.truths()) truths.push(truth);
  return truths;
}

interface ChoiceInput {
  readonly episodes?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly costs?: string;
}

async function choiceOf(
  { episodes, from, to, costs }: ChoiceInput,
  call: Call,
): Promise<Pick<EvaluateOptions, "chosen" | "costs"> | Refusal> {
  const [first, last] = [hourIn(from, "--from"), hourIn(to, "--to")];
  if (typeof first === "object") return first;
  if (typeof last === "object") return last;
  const ids = episodes === undefined ? undefined : new Set(await episodeIdsFrom(episodes, call));
  const matrix = costs === undefined ? undefined : await costsFrom(costs, call);
  return {
    chosen: ({ episode_id, hour }) =>
      (ids?.has(episode_id) ?? true) &&
      (first === undefined || (hour !== undefined && hour >= first)) &&
      (last === undefined || (hour !== undefined && hour <= last)),
    ...(matrix === undefined ? {} : { costs: matrix }),
  };
}

function hourIn(text: string | undefined, flag: string): number | undefined | Refusal {
  if (text === undefined) return undefined;
  const ms = parseTime(text, { zoneless: "refused" });
  return ms === undefined
    ? refuse("timestamp_invalid", { message: `${flag} is ${text}, which is no RFC 3339 time` })
    : hourOf(ms);
}

async function costsFrom(given: string, call: Call): Promise<CostMatrix> {
  const path = resolve(call.cwd, given);
  let text: string;
  try {
    text = await readWhole(path, call.ports.files);
  } catch (error) {
    throw failureAt(path, error);
  }
  return readCosts(text, given);
}
