/** Carries the effects of a step out on this machine. */
import { Failure, isRefusal, type JsonObject, Lock, type Refusal } from "@bridle/record";
import { join } from "node:path";
import type { EffectName, Facts, Outcome, StepState, World } from "../types.js";
import { branch, claim, open } from "./begin.js";
import { baseChecks, branchChecks, checks, commit, merge, move } from "./change.js";
import type { WorkerContext } from "./context.js";
import { close, giveBack, park, stop } from "./end.js";
import { sendElsewhere } from "./elsewhere.js";
import { failedBy } from "./failed.js";
import { look } from "./look.js";
import { propose } from "./propose.js";
import { renewLease, whileRenewing } from "./renewing.js";
import { setUp } from "./set-up.js";
import { turn } from "./turn.js";
import { work } from "./work.js";

/** How long we wait for the turn before we look again at how things stand. */
const turnWaitMs = 5_000;

export class LiveWorld implements World {
  private readonly lock: Lock;
  private held: Awaited<ReturnType<Lock["acquire"]>> | undefined;

  constructor(private readonly context: WorkerContext) {
    const { repository, ports } = context;
    const path = join(
      repository.mainTree,
      ".premath/runs",
      `merge-${encodeURIComponent(repository.target)}.lock`,
    );
    this.lock = new Lock({
      path,
      name: `the turn to merge into ${repository.target}`,
      ports,
      waitMsMax: turnWaitMs,
    });
  }

  look(step: StepState): Promise<Facts> {
    return look(step, this.context);
  }

  /**
   * Merging, and the checks before it, take as long as they take. Only who stands still is not waited for: the turn
   * saves work, and what keeps two merges apart is that git moves the target from one known commit to another.
   */
  async takeTurnToMerge(): Promise<boolean> {
    try {
      this.held = await this.lock.acquire(this.context.signal);
      return true;
    } catch (error) {
      if (error instanceof Failure && error.failureClass === "lock_holder_stopped") return true;
      if (this.context.signal.aborted || (error instanceof Failure && error.failureClass === "lock_busy"))
        return false;
      throw error;
    }
  }

  async leaveTurnToMerge(): Promise<void> {
    await this.held?.release();
    this.held = undefined;
  }

  async perform(effect: EffectName, plan: JsonObject, step: StepState): Promise<Outcome> {
    const { context } = this;
    if (effect === "claim") return claim(step, context);
    const { claimed } = step;
    if (claimed === undefined) throw new Error(`${effect} of a step that claimed nothing`);
    const begun = { ...step, claimed };
    switch (effect) {
      case "open":
        return open(begun, context);
      case "branch":
        return branch(begun, context);
      case "set_up":
        return whileRenewing(begun, context, () => setUp(begun, context));
      case "base_checks":
        return whileRenewing(begun, context, () => baseChecks(begun, context));
      case "work":
        return whileRenewing(
          begun,
          context,
          async (lost) => (await sendElsewhere(begun, context)) ?? work(begun, context, lost),
        );
      case "turn":
        return turn(begun, context);
      case "propose":
        return propose(begun, context);
      case "commit":
        return commit(begun, context);
      case "merge":
        return merge(plan, begun, context);
      case "checks":
        return whileRenewing(begun, context, () => checks(plan, begun, context));
      case "branch_checks":
        return whileRenewing(begun, context, () => branchChecks(plan, begun, context));
      case "move":
        return move(plan, context);
      case "park":
        return park(begun, context);
      case "close":
        return close(plan, begun, context);
      case "renew":
        return outcomeOf(await renewLease(begun, context));
      case "give_back":
        return giveBack(plan, begun, context);
      case "stop":
        return stop(plan, begun, context);
    }
  }
}

function outcomeOf(answer: JsonObject | Refusal): Outcome {
  return isRefusal(answer) ? failedBy(answer) : {};
}
