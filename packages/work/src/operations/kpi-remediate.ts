/** `premath harness-kpi remediate`: records what is done about a rollback, as a row of the trajectory. */
import { defineOperation } from "@bridle/operation";
import { formatSeconds, isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { engineFor } from "../store/open.js";
import { remediationAction } from "../projection/kpi.js";
import { newStep } from "../projection/step.js";
import { Step } from "../types.js";
import { mutationInput } from "./mutation-input.js";
import { pathInput, rootInput, trajectoryDefault, trajectoryPlace } from "../calls/place.js";
import { refsInput } from "./refs-input.js";
import { factLines } from "./text-layout.js";

const text = (placeholder: string, description: string) =>
  Type.String({ pattern: "\\S", "x-placeholder": placeholder, description });

export const kpiRemediate = defineOperation({
  names: {
    id: "op/harness.kpi_remediate",
    action: remediationAction,
    command: ["harness-kpi", "remediate"],
    tool: "harness_kpi_remediate",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Record what is done about a rollback.",
  description:
    "Adds one row to the trajectory, with the issue and the reason. `harness-kpi` then says that expansion goes on, " +
    "for as long as this rollback lasts and its window holds the row. The row itself does not count for the KPI.",
  examples: [
    {
      command: 'premath harness-kpi remediate --issue bd-14 --reason "two workers fought over one port"',
      says: "records the remediation that a rollback waits for",
    },
  ],
  input: Type.Object(
    {
      trajectoryPath: pathInput("The trajectory", trajectoryDefault),
      issue: text("id", "The issue that remedies it."),
      reason: text("text", "What went wrong, and what is done about it."),
      instructionRefs: refsInput.instructionRefs,
      witnessRefs: refsInput.witnessRefs,
      root: rootInput,
      instructionId: mutationInput.instructionId,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-kpi.remediate"),
    path: Type.String(),
    row: Step,
  }),
  async run(input, call) {
    const { ports } = call;
    const { trajectoryPath, root, issue, reason, instructionRefs, witnessRefs } = input;
    const now = formatSeconds(await ports.clock.now());
    const row = newStep({
      stepId: `harness-kpi.${issue.trim()}.${now.replace(/[-:]/g, "")}`,
      issueId: issue,
      action: remediationAction,
      resultClass: "accepted",
      reason,
      ...(instructionRefs === undefined ? {} : { instructionRefs }),
      ...(witnessRefs === undefined ? {} : { witnessRefs }),
      finishedAt: now,
    });
    if (isRefusal(row)) return row;
    const place = await trajectoryPlace(
      {
        ...(trajectoryPath === undefined ? {} : { path: trajectoryPath }),
        ...(root === undefined ? {} : { root }),
      },
      call,
    );
    const { signal } = call;
    const notice = (sentence: string) => call.warn(sentence);
    const steps = await engineFor(ports).steps({ path: place.path, ports, signal, notice });
    await steps.append(row, { durability: "synced" });
    return { action: "harness-kpi.remediate" as const, path: place.shown, row };
  },
  present: ({ row, path }, paint) =>
    factLines(
      [
        ["remediation", paint.strong(row.stepId)],
        ["issue", row.issueId],
        ["reason", row.reason],
        ["recorded", row.finishedAt],
        ["file", path],
      ],
      paint,
    ).join("\n"),
});
