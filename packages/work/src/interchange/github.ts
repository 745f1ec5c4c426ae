/**
 * GitHub issues as rows, from what `gh issue list|view --json …` prints, or from
 * GitHub's REST answer, which spells its members otherwise and has pull requests
 * among the issues.
 *
 * A GitHub issue is `gh-<number>`. What has no place in a row is kept in
 * `metadata.github`. Dependencies are not guessed: only a line of its own that
 * says `Depends on #12` or `Blocked by #12, #13` makes one.
 */
import { isJsonObject, type JsonObject, type JsonValue, itemSpans, rawMembers } from "@bridle/record";
import { newRow, RawJson, type RowPatch } from "../memory/issue-row.js";
import type { NewRow } from "../memory/types.js";

/** Where the problem is, and what it is. */
export interface UnfitIssue {
  readonly problem: string;
  /** From 1. */
  readonly line?: number;
}

export interface GithubIssues {
  readonly rows: readonly (NewRow & { readonly line: number })[];
  /** How many were left out. */
  readonly pullRequests: number;
}

/** `text` is a list of issues, or one. */
export function fromGithub(text: string): GithubIssues | UnfitIssue {
  const rows: (NewRow & { line: number })[] = [];
  let pullRequests = 0;
  const spans = text.trimStart().startsWith("[") ? itemSpans(text) : [{ start: 0, end: text.length }];
  for (const [at, { start, end }] of spans.entries()) {
    const item = text.slice(start, end);
    const line = text.slice(0, start).split("\n").length;
    if (isPullRequest(JSON.parse(item))) {
      pullRequests++;
      continue;
    }
    const row = rowOf(item);
    if ("problem" in row) return { problem: `issue ${at + 1}: ${row.problem}`, line };
    rows.push({ ...row, line });
  }
  return { rows, pullRequests };
}

function isPullRequest(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value["pull_request"]);
}

/** How GitHub's REST answer calls what `gh` calls otherwise. */
const restNames: Readonly<Record<string, string>> = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  closedAt: "closed_at",
  url: "html_url",
  author: "user",
};

/** Members that have a place of their own in a row. */
const placed = ["title", "body", "state", "url", "labels", "createdAt", "updatedAt", "closedAt", "comments"];
const placedByRest = [
  "title",
  "body",
  "state",
  "html_url",
  "labels",
  "created_at",
  "updated_at",
  "closed_at",
];

function rowOf(item: string): NewRow | UnfitIssue {
  const value: unknown = JSON.parse(item);
  if (!isJsonObject(value)) return { problem: "it is no object" };
  const { number, title, state = "OPEN" } = value;
  if (!Number.isSafeInteger(number) || (number as number) < 1) return missing("number");
  if (typeof title !== "string") return missing("title");
  const status = { OPEN: "open", CLOSED: "closed" }[String(state).toUpperCase()];
  if (status === undefined)
    return { problem: `its state is ${JSON.stringify(state)}, expected OPEN or CLOSED` };
  const id = `gh-${number as number}`;
  const members = rawMembers(item);
  // Only REST answers have one; there `url` is the answer's own and `comments` a number.
  const isRest = typeof value["html_url"] === "string" || typeof value["created_at"] === "string";
  const of = (name: string) => value[isRest ? (restNames[name] ?? name) : name];
  const assignees = listOf(value["assignees"]).map(loginOf).filter(isText);
  for (const name of isRest ? placedByRest : placed) members.delete(name);
  if (assignees.length < 2) members.delete("assignees");
  const body = textOf(value["body"]);
  return newRow({
    id,
    title,
    ...some("description", body),
    status,
    priority: 2,
    issue_type: "task",
    ...some("assignee", assignees[0]),
    ...some("created_at", textOf(of("createdAt"))),
    ...some("created_by", loginOf(of("author"))),
    ...some("updated_at", textOf(of("updatedAt"))),
    ...some("closed_at", status === "closed" ? textOf(of("closedAt")) : undefined),
    ...some("external_ref", textOf(of("url"))),
    ...list("labels", listOf(value["labels"]).map(nameOf).filter(isText)),
    ...list(
      "dependencies",
      blockersIn(body ?? "").map((blocker) => ({
        issue_id: id,
        depends_on_id: `gh-${blocker}`,
        type: "blocks",
      })),
    ),
    ...list("comments", commentsOf(value["comments"], id)),
    metadata: new RawJson(`{"github":${objectOf(members)}}`),
  });
}

function missing(name: string): UnfitIssue {
  return {
    problem: `it has no ${name}; ask for it, as in \`gh issue list --state all --json number,title,body,state,…\``,
  };
}

/** Numbers in lines that say nothing but on what the issue depends, each once. */
function blockersIn(body: string): number[] {
  const found = body
    .split(/\r?\n/)
    .map((line) =>
      /^\s*(?:[-*]\s+)?(?:depends on|blocked by):?\s+(#\d+(?:(?:\s*,\s*|\s+and\s+)#\d+)*)\.?\s*$/i.exec(line),
    )
    .flatMap((match) => match?.[1]?.match(/\d+/g) ?? []);
  return [...new Set(found.map(Number))];
}

function commentsOf(value: JsonValue | undefined, id: string): JsonObject[] {
  return listOf(value).flatMap((comment) => {
    if (!isJsonObject(comment)) return [];
    const { id: own, author, body, createdAt, ...rest } = comment;
    return [
      {
        ...(own === undefined ? {} : { id: own }),
        issue_id: id,
        author: loginOf(author) ?? "",
        text: textOf(body) ?? "",
        created_at: textOf(createdAt) ?? "",
        ...(Object.keys(rest).length === 0 ? {} : { github: rest }),
      },
    ];
  });
}

/** On one line, whatever the source looked like; the values keep their digits and escapes. */
function objectOf(members: ReadonlyMap<string, string>): string {
  const text = [...members].map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(",");
  return `{${text}}`.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ""));
}

function some(name: string, value: string | undefined): RowPatch {
  return value === undefined || value === "" ? {} : { [name]: value };
}

function list(name: string, items: readonly JsonValue[]): RowPatch {
  return items.length === 0 ? {} : { [name]: [...items] };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function loginOf(value: JsonValue | undefined): string | undefined {
  return isJsonObject(value) ? textOf(value["login"]) : undefined;
}

function nameOf(value: JsonValue | undefined): string | undefined {
  return isJsonObject(value) ? textOf(value["name"]) : textOf(value);
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
