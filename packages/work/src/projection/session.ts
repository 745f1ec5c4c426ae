/**
 * The harness session: one small file that says where the work stands.
 *
 * `mergeSession` decides what an update makes of the file; everything about
 * locks, atomic writes and members that we do not know is the record's Document.
 */
import { basename } from "node:path";
import { Document, Failure, type JsonObject, normalizeRefs, parseInstant, type Ports } from "@bridle/record";
import { optionalText, quoted } from "../text.js";
import { Session, sessionKind, type SessionState } from "../types.js";

/** Known members in the order of the file: those of the published schema. */
export const sessionMembers = Object.keys(Session.properties) as readonly (keyof Session)[];

export interface OpenSessionOptions {
  readonly path: string;
  /** How the file is called in messages; its name when left out. */
  readonly shown?: string;
  readonly ports: Ports;
  /** Ends the wait for the file's lock. */
  readonly signal?: AbortSignal;
}

export function openSession({ shown, ...options }: OpenSessionOptions): Promise<Document<Session>> {
  const name = shown ?? basename(options.path);
  return Document.open({ ...options, members: sessionMembers, check: (value) => checkSession(value, name) });
}

/** What an update names. Absent keeps, blank removes, a list replaces. */
export interface SessionUpdate {
  readonly sessionId?: string;
  readonly state?: SessionState;
  readonly issueId?: string;
  readonly summary?: string;
  readonly nextStep?: string;
  readonly instructionRefs?: readonly string[];
  readonly witnessRefs?: readonly string[];
  readonly lineageRefs?: readonly string[];
}

/** What an update finds. */
export interface SessionSurroundings {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly issuesPath: string;
  readonly issuesSnapshotRef: string | undefined;
}

export function mergeSession(
  current: Session | undefined,
  update: SessionUpdate,
  { now, issuesPath, issuesSnapshotRef }: SessionSurroundings,
): Session {
  const state = update.state ?? "stopped";
  const issueId = mergeText(update.issueId, current?.issueId);
  // Refs, summary and next step belong to the issue that they were written for; they do not follow to another.
  const moved = current?.issueId !== undefined && issueId !== current.issueId;
  const kept = moved ? undefined : current;
  return compact({
    schema: 1,
    sessionKind,
    sessionId: optionalText(update.sessionId) ?? current?.sessionId ?? newSessionId(now, issueId),
    state,
    issueId,
    summary: mergeText(update.summary, kept?.summary),
    nextStep: mergeText(update.nextStep, kept?.nextStep),
    instructionRefs: mergeRefs(update.instructionRefs, kept?.instructionRefs),
    witnessRefs: mergeRefs(update.witnessRefs, kept?.witnessRefs),
    lineageRefs: mergeRefs(update.lineageRefs, kept?.lineageRefs),
    startedAt: current?.startedAt ?? now,
    updatedAt: now,
    stoppedAt: state === "stopped" ? now : undefined,
    issuesPath,
    issuesSnapshotRef,
  });
}

function mergeText(given: string | undefined, current: string | undefined): string | undefined {
  return given === undefined ? current : optionalText(given);
}

function mergeRefs(
  given: readonly string[] | undefined,
  current: readonly string[] | undefined,
): string[] | undefined {
  if (given === undefined || given.length === 0) return refsOrAbsent(current);
  return refsOrAbsent(given);
}

function refsOrAbsent(refs: readonly string[] | undefined): string[] | undefined {
  const normalized = normalizeRefs(refs ?? []);
  return normalized.length === 0 ? undefined : normalized;
}

/** `hs1_<YYYYMMDDTHHMMSSZ>[_<token of the issue>]` */
function newSessionId(now: string, issueId: string | undefined): string {
  const stamp = `hs1_${now.replace(/[-:]/g, "")}`;
  return issueId === undefined ? stamp : `${stamp}_${sessionToken(issueId)}`;
}

function sessionToken(text: string): string {
  let token = "";
  for (const character of text) token += /[A-Za-z0-9_-]/.test(character) ? character.toLowerCase() : "_";
  token = token.replace(/^_+|_+$/g, "");
  return token === "" ? "session" : token;
}

/** The file's content as a session, normalised; throws what is wrong with it, by member. */
export function checkSession(value: JsonObject, name: string): Session {
  const wrong = (
    member: string,
    expected: string,
    question = "was this file written by another program?",
  ): Failure =>
    new Failure("session_invalid", {
      message: `${name}: ${member} is ${quoted(value[member])}, expected ${expected}; ${question}`,
      hint: "Nothing was changed. Move the file away to start a new session.",
      detail: { member },
    });

  const string = (member: string): string | undefined => {
    const found = value[member] ?? undefined;
    if (found !== undefined && typeof found !== "string") throw wrong(member, "text");
    return optionalText(found);
  };
  const requiredString = (member: string): string => {
    const found = string(member);
    if (found === undefined) throw wrong(member, "text that is not blank");
    return found;
  };
  const timestamp = (member: string): string | undefined => {
    const found = string(member);
    if (found !== undefined && parseInstant(found) === undefined) {
      throw wrong(member, "an RFC3339 timestamp such as 2026-01-31T09:30:00Z");
    }
    return found;
  };
  const requiredTimestamp = (member: string): string => {
    requiredString(member);
    return timestamp(member) as string;
  };
  const refs = (member: string): string[] | undefined => {
    const found = value[member] ?? [];
    if (!Array.isArray(found) || found.some((ref) => typeof ref !== "string"))
      throw wrong(member, "a list of refs");
    return refsOrAbsent(found as string[]);
  };

  if (value["sessionKind"] !== sessionKind) throw wrong("sessionKind", JSON.stringify(sessionKind));
  if (value["schema"] !== 1) throw wrong("schema", "1", "was this file written by another version?");
  const state = value["state"];
  if (state !== "active" && state !== "stopped") throw wrong("state", '"active" or "stopped"');
  return compact({
    schema: 1,
    sessionKind,
    sessionId: requiredString("sessionId"),
    state,
    issueId: string("issueId"),
    summary: string("summary"),
    nextStep: string("nextStep"),
    instructionRefs: refs("instructionRefs"),
    witnessRefs: refs("witnessRefs"),
    lineageRefs: refs("lineageRefs"),
    startedAt: requiredTimestamp("startedAt"),
    updatedAt: requiredTimestamp("updatedAt"),
    stoppedAt: timestamp("stoppedAt"),
    issuesPath: string("issuesPath"),
    issuesSnapshotRef: string("issuesSnapshotRef"),
  });
}

type Draft = { readonly [member in keyof Session]-?: Session[member] | undefined };

/** Without the members that are absent. */
function compact(draft: Draft): Session {
  return Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== undefined),
  ) as unknown as Session;
}
