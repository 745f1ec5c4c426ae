/**
 * What a session changed in its folder, from its log and those of its children:
 * files that its file tools wrote, and what its commands changed.
 */
import { type SessionRow, sessionPath, readRows } from "@bridle/agent";
import { type Ports, sha256Hex } from "@bridle/record";
import type { OpenedAgent } from "../agent/open.js";

export interface FileChange {
  readonly path: string;
  /** Digest of what stood there before the first write; null where nothing did; undefined where it was not kept. */
  readonly before: string | null | undefined;
  /** Digest of what the last write left there. */
  readonly after: string;
}

export interface CommandChange {
  readonly command: string;
  /** Undefined where nobody looked. */
  readonly changed: readonly string[] | undefined;
}

export interface Changes {
  readonly files: readonly FileChange[];
  readonly commands: readonly CommandChange[];
}

/** Of the last send that is in the log, or of all of them. */
export async function changesOf(
  { agent, workspace }: OpenedAgent,
  { ports, of }: { readonly ports: Ports; readonly of: "last send" | "session" },
): Promise<Changes> {
  const rows = await readRows(sessionPath(workspace, agent.id), ports);
  const last = rows.findLast((row) => row.type === "send");
  const own = of === "session" ? rows : rows.slice(last === undefined ? rows.length : rows.indexOf(last));
  const results: Result[] = [];
  await gather({ id: agent.id, rows: own, workspace, ports }, results);
  return { files: filesOf(results), commands: commandsOf(results) };
}

type Result = Extract<SessionRow, { readonly type: "tool_result" }>;

interface Log {
  readonly id: string;
  readonly rows: readonly SessionRow[];
  readonly workspace: string;
  readonly ports: Ports;
}

/** In the order in which the calls ended; what a child did stands where its parent heard of it. */
async function gather({ id, rows, workspace, ports }: Log, into: Result[]): Promise<void> {
  for (const row of rows) {
    if (row.type !== "tool_result") continue;
    // A child is named for the call that started it.
    const child = `${id}.${sha256Hex(row.callId).slice(0, 20)}`;
    const path = sessionPath(workspace, child);
    if ((await ports.files.stat(path)) !== undefined)
      await gather({ id: child, rows: await readRows(path, ports), workspace, ports }, into);
    if (row.ran && row.ok) into.push(row);
  }
}

function filesOf(results: readonly Result[]): FileChange[] {
  const found = new Map<string, FileChange>();
  for (const { tool, facts } of results) {
    if (tool !== "write_file" && tool !== "edit_file") continue;
    const { path, sha256, before, preview } = facts ?? {};
    if (typeof path !== "string" || typeof sha256 !== "string" || preview === true) continue;
    const earlier = found.get(path);
    const stood = typeof before === "string" || before === null ? before : undefined;
    found.set(path, { path, before: earlier === undefined ? stood : earlier.before, after: sha256 });
  }
  return [...found.values()];
}

function commandsOf(results: readonly Result[]): CommandChange[] {
  return results.flatMap(({ tool, args, facts }) => {
    if (tool !== "run_shell") return [];
    const changed = facts?.["changed"];
    const paths = Array.isArray(changed) ? changed.filter((path) => typeof path === "string") : undefined;
    return [{ command: String(args?.["command"] ?? ""), changed: paths }];
  });
}
