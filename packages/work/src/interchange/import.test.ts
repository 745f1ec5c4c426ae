/** Imports: all rows or none, nothing lost, and who holds an issue keeps it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { onBothStores, TestStore } from "../../../../test/support/both-stores.js";
import { beadsRows } from "../../../../test/support/beads-rows.js";
import { newFolder } from "../../../../test/support/folder.js";
import { toBeads } from "./beads.js";
import { type Imported, type ImportFormat, importIssues, readImport } from "./import.js";

const ports = nodePorts();

class Desk {
  readonly path = join(newFolder(), "issues.jsonl");
  private readonly store = new TestStore();

  constructor(lines = "") {
    if (lines !== "") writeFileSync(this.path, lines);
  }

  async take(text: string, format: ImportFormat = "beads", actor?: string): Promise<Imported> {
    const source = readImport(Buffer.from(text), "in", format);
    if (isRefusal(source)) throw new Error(source.message);
    const memory = await this.store.engine.issues({ path: this.path, ports });
    try {
      const decide = importIssues(source, actor === undefined ? {} : { actor });
      const answer = await memory.change(decide, { create: true });
      if (isRefusal(answer)) throw new Error(answer.message);
      return answer;
    } finally {
      await memory.close();
    }
  }

  lines(): string[] {
    return this.store.text(this.path).split("\n").slice(0, -1);
  }

  rows(): JsonObject[] {
    return this.lines().map((line) => JSON.parse(line) as JsonObject);
  }
}

const row = (more: JsonObject = {}) =>
  `${JSON.stringify({ id: "bd-1", title: "t", status: "open", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", ...more })}\n`;

onBothStores("interchange/import.test.ts", (it) => {
  describe("an import of beads", () => {
    it("of a thousand issues and more with unknown members comes back out to the byte", async () => {
      // Ten thousand go through the real command in test/end-to-end/issue-interchange.test.ts.
      const count = share(10_000, 1_500);
      const rows = beadsRows(count, 7);
      const desk = new Desk();
      const answer = await desk.take(`${rows.join("\n")}\n`);
      expect(answer.added).toHaveLength(count);
      const back = desk.lines().map(toBeads);
      expect(new Set(back)).toEqual(new Set(rows));
      expect(back).toHaveLength(count);
      const again = await desk.take(`${rows.join("\n")}\n`);
      expect([again.added.length, again.updated.length, again.unchanged]).toEqual([0, 0, count]);
      console.log(
        `proof: beads: ${count} rows imported and exported to the byte, and again without a change`,
      );
    }, 120_000);

    it("updates by the later time and keeps what lost", async () => {
      const desk = new Desk(row({ notes: "here", labels: ["a"] }));
      const answer = await desk.take(
        row({ title: "new", updated_at: "2026-01-02T00:00:00Z", labels: ["b"] }),
      );
      expect([answer.updated, answer.unchanged]).toEqual([["bd-1"], 0]);
      expect(desk.rows().at(-1)).toMatchObject({
        title: "new",
        notes: "here",
        labels: ["a", "b"],
        metadata: { mergeConflicts: [{ member: "title", value: "t" }] },
      });
      expect(
        (await desk.take(row({ title: "new", updated_at: "2026-01-02T00:00:00Z", labels: ["b"] }))).unchanged,
      ).toBe(1);
    });

    it("leaves status, assignee and lease to whoever holds the issue", async () => {
      const lease = {
        lease_id: "l",
        owner: "ada",
        acquired_at: "2026-01-01T00:00:00Z",
        expires_at: "9999-01-01T00:00:00Z",
      };
      const held = row({ status: "in_progress", assignee: "ada", lease, fence: 4 });
      const incoming = row({
        status: "closed",
        closed_at: "2026-02-01T00:00:00Z",
        fence: 1,
        notes: "n",
        updated_at: "2026-02-01T00:00:00Z",
      });
      const desk = new Desk(held);
      await desk.take(incoming);
      expect(desk.rows().at(-1)).toMatchObject({
        status: "in_progress",
        assignee: "ada",
        lease,
        fence: 4,
        notes: "n",
      });
      expect(JSON.stringify(desk.rows().at(-1)?.["metadata"])).toContain('"closed"');
      const own = new Desk(held);
      await own.take(incoming, "beads", "ada");
      expect(own.rows().at(-1)).toMatchObject({ status: "closed", fence: 4 });
      expect(own.rows().at(-1)).not.toHaveProperty("lease");
    });

    it("renames what is another issue here, with its references, and finds it again", async () => {
      const desk = new Desk(row());
      const other = row({ title: "other", created_at: "2025-05-05T00:00:00Z" });
      const waits = row({
        id: "bd-2",
        dependencies: [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks" }],
      });
      const answer = await desk.take(other + waits);
      const to = answer.renamed[0]?.to ?? "";
      expect(answer.renamed).toEqual([{ from: "bd-1", to: expect.stringMatching(/^bd-1-[0-9a-f]{6}$/) }]);
      const rows = new Map(desk.rows().map((one) => [one["id"], one]));
      expect(rows.get("bd-1")).toEqual(JSON.parse(row()));
      expect(rows.get(to)).toMatchObject({ title: "other", aliases: ["bd-1"] });
      expect(rows.get("bd-2")).toMatchObject({ dependencies: [{ depends_on_id: to }] });
      const again = await desk.take(other + waits);
      expect([again.renamed, again.added, again.updated]).toEqual([[], [], []]);
    });

    it("keeps a dependency on what is nowhere and says so", async () => {
      const answer = await new Desk().take(
        row({ dependencies: [{ issue_id: "bd-1", depends_on_id: "bd-9", type: "blocks" }] }),
      );
      expect(answer.warnings).toEqual(["bd-1 depends on bd-9, which is nowhere; the dependency is kept."]);
    });

    it.each([
      [`${row()}{"id":"bd-2","title":7}\n`, "in line 2: title is 7, expected text"],
      [`${row()}{"title":"no id"}\n`, "in line 2: the row has no id"],
      [`${row()}not json\n`, "in line 2: it is not JSON"],
      [
        `{"id":"bd-2","title":"t","dependencies":[{"issue_id":"bd-2","depends_on_id":"x"}]}`,
        "in line 1: dependencies[].dep_type is missing",
      ],
    ])("refuses %j whole", (text, says) => {
      const refused = readImport(Buffer.from(text), "in", "beads");
      expect(isRefusal(refused) && refused.message).toContain(says);
    });
  });

  const github = {
    number: 12,
    title: "Crash on start",
    body: "It crashes.\r\n\r\nDepends on #3, #4\r\n- [ ] #7\nthis depends on #8 somehow\nBlocked by #5.",
    state: "CLOSED",
    stateReason: "COMPLETED",
    labels: [{ id: "L1", name: "bug", color: "f00" }, { name: "p1" }],
    assignees: [{ login: "ada" }, { login: "bob" }],
    author: { login: "cy", is_bot: false },
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-02T00:00:00Z",
    closedAt: "2026-01-02T00:00:00Z",
    comments: [
      { id: "IC_1", author: { login: "bob" }, body: "me too", createdAt: "2026-01-01T12:00:00Z", url: "u" },
    ],
    milestone: { title: "v1" },
    url: "https://example.org/o/r/issues/12",
    isPinned: false,
  };

  describe("an import of GitHub's issues", () => {
    it("takes over what gh prints, and keeps the rest", async () => {
      const desk = new Desk();
      const answer = await desk.take(
        JSON.stringify([github], null, 2).replace('"v1"', '"v1", "n": 18446744073709551615'),
        "github",
      );
      expect(answer.added).toEqual(["gh-12"]);
      expect(desk.rows()[0]).toMatchObject({
        id: "gh-12",
        title: "Crash on start",
        status: "closed",
        closed_at: "2026-01-02T00:00:00Z",
        assignee: "ada",
        created_by: "cy",
        labels: ["bug", "p1"],
        external_ref: "https://example.org/o/r/issues/12",
        dependencies: [3, 4, 5].map((n) => ({ issue_id: "gh-12", depends_on_id: `gh-${n}`, type: "blocks" })),
        comments: [
          {
            id: "IC_1",
            issue_id: "gh-12",
            author: "bob",
            text: "me too",
            created_at: "2026-01-01T12:00:00Z",
          },
        ],
        metadata: {
          github: {
            number: 12,
            stateReason: "COMPLETED",
            milestone: { title: "v1" },
            assignees: [{ login: "ada" }, { login: "bob" }],
          },
        },
      });
      expect(desk.lines()[0]).toContain("18446744073709551615");
    });

    it("of one issue updates it when it comes again", async () => {
      const desk = new Desk();
      const { closedAt: _, ...rest } = github;
      await desk.take(
        JSON.stringify({ ...rest, state: "OPEN", updatedAt: "2026-01-01T06:00:00Z" }),
        "github",
      );
      const answer = await desk.take(JSON.stringify(github), "github");
      expect(answer.updated).toEqual(["gh-12"]);
      expect(desk.rows().at(-1)).toMatchObject({ status: "closed", closed_at: "2026-01-02T00:00:00Z" });
      expect((await desk.take(JSON.stringify(github), "github")).unchanged).toBe(1);
    });

    it.each([
      ["nonsense", "it is not JSON"],
      [`[{"title":"t"}]`, "issue 1: it has no number"],
      [`[{"number":1,"title":"t","state":"LOST"}]`, 'issue 1: its state is "LOST"'],
      ["[7]", "issue 1: it is no object"],
      [`{"number":1,"title":"t","createdAt":"yesterday"}`, "gh-1: created_at is"],
    ])("refuses %j", (text, says) => {
      const refused = readImport(Buffer.from(text), "in", "github");
      expect(isRefusal(refused) && refused.message).toContain(says);
    });
  });
});
