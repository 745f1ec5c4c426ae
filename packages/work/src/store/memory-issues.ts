/**
 * Issue memory without a file, for tests: of those who build on Bridle and of our
 * own. It is gone with the process.
 *
 * Several stores may be opened on one table; they see each other's changes at
 * once, as processes see those of a file, and a decision runs alone.
 */
import { type Clock, isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import type { Decide, NewRow } from "../memory/types.js";
import { memoryMissing } from "./issue-refusals.js";
import type { IssueStore } from "./types.js";

/** What the stores of one memory share. */
export class IssueTable {
  graph: IssueGraph | undefined;
  /** The change that is under way, and those that wait for it. */
  turn: Promise<unknown> = Promise.resolve();
}

export interface MemoryIssuesOptions {
  readonly clock: Pick<Clock, "now">;
  /** A new one when left out. */
  readonly table?: IssueTable;
  /** How the memory is called in messages. */
  readonly shown?: string;
}

export class MemoryIssues implements IssueStore {
  private readonly table: IssueTable;

  constructor(private readonly options: MemoryIssuesOptions) {
    this.table = options.table ?? new IssueTable();
  }

  async graph(): Promise<IssueGraph | undefined> {
    return this.table.graph;
  }

  change<Answer>(
    decide: Decide<Answer>,
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<Answer | Refusal> {
    const { table, options } = this;
    const decided = table.turn.then(async () => {
      if (table.graph === undefined && !create) return memoryMissing(options.shown ?? "memory");
      const nowMs = await options.clock.now();
      const graph = table.graph ?? new IssueGraph();
      const outcome = decide(graph, nowMs);
      if (isRefusal(outcome)) return outcome;
      if (table.graph === undefined && outcome.rows.length === 0 && isRefusal(outcome.answer))
        return outcome.answer;
      table.graph =
        outcome.replaces === undefined
          ? withRows(graph, outcome.rows)
          : withRows(new IssueGraph(), outcome.rows);
      return outcome.answer;
    });
    table.turn = decided.catch(() => {});
    return decided;
  }

  takeNotices(): string[] {
    return [];
  }

  async close(): Promise<void> {}
}

/** A row stands in no line; the first stands for that. */
function withRows(graph: IssueGraph, rows: readonly NewRow[]): IssueGraph {
  for (const { id, text } of rows) graph.put(new IssueNode(id, JSON.parse(text) as JsonObject, text, 1));
  return graph;
}
