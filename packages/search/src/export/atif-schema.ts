/** ATIF v1.4 as far as we write it. Readers of ATIF refuse members that they do not know, so it is closed. */
import * as Type from "typebox";

export const atifSchemaVersion = "ATIF-v1.4";

const closed = { additionalProperties: false };
const Extra = Type.Record(Type.String(), Type.Unknown());

export const AtifStep = Type.Object(
  {
    extra: Type.Optional(Extra),
    message: Type.String(),
    observation: Type.Optional(
      Type.Object(
        {
          results: Type.Array(
            Type.Object({ content: Type.String(), source_call_id: Type.Optional(Type.String()) }, closed),
          ),
        },
        closed,
      ),
    ),
    source: Type.Enum(["system", "user", "agent"]),
    step_id: Type.Integer({ minimum: 1 }),
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object({ arguments: Extra, function_name: Type.String(), tool_call_id: Type.String() }, closed),
      ),
    ),
  },
  closed,
);
export type AtifStep = Type.Static<typeof AtifStep>;

export const AtifTrajectory = Type.Object(
  {
    agent: Type.Object(
      {
        extra: Extra,
        model_name: Type.Optional(Type.String()),
        name: Type.String(),
        version: Type.String(),
      },
      closed,
    ),
    extra: Extra,
    final_metrics: Type.Object({ extra: Extra, total_steps: Type.Integer({ minimum: 0 }) }, closed),
    notes: Type.String(),
    schema_version: Type.Literal(atifSchemaVersion),
    session_id: Type.String({ minLength: 1 }),
    steps: Type.Array(AtifStep, { minItems: 1 }),
  },
  closed,
);
export type AtifTrajectory = Type.Static<typeof AtifTrajectory>;
