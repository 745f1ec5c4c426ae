/**
 * A stream of events made into issues again.
 *
 * An upsert puts the issue's row in place of an earlier one and keeps the
 * dependencies that other events gave it. A dependency may come before the issues
 * that it is between; at the end both must be there. What cannot be is refused
 * with the line: the original replayed self loops and deadlocks without a word.
 */
import { nearest } from "@bridle/operation";
import {
  type FailureClass,
  isJsonObject,
  type JsonObject,
  type Refusal,
  refuse,
  type Row,
} from "@bridle/record";
import { quoted } from "../text.js";
import { firstCycle, pathText, waitsIn } from "./cycle.js";
import { dependencyMembers } from "./dependency-change.js";
import { isBlocking } from "./dependency-kinds.js";
import { eventActions, eventSchema } from "./event.js";
import { IssueGraph } from "./graph.js";
import { dependencySources, memberSource, patchObject, rawList, readIssue } from "./issue-row.js";
import { IssueNode } from "./node.js";
import type { Dependency } from "./types.js";

/** A line of a stream. */
export type EventLine = Pick<Row, "row" | "text" | "line">;

/** `shown` is how the stream is called in messages. */
export function replayEvents(events: Iterable<EventLine>, shown: string): IssueGraph | Refusal {
  const replay = new Replay(shown);
  for (const event of events) {
    const refusal = replay.take(event);
    if (refusal !== undefined) return refusal;
  }
  return replay.end();
}

interface Upserted {
  readonly text: string;
  readonly line: number;
  readonly dependencies: readonly Dependency[];
}

interface Edge {
  readonly dependency: Dependency;
  /** As it will stand in the row. */
  readonly source: string;
  readonly line: number;
}

class Replay {
  private readonly rows = new Map<string, Upserted>();
  /** By the issue that depends, then by target and type; of equal ones the first counts. */
  private readonly edges = new Map<string, Map<string, Edge>>();

  constructor(private readonly shown: string) {}

  take(event: EventLine): Refusal | undefined {
    const { schema = eventSchema, action } = event.row;
    if (schema !== eventSchema) {
      return this.refuse(event.line, "event_schema_unsupported", {
        says: `unsupported event schema ${quoted(schema)}`,
        hint: `This version reads ${eventSchema}.`,
      });
    }
    switch (action) {
      case "upsert_issue":
        return this.upsert(event);
      case "add_dependency":
        return this.addDependency(event);
      default: {
        const near = typeof action === "string" ? nearest(action, eventActions) : undefined;
        return this.invalid(
          event.line,
          `action is ${quoted(action)}, expected ${eventActions.join(" or ")}` +
            (near === undefined ? "" : `; did you mean ${near}?`),
        );
      }
    }
  }

  end(): IssueGraph | Refusal {
    const unresolved = this.unresolved();
    if (unresolved !== undefined) return unresolved;
    const graph = new IssueGraph();
    for (const [id, upserted] of this.rows) {
      const text = this.withEdges(id, upserted);
      graph.put(new IssueNode(id, JSON.parse(text) as JsonObject, text, upserted.line));
    }
    return this.deadlock(graph) ?? graph;
  }

  private upsert({ row, text, line }: EventLine): Refusal | undefined {
    const { issue: payload, issue_id: named } = row;
    if (!isJsonObject(payload)) return this.invalid(line, `issue is ${quoted(payload)}, expected a row`);
    const issue = readIssue(payload);
    if ("problem" in issue) return this.invalid(line, `its row is no issue: ${issue.problem}`);
    if (issue.id === "") return this.invalid(line, "its row has a blank id");
    if (named !== undefined && named !== issue.id) {
      return this.refuse(line, "event_id_mismatch", {
        says: `the event is of issue ${quoted(named)}, but its row is of ${quoted(issue.id)}`,
        hint: "Was the stream edited by hand?",
      });
    }
    const loop = issue.dependencies.find(({ dependsOnId }) => dependsOnId === issue.id);
    if (loop !== undefined) return this.selfLoop(line, issue.id);
    const { dependencies } = issue;
    this.rows.set(issue.id, { text: memberSource(text, "issue") ?? "", line, dependencies });
    return undefined;
  }

  private addDependency({ row, text, line }: EventLine): Refusal | undefined {
    const { issue_id: issueId, depends_on_id: target, type = row["dep_type"], created_by: author } = row;
    if (typeof issueId !== "string") return this.invalid(line, `issue_id is ${quoted(issueId)}`);
    const told = dependencyOf({ issue_id: issueId, depends_on_id: target, type, created_by: author });
    if (typeof told === "string") return this.invalid(line, told);
    if (told.dependsOnId === issueId) return this.selfLoop(line, issueId);
    const carried = row["dependency"];
    if (carried !== undefined && !agrees(carried, told)) {
      return this.invalid(line, "its dependency says something else than the event");
    }
    const source =
      (carried === undefined ? undefined : memberSource(text, "dependency")) ??
      JSON.stringify(dependencyMembers(told));
    const edges = this.edges.get(issueId) ?? new Map<string, Edge>();
    const key = edgeKey(told);
    if (!edges.has(key)) edges.set(key, { dependency: told, source, line });
    this.edges.set(issueId, edges);
    return undefined;
  }

  private unresolved(): Refusal | undefined {
    for (const [issueId, edges] of this.edges) {
      for (const { dependency, line } of edges.values()) {
        const { dependsOnId, type } = dependency;
        const missing = [issueId, dependsOnId].find((id) => !this.rows.has(id));
        if (missing === undefined) continue;
        return this.refuse(line, "event_dependency_unresolved", {
          says: `replay unresolved dependency: ${issueId} -> ${dependsOnId} (${type}); there is no ${missing}`,
          hint: `No event of the stream makes ${missing}. Remove the dependency, or add the issue.`,
        });
      }
    }
    return undefined;
  }

  private withEdges(id: string, { text, dependencies }: Upserted): string {
    const own = new Set(dependencies.map(edgeKey));
    const added = [...(this.edges.get(id) ?? [])]
      .filter(([key]) => !own.has(key))
      .map(([, edge]) => edge.source);
    if (added.length === 0) return text;
    return patchObject(text, { dependencies: rawList([...dependencySources(text), ...added]) });
  }

  /** Names the event that closed the circle. */
  private deadlock(graph: IssueGraph): Refusal | undefined {
    const path = firstCycle(waitsIn(graph, "full"));
    if (path === null) return undefined;
    const lines = path.slice(1).map((target, i) => this.lineOf(path[i] ?? "", target));
    const closing = lines.reduce((last, line) => Math.max(last, line), 0);
    return this.refuse(closing, "dependency_cycle", {
      says: `dependency cycle detected: ${pathText(path)}`,
      hint: "None of these could ever become ready. Remove an edge of the path.",
      detail: { cyclePath: path },
    });
  }

  /** Since when the one waits for the other. */
  private lineOf(id: string, target: string): number {
    const waits = ({ dependsOnId, type }: Dependency) => dependsOnId === target && isBlocking(type);
    const row = this.rows.get(id);
    if (row?.dependencies.some(waits) === true) return row.line;
    const edges = [...(this.edges.get(id)?.values() ?? [])].filter(({ dependency }) => waits(dependency));
    return edges.reduce((first, { line }) => Math.min(first, line), Number.MAX_SAFE_INTEGER);
  }

  private selfLoop(line: number, id: string): Refusal {
    return this.refuse(line, "dependency_self_loop", {
      says: `dependency self-loop is not allowed: ${id} -> ${id}`,
      hint: "Remove the dependency.",
    });
  }

  private invalid(line: number, says: string): Refusal {
    return this.refuse(line, "event_invalid", { says, hint: "Was the stream edited by hand?" });
  }

  private refuse(
    line: number,
    failureClass: FailureClass,
    {
      says,
      hint,
      detail = {},
    }: { readonly says: string; readonly hint: string; readonly detail?: JsonObject },
  ): Refusal {
    const message = `${this.shown} line ${line}: ${says}`;
    return refuse(failureClass, { message, hint, detail: { line, ...detail } });
  }
}

function edgeKey({ dependsOnId, type }: Dependency): string {
  return `${type} ${dependsOnId}`;
}

/** As a row would have it, or what is wrong with it. */
function dependencyOf(value: JsonObject): Dependency | string {
  const issue = readIssue({ id: "", title: "", dependencies: [value] });
  if ("problem" in issue) return issue.problem;
  return issue.dependencies[0] ?? "there is no dependency";
}

function agrees(carried: JsonObject[string], told: Dependency): boolean {
  const found = isJsonObject(carried) ? dependencyOf(carried) : "";
  return typeof found !== "string" && edgeKey(found) === edgeKey(told) && found.createdBy === told.createdBy;
}
