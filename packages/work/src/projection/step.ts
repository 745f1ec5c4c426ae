/**
 * Steps: the rows of a trajectory.
 *
 * `newStep` is for a row that is about to be written and says no with a refusal.
 * `StepReader` is for rows that stand in a file: it names what is wrong with a
 * row and lets the rest be answered.
 */
import { type JsonObject, normalizeRefs, parseInstant, refuse, type Refusal } from "@bridle/record";
import { optionalText, quoted } from "../text.js";
import { type Step, stepKind } from "../types.js";
import { InstantReader } from "./instant-reader.js";

export interface StepInput {
  readonly stepId: string;
  readonly issueId?: string;
  readonly action: string;
  readonly resultClass: string;
  readonly failureClasses?: readonly string[];
  readonly reason?: string;
  readonly nextStep?: string;
  readonly instructionRefs?: readonly string[];
  readonly witnessRefs?: readonly string[];
  readonly lineageRefs?: readonly string[];
  readonly startedAt?: string;
  readonly finishedAt: string;
}

export function newStep(input: StepInput): Step | Refusal {
  const required = ["stepId", "action", "resultClass", "finishedAt"] as const;
  for (const member of required) {
    if (optionalText(input[member]) === undefined) {
      return refuse("step_invalid", {
        message: `${member} must be non-empty`,
        hint: unwritten,
        detail: { member },
      });
    }
  }
  const step = normalize(input);
  return badTimestamp("finishedAt", step.finishedAt) ?? badTimestamp("startedAt", step.startedAt) ?? step;
}

const unwritten = "No row was written.";

function badTimestamp(member: string, text: string | undefined): Refusal | undefined {
  if (text === undefined || parseInstant(text) !== undefined) return undefined;
  return refuse("timestamp_invalid", {
    message: `${member} must be RFC3339: ${quoted(text)} is not`,
    hint: `Write it like 2026-01-31T09:30:00Z. ${unwritten}`,
    detail: { member },
  });
}

/** Members in the order of the file; what is empty is left out. */
function normalize(input: StepInput): Step {
  const issueId = optionalText(input.issueId);
  const startedAt = optionalText(input.startedAt);
  // A newer version may mean something else by it.
  const reason = typeof input.reason === "string" ? optionalText(input.reason) : undefined;
  const nextStep = typeof input.nextStep === "string" ? optionalText(input.nextStep) : undefined;
  return {
    schema: 1,
    stepKind,
    stepId: input.stepId.trim(),
    ...(issueId === undefined ? {} : { issueId }),
    action: input.action.trim(),
    resultClass: input.resultClass.trim(),
    ...(isTexts(input.failureClasses) ? refsMember("failureClasses", input.failureClasses) : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(nextStep === undefined ? {} : { nextStep }),
    ...refsMember("instructionRefs", input.instructionRefs),
    ...refsMember("witnessRefs", input.witnessRefs),
    ...refsMember("lineageRefs", input.lineageRefs),
    ...(startedAt === undefined ? {} : { startedAt }),
    finishedAt: input.finishedAt.trim(),
  };
}

/** A newer version may mean something else by it. */
function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function refsMember<Member extends string>(member: Member, refs: readonly string[] | undefined) {
  const normalized = normalizeRefs(refs ?? []);
  return (normalized.length === 0 ? {} : { [member]: normalized }) as { [member in Member]?: string[] };
}

/** Keeps what it needs between rows, so that judging a row costs no memory. */
export class StepReader {
  /** Of the last row without a problem. */
  readonly finished = new InstantReader();
  private readonly started = new InstantReader();

  /** What keeps a row from being a step, in a few words; undefined when it is one. */
  problem(row: JsonObject): string | undefined {
    if (row["stepKind"] !== stepKind) return `stepKind is ${quoted(row["stepKind"])}, expected "${stepKind}"`;
    if (row["schema"] !== 1) return `schema is ${quoted(row["schema"])}, expected 1`;
    const { stepId, action, resultClass, finishedAt, startedAt } = row;
    if (typeof stepId !== "string" || stepId.trim() === "")
      return `stepId is ${quoted(stepId)}, expected text`;
    if (typeof action !== "string" || action.trim() === "")
      return `action is ${quoted(action)}, expected text`;
    if (typeof resultClass !== "string" || resultClass.trim() === "") {
      return `resultClass is ${quoted(resultClass)}, expected text`;
    }
    if (typeof finishedAt !== "string" || !this.finished.read(finishedAt.trim())) {
      return `finishedAt is ${quoted(finishedAt)}, expected an RFC3339 timestamp`;
    }
    if (startedAt !== undefined && startedAt !== null && startedAt !== "") {
      if (
        typeof startedAt !== "string" ||
        (startedAt.trim() !== "" && !this.started.read(startedAt.trim()))
      ) {
        return `startedAt is ${quoted(startedAt)}, expected an RFC3339 timestamp`;
      }
    }
    const { issueId } = row;
    if (issueId !== undefined && issueId !== null && typeof issueId !== "string") {
      return `issueId is ${quoted(issueId)}, expected text`;
    }
    return (
      refsProblem("instructionRefs", row["instructionRefs"]) ??
      refsProblem("witnessRefs", row["witnessRefs"]) ??
      refsProblem("lineageRefs", row["lineageRefs"])
    );
  }

  /** The row as a step, normalised; undefined when it has a problem. */
  step(row: JsonObject): Step | undefined {
    if (this.problem(row) !== undefined) return undefined;
    const members = Object.entries(row).filter(([, value]) => value !== null);
    return normalize(Object.fromEntries(members) as unknown as StepInput);
  }
}

function refsProblem(member: string, refs: unknown): string | undefined {
  if (refs === undefined || refs === null) return undefined;
  if (Array.isArray(refs) && refs.every((ref) => typeof ref === "string")) return undefined;
  return `${member} is ${quoted(refs)}, expected a list of refs`;
}
