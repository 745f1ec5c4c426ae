/**
 * The issues in memory, and what follows from them: who is ready, who waits for
 * whom, whose lease ends when.
 *
 * A graph that was just read answers by looking at every issue. From the first
 * change on it keeps indexes, so that in a long-lived process a change and a
 * claim cost the same among a hundred thousand issues as among a thousand.
 */
import { compareCodePoints } from "@bridle/record";
import { byUrgency, compareUrgency, IssueNode } from "./node.js";
import { OrderedSet } from "./ordered-set.js";

/** What decides what can be claimed; every member is kept up to date by `put`. */
interface Indexes {
  /** By blocker, who waits for it, blocker closed or not. */
  readonly dependents: Map<string, Set<string>>;
  /** How many blockers of an issue are not closed. */
  readonly waiting: Map<string, number>;
  /** By parent, its children, open or not. */
  readonly children: Map<string, Set<string>>;
  /** Issues that wait with a parent, at any depth. */
  readonly held: Set<string>;
  readonly readyByAssignee: Map<string, OrderedSet<IssueNode>>;
  /** Leases by their end, of issues that could be claimed when it has come. */
  readonly leases: OrderedSet<IssueNode>;
  /** Those of them whose end has come, by urgency. */
  readonly lapsed: OrderedSet<IssueNode>;
  /** By request id, the issues that remember it; more than one only where files were merged or copied. */
  readonly claimRequests: Map<string, Set<string>>;
  readonly listings: Listings;
}

/** What is listed and counted, brought up to date when somebody asks: who only claims never does. */
interface Listings {
  readonly ready: OrderedSet<IssueNode>;
  readonly blocked: OrderedSet<IssueNode>;
  readonly inProgress: OrderedSet<IssueNode>;
  /** Every lease, by its end. */
  readonly leased: OrderedSet<IssueNode>;
  /** Leases on issues that are not in progress or somebody else's. */
  readonly odd: Set<IssueNode>;
  /** By id, the issues that changed since, as the listings have them; undefined for a new one. */
  readonly outdated: Map<string, IssueNode | undefined>;
}

/** What a look at every issue came to. */
interface Scanned {
  readonly ready: readonly IssueNode[];
  readonly blocked: readonly IssueNode[];
  readonly inProgress: readonly IssueNode[];
}

export interface Standing {
  readonly ready: number;
  readonly blocked: number;
  readonly inProgress: number;
}

type Leases = { readonly [Name in "leased" | "odd"]: Iterable<IssueNode> };

const nobody: ReadonlySet<string> = new Set();

export class IssueGraph {
  private readonly byId = new Map<string, IssueNode>();
  private indexes: Indexes | undefined;
  private scanned: Scanned | undefined;
  /** Of a graph without indexes, once somebody asked: who waits with a parent, and how many children are open. */
  private held: ReadonlySet<string> | undefined;
  private openChildrenBy: ReadonlyMap<string, number> | undefined;
  private readonly unsoundById = new Map<string, IssueNode>();
  private freeNumber = 1;
  private scannedLeases: Leases | undefined;
  private leasesAsked = false;
  private putCount = 0;

  get(id: string): IssueNode | undefined {
    return this.byId.get(id);
  }

  get size(): number {
    return this.byId.size;
  }

  /** Another number after every change, so that what was made of the graph can be kept until then. */
  get version(): number {
    return this.putCount;
  }

  /** In no order. */
  nodes(): IterableIterator<IssueNode> {
    return this.byId.values();
  }

  /** In the order of their ids. */
  sorted(): IssueNode[] {
    return [...this.byId.values()].sort(compareIds);
  }

  put(node: IssueNode): void {
    this.scanned = undefined;
    this.held = undefined;
    this.openChildrenBy = undefined;
    this.scannedLeases = undefined;
    this.putCount++;
    if (!node.sound) this.unsoundById.set(node.id, node);
    else if (this.unsoundById.size > 0) this.unsoundById.delete(node.id);
    const { indexes } = this;
    if (indexes === undefined) {
      this.byId.set(node.id, node);
      return;
    }
    const before = this.byId.get(node.id);
    if (before === undefined) indexes.listings.outdated.set(node.id, undefined);
    else this.leave(before, indexes);
    this.byId.set(node.id, node);
    this.rewire(before, node, indexes);
    this.join(node, indexes);
  }

  /** Open and not withheld, with every blocker there and closed, and no parent that waits; by priority, then id. */
  ready(): Iterable<IssueNode> {
    return (this.listings() ?? this.scan()).ready;
  }

  /** Not closed, and marked as blocked, withheld or waiting for a blocker; by id. */
  blocked(): Iterable<IssueNode> {
    return this.listings()?.blocked ?? [...this.scan().blocked].sort(compareIds);
  }

  /** By id. */
  inProgress(): Iterable<IssueNode> {
    return this.listings()?.inProgress ?? [...this.scan().inProgress].sort(compareIds);
  }

  /** How many there are of each, without listing them. */
  standing(): Standing {
    const listings = this.listings();
    if (listings !== undefined) {
      const { ready, blocked, inProgress } = listings;
      return { ready: ready.size, blocked: blocked.size, inProgress: inProgress.size };
    }
    const { ready, blocked, inProgress } = this.scan();
    return { ready: ready.length, blocked: blocked.length, inProgress: inProgress.length };
  }

  /** Issues whose rows we cannot judge, in no order; they are in none of the lists. */
  unsound(): Iterable<IssueNode> {
    return this.unsoundById.values();
  }

  isReady(node: IssueNode, waits = this.isWaiting(node.id)): boolean {
    return node.sound && node.isWork && node.status === "open" && !node.withheld && !waits;
  }

  isBlocked(node: IssueNode, waits = this.isWaiting(node.id)): boolean {
    return node.sound && !node.closed && (waits || node.withheld || node.status === "blocked");
  }

  /** The blockers of an issue that are missing or not closed. */
  unresolved(node: IssueNode): string[] {
    return node.blockers.filter((id) => this.byId.get(id)?.settled !== true);
  }

  /** The parents of an issue that wait for something, so that it waits with them. */
  waitsWith(node: IssueNode): string[] {
    return node.parents.filter((id) => this.isWaiting(id));
  }

  /** How many children of an issue are not closed. */
  openChildren(id: string): number {
    const { indexes } = this;
    if (indexes === undefined) return this.openByParent().get(id) ?? 0;
    let open = 0;
    for (const child of indexes.children.get(id) ?? []) if (this.byId.get(child)?.settled === false) open++;
    return open;
  }

  /** Children of these, and theirs, in no order; not these themselves, unless they are below another of them. */
  descendants(ids: Iterable<string>): Set<string> {
    const { children } = this.indexed();
    const found = new Set<string>();
    const next = [...ids];
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      for (const child of children.get(id) ?? []) {
        if (!found.has(child)) next.push(child);
        found.add(child);
      }
    }
    return found;
  }

  /**
   * What `assignee` may claim next, by priority, then id: ready and nobody
   * else's, or left behind under a lease that has ended.
   */
  claimable(assignee: string, nowMs: number): IssueNode | undefined {
    const indexes = this.indexed();
    this.lapse(indexes, nowMs);
    // A row that breaks its contract is not changed, and must not keep those behind it from being offered.
    // An epic is done by its children.
    const whole = (node: IssueNode) =>
      !("problem" in node.issue) && !(node.isEpic && this.openChildren(node.id) > 0);
    const free = (node: IssueNode) => leaseAllows(node, assignee, nowMs) && whole(node);
    const candidates = [
      firstOf(indexes.readyByAssignee.get(""), free),
      firstOf(indexes.readyByAssignee.get(assignee), free),
      firstOf(indexes.lapsed, (node) => hasEnded(node, nowMs) && whole(node)),
    ].filter((node) => node !== undefined);
    return candidates.sort(compareUrgency)[0];
  }

  /** Issues with a lease, active or not, the one that ends first before the others. */
  leased(): IssueNode[] {
    return [...this.leases().leased];
  }

  /** Issues whose lease has ended, in the order of their ids. */
  stale(nowMs: number): IssueNode[] {
    const stale: IssueNode[] = [];
    for (const node of this.leases().leased) {
      if (!hasEnded(node, nowMs)) break;
      stale.push(node);
    }
    return stale.sort(compareIds);
  }

  /** Issues with an active lease that are not in progress or somebody else's, in the order of their ids. */
  contended(nowMs: number): IssueNode[] {
    return [...this.leases().odd].filter((node) => !hasEnded(node, nowMs)).sort(compareIds);
  }

  /** The issue whose claim carried this request id; of several the one with the smallest id. */
  claimedBy(requestId: string): IssueNode | undefined {
    const [id] = [...(this.indexed().claimRequests.get(requestId) ?? [])].sort(compareCodePoints);
    return id === undefined ? undefined : this.byId.get(id);
  }

  /** Issues that depend on this one in a way that blocks, in no order. */
  dependents(id: string): Iterable<string> {
    return this.indexed().dependents.get(id) ?? [];
  }

  /** The smallest `bd-<n>` that is free. Issues never go away, so it is never looked for below the last one. */
  freeId(): string {
    while (this.byId.has(`bd-${this.freeNumber}`)) this.freeNumber++;
    return `bd-${this.freeNumber}`;
  }

  private waits({ blockers }: IssueNode): boolean {
    for (const id of blockers) if (this.byId.get(id)?.settled !== true) return true;
    return false;
  }

  /** Whether an issue waits for a blocker, or with a parent. */
  private isWaiting(id: string): boolean {
    const { indexes } = this;
    if (indexes !== undefined) return (indexes.waiting.get(id) ?? 0) > 0 || indexes.held.has(id);
    const node = this.byId.get(id);
    return node !== undefined && (this.waits(node) || this.heldOnce().has(id));
  }

  /** As `Indexes.held`, of a graph without indexes. */
  private heldOnce(): ReadonlySet<string> {
    return (this.held ??= this.hasWaitingParent() ? this.heldBelow(this.childrenOf()) : nobody);
  }

  private openByParent(): ReadonlyMap<string, number> {
    if (this.openChildrenBy !== undefined) return this.openChildrenBy;
    const open = new Map<string, number>();
    for (const { parents, settled } of this.byId.values()) {
      if (!settled) for (const parent of parents) open.set(parent, (open.get(parent) ?? 0) + 1);
    }
    return (this.openChildrenBy = open);
  }

  /** Most memories have none, and then nobody need be gone through from parent to child. */
  private hasWaitingParent(): boolean {
    for (const { parents } of this.byId.values()) {
      for (const id of parents) {
        const parent = this.byId.get(id);
        if (parent !== undefined && this.waits(parent)) return true;
      }
    }
    return false;
  }

  private childrenOf(): Map<string, Set<string>> {
    const children = new Map<string, Set<string>>();
    for (const { id, parents } of this.byId.values()) {
      for (const parent of parents) setOf(children, parent).add(id);
    }
    return children;
  }

  /** Everybody below a parent that waits for a blocker. A circle of parents is gone round once. */
  private heldBelow(children: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
    const held = new Set<string>();
    const next: string[] = [];
    for (const id of children.keys()) {
      const node = this.byId.get(id);
      if (node !== undefined && this.waits(node)) next.push(id);
    }
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      for (const child of children.get(id) ?? []) {
        if (held.has(child)) continue;
        held.add(child);
        next.push(child);
      }
    }
    return held;
  }

  /** One who asks once looks at every issue; one who asks again after a change is better off with indexes. */
  private leases(): Leases {
    const listings = this.listings();
    if (listings !== undefined) return listings;
    if (this.scannedLeases !== undefined) return this.scannedLeases;
    if (this.leasesAsked) return this.indexed().listings;
    this.leasesAsked = true;
    const leased = [...this.byId.values()].filter(({ leaseEndMs }) => leaseEndMs !== undefined);
    this.scannedLeases = { leased: leased.sort(compareLeaseEnd), odd: leased.filter(isOddlyLeased) };
    return this.scannedLeases;
  }

  private scan(): Scanned {
    if (this.scanned !== undefined) return this.scanned;
    const ready: IssueNode[] = [];
    const blocked: IssueNode[] = [];
    const inProgress: IssueNode[] = [];
    for (const node of this.byId.values()) {
      if (node.closed) continue;
      const waits = this.waits(node) || (node.parents.length > 0 && this.heldOnce().has(node.id));
      if (this.isReady(node, waits)) ready.push(node);
      if (this.isBlocked(node, waits)) blocked.push(node);
      if (isInProgress(node)) inProgress.push(node);
    }
    return (this.scanned = { ready: byUrgency(ready), blocked, inProgress });
  }

  private indexed(): Indexes {
    this.indexes ??= this.buildIndexes();
    return this.indexes;
  }

  private buildIndexes(): Indexes {
    const dependents: Indexes["dependents"] = new Map();
    const waiting: Indexes["waiting"] = new Map();
    const claimRequests: Indexes["claimRequests"] = new Map();
    const ready: IssueNode[] = [];
    const leases: IssueNode[] = [];
    const leased: IssueNode[] = [];
    const blocked: IssueNode[] = [];
    const inProgress: IssueNode[] = [];
    const children = this.childrenOf();
    const held = this.heldBelow(children);
    for (const node of this.byId.values()) {
      for (const blocker of node.blockers) setOf(dependents, blocker).add(node.id);
      const unresolved = this.unresolved(node).length;
      waiting.set(node.id, unresolved);
      const waits = unresolved > 0 || held.has(node.id);
      if (this.isReady(node, waits)) ready.push(node);
      if (isReclaimable(node, waits)) leases.push(node);
      if (node.leaseEndMs !== undefined) leased.push(node);
      if (this.isBlocked(node, waits)) blocked.push(node);
      if (isInProgress(node)) inProgress.push(node);
      for (const requestId of node.requestIds) setOf(claimRequests, requestId).add(node.id);
    }
    const byAssignee = groupByAssignee(ready);
    return {
      dependents,
      waiting,
      children,
      held,
      claimRequests,
      readyByAssignee: new Map(
        [...byAssignee].map(([assignee, nodes]) => [assignee, OrderedSet.of(nodes, compareUrgency)]),
      ),
      leases: OrderedSet.of(leases, compareLeaseEnd),
      lapsed: new OrderedSet(compareUrgency),
      listings: {
        ready: OrderedSet.of(ready, compareUrgency),
        blocked: OrderedSet.of(blocked, compareIds),
        inProgress: OrderedSet.of(inProgress, compareIds),
        leased: OrderedSet.of(leased, compareLeaseEnd),
        odd: new Set(leased.filter(isOddlyLeased)),
        outdated: new Map(),
      },
    };
  }

  /** Up to date; undefined without indexes. */
  private listings(): Listings | undefined {
    if (this.indexes === undefined) return undefined;
    const { listings } = this.indexes;
    const { ready, blocked, inProgress, leased, odd, outdated } = listings;
    for (const [id, before] of outdated) {
      if (before !== undefined) {
        ready.delete(before);
        blocked.delete(before);
        inProgress.delete(before);
        leased.delete(before);
        odd.delete(before);
      }
      const node = this.byId.get(id);
      if (node === undefined) continue;
      const waits = this.isWaiting(id);
      if (this.isReady(node, waits)) ready.add(node);
      if (this.isBlocked(node, waits)) blocked.add(node);
      if (isInProgress(node)) inProgress.add(node);
      if (node.leaseEndMs !== undefined) leased.add(node);
      if (isOddlyLeased(node)) odd.add(node);
    }
    outdated.clear();
    return listings;
  }

  private join(node: IssueNode, indexes: Indexes): void {
    const waits = this.isWaiting(node.id);
    if (this.isReady(node, waits)) readyOf(indexes, node.assignee).add(node);
    if (isReclaimable(node, waits)) indexes.leases.add(node);
    for (const requestId of node.requestIds) setOf(indexes.claimRequests, requestId).add(node.id);
  }

  private leave(node: IssueNode, indexes: Indexes): void {
    const { outdated } = indexes.listings;
    if (!outdated.has(node.id)) outdated.set(node.id, node);
    const waits = this.isWaiting(node.id);
    if (this.isReady(node, waits)) readyOf(indexes, node.assignee).delete(node);
    if (isReclaimable(node, waits)) {
      indexes.leases.delete(node);
      indexes.lapsed.delete(node);
    }
    for (const requestId of node.requestIds) {
      const ids = indexes.claimRequests.get(requestId);
      ids?.delete(node.id);
      if (ids?.size === 0) indexes.claimRequests.delete(requestId);
    }
  }

  /** Edges of the node itself, and those who wait for it or with it. */
  private rewire(before: IssueNode | undefined, node: IssueNode, indexes: Indexes): void {
    const { dependents, waiting, children } = indexes;
    for (const blocker of before?.blockers ?? []) dependents.get(blocker)?.delete(node.id);
    for (const blocker of node.blockers) setOf(dependents, blocker).add(node.id);
    for (const parent of before?.parents ?? []) children.get(parent)?.delete(node.id);
    for (const parent of node.parents) setOf(children, parent).add(node.id);
    waiting.set(node.id, this.unresolved(node).length);
    const changed = [node.id];
    if ((before?.settled ?? false) !== node.settled) {
      for (const id of dependents.get(node.id) ?? []) {
        const dependent = this.byId.get(id);
        if (dependent === undefined || id === node.id) continue;
        this.leave(dependent, indexes);
        waiting.set(id, (waiting.get(id) ?? 0) + (node.settled ? -1 : 1));
        this.join(dependent, indexes);
        changed.push(id);
      }
    }
    this.holdAgain(changed, node.id, indexes);
  }

  /** Who waits with a parent, anew, of these issues and all below them; `out` is in no list at the moment. */
  private holdAgain(ids: readonly string[], out: string, indexes: Indexes): void {
    const { children, held, waiting } = indexes;
    if (children.size === 0 && held.size === 0) return;
    const family = this.descendants(ids);
    for (const id of ids) family.add(id);
    if (family.size === 1 && this.byId.get(out)?.parents.length === 0 && !held.has(out)) return;
    const now = new Set<string>();
    const next: string[] = [];
    const hold = (id: string) => {
      if (now.has(id)) return;
      now.add(id);
      next.push(id);
    };
    for (const id of family) {
      for (const parent of this.byId.get(id)?.parents ?? []) {
        const waits = (waiting.get(parent) ?? 0) > 0 || (!family.has(parent) && held.has(parent));
        if (waits) hold(id);
      }
    }
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      for (const child of children.get(id) ?? []) if (family.has(child)) hold(child);
    }
    for (const id of family) {
      const node = this.byId.get(id);
      if (node === undefined || now.has(id) === held.has(id)) continue;
      if (id !== out) this.leave(node, indexes);
      if (now.has(id)) held.add(id);
      else held.delete(id);
      if (id !== out) this.join(node, indexes);
    }
  }

  private lapse({ leases, lapsed }: Indexes, nowMs: number): void {
    for (;;) {
      const first = leases.first();
      if (first === undefined || (first.leaseEndMs ?? Infinity) > nowMs) return;
      leases.delete(first);
      lapsed.add(first);
    }
  }
}

function leaseAllows(node: IssueNode, assignee: string, nowMs: number): boolean {
  if (node.leaseEndMs === undefined || node.leaseEndMs <= nowMs) return true;
  return node.leaseOwner === assignee;
}

/** Left behind, once its lease has ended. */
function isReclaimable(node: IssueNode, waits: boolean): boolean {
  const begun = node.status === "in_progress" || node.status === "open";
  return node.sound && node.isWork && begun && node.leaseEndMs !== undefined && !waits;
}

function isInProgress(node: IssueNode): boolean {
  return node.sound && node.status === "in_progress";
}

function compareIds(left: IssueNode, right: IssueNode): number {
  return compareCodePoints(left.id, right.id);
}

function compareLeaseEnd(left: IssueNode, right: IssueNode): number {
  return (left.leaseEndMs ?? 0) - (right.leaseEndMs ?? 0) || compareIds(left, right);
}

function hasEnded({ leaseEndMs = Infinity }: IssueNode, nowMs: number): boolean {
  return leaseEndMs <= nowMs;
}

/** Contended for as long as its lease is active. */
function isOddlyLeased(node: IssueNode): boolean {
  if (node.leaseEndMs === undefined) return false;
  return node.status !== "in_progress" || node.assignee !== node.leaseOwner;
}

function setOf(sets: Map<string, Set<string>>, key: string): Set<string> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const made = new Set<string>();
  sets.set(key, made);
  return made;
}

function readyOf({ readyByAssignee }: Indexes, assignee: string): OrderedSet<IssueNode> {
  const known = readyByAssignee.get(assignee);
  if (known !== undefined) return known;
  const made = new OrderedSet<IssueNode>(compareUrgency);
  readyByAssignee.set(assignee, made);
  return made;
}

function groupByAssignee(nodes: readonly IssueNode[]): Map<string, IssueNode[]> {
  const groups = new Map<string, IssueNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.assignee);
    if (group === undefined) groups.set(node.assignee, [node]);
    else group.push(node);
  }
  return groups;
}

function firstOf(
  nodes: Iterable<IssueNode> | undefined,
  fits: (node: IssueNode) => boolean,
): IssueNode | undefined {
  for (const node of nodes ?? []) if (fits(node)) return node;
  return undefined;
}
