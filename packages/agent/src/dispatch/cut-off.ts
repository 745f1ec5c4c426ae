/**
 * What to do with an answer, by how it ended: the decision table of the length
 * resume. Pure, so that every line of it is a test.
 *
 * | stop | calls | then |
 * |---|---|---|
 * | any | one does not parse | it is not dispatched; [CONTINUE] |
 * | length, none | one parses and looks cut | it is not dispatched; [CONTINUE] |
 * | stop, tool_use | all parse | dispatched; one that looks cut is reported as such |
 * | length | none, text | the text is kept; [CONTINUE] |
 * | none | none, text | the answer; it is not continued |
 *
 * A provider that gives no reason mostly finished: going on after a complete
 * answer glues a second ending to it.
 */
import type { StopReason } from "@bridle/model";
import type { CutWrite } from "../types.js";

export type Verdict = "dispatch" | "cut";

/** Whether one call is carried out, or continued because it was cut off. */
export function judgeCut(call: {
  readonly stop: StopReason;
  readonly parses: boolean;
  /** Whether its content looks cut; asked only where that decides. */
  looksCut(): boolean;
}): Verdict {
  if (!call.parses) return "cut";
  const mayBeCut = call.stop === "length" || call.stop === "none";
  return mayBeCut && call.looksCut() ? "cut" : "dispatch";
}

/** Of an answer without calls: whether the model is to go on with its text. */
export function continuesText(stop: StopReason, text: string): boolean {
  return stop === "length" && text.trim() !== "";
}

export const continueMark = "[CONTINUE]";

export function continueText(tail: string): string {
  return `${continueMark} Your answer was cut off by the length limit. It ends with:\n${quoted(tail)}\nGo on exactly after that. Repeat nothing and add no remark about the interruption.`;
}

/** `cut` is what is left of a write; without it the call had nothing worth keeping. */
export function continueCall(tool: string, cut: CutWrite | undefined): string {
  const nothing = `${continueMark} Your call of ${tool} was cut off before its arguments were complete. Nothing was done.`;
  if (cut === undefined) return `${nothing} Make the call again; if it is long, in smaller parts.`;
  const arrived = `${continueMark} Your call of ${tool} for ${cut.path} was cut off after ${cut.bytes} bytes of content. The file was not touched.`;
  if (!cut.staged) {
    return `${arrived} What arrived ends with:\n${quoted(cut.tail)}\nMake the call again from its beginning, in smaller parts.`;
  }
  return `${arrived} What arrived is kept. It ends with:\n${quoted(cut.tail)}\nCall write_file with path ${JSON.stringify(cut.path)}, mode "append", and as content only what comes directly after that; both parts are then written as one.`;
}

function quoted(tail: string): string {
  return `<<<${tail}>>>`;
}

/** How much of its end a model is shown to go on after. */
const tailChars = 200;

/** The end of a text, without halves of characters. */
export function tailOf(text: string): string {
  const tail = text.slice(-tailChars);
  return (/^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail).toWellFormed();
}

/** Below this, what two texts share may be chance. */
const overlapCharsMin = 12;
const overlapCharsMax = 2_000;

/** Two parts of one text, without what the second repeats of the first. */
export function joinText(first: string, second: string): string {
  const most = Math.min(first.length, second.length, overlapCharsMax);
  for (let length = most; length >= overlapCharsMin; length--) {
    if (first.endsWith(second.slice(0, length))) return first + second.slice(length);
  }
  return first + second;
}
