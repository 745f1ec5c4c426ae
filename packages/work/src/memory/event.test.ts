/** Issues become events and issues again, to the byte; a stream that cannot be is refused with its line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  compareCodePoints,
  isRefusal,
  type JsonObject,
  nodePorts,
  rawItems,
  rawMembers,
  type Refusal,
} from "@bridle/record";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { applyReplay } from "./event-apply.js";
import { migrate, type Migration } from "./event-migrate.js";
import { eventsOf } from "./event.js";
import { IssueEvent } from "./event-schema.js";
import { type EventLine, replayEvents } from "./event-replay.js";
import { readStream, writeStream } from "./event-stream.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { sameRow } from "./same-row.js";
import { snapshotRefOf } from "./snapshot.js";
import { IssueMemory } from "../store/issue-file.js";
import { dependencyTypes } from "./types.js";

const ports = nodePorts();
const fitsSchema = Compile(IssueEvent);

function graphOf(rows: readonly string[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [i, text] of rows.entries()) {
    const row = JSON.parse(text) as JsonObject;
    graph.put(new IssueNode(String(row["id"]), row, text, i + 1));
  }
  return graph;
}

function eventLines(texts: readonly string[]): EventLine[] {
  return texts.map((text, i) => ({ row: JSON.parse(text) as JsonObject, text, line: i + 1 }));
}

function migrated(graph: IssueGraph): Migration {
  const migration = migrate(graph, "events.jsonl");
  if (isRefusal(migration)) throw new Error(migration.message);
  return migration;
}

function replayed(texts: readonly string[]): IssueGraph {
  const graph = replayEvents(eventLines(texts), "events.jsonl");
  if (isRefusal(graph)) throw new Error(graph.message);
  return graph;
}

function refusalOf(...texts: (string | object)[]): Refusal {
  const lines = texts.map((text) => (typeof text === "string" ? text : JSON.stringify(text)));
  const graph = replayEvents(eventLines(lines), "events.jsonl");
  if (!isRefusal(graph)) throw new Error("was not refused");
  return graph;
}

/** Members with their sources in the order of the row; the dependencies in one order. */
function bytesOf(text: string): [string, string | string[]][] {
  return [...rawMembers(text)].map(([name, source]) => [
    name,
    name === "dependencies" && source.startsWith("[") ? rawItems(source).sort(compareCodePoints) : source,
  ]);
}

/** Sources that JSON.parse and JSON.stringify would not give back. */
const oddSource = fc.constantFrom(
  "18446744073709551615",
  "1.0",
  "1e2",
  '"\\u0061\\/é"',
  '{ "2": 1, "1":[ 1.50 ] }',
  "null",
  "[]",
  '"# no comment"',
);
const oddName = fc.constantFrom("0", "zebra", "__proto__x", "é", "note ", "schema_version");
const time = fc.constantFrom('"2026-01-02T03:04:05Z"', '"2026-01-02T05:04:05.120+02:00"');
const member = fc.oneof(
  fc.tuple(oddName, oddSource),
  fc.tuple(
    fc.constant("description"),
    fc.string().map((text) => JSON.stringify(text.toWellFormed())),
  ),
  fc.tuple(fc.constant("status"), fc.constantFrom('"open"', '"closed"', '"in_progress"', '"blocked"')),
  fc.tuple(fc.constant("priority"), fc.constantFrom("0", "4", "1")),
  fc.tuple(fc.constantFrom("created_at", "updated_at"), time),
  fc.tuple(fc.constant("fence"), fc.constantFrom("3", "0")),
  fc.tuple(fc.constant("metadata"), oddSource),
  fc.tuple(fc.constant("labels"), fc.constantFrom('["b","a"]', "[]")),
  fc.tuple(fc.constant("comments"), fc.constant('[{"id":7,"author":"ada","text":"t","x":1.0}]')),
  fc.tuple(fc.constant("aliases"), fc.constant('["bd-old"]')),
  fc.tuple(fc.constant("dependencies"), fc.constantFrom("[]", "null")),
  fc.tuple(
    fc.constant("claims"),
    fc.constant(
      '[{"request_id":"r","fence":1,"lease":{"lease_id":"l","owner":"o","acquired_at":"2026-01-02T03:04:05Z",' +
        '"expires_at":"2026-01-02T04:04:05Z"}}]',
    ),
  ),
);
const dependency = fc.record({
  /** How far back; blocking edges go back only, so that they make no cycle. */
  back: fc.integer({ min: 1, max: 9 }),
  ahead: fc.boolean(),
  type: fc.constantFrom(...dependencyTypes),
  spelling: fc.constantFrom("type", "dep_type"),
  more: fc.constantFrom("", ',"created_by":"ada"', ',"created_by":""', ',"created_at":"x","weight":1.0'),
  place: fc.nat(20),
});
const row = fc.record({
  members: fc.array(member, { maxLength: 8 }),
  dependencies: fc.array(dependency, { maxLength: 4 }),
  space: fc.constantFrom("", " "),
});
const informing = new Set<string>([
  "related",
  "discovered-from",
  "relates-to",
  "duplicates",
  "supersedes",
  "replies-to",
]);

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

function rowText({ members, dependencies, space }: Row, i: number, count: number): string {
  const id = `bd-${i}`;
  const seen = new Set<string>();
  const items = dependencies.flatMap(({ back, ahead, type, spelling, more }) => {
    const target = ahead && informing.has(type) ? (i + back) % count : i - back;
    const key = `${target} ${type}`;
    if (target < 0 || target === i || seen.has(key)) return [];
    seen.add(key);
    return [`{${space}"issue_id":"${id}","depends_on_id":"bd-${target}","${spelling}":"${type}"${more}}`];
  });
  const all = new Map<string, string>([["id", JSON.stringify(id)], ["title", '"t\\u0069tle"'], ...members]);
  if (items.length > 0) all.set("dependencies", `[${items.join(",")}]`);
  const names = [...all.keys()];
  const at = dependencies[0]?.place ?? 0;
  const turned = [...names.slice(at % names.length), ...names.slice(0, at % names.length)];
  return `{${space}${turned.map((name) => `${JSON.stringify(name)}${space}:${all.get(name)}`).join(`,${space}`)}}`;
}

const memories = fc
  .array(row, { maxLength: 8 })
  .map((rows) => rows.map((each, i) => rowText(each, i, rows.length)));

function expectSame(rows: readonly string[], again: IssueGraph): void {
  expect(again.size).toBe(rows.length);
  const differing = rows.filter((text) => {
    const { id } = JSON.parse(text) as { id: string };
    return JSON.stringify(bytesOf(again.get(id)?.text ?? "{}")) !== JSON.stringify(bytesOf(text));
  });
  expect(differing).toEqual([]);
}

describe("migrating and replaying", () => {
  it("is the identity on the ref and on the bytes of every member of every row [TUSK-7.12]", () => {
    holds(
      fc.property(memories, (rows) => {
        const graph = graphOf(rows);
        const { lines, snapshotRef } = migrated(graph);
        const again = replayed(lines);
        expect(snapshotRefOf(again)).toBe(snapshotRef);
        expectSame(rows, again);
        expect(migrated(again).lines).toEqual(lines);
        for (const line of lines) expect(fitsSchema.Check(JSON.parse(line))).toBe(true);
      }),
      500,
    );
  });

  it("is the identity for thousands of issues, through the file [TUSK-7.12]", async () => {
    const [drawn = []] = fc.sample(fc.array(row, { minLength: 500, maxLength: 500 }), {
      seed: 1,
      numRuns: 1,
    });
    const count = share(10_000, 2_000);
    const rows = Array.from({ length: count }, (_, i) => rowText(drawn[i % drawn.length] as Row, i, count));
    const { lines, snapshotRef, eventStreamRef } = migrated(graphOf(rows));
    const place = { path: join(newFolder(), "memory/events.jsonl"), shown: "events.jsonl", ports };
    expect(await writeStream(place, lines)).toEqual({ changed: true, replaced: false });
    const stream = await readStream(place);
    if (isRefusal(stream)) throw new Error(stream.message);
    expect(stream.ref).toBe(eventStreamRef);
    const again = replayEvents(stream.events, "events.jsonl");
    if (isRefusal(again)) throw new Error(again.message);
    expect(snapshotRefOf(again)).toBe(snapshotRef);
    expectSame(rows, again);
    expect(lines.length).toBeGreaterThan(count);
  });

  it("in any order of the events gives the same issues", () => {
    holds(
      fc.property(memories, fc.infiniteStream(fc.nat()), (rows, draws) => {
        const { lines, snapshotRef } = migrated(graphOf(rows));
        const shuffled = lines
          .map((line) => ({ line, at: draws.next().value as number }))
          .sort((left, right) => left.at - right.at)
          .map(({ line }) => line);
        expect(snapshotRefOf(replayed(shuffled))).toBe(snapshotRef);
      }),
    );
  });

  it("writes an upsert with emptied dependencies, then one event for each, sorted", () => {
    const text =
      '{"id":"b","title":"b","dependencies":[{"issue_id":"b","depends_on_id":"c","type":"blocks","n":1.0},' +
      '{"issue_id":"b","depends_on_id":"a","type":"related","created_by":"ada"},' +
      '{"issue_id":"b","depends_on_id":"a","type":"blocks"}],"updated_at":"2026-01-02T03:04:05Z"}';
    const [upsert, ...edges] = (eventsOf(graphOf([text])) as string[]).map(
      (line) => JSON.parse(line) as object,
    );
    const head = { schema: "issue.event.v1", issue_id: "b", occurred_at: "2026-01-02T03:04:05Z" };
    expect(upsert).toEqual({
      ...head,
      event_id: "issue.upsert:b",
      action: "upsert_issue",
      issue: { id: "b", title: "b", dependencies: [], updated_at: "2026-01-02T03:04:05Z" },
    });
    expect(edges).toEqual([
      {
        ...head,
        event_id: "issue.add_dependency:b:a:blocks",
        action: "add_dependency",
        depends_on_id: "a",
        type: "blocks",
      },
      {
        ...head,
        event_id: "issue.add_dependency:b:a:related",
        action: "add_dependency",
        depends_on_id: "a",
        type: "related",
        created_by: "ada",
      },
      {
        ...head,
        event_id: "issue.add_dependency:b:c:blocks",
        action: "add_dependency",
        depends_on_id: "c",
        type: "blocks",
        dependency: { issue_id: "b", depends_on_id: "c", type: "blocks", n: 1 },
      },
    ]);
  });

  it("is refused where the stream could not give the same issues back", () => {
    const row = (id: string, ...targets: string[]) =>
      JSON.stringify({
        id,
        title: id,
        dependencies: targets.map((target) => ({ issue_id: id, depends_on_id: target, type: "blocks" })),
      });
    const classOf = (...rows: string[]) => {
      const answer = migrate(graphOf(rows), "events.jsonl");
      return isRefusal(answer) ? [answer.refused, answer.message] : ["accepted", ""];
    };
    expect(classOf(row("a", "b"))[0]).toBe("event_dependency_unresolved");
    expect(classOf(row("a", "a"))[0]).toBe("dependency_self_loop");
    expect(classOf(row("a", "b"), row("b", "a"))[0]).toBe("dependency_cycle");
    expect(classOf(row("b"), row("a", "b", "b"))).toEqual([
      "event_replay_not_equivalent",
      "the events of a (line 2) would not give the same issue again",
    ]);
    expect(classOf('{"id":"a"}')[0]).toBe("issue_row_invalid");
  });
});

const upsert = (id: string, more: object = {}) => ({
  action: "upsert_issue",
  issue: { id, title: id, ...more },
});
const depends = (id: string, target: string, more: object = {}) => ({
  action: "add_dependency",
  issue_id: id,
  depends_on_id: target,
  type: "blocks",
  ...more,
});

describe("a replay", () => {
  it("takes the last row of an issue, and keeps what other events gave it", () => {
    const lines = [upsert("a"), depends("a", "b"), upsert("b"), upsert("a", { title: "new" })];
    const graph = replayed(lines.map((line) => JSON.stringify(line)));
    expect(graph.get("a")?.title).toBe("new");
    expect(graph.get("a")?.blockers).toEqual(["b"]);
  });

  it("ignores a dependency that is there already", () => {
    const lines = [upsert("a"), upsert("b"), depends("a", "b", { created_by: "ada" }), depends("a", "b")];
    const graph = replayed(lines.map((line) => JSON.stringify(line)));
    expect(graph.get("a")?.row["dependencies"]).toEqual([
      { issue_id: "a", depends_on_id: "b", type: "blocks", created_by: "ada" },
    ]);
    const tie = { issue_id: "a", depends_on_id: "b", type: "blocks" };
    const inRow = [upsert("a", { dependencies: [tie] }), upsert("b"), depends("a", "b")];
    const again = replayed(inRow.map((line) => JSON.stringify(line)));
    expect(again.get("a")?.row["dependencies"]).toEqual([tie]);
  });

  it("is refused with the line where an event cannot be", () => {
    const cases: [Refusal, string, number, RegExp][] = [
      [
        refusalOf(upsert("a"), { ...upsert("b"), schema: "issue.event.v2" }),
        "event_schema_unsupported",
        2,
        /^events\.jsonl line 2: unsupported event schema "issue\.event\.v2"/,
      ],
      [refusalOf({ ...upsert("a"), issue_id: "b" }), "event_id_mismatch", 1, /of issue "b".*of "a"/],
      [refusalOf({ action: "upsert_isue" }), "event_invalid", 1, /did you mean upsert_issue/],
      [refusalOf({ action: "upsert_issue" }), "event_invalid", 1, /issue is missing/],
      [refusalOf(upsert("")), "event_invalid", 1, /blank id/],
      [refusalOf(upsert("a", { priority: "high" })), "event_invalid", 1, /priority is "high"/],
      [
        refusalOf(upsert("a"), depends("a", "b")),
        "event_dependency_unresolved",
        2,
        /replay unresolved dependency/,
      ],
      [refusalOf(upsert("b"), depends("a", "b")), "event_dependency_unresolved", 2, /there is no a/],
      [refusalOf(upsert("a"), depends("a", "b", { type: "likes" })), "event_invalid", 2, /type is "likes"/],
      [refusalOf({ ...depends("a", "b"), issue_id: 3 }), "event_invalid", 1, /issue_id is 3/],
      [refusalOf({ ...depends("a", "b"), depends_on_id: null }), "event_invalid", 1, /depends_on_id is null/],
      [
        refusalOf(depends("a", "b", { dependency: { issue_id: "a", depends_on_id: "c", type: "blocks" } })),
        "event_invalid",
        1,
        /says something else/,
      ],
      [refusalOf(upsert("a"), depends("a", "a", { type: "related" })), "dependency_self_loop", 2, /a -> a/],
      [
        refusalOf(upsert("a", { dependencies: [{ issue_id: "a", depends_on_id: "a", type: "blocks" }] })),
        "dependency_self_loop",
        1,
        /a -> a/,
      ],
      [
        refusalOf(
          upsert("a"),
          upsert("b"),
          depends("b", "a"),
          depends("a", "b"),
          depends("b", "a", { type: "waits-for" }),
        ),
        "dependency_cycle",
        4,
        /a -> b -> a/,
      ],
    ];
    for (const [refusal, refused, line, says] of cases) {
      expect(refusal).toMatchObject({ refused, detail: { line } });
      expect(refusal.message).toMatch(says);
    }
  });
});

async function memoryWith(content: string | undefined, folder = newFolder()) {
  const path = join(folder, "issues.jsonl");
  if (content !== undefined) writeFileSync(path, content);
  return { path, memory: await IssueMemory.open({ path, ports, shown: "issues.jsonl" }) };
}

async function apply(memory: IssueMemory, graph: IssueGraph, force = false) {
  await memory.graph();
  const options = {
    shown: "issues.jsonl",
    existed: memory.exists,
    force,
  };
  return memory.change(applyReplay(graph, options), { create: true });
}

describe("replayed issues", () => {
  const stream = () => graphOf(['{"id":"a","title":"a"}', '{"id":"b","title":"b"}']);

  it("make memory where there is none", async () => {
    const { path, memory } = await memoryWith(undefined);
    expect(await apply(memory, stream())).toMatchObject({
      changed: true,
      equivalentToExisting: null,
      issueCount: 2,
      replaced: false,
    });
    expect(readFileSync(path, "utf8")).toBe('{"id":"a","title":"a"}\n{"id":"b","title":"b"}\n');
    await memory.close();
  });

  it("are not written where memory says the same, in whatever spelling", async () => {
    const content = '{"title":"b", "id":"b","dependencies":[]}\n# why\n{"id":"a","title":"\\u0061"}\n';
    const { path, memory } = await memoryWith(content);
    expect(await apply(memory, stream())).toMatchObject({ changed: false, equivalentToExisting: true });
    expect(readFileSync(path, "utf8")).toBe(content);
    await memory.close();
  });

  it("are added to memory that lacks some, and comments and rows without an id stay", async () => {
    const { path, memory } = await memoryWith('# why\n{"id":"b","title":"b"}\n{"note":1.0}\n');
    expect(await apply(memory, stream())).toMatchObject({ changed: true, equivalentToExisting: false });
    expect(readFileSync(path, "utf8")).toBe(
      '# why\n{"id":"b","title":"b"}\n{"note":1.0}\n{"id":"a","title":"a"}\n',
    );
    await memory.close();
  });

  it("that would change or take something away are refused, and with force the file as it was is kept", async () => {
    const content = '# why\n{"id":"c","title":"c"}\n{"id":"a","title":"a","note":1.0}\n{"n":1.0}\n';
    const { path, memory } = await memoryWith(content);
    const refused = (await apply(memory, stream())) as Refusal;
    expect(refused).toMatchObject({
      refused: "event_replay_differs",
      detail: { issueIds: ["a", "c"], differing: 2 },
    });
    expect(refused.message).toBe(
      "issues.jsonl has 2 issues that the replay would change or take away: a, c (not in the stream)",
    );
    expect(readFileSync(path, "utf8")).toBe(content);
    const applied = await apply(memory, stream(), true);
    if (isRefusal(applied)) throw new Error(applied.message);
    expect(readFileSync(path, "utf8")).toBe(
      '# why\n{"n":1.0}\n{"id":"a","title":"a"}\n{"id":"b","title":"b"}\n',
    );
    expect(readFileSync(memory.lastAside ?? "", "utf8")).toBe(content);
    expect((await memory.graph()).size).toBe(2);
    await memory.close();
  });

  it("never lower a fence", async () => {
    const content = '{"id":"a","title":"a","fence":7}\n{"id":"b","title":"b"}\n';
    const { path, memory } = await memoryWith(content);
    const older = graphOf(['{"id":"a","title":"a","fence":5}', '{"id":"b","title":"b"}']);
    expect(await apply(memory, older)).toMatchObject({ changed: false, equivalentToExisting: true });
    const changed = graphOf(['{"id":"a","fence":5,"title":"new"}', '{"id":"b","title":"b","fence":1}']);
    expect(await apply(memory, changed, true)).toMatchObject({ changed: true });
    expect(readFileSync(path, "utf8")).toBe(
      '{"id":"a","fence":7,"title":"new"}\n{"id":"b","title":"b","fence":1}\n',
    );
    await memory.close();
  });
});

describe("compaction", () => {
  it("changes no snapshot ref, and is refused where rows are two sides", async () => {
    await holdsAsync(
      fc.asyncProperty(memories, memories, async (rows, before) => {
        const lines = [...before, "# why", ...rows.toReversed(), '{"note":1.0}'];
        const { memory } = await memoryWith(`${lines.join("\n")}\n`, newFastFolder());
        const ref = snapshotRefOf(await memory.graph());
        const sides = await memory.twoSides();
        const compacted = await memory.compact().catch((error: unknown) => error);
        if (sides !== undefined) expect(compacted).toMatchObject({ failureClass: "issue_memory_unmerged" });
        else expect(compacted).toHaveProperty("rowsAfter");
        expect(snapshotRefOf(await memory.graph())).toBe(ref);
        expect(ref).toMatch(/^iss1_/);
        await memory.close();
      }),
      100,
    );
  });
});

describe("two rows", () => {
  it("say the same whatever the order of members and dependencies, and differ to the last digit", () => {
    const text = '{"id":"a","n":18446744073709551615,"dependencies":[{"x":1},{"y":2}]}';
    expect(sameRow(text, '{"dependencies":[{"y":2},{"x":1}],"n":18446744073709551615,"id":"\\u0061"}')).toBe(
      true,
    );
    expect(sameRow(text, text.replace("615", "614"))).toBe(false);
    expect(sameRow(text, text.replace('{"x":1},', ""))).toBe(false);
    expect(sameRow('{"id":"a"}', '{"id":"a","dependencies":null}')).toBe(true);
    expect(sameRow('{"id":"a"}', '{"id":"a","dependencies":"odd"}')).toBe(false);
  });
});

describe("the file of a stream", () => {
  const place = (folder: string) => ({ path: join(folder, "events.jsonl"), shown: "events.jsonl", ports });

  it("is replaced whole when it says something else, and left alone when it does not", async () => {
    const at = place(newFolder());
    const event = (id: string) => JSON.stringify(upsert(id));
    const lines = [event("a"), event("b")];
    expect(await writeStream(at, lines)).toEqual({ changed: true, replaced: false });
    expect(await writeStream(at, lines)).toEqual({ changed: false, replaced: false });
    expect(await writeStream(at, [event("c")])).toEqual({ changed: true, replaced: true });
    expect(readFileSync(at.path, "utf8")).toBe(`${event("c")}\n`);
  });

  it("that holds anything but events is not replaced", async () => {
    const at = place(newFolder());
    const content = `${JSON.stringify(upsert("a"))}\n{"id":"a","title":"an issue"}\n`;
    writeFileSync(at.path, content);
    expect(await writeStream(at, [])).toMatchObject({ refused: "event_invalid", detail: { line: 2 } });
    expect(readFileSync(at.path, "utf8")).toBe(content);
  });

  it("that is missing, cut off or damaged is not replayed", async () => {
    const at = place(newFolder());
    expect(await readStream(at)).toMatchObject({ refused: "event_stream_missing" });
    writeFileSync(at.path, '{"a":1}\n{"b":');
    expect(await readStream(at)).toMatchObject({ refused: "event_invalid", detail: { line: 2 } });
    writeFileSync(at.path, '{"a":1}\n{oops\n');
    await expect(readStream(at)).rejects.toMatchObject({ failureClass: "log_damaged" });
    await expect(writeStream(at, ['{"c":3}'])).rejects.toMatchObject({ failureClass: "log_damaged" });
    expect(readFileSync(at.path, "utf8")).toBe('{"a":1}\n{oops\n');
  });
});
