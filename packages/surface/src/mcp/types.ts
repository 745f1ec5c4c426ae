/**
 * The manual of this corner: what the MCP server is made from, and what it needs.
 *
 *     transport (stdio | HTTP behind its door) → McpServer, one tool per entry
 *       → load the operation's own room → validate → gate → run → envelope
 *
 * Listing tools reads the manifest's entries and nothing else; only a call loads
 * a room. The server decides nothing: arguments are judged by the operation's own
 * schema and mutations by the gates, in the one pipeline of `@bridle/operation`.
 */
import type { Gate, Kept, ManifestEntry, Operation } from "@bridle/operation";
import type { Ports } from "@bridle/record";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { AnsweredResource } from "./resources.js";

/** The part of the operation table that is offered here. */
export interface ToolTable {
  /** From the manifest; a listing reads these and nothing else. */
  readonly entries: readonly ManifestEntry[];
  /** What is offered when no family is named; everything when left out. */
  readonly usualFamilies?: readonly string[];
  /** What can be read without a tool, besides witnesses; no resources at all when left out. */
  readonly resources?: readonly AnsweredResource[];
  /** Judged in this order; the first refusal wins. */
  readonly gates: readonly Gate[];
  /**
   * Contract: imports the operation's own room and no other. Called once per
   * call; may reject, which the client sees as `internal_error`.
   */
  load(entry: ManifestEntry): Promise<Operation>;
}

/**
 * - `instruction-linked`: the lane that a person opened for the folder says what may be
 *   changed; the only open one where none is named.
 * - `open`: whoever started the server vouches for every call.
 * - `human-override`: they do so with a reason, and not for long.
 */
export type Mutation =
  | { readonly policy: "instruction-linked"; readonly lane?: string }
  | { readonly policy: "open" }
  | { readonly policy: "human-override"; readonly reason: string; readonly expiresAtMs: number };

export interface McpSettings {
  readonly table: ToolTable;
  readonly ports: Ports;
  readonly mutation: Mutation;
  /** Where relative paths in arguments start and which they cannot lead out of; absolute, its links resolved. */
  readonly cwd: string;
  /** Issue memory of calls that name none, where whoever started the server said so. */
  readonly issuesPath?: string;
  /** The observation that `observe` tells of in calls that name none, likewise. */
  readonly surfacePath?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly serverName: string;
  readonly serverVersion: string;
  /** What calls share; closed when the server has ended. */
  readonly kept: Kept;
  /** What clients are told of a tool's effects, where it is not what its effect suggests. */
  readonly annotations?: (entry: ManifestEntry) => ToolAnnotations;
  /**
   * One line about the server itself, for the person who started it; never what
   * a client sent. Goes to stderr, because stdout may carry protocol frames.
   */
  log(line: string): void;
}
