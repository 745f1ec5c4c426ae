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
 * The number of its steps bounds nothing.
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
  try {
    return reduced(plan, args);
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

const parts = ["steps", "step_index", "title", "done_when", "contract", "commitments"];
const nothing: Plan = { steps: [], doneWhen: [], bounds: {}, commitments: [] };

function reduced(plan: Plan | undefined, args: JsonObject): Plan {
  if (parts.every((part) => args[part] === undefined)) {
    throw refused(
      "plan_empty",
      "The plan call says nothing.",
      "Give steps, or step_index of the step that is done.",
    );
  }
  const contract = object(args["contract"], "contract");
  const before = args["steps"] === undefined ? (plan ?? nothing) : nothing;
  const title = text(args["title"] ?? contract?.["title"], "title") ?? before.title;
  const steps = args["steps"] === undefined ? before.steps : newSteps(args["steps"]);
  const index = args["step_index"];
  return {
    ...(title === undefined ? {} : { title }),
    steps: index === undefined ? steps : marked(steps, index),
    doneWhen: doneWhen(args["done_when"] ?? contract?.["success_criteria"]) ?? before.doneWhen,
    bounds: contract === undefined ? before.bounds : boundsOf(contract),
    commitments:
      args["commitments"] === undefined ? (plan?.commitments ?? []) : commitmentsOf(args["commitments"]),
  };
}

// --- Steps -----------------------------------------------------------------------------------------

function newSteps(value: JsonValue): readonly PlanStep[] {
  const titles = texts(value, "steps", planLimits.stepsMax);
  if (titles.length === 0) {
    throw refused("plan_invalid", "steps is empty.", "Name at least one step, or leave steps out.");
  }
  return titles.map((title, i) => ({ title, status: i === 0 ? "doing" : "todo" }));
}

function marked(steps: readonly PlanStep[], index: JsonValue): readonly PlanStep[] {
  if (steps.length === 0) {
    throw refused("plan_missing", "There is no plan whose step could be done.", "Make one with steps first.");
  }
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= steps.length) {
    throw refused(
      "plan_step_unknown",
      `step_index is ${JSON.stringify(index)}; the plan has the steps 0 to ${steps.length - 1}.`,
      "Give the index of the step that is done, counting from 0.",
    );
  }
  const done = (i: number) => i === index || steps[i]?.status === "done";
  const order = [...steps.keys()];
  const next = order.find((i) => i > index && !done(i)) ?? order.find((i) => !done(i));
  return steps.map(({ title }, i) => ({ title, status: done(i) ? "done" : i === next ? "doing" : "todo" }));
}

// --- Contract --------------------------------------------------------------------------------------

function doneWhen(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  return texts(typeof value === "string" ? [value] : value, "done_when", planLimits.doneWhenMax);
}

/** Bounds that count something are whole numbers. */
const boundsMax = [
  ["max_steps", planLimits.maxSteps, true],
  ["max_minutes", planLimits.maxMinutes, false],
  ["max_tool_calls", planLimits.maxToolCalls, true],
  ["max_cost_usd", planLimits.maxCostUsd, false],
] as const;

function boundsOf(contract: JsonObject): Bounds {
  for (const [name, max, whole] of boundsMax) {
    const value = contract[name];
    if (value === undefined) continue;
    const fits =
      typeof value === "number" && value >= 0 && value <= max && (!whole || Number.isInteger(value));
    if (fits) continue;
    throw refused(
      "plan_invalid",
      `contract.${name} is ${JSON.stringify(value)}; it takes a ${whole ? "whole " : ""}number from 0 to ${max}.`,
      "Give such a number, or leave it out for no bound.",
    );
  }
  return boundsIn(contract);
}

// --- Commitments -----------------------------------------------------------------------------------

function commitmentsOf(value: JsonValue): readonly Commitment[] {
  return list(value, "commitments", planLimits.commitmentsMax).map((item, i) => {
    const where = `commitments[${i}]`;
    const given = typeof item === "string" ? { text: item } : object(item, where);
    const said = text(given?.["text"], `${where}.text`);
    if (given === undefined || said === undefined) {
      throw refused("plan_invalid", `${where} has no text.`, "Say in its text what is promised.");
    }
    const listed = (name: string) =>
      given[name] === undefined ? [] : texts(given[name], `${where}.${name}`, planLimits.pathsMax);
    const needs = listed("needs");
    if (!needs.every(isNeeds)) {
      throw refused(
        "plan_invalid",
        `${where}.needs is ${JSON.stringify(needs)}.`,
        "It lists tiers of commands: write, network or host.",
      );
    }
    return { text: said, paths: listed("paths"), tools: listed("tools"), needs };
  });
}

// --- Values ----------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(readonly refusal: PlanRefusal) {
    super(refusal.message);
  }
}

function refused(code: string, message: string, remedy: string): Refused {
  return new Refused({ code, message, remedy });
}

function object(value: JsonValue | undefined, where: string): JsonObject | undefined {
  if (value === undefined || isJsonObject(value)) return value;
  throw refused("plan_invalid", `${where} is no object.`, `Give ${where} as an object, or leave it out.`);
}

function text(value: JsonValue | undefined, where: string): string | undefined {
  if (value === undefined) return undefined;
  const trimmed = typeof value === "string" ? value.trim() : "";
  if (trimmed !== "" && trimmed.length <= planLimits.textCharsMax) return trimmed;
  throw refused(
    "plan_invalid",
    `${where} is no text of 1 to ${planLimits.textCharsMax} characters.`,
    `Say ${where} in a line.`,
  );
}

function list(value: JsonValue, where: string, max: number): readonly JsonValue[] {
  if (Array.isArray(value) && value.length <= max) return value;
  throw refused("plan_invalid", `${where} is no list of at most ${max}.`, `Give ${where} as a shorter list.`);
}

function texts(value: JsonValue, where: string, max: number): readonly string[] {
  return list(value, where, max).map((item, i) => text(item, `${where}[${i}]`) ?? "");
}
