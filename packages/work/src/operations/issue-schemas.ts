/** Schemas that the answers about issues share. */
import * as Type from "typebox";

export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const listOf = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Array(schema, { description });

export const issuesPathAnswer = Type.String({ description: "Issue memory, as the caller knows it." });

/** What every list of issues says about each. */
export const issueHead = {
  id: Type.String(),
  title: Type.String(),
  status: Type.String(),
  priority: Type.Integer({ description: "0 is the most urgent." }),
} as const;

export const limitInput = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${what} at most; all of them when left out.` }));
