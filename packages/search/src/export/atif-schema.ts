/**
 * ATIF v1.8 as far as we write it, and everything from v1.4 on as far as we read
 * it. The format has no public schema: its rules stand in `atifFaults`.
 *
 * | version | what it brought                                              |
 * | ------- | ------------------------------------------------------------ |
 * | v1.5    | `tool_definitions` moved from `agent.extra` to `agent`       |
 * | v1.7    | `trajectory_id`, and `extra` on calls and on results         |
 * | v1.8    | audio, which we have none of                                 |
 *
 * Readers of ATIF refuse members that they do not know, so everything is closed.
 */
import * as Type from "typebox";
import { Compile } from "typebox/schema";

export const atifSchemaVersion = "ATIF-v1.8";
export const atifVersionsRead = ["ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8"] as const;

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
            Type.Object(
              {
                content: Type.String(),
                extra: Type.Optional(Extra),
                source_call_id: Type.Optional(Type.String()),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    source: Type.Enum(["system", "user", "agent"]),
    step_id: Type.Integer({ minimum: 1 }),
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            arguments: Extra,
            extra: Type.Optional(Extra),
            function_name: Type.String(),
            tool_call_id: Type.String(),
          },
          closed,
        ),
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
        tool_definitions: Type.Optional(Type.Array(Extra)),
        version: Type.String(),
      },
      closed,
    ),
    extra: Extra,
    final_metrics: Type.Object({ extra: Extra, total_steps: Type.Integer({ minimum: 0 }) }, closed),
    notes: Type.String(),
    schema_version: Type.Enum([...atifVersionsRead]),
    session_id: Type.String({ minLength: 1 }),
    steps: Type.Array(AtifStep, { minItems: 1 }),
    trajectory_id: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
export type AtifTrajectory = Type.Static<typeof AtifTrajectory>;

const shape = Compile(AtifTrajectory);

/** What a trajectory has against the rules of its version, in words; empty where it is sound. */
export function atifFaults(value: unknown): string[] {
  if (!shape.Check(value)) return ["it does not have the members of an ATIF trajectory"];
  const { agent, schema_version, steps, trajectory_id } = value as AtifTrajectory;
  const version = (atifVersionsRead as readonly string[]).indexOf(schema_version) + 4;
  return [
    ...(agent.tool_definitions !== undefined && version < 5 ? ["agent.tool_definitions is of v1.5"] : []),
    ...(trajectory_id !== undefined && version < 7 ? ["trajectory_id is of v1.7"] : []),
    ...steps.flatMap((step, i) => stepFaults(step, i + 1, version)),
  ];
}

function stepFaults(
  { step_id, source, tool_calls, observation }: AtifStep,
  expected: number,
  version: number,
): string[] {
  const calls = tool_calls ?? [];
  const results = observation?.results ?? [];
  const ids = calls.map(({ tool_call_id }) => tool_call_id);
  const has = (list: readonly { readonly extra?: unknown }[]) =>
    list.some(({ extra }) => extra !== undefined);
  const stranger = results.find(
    ({ source_call_id }) => source_call_id !== undefined && !ids.includes(source_call_id),
  );
  return [
    ...(step_id === expected ? [] : [`step ${expected} is numbered ${step_id}`]),
    ...(source === "agent" || tool_calls === undefined
      ? []
      : [`step ${expected} calls a tool and is by the ${source}`]),
    ...(new Set(ids).size === ids.length ? [] : [`step ${expected} has two calls of one id`]),
    ...(stranger === undefined
      ? []
      : [`step ${expected} has a result of ${stranger.source_call_id}, which it did not call`]),
    ...(version < 7 && (has(calls) || has(results))
      ? [`step ${expected} has extra on a call or a result, which is of v1.7`]
      : []),
  ];
}
