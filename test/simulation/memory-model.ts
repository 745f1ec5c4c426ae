/**
 * What an issue must do, in as few lines as possible: the other side of the
 * comparison, written from the contract and sharing no code with the memory.
 *
 * Times are the ones that the decisions were made at, so clocks may jump.
 */
import type { Model } from "./linearizable.js";

export type IssueOp = { readonly nowMs: number } & (
  | {
      readonly kind: "claim";
      readonly by: string;
      readonly term: Term;
      readonly requestId?: string;
    }
  | {
      readonly kind: "renew";
      readonly by: string;
      readonly leaseId: string;
      readonly fence?: number;
      readonly term: Term;
    }
  | { readonly kind: "release"; readonly by?: string; readonly fence?: number }
  | { readonly kind: "note"; readonly fence?: number }
  | { readonly kind: "close" | "reopen"; readonly by?: string; readonly fence?: number }
  | { readonly kind: "merge"; readonly fencesUp: number }
);

/** A time to live, or an end. */
export type Term = { readonly seconds: number } | { readonly endMs: number };

export interface Claimed {
  readonly fence: number;
  readonly leaseId: string;
  readonly endMs: number;
}

export type IssueAnswer =
  | { readonly refused: string }
  | { readonly claimed: Claimed }
  | { readonly done: true }
  | { readonly unchanged: true };

export interface IssueState {
  readonly status: string;
  readonly assignee: string;
  readonly fence: number;
  readonly lease?: { readonly owner: string; readonly leaseId: string; readonly endMs: number };
  /** Claims that carried a request id, oldest first. */
  readonly requests: readonly (Claimed & { readonly requestId: string })[];
}

/** As many as an issue remembers. */
export const requestsKept = 8;

interface Step {
  readonly state: IssueState;
  readonly answer: IssueAnswer;
}

export function issueModel(id: string, initial: IssueState): Model<IssueState, IssueOp, IssueAnswer> {
  return {
    initial,
    step: (state, op) => step(id, state, op),
    stateKey: JSON.stringify,
    sameAnswer: (left, right) => JSON.stringify(left) === JSON.stringify(right),
  };
}

function step(id: string, state: IssueState, op: IssueOp): Step {
  const refused = (why: string): Step => ({ state, answer: { refused: why } });
  const done = (next: IssueState): Step => ({ state: next, answer: { done: true } });
  const { lease } = state;
  const active = lease !== undefined && op.nowMs < lease.endMs;
  const late = "fence" in op && op.fence !== undefined && op.fence !== state.fence;
  switch (op.kind) {
    case "claim": {
      const known = state.requests.find(({ requestId }) => requestId === op.requestId);
      if (known !== undefined) return { state, answer: { claimed: claimedOf(known) } };
      if (state.status === "closed") return refused("issue_claim_closed");
      if (active && lease.owner !== op.by) return refused("lease_contention_active");
      if (lease === undefined && state.assignee !== "" && state.assignee !== op.by) {
        return refused("issue_already_claimed");
      }
      const endMs = endOf(op.term, op.nowMs);
      if (endMs <= op.nowMs) return refused("lease_invalid_expires_at");
      const leaseId = active ? lease.leaseId : `lease1_${id}_${op.by}`;
      const claimed = { fence: state.fence + 1, leaseId, endMs };
      const requests =
        op.requestId === undefined
          ? state.requests
          : [...state.requests.slice(1 - requestsKept), { requestId: op.requestId, ...claimed }];
      const next = {
        status: "in_progress",
        assignee: op.by,
        fence: claimed.fence,
        lease: { owner: op.by, leaseId, endMs },
        requests,
      };
      return { state: next, answer: { claimed } };
    }
    case "renew": {
      if (lease === undefined) return refused("lease_missing");
      const endMs = endOf(op.term, op.nowMs);
      if (endMs <= op.nowMs) return refused("lease_invalid_expires_at");
      if (state.status === "closed") return refused("lease_issue_closed");
      if (!active) return refused("lease_stale");
      if (lease.owner !== op.by) return refused("lease_owner_mismatch");
      if (lease.leaseId !== op.leaseId) return refused("lease_id_mismatch");
      if (late) return refused("lease_fence_stale");
      return done({ ...state, status: "in_progress", assignee: op.by, lease: { ...lease, endMs } });
    }
    case "release": {
      if (lease === undefined && op.by !== undefined) return refused("lease_missing");
      if (lease !== undefined && op.by !== undefined && lease.owner !== op.by) {
        return refused("lease_owner_mismatch");
      }
      if (late) return refused("lease_fence_stale");
      if (lease === undefined) return { state, answer: { unchanged: true } };
      const status = state.status === "in_progress" ? "open" : state.status;
      return done({ status, assignee: "", fence: state.fence, requests: state.requests });
    }
    case "note":
      return late ? refused("lease_fence_stale") : done(state);
    case "close":
    case "reopen": {
      if (late) return refused("lease_fence_stale");
      if (op.fence === undefined && active && lease.owner !== op.by)
        return refused("lease_contention_active");
      const status = op.kind === "close" ? "closed" : "open";
      return done({ status, assignee: "", fence: state.fence, requests: state.requests });
    }
    case "merge":
      return done({ ...state, fence: state.fence + op.fencesUp });
  }
}

export function endOf(term: Term, nowMs: number): number {
  return "endMs" in term ? term.endMs : nowMs + term.seconds * 1000;
}

function claimedOf({ fence, leaseId, endMs }: Claimed): Claimed {
  return { fence, leaseId, endMs };
}

/** An issue as its row says. */
export interface IssueRow {
  readonly id: string;
  readonly status: string;
  readonly priority: number;
  readonly assignee?: string;
  readonly fence?: number;
  readonly lease?: {
    readonly lease_id: string;
    readonly owner: string;
    readonly acquired_at: string;
    readonly expires_at: string;
  };
  readonly claims?: readonly {
    readonly request_id: string;
    readonly fence: number;
    readonly lease: { readonly lease_id: string; readonly expires_at: string };
  }[];
  readonly dependencies?: readonly { readonly depends_on_id: string }[];
  /** The decision that made the row. */
  readonly x_decision?: number;
}

export function stateOfRow(row: IssueRow): IssueState {
  const { lease } = row;
  return {
    status: row.status,
    assignee: row.assignee ?? "",
    fence: row.fence ?? 0,
    ...(lease === undefined
      ? {}
      : { lease: { owner: lease.owner, leaseId: lease.lease_id, endMs: Date.parse(lease.expires_at) } }),
    requests: (row.claims ?? []).map((claim) => ({
      requestId: claim.request_id,
      fence: claim.fence,
      leaseId: claim.lease.lease_id,
      endMs: Date.parse(claim.lease.expires_at),
    })),
  };
}

/** What `by` may claim next among these rows; the long way round. */
export function claimableAmong(
  rows: ReadonlyMap<string, IssueRow>,
  by: string,
  nowMs: number,
): string | undefined {
  const free = [...rows.values()].filter(({ status, assignee = "", lease, dependencies = [] }) => {
    if (dependencies.some((dependency) => rows.get(dependency.depends_on_id)?.status !== "closed"))
      return false;
    const ended = lease !== undefined && Date.parse(lease.expires_at) <= nowMs;
    if (ended && (status === "open" || status === "in_progress")) return true;
    if (status !== "open" || (assignee !== "" && assignee !== by)) return false;
    return lease === undefined || lease.owner === by;
  });
  free.sort((left, right) => left.priority - right.priority || (left.id < right.id ? -1 : 1));
  return free[0]?.id;
}
