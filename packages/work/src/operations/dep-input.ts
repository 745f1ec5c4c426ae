/** What the operations on dependencies are asked, and how they answer. */
import * as Type from "typebox";
import { dependencyTypes } from "../memory/types.js";
import { issuesInput } from "../calls/issues.js";
import { mutationInput } from "./mutation-input.js";

export const dependencyType = (description: string) => Type.Enum(dependencyTypes, { description });

const id = (position: number, description: string) =>
  Type.String({ minLength: 1, "x-position": position, "x-placeholder": "id", description });

export const endpointsInput = {
  issueId: id(0, "The issue that depends."),
  dependsOnId: id(1, "The issue that it depends on."),
  ...mutationInput,
  ...issuesInput,
} as const;

export const typeInput = (description: string, flag: string) =>
  Type.Optional(
    Type.Enum(dependencyTypes, {
      default: "blocks",
      "x-flag": flag,
      description: `${description}; blocks when left out.`,
    }),
  );

export const createdByInput = (description: string) =>
  Type.Optional(Type.String({ "x-placeholder": "name", description }));

/** An edge in an answer. */
export const ChangedDependency = Type.Object({
  issueId: Type.String(),
  dependsOnId: Type.String(),
  type: dependencyType("The kind of the dependency."),
  createdBy: Type.Optional(Type.String({ description: "Who made it; additive." })),
});

export const Integrity = Type.Object(
  {
    hasCycle: Type.Boolean({ description: "Whether some issues wait for each other in a circle." }),
    cyclePath: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "From the smallest id on a cycle back to it; null without one.",
    }),
  },
  { description: "Judged over the four kinds that block." },
);
