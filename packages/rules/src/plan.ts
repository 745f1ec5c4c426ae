/**
 * What a `plan` call makes of the plan that is there.
 *
 * - `steps` begin a new plan: of the old one only its commitments stay, neither its
 *   bounds nor what was counted against them. A promise ends when a list without it is
 *   given, not because nobody mentioned it.
 * - `contract` without `steps` sets all bounds anew and counts from 0; steps and
 *   commitments stay. A bound that it leaves out is no bound any more.
 * - `commitments` replace the old list; `title` and `done_when` replace their like.
 * - `step_index` alone changes neither bounds nor commitments.
 *
 * A call that is refused changes nothing. Nothing here ever rewrites a plan by
 * itself or undoes what was done under it.
 *
 * What a newcomer gets wrong: a plan without a contract has no bounds of its own.
 * The number of its steps bounds nothing. And the shape of the arguments is not looked
 * at here: the schema of the tool holds them to it, with `planLimits`, before it runs.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { type Bounds, boundsIn } from "./bounds.js";
import { type Commitment, isNeeds } from "./commitments.js";

export type StepStatus = "todo" | "doing" | "done";

export interface PlanStep {
  readonly title: string;
  readonly status: StepStatus;
}

export interface Plan {
  readonly title?: string;
  readonly steps: readonly PlanStep[];
  readonly doneWhen: readonly string[];
  readonly bounds: Bounds;
  readonly commitments: readonly Commitment[];
}

/** Why a `plan` call changes nothing. */
export interface PlanRefusal {
  readonly code: string;
  readonly message: string;
  /** What to do instead. */
  readonly remedy: string;
}

export const planLimits = {
  stepsMax: 40,
  doneWhenMax: 20,
  commitmentsMax: 20,
  pathsMax: 50,
  textCharsMax: 500,
  maxSteps: 200,
  maxMinutes: 10_080,
  maxToolCalls: 2_000,
  maxCostUsd: 100_000,
} as const;

export function isPlan(value: Plan | PlanRefusal): value is Plan {
  return "steps" in value;
}

export function nextPlan(plan: Plan | undefined, args: JsonObject): Plan | PlanRefusal {
  const { steps: given, step_index: index, contract, commitments } = args;
  if (parts.every((part) => args[part] === undefined)) {
    return {
      code: "plan_empty",
      message: "The plan call says nothing.",
      remedy: "Give steps, or step_index of the step that is done.",
    };
  }
  const before = given === undefined ? (plan ?? nothing) : nothing;
  const bounds = isJsonObject(contract) ? contract : undefined;
  const [title = before.title] = texts(args["title"] ?? bounds?.["title"]);
  const steps = given === undefined ? before.steps : texts(given).map(begun);
  if (steps.some((step) => step.title === "")) {
    return { code: "plan_invalid", message: "A step is blank.", remedy: "Say each step in a line." };
  }
  const done = args["done_when"] ?? bounds?.["success_criteria"];
  const marks = index === undefined ? steps : marked(steps, index);
  if ("code" in marks) return marks;
  return {
    ...(title === undefined ? {} : { title }),
    steps: marks,
    doneWhen: done === undefined ? before.doneWhen : texts(done),
    bounds: bounds === undefined ? before.bounds : boundsIn(bounds),
    commitments: commitments === undefined ? (plan?.commitments ?? []) : commitmentsOf(commitments),
  };
}

const parts = ["steps", "step_index", "title", "done_when", "contract", "commitments"];
const nothing: Plan = { steps: [], doneWhen: [], bounds: {}, commitments: [] };

function begun(title: string, i: number): PlanStep {
  return { title, status: i === 0 ? "doing" : "todo" };
}

function marked(steps: readonly PlanStep[], index: JsonValue): readonly PlanStep[] | PlanRefusal {
  if (steps.length === 0) {
    return {
      code: "plan_missing",
      message: "There is no plan whose step could be done.",
      remedy: "Make one with steps first.",
    };
  }
  if (typeof index !== "number" || index >= steps.length) {
    return {
      code: "plan_step_unknown",
      message: `step_index is ${JSON.stringify(index)}; the plan has the steps 0 to ${steps.length - 1}.`,
      remedy: "Give the index of the step that is done, counting from 0.",
    };
  }
  const done = (i: number) => i === index || steps[i]?.status === "done";
  const order = [...steps.keys()];
  const next = order.find((i) => i > index && !done(i)) ?? order.find((i) => !done(i));
  return steps.map(({ title }, i) => ({ title, status: done(i) ? "done" : i === next ? "doing" : "todo" }));
}

/** In old logs one may be a text alone. */
function commitmentsOf(value: JsonValue): readonly Commitment[] {
  return (Array.isArray(value) ? value : []).map((item) => {
    const given: JsonObject = isJsonObject(item) ? item : { text: item };
    const [text = ""] = texts(given["text"]);
    const needs = texts(given["needs"]).filter(isNeeds);
    return { text, paths: texts(given["paths"]), tools: texts(given["tools"]), needs };
  });
}

/** Those of a list, or one; without the spaces around them. */
function texts(value: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === "string").map((item) => item.trim());
}
