/** What a pack's files must look like, as the code checks them; also published under schemas/. */
import * as Type from "typebox";
import { searchLimits } from "../limits.js";
import { decisionClasses, tokenBudgets, truthsFile, viewNames } from "../types.js";
import { partsRule } from "./parts.js";
import { firstPackSchemaVersion, packSchemaVersion } from "./types.js";

const name = Type.String({ minLength: 1, maxLength: searchLimits.idCharsMax });
const hex = Type.String({ pattern: "^[0-9a-f]{64}$" });
const open = (description: string) => Type.Object({}, { additionalProperties: true, description });

const Source = Type.Object({
  name: Type.String({ description: "A name without a folder of the machine that made the pack." }),
  rows: Type.Integer({ minimum: 0 }),
  sha256: hex,
  synthetic: Type.Boolean(),
});

/** What both formats have. */
const common = {
  episode_count: Type.Integer({ minimum: 0 }),
  episodes_sha256: hex,
  generated_at_utc: Type.String({ description: "RFC 3339." }),
  generator_git_sha: Type.String({
    description: "`unknown` outside git; `-dirty` at its end when files were changed.",
  }),
  generator_params: open("Everything that the content depends on beside the sources."),
  generator_repo_relpath: Type.String(),
  generator_script: Type.String(),
  nondeterministic_components: Type.Array(Type.String()),
  pack_id: Type.String({ pattern: "^pack_[0-9a-f]{16}$" }),
  source_dataset_refs: Type.Array(Source),
  synthetic: Type.Boolean(),
};

const hour = Type.Integer({ description: "Hours since 1970." });
const PartsSchema = Type.Object({
  embargo_hours: Type.Integer({ minimum: 0, description: "Before each part, of no part." }),
  rule: Type.Literal(partsRule),
  test_from_hour: hour,
  validation_from_hour: hour,
});

export const PackManifestSchema = Type.Object(
  {
    ...common,
    blocks: Type.Array(
      Type.Object({
        bytes: Type.Integer({ minimum: 1 }),
        episodes: Type.Integer({ minimum: 1 }),
        first_episode_id: name,
        sha256: hex,
      }),
      { description: "Whole lines of episodes.jsonl, one after the other." },
    ),
    parts: Type.Union([PartsSchema, Type.Null()]),
    schema_version: Type.Literal(packSchemaVersion),
    truths_sha256: hex,
  },
  { title: "The manifest of a replay pack" },
);

export const FirstPackManifestSchema = Type.Object(
  { ...common, schema_version: Type.Literal(firstPackSchemaVersion) },
  { title: "The manifest of a replay pack of the first format" },
);

const ViewSchema = Type.Object({
  anchor_market: name,
  payload: open("The evidence; numbers of the venue are decimal strings."),
  source_refs: Type.Array(Type.String()),
  window_id: name,
});

const comparison = Type.Object({
  ...ViewSchema.properties,
  payload: Type.Object({
    ranked_by: Type.String(),
    rows: Type.Array(Type.Object({ market: name }, { additionalProperties: true })),
  }),
});

const shortlist = Type.Object({
  ...ViewSchema.properties,
  payload: Type.Object({
    episodes: Type.Array(open("An earlier episode.")),
    pattern_id: name,
    words: Type.Array(Type.String()),
  }),
});

const episode = {
  anchor_market: name,
  environment_views: Type.Object({
    derived_metrics: Type.Array(ViewSchema),
    market_state: Type.Array(ViewSchema),
    peer_comparisons: Type.Optional(Type.Array(comparison)),
    persistence: Type.Array(ViewSchema),
    prior_episode_shortlists: Type.Optional(Type.Array(shortlist)),
  }),
  episode_id: name,
  query: Type.String({ minLength: 1 }),
  step_budget: Type.Integer({ minimum: 1, maximum: searchLimits.stepBudgetMax }),
  token_budget_class: Type.Enum(Object.keys(tokenBudgets) as (keyof typeof tokenBudgets)[]),
  window_id: name,
};

const truth = {
  evidence: Type.Array(Type.Object({ view_name: Type.Enum([...viewNames]), window_id: name })),
  outcome: open("What happened after the window."),
  truth: Type.Enum([...decisionClasses, "abstain"]),
};

export const EpisodeRecordSchema = Type.Object(
  {
    ...episode,
    ground_truth_reference: Type.Object(
      { file: Type.Literal(truthsFile) },
      { additionalProperties: false, description: "Where the truth is kept; nothing of it stands here." },
    ),
  },
  { title: "An episode of a replay pack" },
);

export const FirstEpisodeRecordSchema = Type.Object(
  { ...episode, ground_truth_reference: Type.Object(truth) },
  { title: "An episode of a replay pack of the first format" },
);

export const TruthRecordSchema = Type.Object(
  { anchor_market: name, episode_id: name, ...truth, window_id: name },
  { title: "The truth of an episode" },
);
