/**
 * Tests of decisions and operations on issues and steps that are kept in files
 * and in memory: each runs once on either, but for those that
 * packages/work/src/store/engine-exceptions.ts names with their reason.
 *
 * A file that a test puts somewhere is what the memory at that path begins with,
 * so that both are made ready in the same way.
 */
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  isJsonObject,
  isRefusal,
  type JsonObject,
  nodePorts,
  type Ports,
  type Refusal,
} from "@bridle/record";
import { afterEach, beforeEach, describe, expect, it as register } from "vitest";
import { IssueGraph } from "../../packages/work/src/memory/graph.js";
import { IssueNode } from "../../packages/work/src/memory/node.js";
import type { Decide, Outcome } from "../../packages/work/src/memory/types.js";
import { onlyOnFiles } from "../../packages/work/src/store/engine-exceptions.js";
import { IssueTable, MemoryIssues } from "../../packages/work/src/store/memory-issues.js";
import { MemorySteps } from "../../packages/work/src/store/memory-steps.js";
import { type Engine, fileEngine, useEngine } from "../../packages/work/src/store/open.js";
import { newFastFolder } from "./folder.js";

const kinds = ["files", "memory"] as const;
type Kind = (typeof kinds)[number];

/** Of the test that runs. */
let kind: Kind = "files";

/** `file` is the test file's name below packages/work/src; `tests` registers with the `it` that it is handed. */
export function onBothStores(file: string, tests: (it: typeof register) => void): void {
  const exceptions = onlyOnFiles[file] ?? {};
  const met = new Set<string>();
  const unless = (name: string, registerIt: () => void) => {
    if (Object.hasOwn(exceptions, name)) met.add(name);
    else registerIt();
  };
  const onlyOthers = Object.assign(
    (name: string, ...rest: unknown[]) =>
      unless(name, () => (register as (...all: unknown[]) => void)(name, ...rest)),
    {
      each:
        (cases: readonly unknown[]) =>
        (name: string, ...rest: unknown[]) =>
          unless(name, () => (register.each(cases) as (...all: unknown[]) => void)(name, ...rest)),
    },
  ) as unknown as typeof register;
  for (const each of kinds) {
    describe(`kept in ${each}`, () => {
      beforeEach(() => {
        kind = each;
      });
      tests(each === "files" ? register : onlyOthers);
    });
  }
  register("and every exception is one of the tests", () => {
    expect([...met].sort()).toEqual(Object.keys(exceptions).sort());
  });
}

/** Where a test of `onBothStores` keeps its issues and steps; make it in the test. */
export class TestStore {
  private readonly tables = new Map<string, IssueTable>();
  private readonly trajectories = new Map<string, JsonObject[]>();
  readonly engine: Engine =
    kind === "files"
      ? fileEngine
      : {
          issues: async ({ path, ports, shown = path }) =>
            new MemoryIssues({ clock: ports.clock, shown, table: this.table(path) }),
          steps: async ({ path }) => new MemorySteps(this.trajectory(path)),
        };

  /** The same ports, with which calls come to this store. */
  over(ports: Ports): Ports {
    useEngine(ports, this.engine);
    return ports;
  }

  /** The file; of memory, the row of each issue by its id, or the steps. */
  text(path: string): string {
    if (this.engine === fileEngine || !path.endsWith(".jsonl")) return readFileSync(path, "utf8");
    const steps = this.trajectories.get(path);
    if (steps !== undefined) return linesOf(steps.map((step) => JSON.stringify(step)));
    const { graph } = this.table(path);
    if (graph === undefined) throw new Error(`there is nothing at ${path}`);
    return linesOf(graph.sorted().map(({ text }) => text));
  }

  /** Whether there are issues or steps at all. */
  has(path: string): boolean {
    if (this.engine === fileEngine) return existsSync(path);
    return this.tables.get(path)?.graph !== undefined || (this.trajectories.get(path)?.length ?? 0) > 0;
  }

  /** As another process would, behind the back of this one. */
  put(path: string, row: string): void {
    if (this.engine === fileEngine) appendFileSync(path, `${row}\n`);
    else put((this.table(path).graph ??= new IssueGraph()), row);
  }

  private table(path: string): IssueTable {
    const table = this.tables.get(path) ?? new IssueTable();
    this.tables.set(path, table);
    const rows = table.graph === undefined ? rowsAt(path) : undefined;
    if (rows !== undefined) {
      table.graph = new IssueGraph();
      for (const row of rows) put(table.graph, row);
    }
    return table;
  }

  private trajectory(path: string): JsonObject[] {
    const known = this.trajectories.get(path) ?? (rowsAt(path) ?? []).map((row) => JSON.parse(row));
    this.trajectories.set(path, known);
    return known;
  }
}

function put(graph: IssueGraph, text: string): void {
  const row: unknown = JSON.parse(text);
  if (isJsonObject(row) && typeof row["id"] === "string")
    graph.put(new IssueNode(row["id"], row as JsonObject, text, 1));
}

function rowsAt(path: string): string[] | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

const linesOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** Enough of one test's decisions; properties make hundreds. */
const judgedMax = 40;
let judged: (() => Promise<void>)[] = [];

/** At the top of a test file: what `decideOnStores` was told of is made on both stores after each test. */
export function decidesOnBothStores(): void {
  afterEach(async () => {
    const each = judged;
    judged = [];
    for (const judge of each) await judge();
  });
}

/**
 * What a decision comes to on this graph. After the test it is made on stores that begin with the same
 * rows: both answer what was answered here, and have the rows that were decided.
 */
export function decideOnStores<Answer>(
  decide: Decide<Answer>,
  graph: IssueGraph,
  nowMs: number,
): Outcome<Answer> | Refusal {
  const before = [...graph.nodes()].sort((left, right) => left.line - right.line);
  const rows = before.map(({ id, text }) => ({ id, text }));
  const outcome = decide(graph, nowMs);
  if (judged.length < judgedMax) {
    for (const each of kinds) judged.push(() => judgeOn(each, { decide, nowMs, rows, outcome }));
  }
  return outcome;
}

/** Only a file has lines; see `onlyInFiles`. */
function unplaced(answer: unknown): unknown {
  const text = JSON.stringify(answer ?? null);
  return JSON.parse(text.replaceAll(/"line":\d+/g, '"line":1').replaceAll(/\bline \d+/g, "line 1"));
}

interface Judged<Answer> {
  readonly decide: Decide<Answer>;
  readonly nowMs: number;
  readonly rows: readonly { readonly id: string; readonly text: string }[];
  readonly outcome: Outcome<Answer> | Refusal;
}

async function judgeOn<Answer>(on: Kind, { decide, nowMs, rows, outcome }: Judged<Answer>): Promise<void> {
  kind = on;
  const path = join(newFastFolder(), "issues.jsonl");
  if (rows.length > 0) writeFileSync(path, linesOf(rows.map(({ text }) => text)));
  const real = nodePorts();
  const ports = { ...real, clock: { ...real.clock, now: async () => nowMs } };
  const store = await new TestStore().engine.issues({ path, ports });
  try {
    const answer = await store.change(decide, { create: true });
    expect([on, unplaced(answer)]).toEqual([on, unplaced(isRefusal(outcome) ? outcome : outcome.answer)]);
    const decided = isRefusal(outcome) ? [] : outcome.rows;
    const kept = !isRefusal(outcome) && outcome.replaces === true ? [] : rows;
    const wanted = new Map([...kept, ...decided].map(({ id, text }) => [id, text]));
    const found = [...((await store.graph())?.nodes() ?? [])].map(({ id, text }) => [id, text] as const);
    expect([on, new Map(found)]).toEqual([on, wanted]);
  } finally {
    await store.close();
  }
}
