/**
 * A policy of one's own: a module with one function, `propose`, that is given what
 * is asked and what is seen and returns the next proposal.
 *
 *     hlq run --pack packs/p --policy ./mine.mjs --out runs/mine
 *
 * What a newcomer gets wrong: the digest in run.json is of this one file, not of
 * what it imports. The file is code and runs with all that you may do, so it is
 * only ever run when somebody names it: a record that names one starts nothing.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure, failureAt, sha256Hex } from "@bridle/record";
import { readWhole } from "../read-whole.js";
import type { Brief, Observation, Proposal } from "../types.js";
import type { PolicySurroundings } from "./catalogue.js";
import type { Policy } from "./types.js";

/** What the function is given at each step. */
export interface Seen {
  readonly brief: Brief;
  readonly observation: Observation;
  readonly signal: AbortSignal;
}

/** Contract: may throw, which ends the episode with a recorded abstention. */
export type ProposeFunction = (seen: Seen) => Proposal | Promise<Proposal>;

export const ownPolicyId = "own.v1";

/** A name with a slash, or one that ends like a module, is a file. */
export function isPolicyFile(name: string): boolean {
  return /[\\/]/.test(name) || /\.m?js$/.test(name);
}

/** `path` is absolute. */
export async function ownPolicy(path: string, { ports }: Pick<PolicySurroundings, "ports">): Promise<Policy> {
  let text: string;
  try {
    text = await readWhole(path, ports.files);
  } catch (error) {
    throw failureAt(path, error);
  }
  const propose = await functionIn(path);
  const file = basename(path);
  return {
    policyId: ownPolicyId,
    params: { file, sha256: sha256Hex(text) },
    // Nobody can promise for it that it decides the same again, so a run that is resumed takes what it decided.
    nondeterministicComponents: [`the policy in ${file}`],
    begin: (brief, { signal }) => ({ propose: (observation) => propose({ brief, observation, signal }) }),
  };
}

async function functionIn(path: string): Promise<ProposeFunction> {
  let found: Readonly<Record<string, unknown>>;
  try {
    found = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw invalid(
      path,
      `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
  const propose = found["propose"];
  if (typeof propose !== "function") throw invalid(path, "it exports no function propose");
  return propose as ProposeFunction;
}

function invalid(path: string, what: string, cause?: unknown): Failure {
  return new Failure("policy_params_invalid", {
    message: `${path}: ${what}`,
    hint: "A policy of your own looks like examples/search/own-policy.mjs: export function propose({ brief, observation }) { … }",
    cause,
  });
}
