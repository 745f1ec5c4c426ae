/** The operations that change issues, as every surface has them: their names, their arguments, their words. */
import { join } from "node:path";
import { type Call, commandLineAuthority, type Envelope, perform, propertiesOf } from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { alterFiles } from "@bridle/testing";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { operations } from "../rooms/issue-change.js";

describe("the table of changes", () => {
  it("has the names of the contract, and the pattern of the contract where it names none [TUSK-14.2.21] [TUSK-14.2.22]", () => {
    const names = operations.map(({ names: { id, action, command, tool } }) => [
      id,
      action,
      command.join(" "),
      tool,
    ]);
    expect(names).toEqual([
      ["op/mcp.issue_add", "issue.add", "issue add", "issue_add"],
      ["op/mcp.issue_update", "issue.update", "issue update", "issue_update"],
      ["op/issue.comment", "issue.comment", "issue comment", "issue_comment"],
      ["op/issue.label", "issue.label", "issue label", "issue_label"],
      ["op/issue.close", "issue.close", "issue close", "issue_close"],
      ["op/issue.reopen", "issue.reopen", "issue reopen", "issue_reopen"],
      ["op/mcp.issue_discover", "issue.discover", "issue discover", "issue_discover"],
      ["op/issue.compact", "issue.compact", "issue compact", "issue_compact"],
    ]);
  });

  it("is made of mutations, each with the one who asks and the instruction that it follows", () => {
    for (const { effect, input, names } of operations) {
      expect(effect).toBe("mutate");
      expect(Object.keys(input.properties), names.tool).toEqual(
        expect.arrayContaining(["issuesPath", "actor", "instructionId"]),
      );
    }
  });

  it("takes the arguments of the original's tools, and its flags", () => {
    const tools: Record<string, string> = {
      issue_add: "title id description status priority issueType assignee owner instructionId issuesPath",
      issue_update: "id title description notes status priority assignee owner instructionId issuesPath",
      issue_discover:
        "parentIssueId title id description priority issueType assignee owner instructionId issuesPath",
    };
    for (const [tool, names] of Object.entries(tools)) {
      const operation = operations.find((each) => each.names.tool === tool);
      const properties = propertiesOf(operation?.input ?? {});
      expect(properties.map(({ name }) => name)).toEqual(expect.arrayContaining(names.split(" ")));
      const flags = new Map(properties.map(({ name, flag }) => [name, flag]));
      expect([flags.get("issuesPath"), flags.get("issueType") ?? "type"]).toEqual(["issues", "type"]);
    }
  });
});

class Desk {
  readonly cwd = newFolder();
  readonly store = new TestStore();
  readonly now = Date.UTC(2026, 0, 31, 9, 30);
  ports = nodePorts();

  call(tool: string, input: JsonObject): Promise<Envelope> {
    const operation = operations.find(({ names }) => names.tool === tool);
    if (operation === undefined) throw new Error(`no ${tool}`);
    const { ports } = this;
    const call: Call = {
      ports: this.store.over({ ...ports, clock: { ...ports.clock, now: async () => this.now } }),
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn: () => {},
      progress: () => {},
    };
    return perform(operation, input, { call, authority: commandLineAuthority(), gates: [] });
  }

  get path(): string {
    return join(this.cwd, ".premath/issues.jsonl");
  }
}

onBothStores("operations/issue-change.test.ts", (it) => {
  describe("a change through the pipeline", () => {
    it("writes what it answers, at the time of the clock", async () => {
      const desk = new Desk();
      const { resultClass, payload } = await desk.call("issue_add", { title: "one", instructionId: "i-1" });
      expect(resultClass).toBe("accepted");
      expect(payload).toMatchObject({ action: "issue.add", issuesPath: ".premath/issues.jsonl" });
      expect(JSON.parse(desk.store.text(desk.path))).toEqual({
        id: "bd-1",
        title: "one",
        status: "open",
        priority: 2,
        issue_type: "task",
        created_at: "2026-01-31T09:30:00Z",
        updated_at: "2026-01-31T09:30:00Z",
        ephemeral: false,
      });
    });

    it("that does not fit its schema is refused with the nearest value, before anything is made", async () => {
      const desk = new Desk();
      const said = async (input: JsonObject) => {
        const { resultClass, payload } = await desk.call("issue_add", { title: "t", ...input });
        expect(resultClass).toBe("input_invalid");
        return (payload as JsonObject)["message"];
      };
      expect(await said({ status: "inprogress" })).toContain("did you mean in_progress?");
      expect(await said({ issueType: "tsak" })).toContain("did you mean task?");
      expect(await said({ priority: 5 })).toContain("must be at most 4, got 5");
      expect(await said({ priority: 1.5 })).toContain("must be a whole number");
      expect(await said({ statu: "open" })).toContain('did you mean "status"?');
      expect(desk.store.has(desk.path)).toBe(false);
    });

    it("whose sync fails says that it may be there or not, and how to find out", async () => {
      const desk = new Desk();
      await desk.call("issue_add", { title: "one" });
      const { files } = desk.ports;
      const fails = async () => {
        throw Object.assign(new Error("input/output error"), { code: "EIO" });
      };
      desk.ports = {
        ...desk.ports,
        files: alterFiles(files, { openFile: (_, path) => (path === desk.path ? { sync: fails } : {}) }),
      };
      const { resultClass, payload } = await desk.call("issue_add", { title: "two" });
      expect(resultClass).toBe("row_in_doubt");
      expect((payload as JsonObject)["hint"]).toContain("premath issue list");
    });
  });
});
