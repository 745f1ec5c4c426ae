/** `hlq fork`: another way on from a step of a run. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { openPack } from "../pack/open.js";
import type { Pack } from "../pack/types.js";
import { forkRun } from "../run/fork.js";
import { readRunManifest } from "../run/manifest.js";
import { pathOf, shown } from "./pack-input.js";
import { policyFrom, policyInput } from "./policy-input.js";
import { episodeFlag, folderOf, packFlag, runInput } from "./run-input.js";

export const forkOperation = defineOperation({
  names: { id: "op/hlq.fork", action: "hlq.fork", command: ["fork"], tool: "hlq_fork" },
  family: "hlq",
  effect: "mutate",
  needs: "nothing",
  surfaces: ["cli"],
  summary: "Go another way from a step of a run.",
  description:
    "Makes a run of one episode whose rows up to the step are the parent's own; nothing of them is carried out again. " +
    "From there on the policy decides: the one that is named, or the parent's.",
  examples: [
    {
      command:
        "hlq fork runs/a --episode ep-1 --at 3 --pack packs/p --policy scripted --script other.json --out runs/b",
      says: "what if it had done this instead",
    },
  ],
  input: Type.Object(
    {
      run: runInput("The folder of the run."),
      episode: episodeFlag,
      at: Type.Integer({
        minimum: 0,
        "x-placeholder": "step",
        description: "The last step in common; 0 for none.",
      }),
      pack: packFlag,
      ...policyInput,
      out: Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description: "The folder of the fork; new or empty.",
      }),
      resume: Type.Optional(Type.Boolean({ description: "Go on with the fork that is there." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.fork"),
    folder: Type.String(),
    runId: Type.String(),
    parentRunId: Type.String(),
    episodeId: Type.String(),
    atStep: Type.Integer(),
    policyId: Type.String(),
    stepCount: Type.Integer(),
    terminalAction: Type.String(),
    decisionClass: Type.Union([Type.String(), Type.Null()]),
    stopReason: Type.String(),
  }),
  async run(input, call) {
    const { ports, signal } = call;
    const from = folderOf(call, input.run);
    const out = folderOf(call, input.out);
    const policy = await policyFrom(input, call, await readRunManifest(from, ports), out);
    let pack: Pack | undefined;
    try {
      pack = await openPack(pathOf(call, input.pack), ports);
      const { manifest, terminal } = await forkRun({
        from,
        episodeId: input.episode,
        at: input.at,
        out,
        pack,
        policy,
        codeRevision: await ports.revision.current(),
        ports,
        signal,
        resume: input.resume === true,
        notice: (sentence) => call.warn(sentence),
      });
      return {
        action: "hlq.fork" as const,
        folder: shown(call, out),
        runId: manifest.run_id,
        parentRunId: manifest.forked_from?.run_id ?? "",
        episodeId: input.episode,
        atStep: input.at,
        policyId: manifest.policy_id,
        stepCount: terminal.step_count,
        terminalAction: terminal.terminal_action,
        decisionClass: terminal.decision_class,
        stopReason: terminal.stop_reason,
      };
    } finally {
      await pack?.close();
      await policy.close?.();
    }
  },
  present({ runId, parentRunId, atStep, episodeId, stepCount, decisionClass, stopReason, folder }, paint) {
    return [
      `  ${paint.strong(runId)}  ${episodeId}, from step ${atStep} of ${parentRunId}`,
      `  ${stepCount} steps, ${decisionClass ?? "abstained"}: ${stopReason}`,
      `  ${paint.dim(folder)}`,
    ].join("\n");
  },
});
