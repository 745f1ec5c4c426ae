/** `hlq replay`: carries a run out again, against the pack, and compares every byte. */
import { counted } from "@bridle/record";
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { openPack } from "../pack/open.js";
import { replayRun } from "../run/replay.js";
import { pathOf } from "./pack-input.js";
import { folderOf, headOfRun, packFlag, runHead, runInput } from "./run-input.js";

export const replayOperation = defineOperation({
  names: { id: "op/hlq.replay", action: "hlq.replay", command: ["replay"], tool: "hlq_replay" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Carry a run out again and compare every byte.",
  description:
    "Verifies the folder, then proposes again what the run proposed, against the pack. No policy is asked and no model is " +
    "called; what the pack does not have is an error. The first difference is named by episode, step and field.",
  examples: [{ command: "hlq replay runs/a --pack packs/p", says: "whether it comes out the same" }],
  input: Type.Object(
    { run: runInput("The folder of the run."), pack: packFlag },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.replay"),
    ...runHead,
    refusalsAsRecorded: Type.Integer({
      description: "Refusals of proposals that were too long to be kept whole; taken as they stand.",
    }),
  }),
  async run(input, call) {
    const { ports, signal } = call;
    const pack = await openPack(pathOf(call, input.pack), ports);
    try {
      const replay = await replayRun({
        folder: folderOf(call, input.run),
        pack,
        ports,
        signal,
        progress: (done, total) => call.progress({ doing: "replaying", done, total }),
      });
      return {
        action: "hlq.replay" as const,
        ...headOfRun(input.run, replay),
        refusalsAsRecorded: replay.refusalsAsRecorded,
      };
    } finally {
      await pack.close();
    }
  },
  present({ status, runId, complete, episodes, steps }, paint) {
    const part = status === "complete" ? "" : paint.note(` incomplete: ${complete} of ${episodes} episodes`);
    return `  ${paint.good("identical")}  ${runId}, ${counted(steps, "step", "steps")}${part}`;
  },
});
