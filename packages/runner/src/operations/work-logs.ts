/** `bridle work logs <issue>`: what the command that worked on an issue said, the last time or right now. */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { listRuns, RunFiles } from "../run/run-files.js";
import { stepFolder } from "../live/names.js";
import { newStep, unfinishedSteps } from "../step/state.js";
import { stepFileNames } from "../work/step-files.js";
import { flag, flags, issueInput, named, reading } from "./define.js";
import { rowsOf, runOf, runOfInput } from "./run-of.js";

const chunkBytes = 256 * 1024;
const pollMs = 200;

export const workLogs = defineOperation({
  names: named("work", "logs"),
  ...reading,
  summary: "Show what the command that worked on an issue said.",
  description: "Of its last step, in whichever run. Values of secret variables are not in it.",
  examples: [
    { command: "bridle work logs bd-5", says: "of the last step" },
    { command: "bridle work logs bd-5 --follow", says: "as it comes, until the step ends" },
  ],
  input: flags({
    issue: issueInput,
    follow: flag("Go on until the step ends."),
    repoRoot: runOfInput.repoRoot,
  }),
  output: Type.Object({
    action: Type.Literal("work.logs"),
    issueId: Type.String(),
    step: Type.String(),
    path: Type.String(),
    text: Type.String({ description: "The end of it, where it is long." }),
  }),
  async run(given, call) {
    const found = await runOf(given, call);
    if (isRefusal(found)) return found;
    const step = await lastStepOf(given.issue, found.runs, call);
    if (step === undefined)
      return refuse("run_unknown", {
        message: `nobody worked on ${given.issue} so far`,
        hint: "`bridle work status` shows who works on what.",
      });
    const path = join(stepFolder(join(found.runs, step.run), newStep(step.id, "")), stepFileNames.output);
    if (given.follow === true) await follow(path, step, found.runs, call);
    const text = await tailOf(path, 0, call);
    return { action: "work.logs" as const, issueId: given.issue, step: step.id, path, text: text.text };
  },
  present: ({ text }) => text.trimEnd(),
});

interface StepPlace {
  readonly run: string;
  readonly id: string;
}

async function lastStepOf(issue: string, runs: string, call: Call): Promise<StepPlace | undefined> {
  for (const run of (await listRuns(runs, call.ports)).reverse()) {
    const rows = await rowsOf(new RunFiles(join(runs, run), call.ports), call);
    const row = rows.findLast((each) => each.effect === "claim" && each.data["issueId"] === issue);
    if (row?.step !== undefined) return { run, id: row.step };
  }
  return undefined;
}

async function follow(path: string, { run, id }: StepPlace, runs: string, call: Call): Promise<void> {
  let from = 0;
  for (let last = false; ;) {
    const { text, end } = await tailOf(path, from, call);
    if (text !== "") await call.emit?.(text, text);
    from = end;
    if (last || call.signal.aborted) return;
    const rows = await rowsOf(new RunFiles(join(runs, run), call.ports), call);
    last = !unfinishedSteps(rows).some((step) => step.id === id);
    if (!last) await call.ports.clock.sleep(pollMs, call.signal);
  }
}

async function tailOf(path: string, from: number, { ports }: Call): Promise<{ text: string; end: number }> {
  const stat = await ports.files.stat(path);
  if (stat === undefined || stat.size <= from) return { text: "", end: from };
  const file = await ports.files.open(path, "read");
  try {
    const begin = from === 0 ? Math.max(0, stat.size - chunkBytes) : from;
    const bytes = await file.read(begin, stat.size - begin);
    return { text: Buffer.from(bytes).toString("utf8"), end: begin + bytes.length };
  } finally {
    await file.close();
  }
}
