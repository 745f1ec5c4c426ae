/** A number with how sure it is, as it stands in an evaluation. */
import * as Type from "typebox";

const closed = { additionalProperties: false };

export const Interval = Type.Object({ high: Type.Number(), low: Type.Number() }, closed);
export type Interval = Type.Static<typeof Interval>;

const maybe = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const Estimate = Type.Object(
  {
    interval: maybe(
      Interval,
      "95 %, by market and block of time at once; null with fewer than six of either.",
    ),
    of: Type.Number({
      minimum: 0,
      description: "What it was divided by: episodes, artifacts or places of evidence.",
    }),
    standard_error: maybe(Type.Number({ minimum: 0 }), "Null where there is no interval."),
    value: maybe(Type.Number(), "Null when there was nothing to divide by."),
  },
  closed,
);
export type Estimate = Type.Static<typeof Estimate>;
