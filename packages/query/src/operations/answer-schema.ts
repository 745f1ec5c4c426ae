/** What every question gets back, as a schema; shared by `hlq ask` and the tools. */
import * as Type from "typebox";
import { familyNames, unsupportedReasons } from "../families.js";

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const literals = (values: readonly string[]) => Type.Enum([...values]);

const Slot = Type.Object({ field: Type.String(), value: Type.Unknown(), label: Type.String() });
const Dropped = Type.Object({
  field: Type.String(),
  value: Type.Unknown(),
  label: Type.String(),
  reason: Type.String(),
});
const coverageFields = {
  applied: Type.Array(Slot),
  dropped: Type.Array(Dropped),
  fully_covered: Type.Boolean(),
};

export const ProvenanceSchema = Type.Object(
  {
    bridge_version: Type.String({ description: "Digest of templates, examples and names of coins." }),
    bridge_format_version: Type.String(),
    ann_snapshot_items: Type.Integer({
      description: "Labelled examples that neighbours were looked for in.",
    }),
    template: nullable(Type.String()),
    intent_classifier: Type.String(),
    coverage: nullable(
      Type.Union([
        Type.Object(coverageFields),
        Type.Object({ per_coin: Type.Array(Type.Object({ coin: Type.String(), ...coverageFields })) }),
      ]),
    ),
    timestamp_utc: Type.String({
      description:
        "As of when the answer holds, RFC 3339; the clock's time where it has no as-of of its own.",
    }),
  },
  { additionalProperties: false, title: "Where an answer comes from" },
);

const Cell = Type.Unsafe<string | number | boolean | null>({ type: ["string", "number", "boolean", "null"] });

export const answerFields = {
  status: literals(["answered", "empty", "dry_run", "help", "unsupported"]),
  question: Type.String(),
  summary: Type.String(),
  family: nullable(literals(familyNames)),
  confidence: nullable(Type.Number()),
  reason: nullable(literals(Object.keys(unsupportedReasons))),
  suggestion: nullable(Type.String()),
  synthetic: nullable(Type.Boolean()),
  source: nullable(Type.Object({ kind: Type.String(), name: Type.String(), engine: Type.String() })),
  window: Type.Unknown(),
  hours: nullable(
    Type.Object({
      from_hour: Type.Integer(),
      to_hour: Type.Integer(),
      from_utc: Type.String(),
      to_utc: Type.String(),
    }),
  ),
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Record(Type.String(), Cell)),
  sql: Type.Array(
    Type.Object({
      template: Type.String(),
      text: Type.String(),
      parameters: Type.Record(Type.String(), Type.Union([Cell, Type.Array(Type.String())])),
      coin: Type.Optional(Type.String()),
    }),
  ),
  provenance: ProvenanceSchema,
} as const;
