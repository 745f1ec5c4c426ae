/**
 * The manual of issue memory: what an issue is, and how it is changed.
 *
 * `.premath/issues.jsonl` is the only representation. A change appends the
 * issue's whole new row, and the last row of an id wins; compaction rewrites the
 * file sorted by id. Members that this version does not know are carried as the
 * bytes that they were written with.
 *
 * A change is decided by a pure function of the graph and the time, under the
 * file's lock, on the rows that are there at that moment:
 *
 *     lock → catch up with the file → decide → append one row → sync → answer
 */
import type { JsonObject, Refusal } from "@bridle/record";
import type { IssueGraph } from "./graph.js";

export const issueStatuses = ["open", "in_progress", "blocked", "closed"] as const;
/** A file may hold others, written by another program; we write none but these. */
export type IssueStatus = (typeof issueStatuses)[number];

export const issueTypes = ["epic", "task"] as const;
export type IssueType = (typeof issueTypes)[number];

export const priorities = [0, 1, 2, 3, 4] as const;

export const dependencyTypes = [
  "blocks",
  "parent-child",
  "conditional-blocks",
  "related",
  "discovered-from",
  "relates-to",
  "duplicates",
  "supersedes",
  "waits-for",
  "replies-to",
] as const;
export type DependencyType = (typeof dependencyTypes)[number];

export interface Dependency {
  readonly issueId: string;
  readonly dependsOnId: string;
  readonly type: DependencyType;
  readonly createdBy?: string;
}

/** Who may change an issue, and until when. Its fence is the issue's. */
export interface Lease {
  readonly leaseId: string;
  readonly owner: string;
  /** RFC 3339, as they stand in the row. */
  readonly acquiredAt: string;
  readonly expiresAt: string;
  readonly renewedAt?: string;
}

/** What a claim with a request id was answered, so that a repeated one is answered the same. */
export interface ClaimRecord {
  readonly requestId: string;
  readonly fence: number;
  readonly lease: Lease;
}

/** Where the work of a claim began, so that what changed since can be told. */
export interface StartedFrom {
  /** Full id of a commit. */
  readonly commit: string;
  /** Tests that the issue declared before the claim: its change may change them. */
  readonly tests: readonly string[];
}

/** That an issue was closed on a change whose required checks passed. */
export interface Verified {
  readonly commit: string;
  readonly tree: string;
  readonly policyDigest: string;
  readonly projectionDigest: string;
  readonly witnessRef: string;
  readonly at: string;
}

export interface Comment {
  readonly author: string;
  readonly text: string;
  readonly createdAt: string;
}

/** A row as we understand it; empty texts and lists where the row has none. */
export interface Issue {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly design: string;
  readonly acceptanceCriteria: string;
  readonly notes: string;
  readonly status: string;
  readonly priority: number;
  readonly issueType: IssueType;
  readonly assignee: string;
  readonly owner: string;
  readonly lease?: Lease;
  /** How often the issue was claimed; a write that names a smaller one comes too late. */
  readonly fence: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly closedAt?: string;
  readonly ephemeral: boolean;
  readonly molType: string;
  readonly labels: readonly string[];
  readonly dependencies: readonly Dependency[];
  readonly comments: readonly Comment[];
  /** Newest last. */
  readonly claims: readonly ClaimRecord[];
  /** Ids that the issue had before a merge renamed it. */
  readonly aliases: readonly string[];
  readonly metadata?: JsonObject[string];
  readonly startedFrom?: StartedFrom;
  /** Tests that its change may change; only what stands here before a claim counts for it. */
  readonly changesTests: readonly string[];
  /** Only of a closed issue; one without it was closed on somebody's word. */
  readonly verified?: Verified;
}

/** An issue's new row, as one line of JSON. */
export interface NewRow {
  readonly id: string;
  readonly text: string;
}

/** What a decision comes to when it is not a refusal. No rows: nothing changes. */
export interface Outcome<Answer> {
  readonly answer: Answer;
  /**
   * One row is appended; several replace the file as a whole, so that all of them count or none.
   * An answer that tells again what was told before names the issue's row as it stands: whoever
   * wrote it may have died before it was durable.
   */
  readonly rows: readonly NewRow[];
  /** The rows are all the issues that stay; a store that can keeps what was there before. */
  readonly replaces?: true;
}

/**
 * Contract: pure and quick; called under the lock with the graph as the file is
 * now. May be called again with a later graph if the disk failed in between.
 */
export type Decide<Answer> = (graph: IssueGraph, nowMs: number) => Outcome<Answer> | Refusal;
