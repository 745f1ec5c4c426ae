/** Import and export where no file can be named: what is said goes in, and comes back as an answer. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, type Envelope, type Gate, type Operation, perform } from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect } from "vitest";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { newFolder } from "../../../../test/support/folder.js";
import { issueExport } from "../operations/issue-export.js";
import { issueImport } from "../operations/issue-import.js";

class Door {
  readonly cwd = newFolder();
  private readonly store = new TestStore();

  call(operation: Operation, input: JsonObject, surface: "mcp" | "cli" = "mcp"): Promise<Envelope> {
    const call: Call = {
      ports: this.store.over(nodePorts()),
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn: () => {},
      progress: () => {},
    };
    const authority = { surface, standing: { kind: "person" } } as const;
    const gate: Gate = {
      name: "admitting",
      judge: async () => ({
        mutationPolicy: "instruction-linked",
        policyDigest: "pol1_x",
        instructionRef: "i",
      }),
    };
    return perform(operation, input, { call, authority, gates: [gate] });
  }
}

const importing = issueImport as unknown as Operation;
const exporting = issueExport as unknown as Operation;
const row = `{"id":"bd-1","title":"t","issue_type":"bug","n":1.0}\n`;

onBothStores("interchange/operations.test.ts", (it) => {
  describe("over a protocol", () => {
    it("an import takes its content and an export answers with it, to the byte", async () => {
      const door = new Door();
      const imported = await door.call(importing, { format: "beads", content: row });
      expect(imported.payload).toMatchObject({
        action: "issue.import",
        added: 1,
        from: null,
        addedIds: ["bd-1"],
      });
      const exported = await door.call(exporting, { format: "beads" });
      expect(exported.payload).toMatchObject({ action: "issue.export", to: null, count: 1, content: row });
    });

    it("no file of this machine can be read or written", async () => {
      const door = new Door();
      mkdirSync(join(door.cwd, ".premath"));
      writeFileSync(join(door.cwd, ".premath/issues.jsonl"), row);
      const read = await door.call(importing, { format: "beads", from: "/etc/hosts" });
      expect(read.resultClass).toBe("input_invalid");
      const written = await door.call(exporting, { format: "jsonl", to: "out" });
      expect(written.resultClass).toBe("input_invalid");
      expect(existsSync(join(door.cwd, "out"))).toBe(false);
    });

    it("content and a file together, or neither, are refused and nothing is made", async () => {
      const door = new Door();
      const neither = await door.call(importing, { format: "beads" });
      const both = await door.call(importing, { format: "beads", content: row, from: "x" }, "cli");
      expect([neither.resultClass, both.resultClass]).toEqual(["input_invalid", "input_invalid"]);
      expect(existsSync(join(door.cwd, ".premath"))).toBe(false);
    });

    it("an answer that would be too large is refused with the way out", async () => {
      const door = new Door();
      mkdirSync(join(door.cwd, ".premath"));
      const long = "x".repeat(1_000_000);
      const rows = [1, 2, 3, 4, 5].map((n) => `${JSON.stringify({ id: `bd-${n}`, title: long })}\n`);
      writeFileSync(join(door.cwd, ".premath/issues.jsonl"), rows.join(""));
      const refused = await door.call(exporting, { format: "jsonl" });
      expect(refused.resultClass).toBe("issue_memory_too_large");
      const there = await door.call(exporting, { format: "jsonl", to: "out" }, "cli");
      expect(there.resultClass).toBe("accepted");
      expect(readFileSync(join(door.cwd, "out"), "utf8")).toBe(rows.join(""));
    });
  });
});
