/**
 * The manual of this room: what is not ours, and an agent may use all the same.
 *
 *     .mcp.json, ~/.config/bridle/mcp.json, .bridle/tools/*.mjs
 *         │ entries
 *         ▼
 *     trust: has a person said yes to exactly this? ──no──▶ a sentence, nothing started
 *         │ yes
 *         ▼
 *     connect ─▶ list ─▶ tools of the agent, one family a server, bounded and closed
 *
 * What a newcomer gets wrong:
 * - A server runs with the person's rights, outside the wall. What it says of its tools
 *   (names, descriptions, hints that they only read) is a claim and its results are data:
 *   every call is at least `cautious`, and a claim can only make it more careful.
 * - A project's tool modules are served by a small MCP server of ours in a process of
 *   their own (own/host.ts), so that there is one path, one set of limits and one rule of
 *   trust for both.
 * - A server that fails is a sentence. It neither ends the session nor takes another
 *   server's tools away.
 */
import type { AgentTool } from "@bridle/agent";
import type { Ports } from "@bridle/record";

export type Env = Readonly<Record<string, string | undefined>>;

/** Whose word an entry is: the project's, which anybody may have written, or the person's own. */
export type Origin = "project" | "person";

/** A server as its entry says, with `${NAME}` still in it. */
export interface ServerEntry {
  readonly name: string;
  readonly origin: Origin;
  /** The file that it stands in, absolute. */
  readonly file: string;
  readonly how: Stdio | Http;
  /** Where it starts: the workspace, or for the person's own their home. */
  readonly folder: string;
}

export interface Stdio {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Http {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a person is asked before something is started. */
export interface TrustQuestion {
  /** `the MCP server "files" of this project`. */
  readonly what: string;
  /** Each line as it would be started, and what it is given; not yet made visible. */
  readonly lines: readonly string[];
  /** It was said yes to before, and is another one now. */
  readonly changed: boolean;
}

/** Contract: true is a person's yes to exactly what was shown. */
export type AskTrust = (question: TrustQuestion) => Promise<boolean>;

export interface Extensions {
  readonly tools: readonly AgentTool[];
  /** Ends every server. Contract: never throws. */
  close(): Promise<void>;
}

export interface ExtensionOptions {
  /** Absolute, with every link resolved. */
  readonly root: string;
  readonly env: Env;
  readonly ports: Ports;
  /** Left out where nobody is there: then nothing is started but what was said yes to before. */
  readonly ask?: AskTrust;
  /** One sentence for each thing that is not there or was left out. */
  notice(sentence: string): void;
  readonly signal: AbortSignal;
}
