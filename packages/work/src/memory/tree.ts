/**
 * Issues as a tree: below each one its children, then what it waits for.
 *
 * Dependencies make a graph, not a tree, and it may have cycles. Every issue is
 * unfolded once, where it is met first; met again it is named and marked, so the
 * answer grows with the dependencies and not with the paths through them.
 */
import { compareCodePoints } from "@bridle/record";
import { isBlocking } from "./dependency-kinds.js";
import { edgesOf } from "./edges.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";

export const treeMarks = ["cycle", "repeated", "missing", "cut"] as const;
/**
 * Why nothing stands below: it stands above itself; it is unfolded elsewhere;
 * it is not in the file; the tree is not shown deeper.
 */
export type TreeMark = (typeof treeMarks)[number];

export interface TreeItem {
  readonly depth: number;
  readonly id: string;
  readonly title: string;
  /** Null when it is missing. */
  readonly status: string | null;
  readonly priority: number | null;
  /** How it belongs to the one above: the type of the dependency; null at the top. */
  readonly via: string | null;
  readonly mark: TreeMark | null;
}

export interface TreeOptions {
  readonly depthMax: number;
  readonly hideClosed: boolean;
}

interface Branch {
  readonly id: string;
  readonly via: string;
}

type Branches = ReadonlyMap<string, readonly Branch[]>;

/** Depth first, from one issue or from all that stand below no other. */
export function issueTree(graph: IssueGraph, from: string | undefined, options: TreeOptions): TreeItem[] {
  const tree = new Unfolding(graph, branchesOf(graph), options);
  if (from !== undefined) tree.unfold(from);
  else tree.unfoldAll();
  return tree.items;
}

class Unfolding {
  readonly items: TreeItem[] = [];
  private readonly unfolded = new Set<string>();
  private readonly above = new Set<string>();

  constructor(
    private readonly graph: IssueGraph,
    private readonly branches: Branches,
    private readonly options: TreeOptions,
  ) {}

  unfoldAll(): void {
    const below = new Set<string>();
    for (const [over, branches] of this.branches) {
      const node = this.graph.get(over);
      if (node !== undefined && this.isShown(node)) for (const { id } of branches) below.add(id);
    }
    const sorted = this.graph.sorted().filter((node) => this.isShown(node));
    const tops = sorted.filter(({ id }) => !below.has(id));
    for (const { id } of tops) this.unfold(id);
    // What is left stands in cycles that no top leads to.
    const reached = this.reachable(tops);
    for (const { id } of sorted) {
      if (reached.has(id)) continue;
      this.unfold(id);
      this.reach(id, reached);
    }
  }

  unfold(id: string, via: string | null = null, depth = 0): void {
    const node = this.graph.get(id);
    const mark = this.markOf(node, id, depth);
    const { title = "", status = null, priority = null } = node ?? {};
    this.items.push({ depth, id, title, status, priority, via, mark });
    if (mark !== null) return;
    this.unfolded.add(id);
    this.above.add(id);
    for (const branch of this.branchesOf(id)) this.unfold(branch.id, branch.via, depth + 1);
    this.above.delete(id);
  }

  private markOf(node: IssueNode | undefined, id: string, depth: number): TreeMark | null {
    if (node === undefined) return "missing";
    if (this.above.has(id)) return "cycle";
    if (this.branchesOf(id).length === 0) return null;
    if (this.unfolded.has(id)) return "repeated";
    return depth >= this.options.depthMax ? "cut" : null;
  }

  private branchesOf(id: string): readonly Branch[] {
    const branches = this.branches.get(id) ?? [];
    return branches.filter((branch) => {
      const node = this.graph.get(branch.id);
      return node === undefined || this.isShown(node);
    });
  }

  private isShown({ closed }: IssueNode): boolean {
    return !(closed && this.options.hideClosed);
  }

  private reachable(tops: readonly IssueNode[]): Set<string> {
    const reached = new Set<string>();
    for (const { id } of tops) this.reach(id, reached);
    return reached;
  }

  private reach(from: string, reached: Set<string>): void {
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      // What is missing is named and not unfolded, so its children are not reached through it.
      if (reached.has(id) || this.graph.get(id) === undefined) continue;
      reached.add(id);
      for (const branch of this.branchesOf(id)) open.push(branch.id);
    }
  }
}

/** By issue, what stands below it: its children by id, then what it waits for by id. */
function branchesOf(graph: IssueGraph): Branches {
  const children = new Map<string, Branch[]>();
  const waits = new Map<string, Branch[]>();
  for (const node of graph.nodes()) {
    for (const { dependsOnId, type } of edgesOf(node)) {
      if (type === "parent-child") push(children, dependsOnId, { id: node.id, via: type });
      else if (isBlocking(type)) push(waits, node.id, { id: dependsOnId, via: type });
    }
  }
  const all = new Map<string, readonly Branch[]>();
  for (const id of new Set([...children.keys(), ...waits.keys()])) {
    all.set(id, [...sorted(children.get(id)), ...sorted(waits.get(id))]);
  }
  return all;
}

function push(branches: Map<string, Branch[]>, id: string, branch: Branch): void {
  const known = branches.get(id);
  if (known === undefined) branches.set(id, [branch]);
  else known.push(branch);
}

/** By id, each once with each type. */
function sorted(branches: readonly Branch[] = []): Branch[] {
  const each = new Map(branches.map((branch) => [`${branch.via} ${branch.id}`, branch]));
  return [...each.values()].sort(
    (left, right) => compareCodePoints(left.id, right.id) || compareCodePoints(left.via, right.via),
  );
}
