/** `premath harness-trajectory append`: one row for one step, whole or not at all. */
import { defineOperation } from "@bridle/operation";
import { formatSeconds, isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { engineFor } from "../store/open.js";
import { meaningOf } from "../projection/result-class.js";
import { newStep, StepReader } from "../projection/step.js";
import { Step } from "../types.js";
import { mutationInput } from "./mutation-input.js";
import { pathInput, rootInput, trajectoryDefault, trajectoryPlace } from "../calls/place.js";
import { refsFlag, refsInput } from "./refs-input.js";
import { factLines } from "./text-layout.js";
import { inDoubt } from "./in-doubt.js";

const doubtHint = "Run it again with --once and the same --step-id: the row is added only if it is missing.";

const text = (placeholder: string, description: string) =>
  Type.String({ "x-placeholder": placeholder, description });

export const trajectoryAppend = defineOperation({
  names: {
    id: "op/harness.trajectory_append",
    action: "harness.trajectory.append",
    command: ["harness-trajectory", "append"],
    tool: "harness_trajectory_append",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Append one step to the trajectory.",
  description:
    "Adds one line and leaves every earlier byte as it is. Refs are trimmed, sorted and freed of repeats; empty " +
    "optional values are left out; a blank id, action or result class or a malformed time is refused and nothing is " +
    "written.",
  examples: [
    {
      command:
        "premath harness-trajectory append --step-id s-12 --action verify --result-class accepted --witness-ref ci://412",
      says: "records a step that just ended",
    },
    {
      command:
        "premath harness-trajectory append --step-id s-13 --action push --result-class network_timeout --once",
      says: "records it unless it is there already, e.g. after a crash",
    },
  ],
  input: Type.Object(
    {
      path: pathInput("The trajectory", trajectoryDefault),
      stepId: text("id", "Names the step."),
      issueId: Type.Optional(text("id", "The issue that it belongs to.")),
      action: text("action", "What was done."),
      resultClass: text("class", "How it ended: accepted, completed, success, ok, passed, or how it failed."),
      failureClasses: refsFlag("failure-class", "Class of a step that failed"),
      nextStep: Type.Optional(text("text", "What is recommended next.")),
      ...refsInput,
      startedAt: Type.Optional(text("time", "When it began, RFC 3339.")),
      finishedAt: Type.Optional(text("time", "When it ended, RFC 3339; now when left out.")),
      once: Type.Optional(
        Type.Boolean({
          description: "Add nothing when a row with this step id and action is there already.",
        }),
      ),
      durability: Type.Optional(
        Type.Enum(["written", "synced"], {
          default: "synced",
          description: "synced survives the machine, written the process; synced when left out.",
        }),
      ),
      root: rootInput,
      instructionId: mutationInput.instructionId,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-trajectory.append"),
    path: Type.String(),
    row: Step,
    added: Type.Boolean({
      description: "False when --once found the row there already; then it is that row.",
    }),
  }),
  async run(input, call) {
    const { ports } = call;
    const finishedAt = input.finishedAt ?? formatSeconds(await ports.clock.now());
    const step = newStep({ ...input, finishedAt });
    if (isRefusal(step)) return step;
    const place = await trajectoryPlace(input, call);
    const { signal } = call;
    const notice = (sentence: string) => call.warn(sentence);
    const steps = await engineFor(ports).steps({ path: place.path, ports, signal, notice });
    try {
      const { added, row } = await steps.append(step, {
        durability: input.durability ?? "synced",
        once: input.once === true,
      });
      const there = added ? step : (new StepReader().step(row) ?? step);
      return { action: "harness-trajectory.append" as const, path: place.shown, row: there, added };
    } catch (error) {
      throw inDoubt(error, doubtHint);
    } finally {
      await steps.close();
    }
  },
  present({ row, path, added }, paint) {
    const { failed } = meaningOf(row.resultClass);
    return factLines(
      [
        [added ? "appended" : "already there", paint.strong(row.stepId)],
        ["action", row.action],
        ["result", failed ? paint.bad(row.resultClass) : paint.good(row.resultClass)],
        ["issue", row.issueId],
        ["finished", row.finishedAt],
        ["file", path],
      ],
      paint,
    ).join("\n");
  },
});
