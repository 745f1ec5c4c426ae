/** What a worker wants, and the decision that it comes to: small, and made of the memory's own rules. */
import { strict as assert } from "node:assert";
import type { Claimed, IssueAnswer, IssueOp, Term } from "./memory-model.js";
import type { MemoryBooks, Ongoing } from "./memory-books.js";
import type { Decide, Issue, IssueGraph, IssueNode, NewRow } from "./memory-room.js";

export type MemoryRoom = typeof import("./memory-room.js");

export type Intent =
  | {
      readonly kind: "claim";
      /** Left out: whatever is most urgent. */
      readonly id?: string;
      readonly by: string;
      readonly term: Term;
      readonly requestId?: string;
    }
  | {
      readonly kind: "renew";
      readonly id: string;
      readonly by: string;
      readonly leaseId: string;
      readonly fence?: number;
      readonly term: Term;
    }
  | { readonly kind: "release"; readonly id: string; readonly by?: string; readonly fence?: number }
  | { readonly kind: "close" | "reopen"; readonly id: string; readonly by?: string; readonly fence?: number }
  /** Of several issues at once, too. */
  | { readonly kind: "note"; readonly ids: readonly string[]; readonly fence?: number };

export interface Answered {
  readonly id?: string;
  readonly answer: IssueAnswer;
}

type RowPatch = Parameters<MemoryRoom["patchRow"]>[2];

/** A pure decision but for what it tells the books. */
export function decisionOf(
  room: MemoryRoom,
  intent: Intent,
  books: MemoryBooks,
  call: Ongoing,
): Decide<Answered> {
  return (graph, nowMs) => books.blamed(() => decide(room, intent, { graph, nowMs, books, call }));
}

interface Circumstances {
  readonly graph: IssueGraph;
  readonly nowMs: number;
  readonly books: MemoryBooks;
  readonly call: Ongoing;
}

function decide(
  room: MemoryRoom,
  intent: Intent,
  { graph, nowMs, books, call }: Circumstances,
): ReturnType<Decide<Answered>> {
  books.compareGraph(graph);
  call.parts.clear();
  const decision = books.nextDecision();
  const make: Make = (node, op, patch) => {
    const row = room.patchRow(node.id, node.text, { ...patch, x_decision: decision });
    call.parts.set(node.id, { op, text: row.text });
    books.expect(decision, node.id, { base: node.text, text: row.text, op });
    return row;
  };
  if (intent.kind === "claim") return decideClaim(room, intent, { graph, nowMs, books, call, make });
  const ids = intent.kind === "note" ? intent.ids : [intent.id];
  const rows: NewRow[] = [];
  for (const id of ids) {
    const node = nodeOf(graph, id);
    const { ids: _, id: __, ...rest } = intent as typeof intent & { ids?: unknown; id?: unknown };
    const op = { ...rest, nowMs } as IssueOp;
    const change = changeOf(room, intent, node, nowMs);
    if (room.isRefusal(change) || change === "unchanged") {
      call.parts.clear();
      // A refusal of several is no fact about each of them.
      if (ids.length === 1) call.parts.set(id, { op });
      return room.isRefusal(change) ? change : { answer: { id, answer: { unchanged: true } }, rows: [] };
    }
    rows.push(make(node, op, change));
  }
  return { answer: { answer: { done: true } }, rows };
}

type Make = (node: IssueNode, op: IssueOp, patch: RowPatch) => NewRow;

function decideClaim(
  room: MemoryRoom,
  intent: Intent & { kind: "claim" },
  { graph, nowMs, books, call, make }: Circumstances & { readonly make: Make },
): ReturnType<Decide<Answered>> {
  const { id, by, term, requestId } = intent;
  const op: IssueOp = { kind: "claim", by, term, nowMs, ...(requestId === undefined ? {} : { requestId }) };
  const before = requestId === undefined ? undefined : graph.claimedBy(requestId);
  if (before !== undefined) {
    const record = issueOf(before).claims.find((each) => each.requestId === requestId);
    assert.ok(record !== undefined, "the index names an issue that knows nothing of the request");
    call.parts.set(before.id, { op, text: before.text });
    return { answer: claimedAnswer(before.id, record), rows: room.rowsAgain(before) };
  }
  const node = id === undefined ? graph.claimable(by, nowMs) : nodeOf(graph, id);
  if (id === undefined) books.compareClaimable(node?.id, by, nowMs);
  if (node === undefined) return { answer: { answer: { unchanged: true } }, rows: [] };
  const claim = room.claim(
    issueOf(node),
    node.text,
    { assignee: by, ...termOf(term), ...(requestId === undefined ? {} : { requestId }) },
    nowMs,
  );
  if (room.isRefusal(claim)) {
    call.parts.set(node.id, { op });
    return claim;
  }
  return { answer: claimedAnswer(node.id, claim.claim), rows: [make(node, op, claim.patch)] };
}

function changeOf(
  room: MemoryRoom,
  intent: Exclude<Intent, { kind: "claim" }>,
  node: IssueNode,
  nowMs: number,
) {
  const issue = issueOf(node);
  const fence = intent.fence === undefined ? {} : { fence: intent.fence };
  switch (intent.kind) {
    case "renew": {
      const { by, leaseId, term } = intent;
      const renewal = { assignee: by, leaseId, ...termOf(term), ...fence };
      const renewed = room.renew(issue, node.text, renewal, nowMs);
      return room.isRefusal(renewed) ? renewed : renewed.patch;
    }
    case "release": {
      const by = intent.by === undefined ? {} : { assignee: intent.by };
      const released = room.release(issue, { ...by, ...fence }, nowMs);
      if (room.isRefusal(released)) return released;
      return released.changed ? released.patch : "unchanged";
    }
    case "close":
    case "reopen": {
      const asker = { ...fence, ...(intent.by === undefined ? {} : { actor: intent.by }) };
      const refusal = room.guardHolder(issue, asker, nowMs);
      const status = intent.kind === "close" ? "closed" : "open";
      return refusal ?? ({ status, assignee: undefined, lease: undefined } satisfies RowPatch);
    }
    case "note":
      return room.fenceMismatch(issue, intent.fence) ?? ({ notes: `at ${nowMs}` } satisfies RowPatch);
  }
}

function termOf(term: Term): { leaseTtlSeconds: number } | { leaseExpiresAt: string } {
  if ("seconds" in term) return { leaseTtlSeconds: term.seconds };
  return { leaseExpiresAt: new Date(term.endMs).toISOString() };
}

function nodeOf(graph: IssueGraph, id: string): IssueNode {
  const node = graph.get(id);
  assert.ok(node !== undefined, `${id} is gone`);
  return node;
}

function issueOf(node: IssueNode): Issue {
  assert.ok(!("problem" in node.issue), `the row of ${node.id} is no issue`);
  return node.issue;
}

function claimedAnswer(
  id: string,
  { fence, lease }: { readonly fence: number; readonly lease: { leaseId: string; expiresAt: string } },
): Answered {
  const claimed: Claimed = { fence, leaseId: lease.leaseId, endMs: Date.parse(lease.expiresAt) };
  return { id, answer: { claimed } };
}
