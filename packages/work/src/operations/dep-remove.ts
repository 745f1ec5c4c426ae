/** `premath dep remove`: one issue no longer depends on another. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { removeDependency } from "../memory/dependency-change.js";
import { ChangedDependency, endpointsInput, typeInput } from "./dep-input.js";
import { changingMemory } from "../calls/issues.js";

export const depRemove = defineOperation({
  names: { id: "op/mcp.dep_remove", action: "dep.remove", command: ["dep", "remove"], tool: "dep_remove" },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Remove a dependency of one issue on another.",
  description:
    "Two issues may depend on each other in several ways; the one of the type is removed and the others stay. A " +
    "dependency on an issue that is not there can be removed too.",
  examples: [
    { command: "premath dep remove bd-3 bd-1", says: "bd-3 no longer waits for bd-1" },
    {
      command: "premath dep remove bd-3 bd-7 --type related",
      says: "removes that one, and keeps the others",
    },
  ],
  input: Type.Object(
    { ...endpointsInput, depType: typeInput("The type of the one that goes", "type") },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("dep.remove"),
    issuesPath: Type.String(),
    dependency: ChangedDependency,
  }),
  async run(input, call) {
    return changingMemory(input, call, async (memory, { shown }) => {
      const dependency = await memory.change(removeDependency({ ...input, type: input.depType ?? "blocks" }));
      if (isRefusal(dependency)) return dependency;
      return { action: "dep.remove" as const, issuesPath: shown, dependency };
    });
  },
  present({ dependency: { issueId, dependsOnId, type } }, paint) {
    return `  ${paint.strong(issueId)} no longer depends on ${paint.strong(dependsOnId)} (${type})`;
  },
});
