/**
 * Boot: a session starts from what files say. Memory roots, dependencies, the handoff of the last session, what comes
 * next by issues and by the ledger, and whether the base passes its checks, before anything is changed.
 */
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import * as Type from "typebox";
import type { WorkerContext } from "../live/context.js";
import { checkCommit } from "../live/change.js";
import { recordElsewhere } from "../live/elsewhere.js";
import { sessionPath } from "../live/names.js";
import { readyTarget } from "../repository/target.js";
import type { StepRules } from "../types.js";
import { Settled, settleRuns } from "./settle-runs.js";

/** Below the main tree; the session and the ledger below the worktree. */
export const memoryRoots = {
  issues: ".premath/issues.jsonl",
  session: ".premath/harness_session.json",
  featureLedger: ".premath/harness_feature_ledger.json",
  trajectory: ".premath/harness_trajectory.jsonl",
  witnesses: "artifacts/ciwitness",
  observation: "artifacts/observation/latest.json",
} as const;

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const Booted = Type.Object({
  roots: Type.Record(Type.String(), Type.String()),
  settled: Type.Array(Settled, { description: "What dead workers left, and how it was ended." }),
  cyclePath: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "Issues that wait for each other.",
  }),
  handoff: Type.Union([
    Type.Object({ summary: Type.String(), nextStep: Type.String(), issueId: textOrNull }),
    Type.Null(),
  ]),
  nextIssueId: textOrNull,
  nextFeatureId: Type.Union([Type.String(), Type.Null()], { description: "As the worktree's ledger says." }),
  base: Type.Union([Type.String(), Type.Null()], {
    description: "The target's head, which the work begins from.",
  }),
  unfit: Type.Union([Type.Object({ class: Type.String(), message: Type.String() }), Type.Null()], {
    description: "Why the base cannot be worked on; null when its checks pass.",
  }),
});
export type Booted = Type.Static<typeof Booted>;

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
    roots: { ...memoryRoots },
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
