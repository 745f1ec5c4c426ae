/**
 * What each proposal takes, by the frozen names.
 *
 * These schemas are also what a planner's tools and the MCP server show, so a
 * model is told the very rules that it is held to. Members are in code-point
 * order, because arguments are written down as they were checked.
 */
import { sentencesAbout } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { searchLimits } from "../limits.js";
import {
  type ActionRefusal,
  decisionClasses,
  type ProposalName,
  pruneReasons,
  stopReasons,
} from "../types.js";

const closed = { additionalProperties: false };
const id = (description: string) =>
  Type.String({ minLength: 1, maxLength: searchLimits.idCharsMax, description });
const market = id("A market of the episode, for example BTC.");
const window = id("A window of the episode.");
const artifact = id("The id of an artifact that was read in this episode.");

/** One of a few reasons, and perhaps a short detail on the same line. */
function reason(reasons: readonly string[], description: string) {
  return Type.String({
    pattern: `^(${reasons.join("|")})(: [^\\u0000-\\u001f\\u2028\\u2029]{1,${searchLimits.reasonDetailCharsMax}})?$`,
    description: `${description} One of ${reasons.join(", ")}; ": " and a short detail may follow.`,
  });
}

const ReadArgs = Type.Object({ anchor_market: market, window_id: window }, closed);
const retained = Type.Array(artifact, {
  uniqueItems: true,
  description: "What the decision rests on; each must be in the working set.",
});
const openRisks = Type.Array(Type.String({ minLength: 1, maxLength: searchLimits.openRiskCharsMax }), {
  maxItems: searchLimits.openRisksMax,
  description: "What could still be wrong.",
});
const stopReason = reason(stopReasons, "Why the episode ends.");

export const proposalArgs = {
  read_market_state: ReadArgs,
  read_derived_metrics: ReadArgs,
  read_persistence: ReadArgs,
  compare_markets: Type.Object(
    {
      anchor_market: market,
      peer_markets: Type.Array(market, {
        minItems: 1,
        maxItems: searchLimits.peerMarketsMax,
        description: "Any of the episode's markets.",
      }),
      window_id: window,
    },
    closed,
  ),
  retrieve_similar_prior_episodes: Type.Object(
    {
      anchor_market: market,
      pattern_id_or_query: Type.String({
        minLength: 1,
        maxLength: searchLimits.patternQueryCharsMax,
        description: "The id of a pattern, or words that describe it.",
      }),
    },
    closed,
  ),
  keep_artifact: Type.Object({ artifact_id: artifact }, closed),
  drop_artifact: Type.Object({ artifact_id: artifact }, closed),
  prune_working_set: Type.Object(
    {
      artifact_ids: Type.Array(artifact, {
        minItems: 1,
        maxItems: searchLimits.pruneIdsMax,
        uniqueItems: true,
        description: "What to remove from the working set.",
      }),
      reason: reason(pruneReasons, "Why they are removed."),
    },
    closed,
  ),
  branch_subquery: Type.Object(
    {
      arguments: Type.Object({}, { description: "What this type of subquery takes." }),
      subquery_type: id("Which kind of child retrieval."),
    },
    closed,
  ),
  finalize: Type.Object(
    {
      decision_class: Type.Enum([...decisionClasses], { description: "The decision." }),
      open_risks: openRisks,
      retained_artifact_ids: retained,
      stop_reason: stopReason,
    },
    closed,
  ),
  abstain: Type.Object(
    {
      decision_class: Type.Optional(
        Type.Null({ description: "Nothing, or null: an abstention is no decision." }),
      ),
      open_risks: openRisks,
      retained_artifact_ids: retained,
      stop_reason: stopReason,
    },
    closed,
  ),
  decision_update: Type.Object(
    {
      stop_candidate: Type.Object(
        {
          confidence: Type.Number({
            minimum: 0,
            maximum: 1,
            description: "How likely the leaning is right.",
          }),
          leaning: Type.Enum([...decisionClasses, "abstain"], { description: "What it looks like now." }),
        },
        closed,
      ),
    },
    closed,
  ),
} as const satisfies Record<ProposalName, Type.TObject>;

export type ArgsOf<Name extends ProposalName> = Type.Static<(typeof proposalArgs)[Name]>;

const validators = new Map<object, Validator>();

/** Undefined when they fit. */
export function checkArgs(schema: Type.TObject, args: JsonObject): ActionRefusal | undefined {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema) as Validator));
  if (validator.Check(args)) return undefined;
  return { class: "args_invalid", message: sentencesAbout(schema, args).slice(0, 3).join("; ") };
}
