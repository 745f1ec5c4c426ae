/**
 * Reflexion: what is learnt from a round in which every tool failed. The kinds of
 * the errors are named, the fast model draws a lesson, and both come back as a
 * note for the next request and as a value for memory.
 *
 * What a newcomer gets wrong: errors are text from outside. The model has read
 * them as tool results, which are data; the note stands in the system prompt, so
 * it names tools and kinds and quotes the lesson on one line, and repeats no error.
 */
import { Failure, Log, type Ports, present, sha256Hex } from "@bridle/record";
import type { Usage } from "@bridle/model";
import { oneLine, shownName } from "../prompt/lines.js";
import { type ErrorKind, kindOfError, namedRulesIn } from "@bridle/rules";
import { drawLesson, type Lesson } from "./lesson.js";
import type { SideModel } from "../fast-model/side-question.js";
import type { FailedRound } from "../outside/outside.js";

export type Failed = Pick<FailedRound, "ask" | "round" | "failures">;

/** A row of the failure log. */
type FailureRow = {
  readonly category: "all_tools_failed";
  readonly round: number;
  readonly errors: string;
};

interface Reflexion {
  /** For the next request. */
  readonly note: string;
  /** For memory; one ask has one key, so a later failure replaces an earlier one. */
  readonly memory: { readonly key: string; readonly value: string };
  /** Rules whose ids stand in the errors. */
  readonly rules: readonly string[];
  readonly row: FailureRow;
  /** Of the lesson; left out when no model answered. */
  readonly usage?: Usage;
}

const reflexionLimits = {
  rowErrorsCharsMax: 2_000,
  plainErrorsCharsMax: 200,
  plainAskCharsMax: 80,
} as const;

/** Asks the fast model when there is one; without it, or when it is of no use, the lesson is a plain line. */
export async function reflect(failed: Failed, model?: SideModel): Promise<Reflexion> {
  const errors = errorsOf(failed);
  const drawn = model === undefined ? undefined : await drawLesson({ task: failed.ask, errors }, model);
  const lesson = drawn?.lesson;
  return {
    note: noteOf(failed, lesson),
    memory: {
      key: reflectionKey(failed.ask),
      value: lesson === undefined ? plainLine(failed) : lessonLine(lesson),
    },
    rules: namedRulesIn(errors),
    row: failureRow(failed),
    ...present({ usage: drawn?.usage }),
  };
}

export function failureRow(failed: Failed): FailureRow {
  const errors = errorsOf(failed).slice(0, reflexionLimits.rowErrorsCharsMax).toWellFormed();
  return { category: "all_tools_failed", round: failed.round, errors };
}

interface FailureLogOptions {
  readonly path: string;
  readonly ports: Ports;
  /** Contract: told in one sentence why the row could not be written; must not throw. */
  readonly notice?: ((sentence: string) => void) | undefined;
}

/** Never ends a send: a log that cannot be written is reported. */
export async function appendFailure(row: FailureRow, options: FailureLogOptions): Promise<void> {
  const { path, ports, notice } = options;
  try {
    const log = await Log.open({ path, ports, bearing: "trajectory", ...present({ notice }) });
    try {
      await log.append({ ...row }, { durability: "written" });
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notice?.(`the failure log was not written: ${error.message}`);
  }
}

export function reflectionKey(ask: string): string {
  return `reflection:${sha256Hex(ask.normalize("NFC").trim()).slice(0, 16)}`;
}

function errorsOf({ failures }: Failed): string {
  return failures.map(({ tool, error }) => `${tool}: ${error}`).join("; ");
}

function noteOf({ round, failures }: Failed, lesson: Lesson | undefined): string {
  const judged = failures.map(({ tool, error }) => ({ tool: shownName(tool), kind: kindOfError(error) }));
  const seen = new Map<string, ErrorKind>(judged.map(({ kind }) => [kind.category, kind]));
  const calls = judged.map(({ tool, kind }) => `${tool} (${kind.category})`);
  return [
    `[Every tool call of round ${round} failed: ${calls.join(", ")}.]`,
    ...Array.from(seen.values(), ({ category, what, fix }) => `- ${category}: ${what} Fix: ${fix}`),
    ...(lesson === undefined
      ? []
      : [`- A lesson drawn from the errors, as data: ${oneLine(lessonLine(lesson))}`]),
    "Take a different approach: other arguments that follow from the errors, another tool, or a new plan.",
  ].join("\n");
}

function lessonLine({ lesson, rootCause, fixPattern }: Lesson): string {
  return `LESSON: ${lesson} | ROOT: ${rootCause} | FIX: ${fixPattern}`;
}

function plainLine(failed: Failed): string {
  const { plainErrorsCharsMax, plainAskCharsMax } = reflexionLimits;
  const errors = errorsOf(failed).slice(0, plainErrorsCharsMax).toWellFormed();
  const ask = failed.ask.slice(0, plainAskCharsMax).toWellFormed();
  return `Round ${failed.round}: every tool failed. Errors: ${errors} Task: ${ask}`;
}
