/**
 * Commitments: what a plan, a person or the project ruled out, and which calls would
 * break it.
 *
 * They are structure. `paths` may not be changed, `tools` may not be called, and
 * commands may not need the tiers in `needs`, nor more than those. The text is shown
 * to the model and to people.
 *
 * What a newcomer gets wrong: words alone hold nobody back, however clear they are.
 * Reading what is protected breaks nothing. What a command does to a path is not read
 * from the command: the wall makes the path read-only, and globs are compared after it.
 */
import { pathTest } from "./paths.js";

/** What a command may do, each more than the one before. */
export const needsTiers = ["read", "write", "network", "host"] as const;
export type Needs = (typeof needsTiers)[number];

export interface Commitment {
  readonly text: string;
  /** Files, folders and globs of the workspace that stay as they are. */
  readonly paths: readonly string[];
  /** Tools that are not called. */
  readonly tools: readonly string[];
  /** Tiers that no command may need. */
  readonly needs: readonly Needs[];
}

export interface JudgedCall {
  readonly tool: string;
  /** Paths that it says it will change. */
  readonly changes?: readonly string[] | "anything" | undefined;
  /** Of a command: what it says that it needs. */
  readonly needs?: string | undefined;
}

/**
 * Which call breaks what, in a sentence: of the first commitment that the call would break. `plan` breaks none:
 * it is how one is given up.
 */
export function firstBroken(commitments: readonly Commitment[], call: JudgedCall): string | undefined {
  if (call.tool === "plan") return undefined;
  for (const commitment of commitments) {
    const did = breaks(commitment, call);
    if (did !== undefined) return `${call.tool} ${did}, against the commitment "${commitment.text}".`;
  }
  return undefined;
}

function breaks({ paths, tools, needs }: Commitment, call: JudgedCall): string | undefined {
  if (tools.includes(call.tool)) return "is ruled out";
  const { changes = [] } = call;
  const path = paths.length === 0 || changes === "anything" ? undefined : changes.find(pathTest(paths));
  if (path !== undefined) return `changes ${path === "" ? "the whole workspace" : path}`;
  const tier = tierOf(call.needs);
  return needs.some((each) => tier >= tierOf(each)) ? `needs ${call.needs}` : undefined;
}

/** Below all of them where it is none. */
function tierOf(needs: string | undefined): number {
  return needsTiers.findIndex((tier) => tier === needs);
}

export function isNeeds(text: string): text is Needs {
  return tierOf(text) >= 0;
}
