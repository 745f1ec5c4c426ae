/** A session as a person reads it. */
import type { Paint } from "@bridle/operation";
import type { Session } from "../types.js";
import { factLines } from "./text-layout.js";

export function presentSession(session: Session, path: string, paint: Paint): string {
  const state = session.state === "active" ? paint.good(session.state) : session.state;
  const since =
    session.state === "active"
      ? `since ${session.startedAt}`
      : `at ${session.stoppedAt ?? session.updatedAt}`;
  return factLines(
    [
      ["session", paint.strong(session.sessionId)],
      ["state", `${state} ${paint.dim(since)}`],
      ["issue", session.issueId],
      ["summary", session.summary],
      ["next step", session.nextStep],
      ["instructions", session.instructionRefs],
      ["witnesses", session.witnessRefs],
      ["lineage", session.lineageRefs],
      ["issues", issuesLine(session, paint)],
      ["updated", session.updatedAt],
      ["file", path],
    ],
    paint,
  ).join("\n");
}

export function issuesLine(
  session: { readonly issuesPath?: string | null; readonly issuesSnapshotRef?: string | null },
  paint: Paint,
): string | undefined {
  const { issuesPath, issuesSnapshotRef } = session;
  if (issuesPath === undefined || issuesPath === null) return undefined;
  if (issuesSnapshotRef === undefined || issuesSnapshotRef === null) return issuesPath;
  return `${issuesPath} ${paint.dim(issuesSnapshotRef)}`;
}
