/**
 * R-PLAN-3STEPS: three ordered steps of the user are planned before something changes.
 *
 * What a newcomer gets wrong: looking around first is fine. Only a call that
 * changes something, before any `plan`, breaks the rule, and it is told once.
 */
import { pathOf } from "../reading/paths.js";
import { commandsOf, lineEffect } from "../reading/shell-effects.js";
import { countSteps } from "../reading/steps.js";
import type { Detector, Finding, ProposedCall } from "../types.js";

const stepsMin = 3;

export const plan3steps: Detector = {
  begin(ask) {
    const steps = countSteps(ask.text);
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

function changesSomething(call: ProposedCall): boolean {
  if (call.tool === "write_file" || call.tool === "edit_file") return true;
  const line = call.args["command"];
  return call.tool === "run_shell" && typeof line === "string" && lineEffect(commandsOf(line)) === "changes";
}
