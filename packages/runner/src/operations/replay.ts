/** `premath harness-trajectory replay <run>`: derives a run again from its journal, and names the first difference. */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, type JsonObject } from "@bridle/record";
import { engineFor } from "@bridle/work";
import * as Type from "typebox";
import { retryPolicyOf } from "../run/open-worker.js";
import { Replayed, replayRun } from "../run/replay.js";
import { flags, text } from "./define.js";
import { rowsOf, runOf, runOfInput } from "./run-of.js";

const trajectoryFile = ".premath/harness_trajectory.jsonl";

export const trajectoryReplay = defineOperation({
  names: {
    id: "op/harness.trajectory_replay",
    action: "harness.trajectory.replay",
    command: ["harness-trajectory", "replay"],
    tool: "harness_trajectory_replay",
  },
  ...{ family: "premath", effect: "read", surfaces: ["cli"] },
  summary: "Derive a run again from its journal, and name the first difference.",
  description:
    "Every step is decided again from the rows before it: what comes next, who holds the lease, how it came out and " +
    "whether it is tried again. Then its row in the trajectory is looked for. Nothing is run and nothing is changed.",
  examples: [{ command: "premath harness-trajectory replay run-3", says: "whether run-3 is what it says" }],
  input: flags({
    run: text("run", "Which run, such as run-3; the latest when left out.", { "x-position": 0 }),
    repoRoot: runOfInput.repoRoot,
  }),
  output: Type.Object({
    action: Type.Literal("harness.trajectory.replay"),
    result: Type.Enum(["accepted", "rejected"]),
    run: Type.String(),
    ...Replayed.properties,
  }),
  async run(given, call) {
    const found = await runOf(given, call);
    if (isRefusal(found)) return found;
    const { files, description, repository } = found;
    const policy = await retryPolicyOf(repository, call.ports);
    if (isRefusal(policy)) return policy;
    const trajectory = await stepsOf(join(repository.mainTree, trajectoryFile), call);
    const rows = await rowsOf(files, call);
    const replayed = replayRun(rows, { merge: description.merge, policy, trajectory });
    const result = replayed.difference === null ? ("accepted" as const) : ("rejected" as const);
    return { action: "harness.trajectory.replay" as const, result, run: files.run, ...replayed };
  },
  present({ run, rows, steps, ended, difference }, paint) {
    const told = `  ${paint.strong(run)} ${rows} rows, ${steps} steps, ${ended} ended`;
    if (difference === null) return `${told}: ${paint.good("the same again")}`;
    const { row, step, about, expected, found } = difference;
    return [
      `${told}: ${paint.bad(`differs in row ${row}`)} (${about}${step === null ? "" : `, ${step}`})`,
      `  expected  ${expected}`,
      `  found     ${found}`,
    ].join("\n");
  },
});

async function stepsOf(path: string, { ports }: Call): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  const steps = await engineFor(ports).steps({ path, ports });
  try {
    await steps.read(({ visit }) =>
      visit({
        wants: () => true,
        step({ action, stepId, resultClass }) {
          if (action === "worker.loop") found.set(String(stepId), { resultClass: resultClass ?? null });
        },
      }),
    );
    return found;
  } finally {
    await steps.close();
  }
}
