/** `bridle work report`: in the morning, what was done, what was not, and what it cost. */
import { defineOperation, type Paint } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { type EndedStep, runState } from "../run/status.js";
import { flags, named, nullable, reading } from "./define.js";
import { rowsOf, runOf, runOfInput } from "./run-of.js";
import { costWords } from "./work-status.js";

const Line = Type.Object({
  issueId: Type.String(),
  title: Type.String(),
  attempts: Type.Integer(),
  minutes: Type.Number(),
  commit: nullable(Type.String()),
  because: nullable(Type.String({ description: "Why the last step failed." })),
});

const output = Type.Object({
  action: Type.Literal("work.report"),
  run: Type.String(),
  target: Type.String(),
  done: Type.Array(Line),
  review: Type.Array(Line),
  notDone: Type.Array(Line),
  steps: Type.Integer(),
  costUsd: Type.Number(),
  unpricedSteps: Type.Integer(),
});
type Report = Type.Static<typeof output>;

export const workReport = defineOperation({
  names: named("work", "report"),
  ...reading,
  summary: "Say what a run did, and what it cost.",
  description: "Each issue once, by how its last step ended. From the journal, so at any time.",
  examples: [{ command: "bridle work report", says: "of the latest run" }],
  input: flags({ ...runOfInput }),
  output,
  async run(given, call) {
    const found = await runOf(given, call);
    if (isRefusal(found)) return found;
    const { ended, spent } = runState(await rowsOf(found.files, call), await call.ports.clock.now());
    const last = new Map(ended.map((step) => [step.issueId, step]));
    const lines = (fits: (step: EndedStep) => boolean) =>
      [...last.values()].filter(fits).map((step) => lineOf(step, ended));
    return {
      action: "work.report" as const,
      ...{ run: found.files.run, target: found.description.target },
      done: lines(({ end }) => end === "completed"),
      review: lines(({ end }) => end === "parked"),
      notDone: lines(({ end }) => end === "failed" || end === "lost"),
      ...{ steps: ended.length, costUsd: spent.costUsd, unpricedSteps: spent.unpricedSteps },
    };
  },
  present: presentReport,
});

function lineOf(
  { issueId, title, commit, failure }: EndedStep,
  all: readonly EndedStep[],
): Report["done"][number] {
  const steps = all.filter((step) => step.issueId === issueId);
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  return {
    ...{ issueId, title, attempts: steps.length, minutes: Math.round(ms / 6_000) / 10 },
    ...{ commit: commit ?? null, because: failure?.class ?? null },
  };
}

function presentReport(report: Report, paint: Paint): string {
  const { done, review, notDone } = report;
  const line = ({ issueId, title, attempts, because }: Report["done"][number]) =>
    `    ${paint.strong(issueId)}  ${title}${attempts > 1 ? paint.dim(` (${attempts} attempts)`) : ""}${because === null ? "" : `  ${paint.bad(because)}`}`;
  const part = (name: string, lines: Report["done"]) =>
    lines.length === 0 ? [] : [`  ${lines.length} ${name}`, ...lines.map(line)];
  return [
    ...part(`merged into ${report.target}`, done),
    ...part("wait for review: `bridle change list`", review),
    ...part("not done", notDone),
    `  ${report.steps} steps · ${costWords(report)}`,
    ...(done.length === 0 ? [] : ["  `bridle work land` brings it to your branch."]),
  ].join("\n");
}
