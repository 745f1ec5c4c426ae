/** Issue memory on a real file, made from the issues of a vector, at the vector's time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, nodePorts, type Ports } from "@bridle/record";
import { IssueMemory } from "@bridle/work";
import { objectsAt, textAt } from "./artifacts.js";

export interface Ground {
  readonly path: string;
  readonly ports: Ports;
  readonly memory: IssueMemory;
}

export async function onMemory<Answer>(
  issues: readonly JsonObject[],
  nowMs: number,
  use: (ground: Ground) => Promise<Answer>,
): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), "bridle-vector-"));
  const path = join(folder, "issues.jsonl");
  writeFileSync(path, issues.map((issue) => `${JSON.stringify(rowOf(issue, nowMs))}\n`).join(""));
  const real = nodePorts();
  const { clock } = real;
  const ports: Ports = {
    ...real,
    clock: {
      now: async () => nowMs,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
  };
  const memory = await IssueMemory.open({ path, ports });
  try {
    return await use({ path, ports, memory });
  } finally {
    await memory.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row of issue memory from the camelCase issue of a vector. */
function rowOf(issue: JsonObject, nowMs: number): JsonObject {
  const id = textAt(issue, "id");
  const assignee = textAt(issue, "assignee");
  return {
    id,
    title: textAt(issue, "title") || id,
    ...(issue["status"] === undefined ? {} : { status: issue["status"] }),
    ...(issue["priority"] === undefined ? {} : { priority: issue["priority"] }),
    ...(assignee === "" ? {} : { assignee }),
    ...(isJsonObject(issue["lease"]) ? { lease: leaseOf(issue["lease"], nowMs) } : {}),
    ...(issue["dependencies"] === undefined ? {} : { dependencies: dependenciesOf(id, issue) }),
  };
}

function leaseOf(lease: JsonObject, nowMs: number): JsonObject {
  const { acquiredAtUnixMs = nowMs, renewedAtUnixMs } = lease;
  return {
    lease_id: textAt(lease, "leaseId"),
    owner: textAt(lease, "owner"),
    acquired_at: timeOf(acquiredAtUnixMs),
    expires_at: timeOf(lease["expiresAtUnixMs"]),
    ...(renewedAtUnixMs === undefined || renewedAtUnixMs === null
      ? {}
      : { renewed_at: timeOf(renewedAtUnixMs) }),
  };
}

function dependenciesOf(id: string, issue: JsonObject): JsonValue {
  return objectsAt(issue, "dependencies").map((dependency) => ({
    issue_id: id,
    depends_on_id: textAt(dependency, "dependsOnId"),
    type: textAt(dependency, "type") || textAt(dependency, "depType") || "blocks",
  }));
}

/** What is no time stays what it is, so that whoever reads it can say so. */
export function timeOf(unixMs: JsonValue | undefined): string {
  const date = new Date(typeof unixMs === "number" ? unixMs : Number.NaN);
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString();
}

/** How long a vector asks a lease for, in our words. */
export function termOf(request: JsonObject): { leaseTtlSeconds?: number; leaseExpiresAt?: string } {
  const { leaseTtlSeconds: ttl, leaseExpiresAtUnixMs: end, leaseExpiresAt } = request;
  const given = (value: JsonValue | undefined) => value !== undefined && value !== null;
  return {
    ...(given(ttl) ? { leaseTtlSeconds: ttl as number } : {}),
    ...(given(end) ? { leaseExpiresAt: timeOf(end) } : {}),
    ...(typeof leaseExpiresAt === "string" ? { leaseExpiresAt } : {}),
  };
}
