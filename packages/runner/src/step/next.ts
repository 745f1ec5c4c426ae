/**
 * What a step does next: a pure function of its rows in the journal and of what issue memory and git say now.
 *
 * The order of the questions is the whole of it: is the issue still ours; what became of an effect that was begun;
 * did something fail; what is the next effect of a step that goes well.
 */
import type { JsonObject } from "@bridle/record";
import type { EffectName, Facts, Next, StepRules, StepState } from "../types.js";
import { effectNames, inDoubt } from "../types.js";

type Doubt = NonNullable<StepState["doubt"]>;

/** What comes once, in its order, before anything is merged. */
const untilCommitted = effectNames.slice(0, effectNames.indexOf("merge"));

/** Each waits for the file as long as any caller does. */
const stopsMax = 20;

export function next(step: StepState, facts: Facts, rules: StepRules): Next {
  if (step.over !== undefined) return { kind: "over", how: step.over };
  // A handoff that could not be written, because somebody stands still at the file, is tried again, and not for ever.
  if (step.done.has("stop") && (step.stopsFailed ?? 0) >= stopsMax)
    return { kind: "over", how: step.done.has("give_back") ? "failed" : "completed" };
  const became = step.doubt === undefined ? undefined : whatBecameOf(step, step.doubt, facts);
  if (became !== undefined) return became;
  // What it merged in the moment in which it was lost is found and closed by whoever has the issue now.
  if (isLost(step, facts)) return { kind: "over", how: "lost" };
  if (step.doubt !== undefined) return again(step, step.doubt, facts);
  if (step.failure !== undefined) return afterFailure(step);
  const effect = upcoming(step, facts, rules);
  if (needsRenewal(step, effect, facts, rules)) return does("renew", {});
  return does(effect, planFor(effect, step, facts));
}

/** Somebody claimed the issue since, or removed it: whatever we know of it is out of date. */
function isLost(step: StepState, { issue }: Facts): boolean {
  if (step.claimed === undefined || isFinal(step)) return false;
  return issue === undefined || issue.fence !== step.claimed.fence;
}

/** From here on the row is no longer ours to lose: it was closed, given back or parked by this very step. */
function isFinal({ done }: StepState): boolean {
  return (["close", "give_back", "park"] as const).some((effect) => {
    const outcome = done.get(effect);
    return outcome !== undefined && outcome["failed"] === undefined;
  });
}

/** An effect in doubt of which the world shows nothing: it is done again, or never. */
function again(step: StepState, { effect, plan }: Doubt, facts: Facts): Next {
  if (inDoubt[effect] !== "never_repeat") return does(effect, { ...plan, ...planFor(effect, step, facts) });
  return settled(effect, {
    failed: {
      class: "work_interrupted",
      message: "the worker ended while the work command ran; what it did is kept on a branch of its own",
    },
  });
}

/** Undefined when the world does not show that it has happened. */
function whatBecameOf(step: StepState, { effect, plan }: Doubt, facts: Facts): Next | undefined {
  if (inDoubt[effect] !== "look") return undefined;
  const { issue, branch, target } = facts;
  switch (effect) {
    case "commit":
      return branch?.step === step.id ? settled(effect, { commit: branch.head }) : undefined;
    case "move":
      if (target?.holdsCandidate === true) return settled(effect, { moved: candidateOf(step) ?? null });
      // Somebody moved it before us: the merge was onto a head that is not the head any more.
      return target?.head === ontoOf(step) ? undefined : settled(effect, { moved: null });
    case "close":
      return issue?.closedOn !== undefined && issue.closedOn === plan["candidate"]
        ? settled(effect, { closedOn: issue.closedOn })
        : undefined;
    case "give_back":
    case "park":
      if (issue?.leftBy !== step.id) return undefined;
      return settled(effect, {
        leftBy: step.id,
        retry: effect === "give_back" && issue.escalation === undefined,
      });
    default:
      return undefined;
  }
}

function afterFailure(step: StepState): Next {
  if (step.claimed === undefined) return { kind: "over", how: "failed" };
  return does(step.done.has("give_back") ? "stop" : "give_back", { failure: failureOf(step), end: "failed" });
}

/** The first effect that has no outcome yet, of a step that goes well. */
function upcoming(step: StepState, facts: Facts, { merge }: StepRules): EffectName {
  const { done } = step;
  // Also where somebody before us had done the work: nothing of it is begun again.
  if (done.has("close") || done.has("park")) return "stop";
  // The issue was merged, and its worker did not live to close it: its change is not made a second time.
  if (facts.earlier !== undefined && done.has("open")) return "close";
  // Its work is another place's, and so is its verdict.
  if (done.get("work")?.["sent"] === true) return "park";
  const missing = untilCommitted.find((effect) => !done.has(effect));
  if (missing !== undefined) return missing;
  const moved = done.get("move")?.["moved"];
  if (typeof moved === "string") return "close";
  const merged = done.get("merge");
  // The target has moved on since, or the move came too late: what was checked is not what would stand.
  if (merged === undefined || facts.target?.head !== ontoOf(step)) return "merge";
  const checked = done.get("checks");
  if (checked === undefined || checked["commit"] !== candidateOf(step)) return "checks";
  if (checked["passed"] !== true) return "branch_checks";
  // Where nothing was changed there is nothing for a person to look at.
  return merge === "review" && done.get("commit")?.["files"] !== 0 ? "park" : "move";
}

/** A lease that ends soon is renewed before anything is done in its name. */
function needsRenewal(
  step: StepState,
  effect: EffectName,
  { nowMs, issue }: Facts,
  rules: StepRules,
): boolean {
  if (step.claimed === undefined || effect === "claim" || effect === "stop") return false;
  return (issue?.leaseEndsMs ?? Infinity) - nowMs < rules.renewBeforeMs;
}

function planFor(effect: EffectName, step: StepState, facts: Facts): JsonObject {
  switch (effect) {
    case "merge":
      return { onto: facts.target?.head ?? null, commit: step.done.get("commit")?.["commit"] ?? null };
    case "checks":
    case "move":
      return { candidate: candidateOf(step) ?? null, onto: ontoOf(step) ?? null };
    case "close":
      return {
        candidate: facts.earlier?.candidate ?? candidateOf(step) ?? null,
        onto: facts.earlier?.onto ?? ontoOf(step) ?? null,
      };
    case "park":
      return { candidate: candidateOf(step) ?? null };
    case "branch_checks":
      return { commit: step.done.get("commit")?.["commit"] ?? null };
    case "stop":
      return { end: step.done.has("park") ? "parked" : "completed" };
    default:
      return {};
  }
}

function failureOf({ failure }: StepState): JsonObject {
  if (failure === undefined) return {};
  const { detail, ...rest } = failure;
  return { ...rest, ...(detail === undefined ? {} : { detail }) };
}

function textAt(step: StepState, effect: EffectName, member: string): string | undefined {
  const value = step.done.get(effect)?.[member];
  return typeof value === "string" ? value : undefined;
}

const candidateOf = (step: StepState) => textAt(step, "merge", "candidate");
const ontoOf = (step: StepState) => textAt(step, "merge", "onto");

function does(effect: EffectName, plan: JsonObject): Next {
  return { kind: "effect", effect, plan };
}

function settled(effect: EffectName, outcome: JsonObject): Next {
  return { kind: "settled", effect, outcome };
}
