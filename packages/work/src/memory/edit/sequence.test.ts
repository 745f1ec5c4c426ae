/**
 * Any sequence of changes and compactions, by anybody and on any file: what we
 * do not know keeps its bytes, the fence never goes down, and a compaction does
 * not change the digest of the issues.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, nodePorts, type Ports, rawEntries, rawItems, type Refusal } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../../test/support/folder.js";
import { holdsAsync } from "../../../../../test/support/property.js";
import { findIssue } from "../find.js";
import { memberSource, patchRow } from "../issue-row.js";
import { claim, release } from "../lease.js";
import { snapshotRefOf } from "../snapshot.js";
import { issuesSnapshotRef } from "../../store/snapshot.js";
import { IssueMemory } from "../../store/issue-file.js";
import type { Decide } from "../types.js";
import { addIssue } from "./add.js";
import { closeIssue, reopenIssue } from "./close.js";
import { commentIssue } from "./comment.js";
import { discoverIssue } from "./discover.js";
import { labelIssue } from "./labels.js";
import { updateIssue } from "./update.js";

/** Sources that a parser would not give back as they were. */
const oddValue = fc.constantFrom(
  "18446744073709551615",
  "-9223372036854775808",
  "1.0",
  "-0",
  "1E+05",
  '"\\u0041\\ud83d\\ude00\\/"',
  '{"b":1,"1":[1.50, 2],"a":null,"b2":{"10":1,"2":1.0}}',
  "[ 1.0 ,18446744073709551615]",
  "null",
);
/** Names that no version of ours knows, some of them escaped. */
const oddName = fc.constantFrom('"x"', '"2"', '"10"', '"\\u0078y"', '"caf\\u00e9"', '"a b"', '"__proto__"');
const oddMembers = fc
  .uniqueArray(fc.tuple(oddName, oddValue), { selector: ([name]) => name, maxLength: 4 })
  .map((members) => members.map(([name, value]) => `${name}:${value}`));

const ids = ["bd-1", "bd-2", "bd-3"];

/** A row with what we know and what we do not, in any order. */
const oddRow = (id: string) =>
  fc
    .record({
      members: oddMembers,
      inComment: oddMembers,
      inDependency: oddMembers,
      label: fc.constantFrom('"a"', '"\\u0062"'),
      fence: fc.nat({ max: 3 }),
      blocker: fc.constantFrom(...ids, "gone"),
      shuffle: fc.infiniteStream(fc.nat()),
    })
    .map(({ members, inComment, inDependency, label, fence, blocker, shuffle }) => {
      const known = [
        `"id":"${id}"`,
        `"title":"\\u0074itle"`,
        `"fence":${fence}`,
        `"labels":[${label}]`,
        `"comments":[{${['"text":"\\u0063"', ...inComment].join(",")}}]`,
        `"dependencies":[{${[`"issue_id":"${id}"`, `"depends_on_id":"${blocker}"`, '"type":"blocks"', ...inDependency].join(",")}}]`,
      ];
      const order = [...known, ...members].map((source) => ({ source, at: shuffle.next().value as number }));
      return `{${order
        .sort((left, right) => left.at - right.at)
        .map(({ source }) => source)
        .join(", ")}}`;
    });

const fileLine = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ids).chain(oddRow) },
  { weight: 1, arbitrary: fc.constantFrom("# a note", "#", '# {"id":"bd-1"}') },
  { weight: 1, arbitrary: oddMembers.map((members) => `{${['"note":1.50', ...members].join(",")}}`) },
);

type Step = { readonly does: string; readonly decide: Decide<unknown> } | "compact" | "time passes";

const who = fc.constantFrom("ada", "bob");
const anyId = fc.constantFrom(...ids, ...ids, "bd-4", "gone");
const fenced = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat({ max: 4 }) },
);
const asker = fc
  .record({ actor: fc.option(who, { nil: undefined }), fence: fenced })
  .map(({ actor, fence }) => ({
    ...(actor === undefined ? {} : { actor }),
    ...(fence === undefined ? {} : { fence }),
  }));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>("compact", "time passes"),
  fc
    .record({ id: anyId, by: asker, status: fc.constantFrom("open", "in_progress", "blocked", "closed") })
    .map(({ id, by, status }) => ({
      does: `${status} ${id}`,
      decide: updateIssue(id, { status, notes: "n" }, by),
    })),
  fc.tuple(anyId, asker, who).map(([id, by, assignee]) => ({
    does: `assign ${id}`,
    decide: updateIssue(id, { assignee, title: "é\u2028", description: "" }, by),
  })),
  fc.tuple(anyId, asker, fc.boolean()).map(([id, by, forced]) => ({
    does: `close ${id}`,
    decide: closeIssue(id, { ...by, reason: "r", ...(forced ? { force: "f" } : {}) }),
  })),
  fc.tuple(anyId, asker).map(([id, by]) => ({ does: `reopen ${id}`, decide: reopenIssue(id, by) })),
  fc.tuple(anyId, asker).map(([id, by]) => ({
    does: `comment ${id}`,
    decide: commentIssue(id, { ...by, text: "said" }),
  })),
  fc.tuple(anyId, fc.constantFrom("c", "\u0062")).map(([id, label]) => ({
    does: `label ${id}`,
    decide: labelIssue(id, { add: [label], remove: ["d"] }),
  })),
  fc.tuple(anyId, asker).map(([id, by]) => ({
    does: `discover ${id}`,
    decide: discoverIssue(id, { title: "found" }, by),
  })),
  fc.constant({ does: "add", decide: addIssue({ title: "new" }) }),
  fc.tuple(anyId, who).map(([id, assignee]) => ({ does: `claim ${id}`, decide: claiming(id, assignee) })),
  fc.tuple(anyId, fenced).map(([id, fence]) => ({ does: `release ${id}`, decide: releasing(id, fence) })),
);

function claiming(id: string, assignee: string): Decide<unknown> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const change = claim(found.issue, found.node.text, { assignee, leaseTtlSeconds: 30 }, nowMs);
    return isRefusal(change) ? change : { answer: {}, rows: [patchRow(id, found.node.text, change.patch)] };
  };
}

function releasing(id: string, fence: number | undefined): Decide<unknown> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const change = release(found.issue, fence === undefined ? {} : { fence }, nowMs);
    return isRefusal(change) ? change : { answer: {}, rows: [patchRow(id, found.node.text, change.patch)] };
  };
}

const ours = new Set(
  (
    "id title description notes status priority issue_type assignee owner lease created_at updated_at closed_at " +
    "ephemeral labels dependencies comments fence close_reason forced claims"
  ).split(" "),
);

/** What must never change of a row: members that we do not know, and the items that stood in its lists. */
function unknownOf(text: string): string[] {
  return [...rawEntries(text)].flatMap(([key, { name, value }]) =>
    ours.has(key) ? [] : [`${name}:${value}`],
  );
}

const itemsOf = (text: string, name: string) => rawItems(memberSource(text, name) ?? "[]");

/** Lines that are no issue: comments, and rows without an id. */
const bystanders = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("#") || (line !== "" && !rawEntries(line).has("id")));

describe("any sequence of changes", () => {
  it("keeps every byte that we do not know, never lowers a fence, and no compaction changes the digest", async () => {
    const seen = { steps: 0, refused: 0, compactions: 0 };
    const folder = newFastFolder();
    let run = 0;
    await holdsAsync(
      fc.asyncProperty(
        fc.array(fileLine, { minLength: 3, maxLength: 8 }),
        fc.array(step, { minLength: 8, maxLength: 16 }),
        async (lines, steps) => {
          const path = join(folder, `${run++}.jsonl`);
          writeFileSync(path, `${lines.join("\n")}\n`);
          let now = Date.UTC(2026, 0, 31);
          const real = nodePorts();
          const ports: Ports = { ...real, clock: { ...real.clock, now: async () => now } };
          const memory = await IssueMemory.open({ path, ports });
          const stood = bystanders(path);
          let before = await texts(memory);
          for (const each of steps) {
            seen.steps++;
            if (each === "time passes") {
              now += 20_000;
              continue;
            }
            if (each === "compact") {
              seen.compactions++;
              await compactsWithoutChange(memory, path, ports);
            } else {
              const bytes = readFileSync(path, "utf8");
              const answer: unknown = await memory.change(each.decide);
              if (isRefusal(answer)) {
                seen.refused++;
                expect(readFileSync(path, "utf8"), each.does).toBe(bytes);
              }
            }
            const after = await texts(memory);
            for (const [id, was] of before) keepsWhatItHad(was, after.get(id));
            expect(bystanders(path)).toEqual(stood);
            before = after;
          }
          await memory.close();
          // What was kept in memory is what a fresh process reads.
          const fresh = await IssueMemory.open({ path, ports });
          expect(await texts(fresh)).toEqual(before);
          await fresh.close();
        },
      ),
      150,
    );
    console.log(
      `proof: issue changes: ${run} files, ${seen.steps} steps (${seen.refused} refused, ${seen.compactions} compactions), no unknown byte changed`,
    );
  });
});

async function texts(memory: IssueMemory): Promise<Map<string, string>> {
  return new Map((await memory.graph()).sorted().map(({ id, text }) => [id, text]));
}

function keepsWhatItHad(was: string, is: string | undefined): void {
  if (is === undefined) throw new Error("an issue went away");
  expect(unknownOf(is)).toEqual(unknownOf(was));
  for (const list of ["comments", "dependencies", "labels"]) {
    const items = itemsOf(was, list);
    expect(itemsOf(is, list).slice(0, items.length)).toEqual(items);
  }
  const fence = (text: string) => Number(memberSource(text, "fence") ?? 0);
  expect(fence(is)).toBeGreaterThanOrEqual(fence(was));
}

async function compactsWithoutChange(memory: IssueMemory, path: string, ports: Ports): Promise<void> {
  const digest = snapshotRefOf(await memory.graph());
  const ref = await issuesSnapshotRef({ path, shown: path, ports, warn: () => {} });
  const rows = await texts(memory);
  const compaction: unknown = await memory.compact();
  expect(isRefusal(compaction) && (compaction as Refusal).message).toBe(false);
  expect(await texts(memory)).toEqual(rows);
  expect(snapshotRefOf(await memory.graph())).toEqual(digest);
  expect(await issuesSnapshotRef({ path, shown: path, ports, warn: () => {} })).toBe(ref);
  if (ref !== undefined) expect(ref).toBe(digest);
  const ids = [...rows.keys()];
  const order = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && rawEntries(line).has("id"))
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(order).toEqual(ids);
}
