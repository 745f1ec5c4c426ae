/**
 * Days with git: every way in which two branches bring issue memory together,
 * with the merge driver there, missing and failing.
 *
 * Each issue carries a mark and each change a label that nothing but a loss can
 * take away. A day ends with all of them, or with a refusal that names the
 * command which brings them back. What git merged by lines, without a conflict
 * and without a trace in the rows, is counted and printed.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFastFolder } from "../support/folder.js";
import { IssueRepository, memoryFile } from "../support/issue-repository.js";
import { Premath } from "../support/premath.js";
import { full, share } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const drivers = ["present", "missing", "failing"] as const;
const ways = ["merge", "rebase", "cherry-pick", "revert", "stash"] as const;
type Way = (typeof ways)[number];

type Rows = readonly JsonObject[];

interface Sides {
  readonly base: Rows;
  readonly ours: Rows;
  readonly theirs: Rows;
}

const at = (day: number) => `2026-02-${String(day).padStart(2, "0")}T00:00:00Z`;

const issue = (id: string, mark: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: `issue ${mark}`,
  status: "open",
  priority: 2,
  owner: mark,
  created_at: at(1),
  updated_at: at(1),
  ...more,
});

const base: Rows = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => issue(`bd-${number}`, `base-${number}`));

/** The last row of an id with a change, as a change of ours appends it. */
function changed(rows: Rows, id: string, day: number, label: string, more: JsonObject = {}): Rows {
  const last = rows.findLast((row) => row["id"] === id) ?? issue(id, "none");
  const labels = [...((last["labels"] as string[] | undefined) ?? []), label];
  return [...rows, { ...last, ...more, labels, updated_at: at(day) }];
}

function compacted(rows: Rows): Rows {
  const last = new Map(rows.map((row) => [row["id"] as string, row]));
  return [...last.keys()].sort().map((id) => last.get(id) as JsonObject);
}

const lease = (owner: string, day: number): JsonObject => ({
  status: "in_progress",
  assignee: owner,
  lease: { lease_id: owner, owner, acquired_at: at(day), expires_at: "9999-01-01T00:00:00Z" },
});

/** What two branches did. `later` turns round whose change was the later one. */
const kinds: Readonly<Record<string, (later: boolean) => Sides>> = {
  added: (later) => ({
    base,
    ours: [...base, issue("bd-20", "ours-20", { created_at: at(later ? 4 : 3), updated_at: at(4) })],
    theirs: [
      ...base,
      issue("bd-20", "theirs-20", { created_at: at(later ? 3 : 5), updated_at: at(5) }),
      issue("bd-21", "theirs-21"),
    ],
  }),
  changed: (later) => ({
    base,
    ours: changed(base, "bd-1", later ? 6 : 3, "ours-1", { title: "renamed by us" }),
    theirs: changed(changed(base, "bd-1", 4, "theirs-1", { priority: 0 }), "bd-2", 5, "theirs-2"),
  }),
  closed: (later) => ({
    base,
    ours: changed(base, "bd-3", later ? 6 : 3, "ours-3", { status: "closed", closed_at: at(3) }),
    theirs: changed(base, "bd-3", 4, "theirs-3", { notes: "seen" }),
  }),
  claimed: (later) => ({
    base,
    ours: changed(base, "bd-4", later ? 6 : 3, "ours-4", { ...lease("ada", 3), fence: 1 }),
    theirs: changed(base, "bd-4", 4, "theirs-4", { ...lease("bob", 4), fence: 1 }),
  }),
  renamed: (later) => {
    const second = issue("bd-9", "second-9", { created_at: at(2) });
    const first = issue("bd-9", "first-9", { created_at: at(1) });
    const renamed = { ...second, id: "bd-9-abc123", aliases: ["bd-9"] };
    return {
      base: [...base, second],
      ours: [...base, first, renamed],
      theirs: changed([...base, second], "bd-9", later ? 6 : 3, "theirs-9"),
    };
  },
  // Compaction moves the changed row up, where nothing of the other side stands near it: git sees no conflict.
  compacted: (later) => ({
    base,
    ours: compacted(changed(base, "bd-1", 5, "ours-1", { status: "closed", closed_at: at(5) })),
    theirs: changed(base, "bd-1", later ? 6 : 4, "theirs-1"),
  }),
  "new on both": (later) => ({
    base: [],
    ours: [issue("bd-1", "ours-1", { created_at: at(later ? 3 : 2) }), issue("bd-2", "ours-2")],
    theirs: [issue("bd-1", "theirs-1", { created_at: at(later ? 2 : 3) })],
  }),
};

class Day {
  readonly repository = new IssueRepository(newFastFolder());

  constructor(
    private readonly driver: (typeof drivers)[number],
    private readonly sides: Sides,
  ) {}

  here(...words: string[]) {
    return premath.here(words, { cwd: this.repository.folder });
  }

  put(rows: Rows): void {
    if (rows.length === 0) return;
    this.repository.write(...rows);
  }

  /** Everything up to the moment at which git brings the sides together, and that moment; false when git balked. */
  live(way: Way): boolean {
    const { repository } = this;
    const { base: before, ours, theirs } = this.sides;
    this.settle();
    this.put(before);
    repository.git("commit", "--quiet", "--allow-empty", "--all", "--message=base");
    if (before.length > 0) repository.commit("issues");
    const commit = (rows: Rows, message: string) => {
      this.put(rows);
      repository.commit(message);
    };
    if (way === "stash") {
      this.put(theirs);
      repository.git("add", "--all");
      repository.git("stash", "--quiet");
      commit(ours, "ours");
      return repository.tried("stash", "pop").ok;
    }
    if (way === "revert") {
      commit(theirs, "theirs");
      const known = new Set(before.map((row) => JSON.stringify(row)));
      commit([...theirs, ...ours.filter((row) => !known.has(JSON.stringify(row)))], "ours on top");
      return repository.tried("revert", "--no-edit", "HEAD~1").ok;
    }
    repository.branch("side");
    commit(theirs, "theirs");
    repository.checkout("main");
    commit(ours, "ours");
    if (way === "rebase") {
      repository.checkout("side");
      return repository.tried("rebase", "main").ok;
    }
    return repository.tried(...(way === "merge" ? ["merge", "--no-edit", "side"] : ["cherry-pick", "side"]))
      .ok;
  }

  private settle(): void {
    const { repository } = this;
    writeFileSync(join(repository.folder, ".gitattributes"), `${memoryFile} merge=bridle-issues\n`);
    repository.commit("attributes");
    if (this.driver === "missing") return;
    const program = this.driver === "present" ? premath.program : "/no longer/here";
    repository.git("config", "merge.bridle-issues.driver", `'${program}' issue merge %O %A %B --name %P`);
  }

  /** What both sides know and nothing but a loss takes away. */
  facts(way: Way): Set<string> {
    const { base: before, ours, theirs } = this.sides;
    // A revert takes its own commit back; what was there before it and after it must stay.
    const sides = way === "revert" ? [before, ours] : [ours, theirs];
    return new Set(sides.flatMap((rows) => [...factsOf(compacted(rows))]));
  }

  kept(): Set<string> {
    const lines = readFileSync(this.repository.path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    return factsOf(compacted(lines.map((line) => JSON.parse(line) as JsonObject)));
  }
}

function factsOf(rows: Rows): Set<string> {
  return new Set(
    rows.flatMap((row) => [
      `issue ${row["owner"] as string}`,
      ...((row["labels"] as string[] | undefined) ?? []).map((label) => `${row["owner"] as string} ${label}`),
    ]),
  );
}

const lostOf = (day: Day, way: Way) => [...day.facts(way)].filter((fact) => !day.kept().has(fact));

interface Count {
  days: number;
  whole: number;
  refused: number;
  resolved: Record<string, number>;
  unseen: number;
  lostFacts: number;
}

async function judge(day: Day, way: Way, name: string, driver: string, count: Count): Promise<void> {
  const went = day.live(way);
  count.days++;
  const { repository } = day;
  const before = existsSync(repository.path) ? repository.text : "";
  const tried = await day.here("issue", "comment", "bd-1", "a change", "--json");
  if (tried.code !== 0) {
    expect([name, (tried.json() as { failureClasses?: unknown }).failureClasses]).toEqual([
      name,
      ["issue_memory_unmerged"],
    ]);
    expect(tried.stderr).toContain("premath issue merge --resolve");
    expect((await day.here("issue", "list")).stderr).toContain("premath issue merge --resolve");
    expect(repository.text).toBe(before);
    count.refused++;
    const stages = stagesOf(repository);
    const resolved = await day.here("issue", "merge", "--resolve", "--json");
    expect([name, resolved.code, resolved.stderr]).toEqual([name, 0, ""]);
    const from = String(resolved.json()["sidesFrom"]);
    count.resolved[from] = (count.resolved[from] ?? 0) + 1;
    expect([name, from]).toEqual([name, went ? "rows" : "index"]);
    if (stages !== undefined) expect([name, repository.text]).toEqual([name, await drivenBy(day, stages)]);
    repository.git("add", memoryFile);
    expect([name, lostOf(day, way)]).toEqual([name, []]);
    expect((await day.here("issue", "comment", "bd-1", "a change")).code).toBe(0);
    return;
  }
  const lost = lostOf(day, way);
  // With the driver nothing is ever lost, and whatever git itself called a conflict is never let through.
  if (driver === "present") expect([name, lost]).toEqual([name, []]);
  expect([name, went]).toEqual([name, true]);
  if (lost.length === 0) count.whole++;
  else {
    count.unseen++;
    count.lostFacts += lost.length;
  }
}

type Stages = readonly [string, string, string];

function stagesOf(repository: IssueRepository): Stages | undefined {
  if (repository.git("ls-files", "--unmerged") === "") return undefined;
  const stage = (number: number) => {
    const { ok, said } = repository.tried("cat-file", "blob", `:${number}:${memoryFile}`);
    return ok ? said : undefined;
  };
  const first = stage(1) ?? "";
  return [first, stage(2) ?? first, stage(3) ?? first];
}

/** What the driver makes of the same three files. */
async function drivenBy(day: Day, stages: Stages): Promise<string> {
  const folder = dirname(day.repository.folder);
  const [one = "", two = "", three = ""] = stages.map((text, number) => {
    const path = join(folder, `stage-${number + 1}`);
    writeFileSync(path, text);
    return path;
  });
  const out = join(folder, "driven");
  const ended = await day.here("issue", "merge", one, two, three, "--out", out);
  expect(ended.stderr).toBe("");
  return readFileSync(out, "utf8");
}

const all = Object.keys(kinds).flatMap((kind) =>
  ways.flatMap((way) =>
    drivers.flatMap((driver) => [false, true].map((later) => ({ kind, way, driver, later }))),
  ),
);

test("two branches end with every issue of both, or with a refusal that names the command", async () => {
  const count: Count = { days: 0, whole: 0, refused: 0, resolved: {}, unseen: 0, lostFacts: 0 };
  const wanted = share(all.length, 9);
  // In the small size every kind, way and driver occurs.
  const step = Math.floor(all.length / wanted);
  const chosen = all.filter((_, index) => index % step === Math.floor(index / step) % step);
  for (const { kind, way, driver, later } of chosen) {
    const sides = kinds[kind]?.(later) as Sides;
    await judge(
      new Day(driver, sides),
      way,
      `${kind}, ${way}, driver ${driver}, later ${later}`,
      driver,
      count,
    );
  }
  expect(count.days).toBe(chosen.length);
  if (full) expect(count.refused).toBeGreaterThan(0);
  console.log(
    `proof: ${count.days} merges with real git: ${count.whole} whole, ${count.refused} refused and resolved ` +
      `(${JSON.stringify(count.resolved)}), ${count.unseen} merged by lines with ${count.lostFacts} changes lost that no row shows`,
  );
}, 600_000);
