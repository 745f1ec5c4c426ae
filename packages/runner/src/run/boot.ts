/**
 * Boot: a session starts from what files say. Memory roots, dependencies, the handoff of the last session, what comes
 * next by issues and by the ledger, and whether the base passes its checks, before anything is changed.
 */
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import type { WorkerContext } from "../live/context.js";
import { checkCommit } from "../live/change.js";
import { recordElsewhere } from "../live/elsewhere.js";
import { sessionPath } from "../live/names.js";
import { readyTarget } from "../repository/target.js";
import type { StepRules } from "../types.js";
import { type Settled, settleRuns } from "./settle-runs.js";

/** Below the main tree; the session and the ledger below the worktree. */
export const memoryRoots = {
  issues: ".premath/issues.jsonl",
  session: ".premath/harness_session.json",
  featureLedger: ".premath/harness_feature_ledger.json",
  trajectory: ".premath/harness_trajectory.jsonl",
  witnesses: "artifacts/ciwitness",
  observation: "artifacts/observation/latest.json",
} as const;

export interface Booted {
  readonly roots: typeof memoryRoots;
  /** What dead workers left, and how it was ended. */
  readonly settled: readonly Settled[];
  /** Issues that wait for each other; null where there are none. */
  readonly cyclePath: readonly string[] | null;
  readonly handoff: {
    readonly summary: string;
    readonly nextStep: string;
    readonly issueId: string | null;
  } | null;
  readonly nextIssueId: string | null;
  /** As the worktree's ledger says. */
  readonly nextFeatureId: string | null;
  /** The target's head, which the work begins from. */
  readonly base: string | null;
  /** Why the base cannot be worked on; null when its checks pass. */
  readonly unfit: { readonly class: string; readonly message: string } | null;
}

export async function boot(context: WorkerContext, rules: StepRules): Promise<Booted> {
  const { issues, worktree, journal, worker } = context;
  const settled = await settleRuns(context, rules);
  await recordElsewhere(context);
  const where = { cwd: worktree.folder };
  const diagnosed = await issues.call("dep.diagnostics", { graphScope: "active" }, where);
  const integrity =
    !isRefusal(diagnosed) && isJsonObject(diagnosed["integrity"]) ? diagnosed["integrity"] : {};
  const last = await issues.call("harness.session.bootstrap", { path: sessionPath(worktree) }, where);
  const feature = await issues.call("harness.feature.next", {}, where);
  const nowMs = await context.ports.clock.now();
  const next = (await issues.graph())?.claimable(worker, nowMs);
  const base = await readyTarget(context.repository, async (head) => {
    await journal.append({ kind: "note", worker, effect: "target_ready", data: { head } });
  });
  const red = isRefusal(base) ? base : await checkCommit(base, context);
  return {
    roots: memoryRoots,
    settled,
    cyclePath: Array.isArray(integrity["cyclePath"]) ? integrity["cyclePath"].map(String) : null,
    handoff: isRefusal(last) ? null : handoffIn(last),
    nextIssueId: next?.id ?? null,
    nextFeatureId: textOr(isRefusal(feature) ? undefined : feature["nextFeatureId"]),
    base: isRefusal(base) ? null : base,
    unfit: red === undefined ? null : { class: red.refused, message: red.message },
  };
}

function handoffIn({ summary, nextStep, resumeIssueId }: JsonObject): NonNullable<Booted["handoff"]> {
  return { summary: textOr(summary) ?? "", nextStep: textOr(nextStep) ?? "", issueId: textOr(resumeIssueId) };
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
