/**
 * R-PLAN-3STEPS: a numbered list of three or more is planned before something changes.
 *
 * What a newcomer gets wrong: only lines that begin with 1, 2, 3 count, at the end of
 * what the user said, and no list of questions does; what a sentence means is not
 * read. Looking around first is fine. It is told once.
 */
import { pathOf } from "../paths.js";
import type { Detector, Finding, ProposedCall } from "../types.js";

const stepsMin = 3;

export const plan3steps: Detector = {
  begin(ask) {
    const steps = numberedSteps(ask.text);
    if (steps < stepsMin) return {};
    let settled = false;
    return {
      proposed(call): Finding | undefined {
        if (call.tool === "plan") settled = true;
        if (settled || !changesSomething(call)) return undefined;
        settled = true;
        const what = pathOf(call.args) ?? String(call.args["command"] ?? "").slice(0, 60);
        return {
          what: `The user gave ${steps} ordered steps, and ${call.tool} (${what}) came before any plan.`,
          remedy: `Call plan with the ${steps} steps of the user before changing anything else.`,
        };
      },
      ran(call, outcome) {
        if (call.tool === "plan" && !outcome.ok) settled = false;
        return undefined;
      },
    };
  },
};

/** Of a list that counts from 1 without a gap and ends what the user said; what stands after a list is what is asked. */
function numberedSteps(text: string): number {
  let count = 0;
  for (const line of text.trim().split("\n")) {
    const [, number, item = ""] = /^[ \t]*(?:\*\*)?(\d{1,2})[.):](?:\*\*)?\s+(.*)$/.exec(line) ?? [];
    if (number === undefined && /^\s|^$/.test(line)) continue;
    const goesOn = Number(number) === count + 1 && !/\?\s*$/.test(item);
    count = goesOn ? count + 1 : Number(number) === 1 ? 1 : 0;
  }
  return count;
}

/** Of a command, what it says that it needs. */
function changesSomething({ tool, args: { needs } }: ProposedCall): boolean {
  if (tool === "write_file" || tool === "edit_file") return true;
  return tool === "run_shell" && typeof needs === "string" && needs !== "read";
}
