/**
 * How things stand, gathered from what other commands know: what is ready, who works on what, what
 * waits for a person, how the last run ended. Nothing is kept; each look asks again.
 */
import type { Call } from "@bridle/operation";
import { Failure, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { callOperation } from "../call-operation.js";
import type { Status } from "./schema.js";

export async function gather(call: Call): Promise<Status> {
  const quiet: Call = { ...call, warn: () => {}, progress: () => {} };
  const ask = (id: `op/${string}`, input: JsonObject = {}) => asked(id, input, quiet);
  const [ready, leases, work] = [
    await ask("op/mcp.issue_ready"),
    await ask("op/mcp.issue_lease_projection"),
    await ask("op/work.status"),
  ];
  const run = work === undefined ? undefined : await ask("op/work.report");
  const attention = await ask("op/mcp.observe_needs_attention");
  const changes = await ask("op/change.list");
  const running = workersIn(work);
  return {
    action: "bridle.status",
    folder: call.cwd,
    memory: ready !== undefined,
    ready: rowsIn(ready, "items").map((item) => ({
      id: text(item, "id"),
      title: text(item, "title"),
      priority: Number(item["priority"] ?? 2),
    })),
    running: [...running, ...heldIn(leases, new Set(running.map(({ id }) => id)))],
    forYou: forYou(changes, work, attention),
    lastRun: work === undefined || run === undefined ? null : lastRun(work, run),
  };
}

/** Undefined where there is nothing to say: no memory, no run, no repository. */
async function asked(id: `op/${string}`, input: JsonObject, call: Call): Promise<JsonObject | undefined> {
  try {
    return await callOperation(id, input, call);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function workersIn(work: JsonObject | undefined): Status["running"][number][] {
  return rowsIn(work, "workers")
    .filter(({ issueId }) => typeof issueId === "string")
    .map((worker) => ({
      id: text(worker, "issueId"),
      who: text(worker, "worker"),
      doing: typeof worker["doing"] === "string" ? worker["doing"] : null,
      seconds: typeof worker["seconds"] === "number" ? worker["seconds"] : null,
      until: null,
    }));
}

/** Issues that somebody holds besides the workers of the run. */
function heldIn(leases: JsonObject | undefined, known: ReadonlySet<string>): Status["running"][number][] {
  return rowsIn(leases, "leases")
    .filter((item) => text(item, "state") === "active" && !known.has(text(item, "issueId")))
    .map((item) => ({
      id: text(item, "issueId"),
      who: text(item, "owner"),
      doing: null,
      seconds: null,
      until: typeof item["expiresAt"] === "string" ? item["expiresAt"] : null,
    }));
}

/** Each issue once: a change to look at, then what a run could not do, then what the memory says. */
function forYou(
  changes: JsonObject | undefined,
  work: JsonObject | undefined,
  attention: JsonObject | undefined,
): Status["forYou"] {
  const found = new Map<string, Status["forYou"][number]>();
  const add = (id: string, says: string, command: string) => {
    if (!found.has(id)) found.set(id, { id, says, command });
  };
  for (const change of rowsIn(changes, "changes")) {
    const id = text(change, "issueId");
    add(id, `review: ${text(change, "title")}`, `bridle change show ${id}`);
  }
  for (const item of rowsIn(work, "attention")) {
    const id = text(item, "issueId");
    add(id, `blocked: ${text(item, "says")}`, `bridle work logs ${id}`);
  }
  for (const item of rowsIn(attention, "items"))
    add(text(item, "says").split(" ")[0] ?? "", text(item, "says"), text(item, "command"));
  return [...found.values()];
}

function lastRun(work: JsonObject, report: JsonObject): NonNullable<Status["lastRun"]> {
  return {
    run: text(report, "run"),
    state: text(work, "state"),
    done: rowsIn(report, "done").length,
    review: rowsIn(report, "review").length,
    notDone: rowsIn(report, "notDone").length,
    steps: Number(report["steps"] ?? 0),
    costUsd: Number(report["costUsd"] ?? 0),
    unpricedSteps: Number(report["unpricedSteps"] ?? 0),
  };
}

function rowsIn(object: JsonObject | undefined, member: string): JsonObject[] {
  const rows: JsonValue | undefined = object?.[member];
  return Array.isArray(rows) ? rows.filter((row) => isJsonObject(row)) : [];
}

function text(object: JsonObject, member: string): string {
  const value = object[member];
  return typeof value === "string" ? value : "";
}
