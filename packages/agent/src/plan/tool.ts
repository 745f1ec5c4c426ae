/**
 * The tool `plan`: steps with their marks, bounds that are enforced, promises that
 * are kept.
 *
 * What a newcomer gets wrong: the tool only records. The contract stage enforces the
 * bounds and the commitment stage the promises; this tool is never held back by
 * either, since a plan is how a bound is raised or a promise withdrawn.
 */
import { canonicalJson, type JsonObject } from "@bridle/record";
import { isPlan, nextPlan, planLimits } from "@bridle/rules";
import type { AgentTool, Bounds, Plan, StepStatus } from "../types.js";

const line = { type: "string", minLength: 1, maxLength: planLimits.textCharsMax } as const;
const lines = (maxItems: number) => ({ type: "array", items: line, maxItems }) as const;

const parameters: JsonObject = {
  type: "object",
  additionalProperties: false,
  properties: {
    steps: {
      ...lines(planLimits.stepsMax),
      minItems: 1,
      description: "A new plan; replaces the one there is.",
    },
    step_index: {
      type: "integer",
      minimum: 0,
      description: "The step that is done, counting from 0; the next one begins.",
    },
    title: line,
    done_when: { ...lines(planLimits.doneWhenMax), description: "How one sees that the work is done." },
    contract: {
      type: "object",
      additionalProperties: false,
      description: "Bounds, enforced from this plan on. 0 allows none; left out is no bound.",
      properties: {
        title: line,
        objective: line,
        success_criteria: { anyOf: [line, lines(planLimits.doneWhenMax)] },
        max_steps: {
          type: "integer",
          minimum: 0,
          maximum: planLimits.maxSteps,
          description: "Rounds with a tool call.",
        },
        max_minutes: { type: "number", minimum: 0, maximum: planLimits.maxMinutes },
        max_tool_calls: { type: "integer", minimum: 0, maximum: planLimits.maxToolCalls },
        max_cost_usd: { type: "number", minimum: 0, maximum: planLimits.maxCostUsd },
      },
    },
    commitments: {
      type: "array",
      maxItems: planLimits.commitmentsMax,
      description:
        "What will not be done. Calls against their paths, tools and needs are refused; a text alone is only shown.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["text"],
        properties: {
          text: line,
          paths: {
            ...lines(planLimits.pathsMax),
            description: "Files, folders or globs that stay as they are.",
          },
          tools: { ...lines(planLimits.pathsMax), description: "Tools that will not be called." },
          needs: {
            type: "array",
            items: { enum: ["write", "network", "host"] },
            maxItems: 3,
            description: "Tiers that no command will need.",
          },
        },
      },
    },
  },
};

/** What it sets is reduced from the row of its result, so a resume has it too. */
export function planTool(current: () => Plan | undefined): AgentTool {
  return {
    name: "plan",
    description:
      "Make or replace the plan of this task (steps), or mark a step as done (step_index). Bounds and commitments given here are enforced.",
    family: "core",
    parameters,
    intent: (args) => ({
      key: `plan ${canonicalJson(args)}`,
      repeat: "run",
      risk: "safe",
      says: "Set the plan.",
    }),
    async run(args) {
      const plan = nextPlan(current(), args);
      if (!isPlan(plan)) return { ok: false, text: `${plan.message} ${plan.remedy}`, refusal: plan };
      return { ok: true, text: planText(plan), facts: { steps: plan.steps.length } };
    },
  };
}

const marks: Readonly<Record<StepStatus, string>> = { todo: "[ ]", doing: "[>]", done: "[x]" };

/** The plan as the model reads it. Steps carry the index that `step_index` takes. */
export function planText(plan: Plan): string {
  const done = plan.steps.filter(({ status }) => status === "done").length;
  const bounds = boundsText(plan.bounds);
  return [
    `Plan${plan.title === undefined ? "" : `: ${plan.title}`} (${done} of ${plan.steps.length} steps done)`,
    ...plan.steps.map(({ title, status }, i) => `${i}. ${marks[status]} ${title}`),
    ...plan.doneWhen.map((criterion) => `Done when: ${criterion}`),
    ...(bounds === "" ? [] : [`Bounds: ${bounds}`]),
    ...plan.commitments.map(({ text }) => `Commitment: ${text}`),
  ].join("\n");
}

function boundsText({ maxSteps, maxMinutes, maxToolCalls, maxCostUsd }: Bounds): string {
  return [
    ...(maxSteps === undefined ? [] : [`${maxSteps} rounds with tool calls`]),
    ...(maxMinutes === undefined ? [] : [`${maxMinutes} minutes`]),
    ...(maxToolCalls === undefined ? [] : [`${maxToolCalls} tool calls`]),
    ...(maxCostUsd === undefined ? [] : [`${maxCostUsd} US dollars`]),
  ].join(", ");
}
