/** `hlq show`: a run at a glance, one of its trajectories, or what was in view at one step. */
import { columns, defineOperation } from "@bridle/operation";
import { counted, Failure, type JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { type RecordedEpisode, readEpisodeOf, RunReader } from "../run/read.js";
import { reconstruct, type Reconstruction } from "../run/reconstruct.js";
import { showEpisode, showEvidence, showState } from "../run/show.js";
import type { Artifact } from "../types.js";
import { episodeFlag, folderOf, headOfRun, runHead, runInput } from "./run-input.js";

const listedMax = 20;
const anything = Type.Object({}, { additionalProperties: true });

export const showOperation = defineOperation({
  names: { id: "op/hlq.show", action: "hlq.show", command: ["show"], tool: "hlq_show" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Show a run, one trajectory of it, or what was in view at a step.",
  description:
    "Everything comes from the run folder alone, and is verified on the way: a damaged file is named with its line. " +
    "With --at, the working set is rebuilt as it was after that step, with its payloads.",
  examples: [
    { command: "hlq show runs/a", says: "how far it is and how its episodes ended" },
    { command: "hlq show runs/a --episode ep-1", says: "one trajectory" },
    { command: "hlq show runs/a --episode ep-1 --at 4", says: "what was in view after step 4" },
    { command: "hlq show runs/a --episode ep-1 --evidence", says: "what its decision rests on, whole" },
  ],
  input: Type.Object(
    {
      run: runInput("The folder of the run."),
      episode: Type.Optional(episodeFlag),
      at: Type.Optional(
        Type.Integer({
          minimum: 0,
          "x-placeholder": "step",
          description: "After which step; 0 for the start.",
        }),
      ),
      evidence: Type.Optional(
        Type.Boolean({ description: "Of an episode: the payloads that its end rests on." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.show"),
    run: Type.Optional(Type.Object({ ...runHead })),
    listed: Type.Optional(
      Type.Array(
        Type.Object({
          episodeId: Type.String(),
          status: Type.Enum(["complete", "incomplete"]),
          steps: Type.Integer(),
          decisionClass: Type.Union([Type.String(), Type.Null()]),
          stopReason: Type.String(),
        }),
        { description: "The first episodes." },
      ),
    ),
    trajectory: Type.Optional(anything),
    state: Type.Optional(anything),
    evidence: Type.Optional(
      Type.Array(anything, { description: "The artifacts that the terminal retained, payloads included." }),
    ),
  }),
  async run(input, call) {
    const folder = folderOf(call, input.run);
    if (input.episode === undefined) {
      if (input.at !== undefined)
        throw new Failure("input_invalid", { message: "--at needs --episode: a step belongs to an episode" });
      if (input.evidence === true)
        throw new Failure("input_invalid", {
          message: "--evidence needs --episode: what an end rests on is its own",
        });
      return { action: "hlq.show" as const, ...(await glance(folder, input.run, call.ports)) };
    }
    const recorded = await readEpisodeOf(folder, input.episode, call.ports);
    if (input.evidence === true) {
      if (input.at !== undefined)
        throw new Failure("input_invalid", {
          message: "--evidence is of the end, and --at of a step: give one of them",
        });
      return { action: "hlq.show" as const, evidence: evidenceOf(recorded) };
    }
    if (input.at === undefined) return { action: "hlq.show" as const, trajectory: withoutGaps(recorded) };
    const state = reconstruct(recorded, input.at);
    return { action: "hlq.show" as const, state: withoutGaps(state) };
  },
  present({ run, listed, trajectory, state, evidence }, paint) {
    if (evidence !== undefined)
      return showEvidence(evidence as unknown as readonly Artifact[], paint).join("\n");
    if (state !== undefined) return showState(state as unknown as Reconstruction, paint).join("\n");
    if (trajectory !== undefined)
      return showEpisode(trajectory as unknown as RecordedEpisode, paint).join("\n");
    if (run === undefined) return "";
    const status = run.status === "complete" ? paint.good("complete") : paint.note("incomplete");
    const rows = (listed ?? []).map(({ episodeId, steps, decisionClass, stopReason, status: of }) => [
      episodeId,
      counted(steps, "step", "steps"),
      of === "complete" ? (decisionClass ?? "abstained") : paint.note("incomplete"),
      paint.dim(stopReason),
    ]);
    const more = run.episodes - rows.length;
    return [
      `  ${paint.strong(run.runId === "" ? "not begun" : run.runId)}  ${status}  ${run.policyId} on ${run.packId}`,
      `  ${run.complete} of ${counted(run.episodes, "episode", "episodes")}, ${counted(run.steps, "step", "steps")}`,
      ...columns(rows),
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ].join("\n");
  },
});

async function glance(folder: string, given: string, ports: Parameters<typeof RunReader.open>[1]) {
  const reader = await RunReader.open(folder, ports);
  try {
    const listed = [];
    for await (const { start, status, steps, terminal } of reader.episodes()) {
      if (listed.length === listedMax) continue;
      listed.push({
        episodeId: start.record.episode_id,
        status,
        steps: steps.length,
        decisionClass: terminal?.record.decision_class ?? null,
        stopReason: terminal?.record.stop_reason ?? "",
      });
    }
    return { run: headOfRun(given, reader.summary()), listed };
  } finally {
    await reader.close();
  }
}

/** In the order in which the terminal names them. */
function evidenceOf({ start, artifacts, terminal }: RecordedEpisode): JsonObject[] {
  if (terminal === undefined) {
    throw new Failure("run_incomplete", {
      message: `${start.record.episode_id} has no end yet, so nothing rests on anything`,
      hint: "Show what is in view after a step with --at.",
    });
  }
  return terminal.record.retained_artifact_ids.flatMap((id) => {
    const found = artifacts.find(({ record }) => record.artifact_id === id);
    return found === undefined ? [] : [found.record as unknown as JsonObject];
  });
}

/** JSON has no undefined. */
function withoutGaps(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
