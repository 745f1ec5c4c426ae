/**
 * A day of work through the pipeline, on issues and steps in files and in memory:
 * whatever is asked, both answer the same, but for what engine-exceptions.ts names.
 */
import { type Call, commandLineAuthority, type Envelope, perform } from "@bridle/operation";
import { isJsonObject, type JsonObject, type JsonValue, nodePorts, type Ports } from "@bridle/record";
import { expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { allOperations } from "../rooms.js";
import { onlyInFiles, onlyOfFiles } from "./engine-exceptions.js";
import { memoryEngine } from "./memory-engine.js";
import { useEngine } from "./open.js";

const operations = await allOperations();

class Desk {
  private readonly cwd = newFolder();
  private readonly ports: Ports;
  private now = Date.UTC(2026, 0, 31, 9, 30);

  constructor(inMemory: boolean) {
    const clock = { ...nodePorts().clock, now: async () => this.now };
    this.ports = { ...nodePorts(), clock };
    if (inMemory) useEngine(this.ports, memoryEngine(clock));
  }

  call(tool: string, input: JsonObject): Promise<Envelope> {
    const operation = operations.find(({ names }) => names.tool === tool);
    if (operation === undefined) throw new Error(`no ${tool}`);
    this.now += 1_000;
    const call: Call = {
      ports: this.ports,
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn() {},
      progress() {},
    };
    return perform(operation, input, { call, authority: commandLineAuthority(), gates: [] });
  }

  /** Without what names the folder of the test. */
  told({ payload, failureClasses }: Envelope): JsonValue {
    return without(
      JSON.parse(JSON.stringify({ payload, failureClasses }).replaceAll(this.cwd, "")) as JsonValue,
    );
  }
}

function without(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(without);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !Object.hasOwn(onlyInFiles, name));
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member as JsonValue)]));
}

const row = (id: string, more: JsonObject = {}) => JSON.stringify({ id, title: id, status: "open", ...more });
const step = { action: "worker.loop", resultClass: "completed", finishedAt: "2026-01-31T09:00:00Z" };

const day: readonly (readonly [tool: string, input: JsonObject])[] = [
  ["issue_ready", {}],
  ["issue_update", { id: "bd-1", notes: "too early" }],
  ["issue_add", { title: "first", priority: 1, description: "Acceptance: it works\nnpm test" }],
  ["issue_add", { title: "[EPIC] all of it", type: "epic" }],
  ["issue_add", { title: "third" }],
  ["issue_add", { title: "again", id: "bd-1" }],
  ["dep_add", { issueId: "bd-3", dependsOnId: "bd-1" }],
  ["dep_add", { issueId: "bd-1", dependsOnId: "bd-3" }],
  ["dep_add", { issueId: "bd-1", dependsOnId: "bd-2", depType: "parent-child" }],
  ["issue_ready", {}],
  ["issue_blocked", {}],
  ["issue_close", { id: "bd-2" }],
  ["issue_claim_next", { assignee: "ada", requestId: "r-1" }],
  ["issue_claim_next", { assignee: "ada", requestId: "r-1" }],
  ["issue_claim", { id: "bd-1", assignee: "bob" }],
  ["issue_lease_renew", { id: "bd-1", assignee: "ada", leaseId: "lease1_bd-1_ada" }],
  ["issue_comment", { id: "bd-1", text: "on it", actor: "ada" }],
  ["issue_label", { id: "bd-1", add: ["ui"] }],
  ["issue_update", { id: "bd-1", status: "blocked", actor: "bob" }],
  ["issue_lease_projection", {}],
  ["issue_discover", { parentIssueId: "bd-1", title: "found on the way" }],
  ["issue_close", { id: "bd-1", fence: 1, reason: "done" }],
  ["issue_reopen", { id: "bd-1" }],
  ["issue_list", {}],
  ["issue_search", { text: "found" }],
  ["issue_tree", { id: "bd-2" }],
  ["issue_show", { id: "bd-1" }],
  ["issue_check", {}],
  ["issue_check", { compactness: true }],
  ["dep_diagnostics", {}],
  ["dep_project", { view: "gtd" }],
  ["dep_replace", { issueId: "bd-3", dependsOnId: "bd-1", fromType: "blocks", toType: "related" }],
  ["dep_remove", { issueId: "bd-3", dependsOnId: "bd-1", depType: "related" }],
  [
    "issue_import",
    { format: "beads", content: `${row("bd-9", { issue_type: "bug" })}\n${row("bd-1", { priority: 0 })}\n` },
  ],
  ["issue_import", { format: "beads", content: "no rows" }],
  ["issue_export", { format: "beads" }],
  ["issue_export", { format: "jsonl" }],
  ["harness_trajectory_query", {}],
  ["harness_trajectory_append", { ...step, stepId: "ada.bd-1.1" }],
  ["harness_trajectory_append", { ...step, stepId: "ada.bd-1.1", once: true }],
  ["harness_trajectory_append", { ...step, stepId: "ada.bd-3.1", resultClass: "retry_needed_lease_stale" }],
  ["harness_trajectory_query", { mode: "retry-needed" }],
  ["harness_trajectory_query", { limit: 1 }],
  ["harness_kpi_report", { now: "2026-01-31T10:00:00Z" }],
  ["issue_lease_release", { id: "bd-1" }],
];

test("both engines answer the same, all day long", async () => {
  const [files, memory] = [new Desk(false), new Desk(true)];
  for (const [tool, input] of day) {
    const [one, other] = [await files.call(tool, input), await memory.call(tool, input)];
    expect([tool, memory.told(other)]).toEqual([tool, files.told(one)]);
  }
});

test("what only files can do is refused elsewhere, with a class", async () => {
  const memory = new Desk(true);
  await memory.call("issue_add", { title: "first" });
  for (const tool of Object.keys(onlyOfFiles)) {
    expect([tool, (await memory.call(tool, {})).resultClass]).toEqual([tool, "operation_engine_denied"]);
  }
});
