/** `hlq run`: a policy on the episodes of a pack, into a folder. */
import { counted } from "@bridle/record";
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { openPack } from "../pack/open.js";
import { verifyPack } from "../pack/verify.js";
import type { Pack } from "../pack/types.js";
import { readRunManifest } from "../run/manifest.js";
import { runPack } from "../run/run.js";
import { sidecarPath } from "../run/sidecar.js";
import { episodeIdsFrom } from "./episode-ids.js";
import { pathOf, shown } from "./pack-input.js";
import { policyFrom, policyInput } from "./policy-input.js";
import { endsOutput, folderOf, packFlag } from "./run-input.js";

const jobsMax = 64;

export const runOperation = defineOperation({
  names: { id: "op/hlq.run", action: "hlq.run", command: ["run"], tool: "hlq_run" },
  family: "hlq",
  effect: "mutate",
  needs: "nothing",
  surfaces: ["cli"],
  summary: "Run a policy on the episodes of a replay pack.",
  description:
    "Writes one folder: what was run, every step with the working set before and after it, every artifact that was " +
    "read, and how each episode ended. The same pack and policy give the same bytes, whatever the number of jobs. A run " +
    "that was stopped is gone on with by --resume and the same arguments: what is there is compared and never replaced. " +
    "A policy that fails ends its episode in a recorded abstention.",
  examples: [
    { command: "hlq run --pack packs/p --policy random --seed 7 --out runs/a", says: "a run from a seed" },
    { command: "hlq run --pack packs/p --out runs/a --resume", says: "goes on where it was stopped" },
  ],
  input: Type.Object(
    {
      pack: packFlag,
      ...policyInput,
      out: Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description: "The folder of the run; new or empty.",
      }),
      episodes: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          "x-placeholder": "id,…|@file",
          description:
            "Only these episodes, by id; several in one with commas between, or @ and a file with one a line.",
        }),
      ),
      jobs: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: jobsMax,
          description: "Episodes that are worked on at a time; 1 without it. Changes nothing in the result.",
        }),
      ),
      maxCost: Type.Optional(
        Type.Number({
          minimum: 0,
          "x-placeholder": "usd",
          description: "Stop when the model has cost so many US dollars.",
        }),
      ),
      resume: Type.Optional(Type.Boolean({ description: "Go on with the run that is there." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.run"),
    folder: Type.String(),
    sidecar: Type.String({ description: "What the clock and the bill say; beside the folder, not in it." }),
    runId: Type.String(),
    packId: Type.String(),
    policyId: Type.String(),
    episodes: Type.Integer(),
    steps: Type.Integer(),
    refusals: Type.Integer(),
    ends: endsOutput,
    costUsd: Type.Number(),
    wallMs: Type.Integer(),
  }),
  async run(input, call) {
    const { ports, signal } = call;
    const out = folderOf(call, input.out);
    const earlier = input.resume === true ? await readRunManifest(out, ports) : undefined;
    const policy = await policyFrom(input, call, earlier, out);
    let pack: Pack | undefined;
    try {
      pack = await openPack(pathOf(call, input.pack), ports);
      // Of a pack with blocks, those that the named episodes stand in are checked when they are read.
      if (input.episodes === undefined || pack.manifest.blocks === undefined)
        await verifyPack(pathOf(call, input.pack), ports);
      const summary = await runPack({
        pack,
        policy,
        out,
        ports,
        signal,
        codeRevision: await ports.revision.current(),
        resume: input.resume === true,
        ...(input.episodes === undefined ? {} : { episodeIds: await episodeIdsFrom(input.episodes, call) }),
        ...(input.jobs === undefined ? {} : { jobs: input.jobs }),
        ...(input.maxCost === undefined ? {} : { maxCostUsd: input.maxCost }),
        notice: (sentence) => call.warn(sentence),
        progress: (done, total) => call.progress({ doing: policy.policyId, done, total }),
      });
      const { manifest, episodes, steps, refusals, ends } = summary;
      return {
        action: "hlq.run" as const,
        folder: shown(call, out),
        sidecar: shown(call, sidecarPath(out)),
        runId: manifest.run_id,
        packId: manifest.pack_id,
        policyId: manifest.policy_id,
        episodes,
        steps,
        refusals,
        ends,
        costUsd: summary.cost_usd,
        wallMs: summary.wall_ms,
      };
    } finally {
      await pack?.close();
      await policy.close?.();
    }
  },
  present({ runId, policyId, packId, episodes, steps, refusals, ends, folder }, paint) {
    const refused = refusals === 0 ? "" : `, ${counted(refusals, "refusal", "refusals")}`;
    return [
      `  ${paint.strong(runId)}  ${policyId} on ${packId}`,
      `  ${counted(episodes, "episode", "episodes")}, ${counted(steps, "step", "steps")}${refused}`,
      `  ${ends.finalize_signal} signal, ${ends.finalize_low_signal} low signal, ${ends.abstain} abstained`,
      `  ${paint.dim(folder)}`,
    ].join("\n");
  },
});
