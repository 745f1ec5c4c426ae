/** `premath dep replace`: a dependency becomes one of another type. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { replaceDependency } from "../memory/dependency-change.js";
import { dependencyTypes } from "../memory/types.js";
import { createdByInput, dependencyType, endpointsInput, typeInput } from "./dep-input.js";
import { changingMemory } from "../calls/issues.js";

export const depReplace = defineOperation({
  names: {
    id: "op/mcp.dep_replace",
    action: "dep.replace",
    command: ["dep", "replace"],
    tool: "dep_replace",
  },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Give a dependency another type.",
  description:
    "In one step, so that an issue is never seen without the dependency. One that becomes blocking is refused when it " +
    "would let issues wait for each other in a circle. What the dependency says that this version does not know stays.",
  examples: [
    {
      command: "premath dep replace bd-3 bd-7 --from-type related --to-type blocks",
      says: "bd-3 waits for bd-7 from now on",
    },
    { command: "premath dep replace bd-3 bd-1 --to-type waits-for", says: "blocks becomes waits-for" },
  ],
  input: Type.Object(
    {
      ...endpointsInput,
      fromDepType: typeInput("The type that it has", "from-type"),
      toDepType: Type.Enum(dependencyTypes, { "x-flag": "to-type", description: "The type that it gets." }),
      createdBy: createdByInput("Who made the dependency; the old one stays when this is blank or left out."),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("dep.replace"),
    issuesPath: Type.String(),
    dependency: Type.Object({
      issueId: Type.String(),
      dependsOnId: Type.String(),
      fromType: dependencyType("The type that it had."),
      toType: dependencyType("The type that it has."),
      createdBy: Type.Union([Type.String(), Type.Null()], { description: "Who made it." }),
    }),
  }),
  async run(input, call) {
    const { fromDepType: fromType = "blocks", toDepType: toType } = input;
    return changingMemory(input, call, async (memory, { shown }) => {
      const answer = await memory.change(replaceDependency({ ...input, fromType, toType }));
      if (isRefusal(answer)) return answer;
      const { issueId, dependsOnId, createdBy = null } = answer;
      const dependency = { issueId, dependsOnId, fromType, toType, createdBy };
      return { action: "dep.replace" as const, issuesPath: shown, dependency };
    });
  },
  present({ dependency: { issueId, dependsOnId, fromType, toType } }, paint) {
    return `  ${paint.strong(issueId)} -> ${paint.strong(dependsOnId)}: ${fromType} became ${toType}`;
  },
});
