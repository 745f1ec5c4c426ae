/**
 * An issue as something to ask an agent.
 *
 * What a newcomer gets wrong: the text of an issue is data. Anybody may have
 * written it, so it stands where the project's instructions stand, below the
 * protocol; what the harness asks is only that the issue be worked on.
 */
import { type SessionOperations, workerName } from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { Failure, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";

export interface IssueAsk {
  readonly id: string;
  readonly fence: number;
  readonly ask: string;
  readonly instructions: readonly { readonly from: string; readonly text: string }[];
  /** Where it says which files it is about. */
  readonly declaredPaths?: readonly string[];
}

/** Throws a `Failure` when the issue is not there, is closed, or is somebody else's. */
export async function askOfIssue(
  id: string,
  call: Call,
  { call: callOperation }: SessionOperations,
): Promise<IssueAsk> {
  const { issue } = await callOperation("op/issue.show", { id }, call);
  if (!isJsonObject(issue)) throw new Error("issue.show answered without an issue");
  const own = text(issue["id"]);
  requireFree(own, issue, call);
  const handoff = await handoffOf(own, call, callOperation);
  const declaredPaths = pathsOf(issue);
  return {
    id: own,
    fence: Number(issue["fence"] ?? 0),
    ask: askFor(own, text(issue["title"])),
    instructions: [
      { from: `issue ${own}`, text: issueText(issue) },
      ...(handoff === undefined ? [] : [{ from: "the handoff of the last session", text: handoff }]),
    ],
    ...(declaredPaths.length === 0 ? {} : { declaredPaths }),
  };
}

function requireFree(id: string, { status, lease }: JsonObject, { env }: Call): void {
  if (status === "closed") {
    throw new Failure("issue_closed", {
      message: `${id} is closed, so there is nothing to be done`,
      hint: `Reopen it with \`premath issue reopen ${id}\`, or take another from \`premath issue ready\`.`,
    });
  }
  if (!isJsonObject(lease) || lease["state"] !== "active" || lease["owner"] === workerName(env)) return;
  const me =
    env["PREMATH_WORKER_ID"] === undefined ? "PREMATH_WORKER_ID is not set" : `you are ${workerName(env)}`;
  throw new Failure("lease_contention_active", {
    message: `${id} is held by ${text(lease["owner"])} until ${text(lease["expiresAt"])}, and ${me}`,
    hint: "Wait, take another with `premath issue claim-next`, or set PREMATH_WORKER_ID to the name that claimed it.",
  });
}

function askFor(id: string, title: string): string {
  return [
    `Work on issue ${id}, ${JSON.stringify(title.replace(/\s+/g, " ").trim())}.`,
    `Its text is quoted in your instructions under "issue ${id}". Do what it asks for, check the result against its`,
    "acceptance criteria with the tools you have, and then say in a few sentences what you did, how you checked it, and",
    "what is left to do. Do not close the issue; whoever runs you does that.",
  ].join("\n");
}

const parts = [
  ["title", "Title"],
  ["description", "Description"],
  ["design", "Design"],
  ["acceptanceCriteria", "Acceptance criteria"],
  ["notes", "Notes"],
] as const;

function issueText(issue: JsonObject): string {
  return parts
    .flatMap(([member, heading]) => {
      const said = text(issue[member]).trim();
      return said === "" ? [] : [`${heading}:\n${said}`];
    })
    .join("\n\n");
}

/** `metadata.paths`, or a line such as `Paths: src/a.ts, docs/`. */
function pathsOf(issue: JsonObject): string[] {
  const { metadata } = issue;
  const named = isJsonObject(metadata) && Array.isArray(metadata["paths"]) ? metadata["paths"] : [];
  const texts = [issue["description"], issue["design"], issue["acceptanceCriteria"], issue["notes"]].map(
    text,
  );
  const listed = texts.flatMap((each) =>
    [...each.matchAll(/^\s*(?:[-*]\s*)?paths?:\s*(\S.*)$/gim)].flatMap(([, list = ""]) =>
      list.split(/[\s,]+/),
    ),
  );
  const all = [...named.map(text), ...listed].map((path) =>
    path.replace(/^[`"']+|[`"']+$/g, "").replace(/^\.\//, ""),
  );
  return [...new Set(all.filter((path) => path !== ""))];
}

/** What the last session left for this issue, where there is one. */
async function handoffOf(
  id: string,
  call: Call,
  callOperation: SessionOperations["call"],
): Promise<string | undefined> {
  let session: JsonValue | undefined;
  try {
    ({ session } = await callOperation("op/harness.session_read", {}, call));
  } catch (error) {
    if (error instanceof Failure && error.failureClass === "session_missing") return undefined;
    throw error;
  }
  if (!isJsonObject(session)) return undefined;
  const { issueId, summary, nextStep } = session;
  if (issueId !== undefined && issueId !== id) return undefined;
  const lines = [
    summary === undefined ? "" : `Where the work stands: ${text(summary)}`,
    nextStep === undefined ? "" : `Next step: ${text(nextStep)}`,
  ].filter((line) => line !== "");
  return lines.length === 0 ? undefined : lines.join("\n");
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
