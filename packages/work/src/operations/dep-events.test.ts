/** Dependencies and events as operations: their frozen names, and what a long-lived process sees. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, commandLineAuthority, KeptThings, perform } from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect, onTestFinished } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { operations as dependencies } from "../rooms/dependency.js";
import { operations as events } from "../rooms/event.js";
import { operations as harness } from "../rooms/harness.js";

const operations = [...dependencies, ...events, ...harness];

/** A process that keeps what it opened. */
class Desk {
  readonly cwd = newFolder();
  private readonly store = new TestStore();
  readonly warnings: string[] = [];
  private readonly kept = new KeptThings();

  constructor(...ids: string[]) {
    onTestFinished(() => this.kept.close());
    mkdirSync(join(this.cwd, ".premath"));
    const rows = ids.map((id) => `${JSON.stringify({ id, title: id })}\n`);
    if (ids.length > 0) writeFileSync(join(this.cwd, ".premath/issues.jsonl"), rows.join(""));
  }

  async call(tool: string, input: JsonObject = {}): Promise<{ resultClass: string; payload: JsonObject }> {
    const operation = operations.find(({ names }) => names.tool === tool);
    if (operation === undefined) throw new Error(`no ${tool}`);
    const call: Call = {
      ports: this.store.over(nodePorts()),
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn: (sentence) => void this.warnings.push(sentence),
      progress: () => {},
      kept: this.kept,
    };
    const envelope = await perform(operation, input, { call, authority: commandLineAuthority(), gates: [] });
    return { resultClass: envelope.resultClass, payload: envelope.payload as JsonObject };
  }

  async ok(tool: string, input: JsonObject = {}): Promise<JsonObject> {
    const { resultClass, payload } = await this.call(tool, input);
    expect(resultClass, JSON.stringify(payload)).toBe("accepted");
    return payload;
  }
}

onBothStores("operations/dep-events.test.ts", (it) => {
  describe("the operations on dependencies and events", () => {
    it("have the names of the contract, and mutate where they write [RUNTIME-8.10] [TUSK-14.2.6] [TUSK-14.2.25] [TUSK-14.2.26] [TUSK-14.2.27]", () => {
      const names = [...dependencies, ...events].map(({ names: { id, action, command, tool }, effect }) =>
        [id, action, command.join(" "), tool, effect].join(" · "),
      );
      expect(names).toEqual([
        "op/mcp.dep_add · dep.add · dep add · dep_add · mutate",
        "op/mcp.dep_remove · dep.remove · dep remove · dep_remove · mutate",
        "op/mcp.dep_replace · dep.replace · dep replace · dep_replace · mutate",
        "op/mcp.dep_diagnostics · dep.diagnostics · dep diagnostics · dep_diagnostics · read",
        "op/dep.project · dep.project · dep project · dep_project · read",
        "op/issue.migrate_events · issue.migrate_events · issue migrate-events · issue_migrate_events · mutate",
        "op/issue.replay_events · issue.replay_events · issue replay-events · issue_replay_events · mutate",
      ]);
    });

    it("work by the argument names of the contract in a process that keeps the issues", async () => {
      const desk = new Desk("a", "b");
      const edge = { issueId: "a", dependsOnId: "b", instructionId: "instr-1" };
      await desk.ok("dep_add", { ...edge, depType: "related", createdBy: "ada" });
      await desk.ok("dep_replace", { ...edge, fromDepType: "related", toDepType: "blocks" });
      expect(await desk.call("dep_add", { issueId: "b", dependsOnId: "a" })).toMatchObject({
        resultClass: "dependency_cycle",
      });
      expect(await desk.ok("dep_diagnostics", { graphScope: "full" })).toMatchObject({
        integrity: { hasCycle: false, cyclePath: null },
      });
      const { snapshotRef } = await desk.ok("issue_migrate_events");
      const { session } = await desk.ok("harness_session_write", { summary: "x" });
      expect((session as JsonObject)["issuesSnapshotRef"]).toBe(snapshotRef);
      await desk.ok("dep_remove", edge);
      expect((await desk.ok("issue_replay_events", { force: true }))["snapshotRef"]).toBe(snapshotRef);
      expect(await desk.ok("issue_replay_events")).toMatchObject({ cacheHit: true });
      expect((await desk.ok("dep_project"))["count"]).toBe(1);
      expect(desk.warnings).toEqual([]);
    });

    it("name what cannot be projected, and a cache that cannot be written, as warnings", async () => {
      const desk = new Desk("a");
      writeFileSync(join(desk.cwd, ".premath/odd.jsonl"), '{"id":"a","title":"a"}\n{"id":"b","title":3}\n');
      expect((await desk.ok("dep_project", { issuesPath: ".premath/odd.jsonl" }))["count"]).toBe(0);
      expect(desk.warnings.splice(0)).toEqual([
        "1 row is no issue and left out, b first; `premath issue check` says why.",
      ]);
      await desk.ok("issue_migrate_events");
      mkdirSync(join(desk.cwd, "cache"));
      expect(await desk.ok("issue_replay_events", { cachePath: "cache" })).toMatchObject({ cacheHit: false });
      expect(desk.warnings).toEqual([expect.stringContaining("The replay cache cache could not be written")]);
    });

    it("leave the session writable when the issues cannot be read", async () => {
      const desk = new Desk();
      mkdirSync(join(desk.cwd, ".premath/issues.jsonl"));
      const { session } = await desk.ok("harness_session_write", { summary: "x" });
      expect(session).not.toHaveProperty("issuesSnapshotRef");
      expect(desk.warnings).toEqual([expect.stringContaining("issuesSnapshotRef is left out")]);
    });
  });
});
