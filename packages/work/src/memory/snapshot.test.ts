/** The digest of issue memory changes with the issues, and with nothing else. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { issuesSnapshotRef } from "../store/snapshot.js";

const ports = nodePorts();

async function refOf(content: string | Buffer | undefined, folder = newFolder()) {
  const path = join(folder, "issues.jsonl");
  if (content !== undefined) writeFileSync(path, content);
  const warnings: string[] = [];
  const ref = await issuesSnapshotRef({
    path,
    shown: "issues.jsonl",
    ports,
    warn: (text) => warnings.push(text),
  });
  return { ref, warnings };
}

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const issue = (id: string, more: object = {}) => ({
  id,
  title: `Issue ${id}`,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-02T00:00:00Z",
  ...more,
});

describe("the snapshot ref", () => {
  it("of no issues is the digest of nothing, and of no file is absent [TUSK-11.16]", async () => {
    const empty = "iss1_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    expect((await refOf("")).ref).toBe(empty);
    expect((await refOf("\n# a comment\n\n")).ref).toBe(empty);
    expect(await refOf(undefined)).toEqual({ ref: undefined, warnings: [] });
  });

  it("digests each row in declaration order, defaults and omissions applied [TUSK-11.16]", async () => {
    const row = {
      metadata: { z: 1, a: { d: [1.0, 2], c: "é" } },
      unknown: "left out",
      dependencies: [
        { issue_id: "bd-2", depends_on_id: "bd-9", type: "blocks" },
        { issue_id: "bd-2", depends_on_id: "bd-1", dep_type: "related", created_by: "ada" },
        { issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks", created_by: "" },
      ],
      labels: ["y", "x"],
      closed_at: null,
      updated_at: "2026-01-02T02:00:00.120+02:00",
      created_at: "2026-01-01T00:00:00.1234567Z",
      lease: {
        expires_at: "2026-01-03T00:00:00Z",
        owner: "ada",
        lease_id: "lease1_bd-2_ada",
        acquired_at: "2026-01-02T00:00:00Z",
      },
      issue_type: " EPIC ",
      notes: "",
      description: "d",
      title: "Two",
      id: "bd-2",
    };
    const expected = [
      '{"id":"bd-10","title":"Issue bd-10","status":"open","priority":2,"issue_type":"task",' +
        '"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","ephemeral":false}',
      '{"id":"bd-2","title":"Two","description":"d","status":"open","priority":2,"issue_type":"epic",' +
        '"lease":{"lease_id":"lease1_bd-2_ada","owner":"ada","acquired_at":"2026-01-02T00:00:00Z",' +
        '"expires_at":"2026-01-03T00:00:00Z"},"created_at":"2026-01-01T00:00:00.123456700Z",' +
        '"updated_at":"2026-01-02T00:00:00.120Z","ephemeral":false,"labels":["y","x"],"dependencies":[' +
        '{"issue_id":"bd-2","depends_on_id":"bd-1","type":"blocks"},' +
        '{"issue_id":"bd-2","depends_on_id":"bd-1","type":"related","created_by":"ada"},' +
        '{"issue_id":"bd-2","depends_on_id":"bd-9","type":"blocks"}],' +
        '"metadata":{"a":{"c":"é","d":[1,2]},"z":1}}',
    ];
    const hash = createHash("sha256")
      .update(expected.map((line) => `${line}\n`).join(""))
      .digest("hex");
    expect((await refOf(lines(row, issue("bd-10")))).ref).toBe(`iss1_${hash}`);
  });

  const fields = fc.record(
    {
      description: fc.string({ maxLength: 3 }),
      status: fc.constantFrom("open", "in_progress", "closed"),
      priority: fc.integer({ min: 0, max: 4 }),
      assignee: fc.constantFrom("", "ada"),
      labels: fc.array(fc.string({ maxLength: 2 }), { maxLength: 2 }),
      metadata: fc.jsonValue({ maxDepth: 2 }),
      updated_at: fc.constantFrom("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"),
    },
    { requiredKeys: [] },
  );
  const stores = fc.uniqueArray(
    fc.tuple(fc.constantFrom("bd-1", "bd-2", "bd-10", "é", "𝒳", "\uffff"), fields),
    {
      selector: ([id]) => id,
      minLength: 1,
      maxLength: 5,
    },
  );

  it("does not depend on row order, compaction, white space, comments or spelling [TUSK-11.28]", async () => {
    await holdsAsync(
      fc.asyncProperty(stores, fc.infiniteStream(fc.nat(99)), async (store, draws) => {
        const folder = newFastFolder();
        const rows = store.map(([id, more]) => issue(id, more));
        const { ref, warnings } = await refOf(lines(...rows), folder);
        expect(ref, warnings.join()).toMatch(/^iss1_[0-9a-f]{64}$/);
        const draw = () => draws.next().value as number;
        const stale = rows.filter(() => draw() % 2 === 0).map((row) => ({ ...row, title: "before" }));
        const shuffled = rows.map((row) => [draw(), row] as const).sort(([a], [b]) => a - b);
        const spelled = shuffled.map(([, row]) => {
          const members = Object.entries(row)
            .reverse()
            .map(([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value)}`);
          return `{ ${members.join(" , ").replaceAll("2026-01-02T00:00:00Z", "2026-01-02T01:00:00.000+01:00")} }\n`;
        });
        const again = await refOf(`# memory\n${lines(...stale)}\n${spelled.join("\n")}`, folder);
        expect(again).toEqual({ ref, warnings: [] });
      }),
      100,
    );
  });

  it("changes when an issue changes, comes or goes, to the last digit [TUSK-11.28]", async () => {
    const rows = [issue("bd-1", { metadata: { n: 1 } }), issue("bd-2")];
    const seen = new Set([(await refOf(lines(...rows))).ref]);
    const big = (digit: string) => lines(...rows).replace('"n":1', `"n":1844674407370955161${digit}`);
    const changed = [
      lines(rows[0] as object),
      lines(...rows, issue("bd-3")),
      lines(...rows, issue("bd-2", { status: "closed" })),
      lines(...rows, issue("bd-2", { updated_at: "2026-01-02T00:00:00.000000001Z" })),
      lines(...rows, issue("bd-2", { assignee: "ada" })),
      lines(
        ...rows,
        issue("bd-2", { dependencies: [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks" }] }),
      ),
      big("4"),
      big("5"),
      lines(...rows).replace('"n":1', '"n":1.0'),
    ];
    for (const content of changed) seen.add((await refOf(content)).ref);
    expect(seen.size).toBe(changed.length + 1);
    expect(seen.has(undefined)).toBe(false);
  });

  it("does not move with the clock where a row has no times", async () => {
    expect((await refOf(lines({ id: "bd-1", title: "x" }))).ref).toBe(
      (await refOf(lines({ id: "bd-1", title: "x" }))).ref,
    );
  });

  it("is left out with a warning when the memory cannot be trusted, and the file stays as it was", async () => {
    const good = lines(issue("bd-1"));
    const damaged: [string | Buffer, RegExp][] = [
      [`${good}{oops\n`, /line 2 \(byte 107\): text that is not JSON/],
      [`${good}<<<<<<< ours\n`, /conflict marker.*issue merge --resolve/],
      [Buffer.concat([Buffer.from(good), Buffer.alloc(8), Buffer.from("\n")]), /NUL/],
      [lines({ id: "bd-1" }), /line 1 is no issue: title is missing/],
      [lines(issue("bd-1", { issue_type: "story" })), /issue_type is "story", expected epic or task/],
      [lines(issue("bd-1", { created_at: "yesterday" })), /created_at is "yesterday"/],
      [lines(issue("bd-1", { priority: 1.5 })), /priority is 1.5/],
      [
        lines(issue("bd-1", { dependencies: [{ issue_id: "a", depends_on_id: "b", type: "likes" }] })),
        /type is "likes"/,
      ],
      [lines(issue("bd-1", { lease: { lease_id: "x" } })), /lease.owner is missing/],
    ];
    for (const [content, says] of damaged) {
      const folder = newFolder();
      const { ref, warnings } = await refOf(content, folder);
      expect(ref).toBeUndefined();
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(says);
      expect(warnings[0]).toContain("issuesSnapshotRef is left out");
      expect(readFileSync(join(folder, "issues.jsonl"))).toEqual(Buffer.from(content));
    }
  });

  it("is left out with a warning when a folder stands where the memory should be", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "issues.jsonl"));
    const { ref, warnings } = await refOf(undefined, folder);
    expect(ref).toBeUndefined();
    expect(warnings[0]).toContain("is a folder");
  });

  it("reads CRLF and a byte order mark as the white space they are", async () => {
    const rows = lines(issue("bd-1"), issue("bd-2"));
    const { ref } = await refOf(rows);
    expect((await refOf(`\uFEFF${rows.replaceAll("\n", "\r\n")}`)).ref).toBe(ref);
  });
});
