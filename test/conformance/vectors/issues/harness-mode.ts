/** Harness vectors: how a session is taken up, and how a worker leaves an issue. */
import { bootstrapOf, type Session, sessionKind, stepKind } from "@bridle/work";
import type { JsonObject } from "@bridle/record";
import {
  checkHandoffRefs,
  checkLineageRefs,
  type HandoffLeaseState,
  handoffLeaseStates,
  recoveryAction,
} from "../../../../packages/work/src/projection/handoff.js";
import { objectAt, sameSet, textAt, textsAt } from "./artifacts.js";
import { accepted, type Evaluator, rejected } from "./types.js";

export const evaluateHarness: Evaluator = async (artifacts) => {
  const failures = harnessFailures(objectAt(artifacts, "harness"));
  return failures.length === 0 ? accepted : rejected(...failures);
};

/** Every class that applies, as the vectors' own evaluator names them. */
function harnessFailures(harness: JsonObject): string[] {
  const session = objectAt(harness, "session");
  const bootstrap = objectAt(session, "bootstrap");
  const stop = objectAt(harness, "stop");
  const row = objectAt(stop, "trajectoryRow");
  const issueId = textAt(stop, "issueId");
  const leaseState = textAt(stop, "leaseState");
  const begun = textsAt(bootstrap, "lineageRefs");
  const ended = textsAt(row, "lineageRefs");
  const lineage = new Set([...checkLineageRefs(begun, issueId), ...checkLineageRefs(ended, issueId)]);
  if (lineage.size === 0 && !sameSet(begun, ended)) lineage.add("mismatch");
  const lease = checkHandoffRefs(textsAt(row, "witnessRefs"), { issueId, leaseState });
  const when = (applies: boolean, failure: string) => (applies ? [failure] : []);
  return [
    ...when(
      bootstrap["mode"] !== modeFrom(textAt(session, "stateBefore")),
      "harness_bootstrap_mode_mismatch",
    ),
    ...when(stop["sessionStateAfter"] !== "stopped", "harness_stop_state_invalid"),
    ...when(stop["recommendedAction"] !== actionFor(leaseState), "harness_recovery_action_mismatch"),
    ...when(row["stepKind"] !== stepKind, "harness_trajectory_kind_invalid"),
    ...[...lineage].map((problem) => `harness_lineage_ref_${problem}`),
    ...(lease === undefined ? [] : [`harness_handoff_lease_ref_${lease}`]),
  ];
}

/** As our own bootstrap would say it; undefined for a state that no session has. */
function modeFrom(state: string): string | undefined {
  if (state !== "active" && state !== "stopped") return undefined;
  const at = "2026-01-31T09:30:00Z";
  const session: Session = {
    schema: 1,
    sessionKind,
    sessionId: "s",
    state,
    startedAt: at,
    updatedAt: at,
  };
  return bootstrapOf(session, { sessionRef: "s", featureLedgerRef: undefined }).mode;
}

function actionFor(state: string): string | undefined {
  const known = (handoffLeaseStates as readonly string[]).includes(state);
  return known ? recoveryAction(state as HandoffLeaseState) : undefined;
}
