/**
 * Branches: one level of decomposition, as a few reads with a name.
 *
 * A branch is not a second agent. It names its kind, carries arguments that have
 * a schema of their own, and is carried out at once by the harness: each of its
 * reads is a step that points back to it.
 */
import type { JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { nearest } from "@bridle/operation";
import { searchLimits } from "../limits.js";
import { type ActionName, type ActionRefusal, type SubqueryType, subqueryTypes } from "../types.js";
import { type ArgsOf, checkArgs, proposalArgs } from "./args.js";

export interface ChildRead {
  readonly action_name: ActionName;
  readonly action_args: JsonObject;
}

export interface Branch {
  readonly subqueryType: SubqueryType;
  readonly reads: readonly ChildRead[];
}

const { anchor_market, window_id } = proposalArgs.read_market_state.properties;
const windowIds = Type.Array(window_id, {
  minItems: 1,
  maxItems: searchLimits.branchReadsMax,
  uniqueItems: true,
  description: "A read for each window.",
});
const ofWindows = Type.Object({ anchor_market, window_ids: windowIds }, { additionalProperties: false });

export const subqueryArgs = {
  derived_metrics: ofWindows,
  persistence_check: ofWindows,
  peer_comparison: Type.Object(
    {
      anchor_market,
      peer_markets: proposalArgs.compare_markets.properties.peer_markets,
      window_ids: windowIds,
    },
    { additionalProperties: false },
  ),
  prior_episode_lookup: Type.Object(
    {
      anchor_market,
      patterns: Type.Array(proposalArgs.retrieve_similar_prior_episodes.properties.pattern_id_or_query, {
        minItems: 1,
        maxItems: searchLimits.branchReadsMax,
        uniqueItems: true,
        description: "A lookup for each, by id or in words.",
      }),
    },
    { additionalProperties: false },
  ),
} as const satisfies Record<SubqueryType, Type.TObject>;

export function branchOf({
  subquery_type,
  arguments: given,
}: ArgsOf<"branch_subquery">): Branch | ActionRefusal {
  const args = given as JsonObject;
  if (subquery_type === "branch_subquery" || "subquery_type" in args) {
    return {
      class: "branch_nested",
      message: "a branch cannot hold a branch; propose them one after the other",
    };
  }
  if (!isSubqueryType(subquery_type)) {
    const near = nearest(subquery_type, subqueryTypes);
    const meant = near === undefined ? `it is one of ${subqueryTypes.join(", ")}` : `did you mean ${near}?`;
    return {
      class: "subquery_type_unknown",
      message: `there is no subquery type ${subquery_type}; ${meant}`,
    };
  }
  const refusal = checkArgs(subqueryArgs[subquery_type], args);
  if (refusal !== undefined)
    return { ...refusal, message: `arguments of ${subquery_type}: ${refusal.message}` };
  return { subqueryType: subquery_type, reads: readsOf(subquery_type, args) };
}

function isSubqueryType(name: string): name is SubqueryType {
  return (subqueryTypes as readonly string[]).includes(name);
}

function readsOf(type: SubqueryType, args: JsonObject): ChildRead[] {
  const {
    anchor_market: market,
    window_ids = [],
    peer_markets = [],
    patterns = [],
  } = args as {
    readonly anchor_market: string;
    readonly window_ids?: readonly string[];
    readonly peer_markets?: readonly string[];
    readonly patterns?: readonly string[];
  };
  switch (type) {
    case "derived_metrics":
      return window_ids.map((window) => scoped("read_derived_metrics", market, window));
    case "persistence_check":
      return window_ids.map((window) => scoped("read_persistence", market, window));
    case "peer_comparison":
      return window_ids.map((window) => ({
        action_name: "compare_markets",
        action_args: { anchor_market: market, peer_markets, window_id: window },
      }));
    case "prior_episode_lookup":
      return patterns.map((pattern) => ({
        action_name: "retrieve_similar_prior_episodes",
        action_args: { anchor_market: market, pattern_id_or_query: pattern },
      }));
  }
}

function scoped(action_name: ActionName, market: string, window: string): ChildRead {
  return { action_name, action_args: { anchor_market: market, window_id: window } };
}
