/** `premath dep add`: one issue depends on another. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { isBlocking, parentType } from "../memory/dependency-kinds.js";
import { addDependency } from "../memory/dependency-change.js";
import { ChangedDependency, createdByInput, endpointsInput, typeInput } from "./dep-input.js";
import { changingMemory } from "../calls/issues.js";

export const depAdd = defineOperation({
  names: { id: "op/mcp.dep_add", action: "dep.add", command: ["dep", "add"], tool: "dep_add" },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Let one issue depend on another.",
  description:
    "blocks, conditional-blocks and waits-for: the issue is not ready before the other is closed. parent-child: the " +
    "issue is a child of the other and waits with it, while that waits for something. An edge that would let these go " +
    "round in a circle is refused with the path, whether the issues are open or closed, and so is a child that would " +
    "wait for its own parent; other edges that do not block make no circle, so an issue may wait for work that was discovered from it.",
  examples: [
    { command: "premath dep add bd-3 bd-1", says: "bd-3 waits until bd-1 is closed" },
    { command: "premath dep add bd-3 bd-7 --type related", says: "the two belong together" },
  ],
  input: Type.Object(
    {
      ...endpointsInput,
      depType: typeInput("How it depends", "type"),
      createdBy: createdByInput("Who made the dependency; kept with it."),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("dep.add"),
    issuesPath: Type.String(),
    dependency: ChangedDependency,
  }),
  async run(input, call) {
    return changingMemory(input, call, async (memory, { shown }) => {
      const dependency = await memory.change(addDependency({ ...input, type: input.depType ?? "blocks" }));
      if (isRefusal(dependency)) return dependency;
      return { action: "dep.add" as const, issuesPath: shown, dependency };
    });
  },
  present({ dependency: { issueId, dependsOnId, type } }, paint) {
    const verb =
      type === parentType ? "is now a child of" : isBlocking(type) ? "now waits for" : "now refers to";
    return `  ${paint.strong(issueId)} ${verb} ${paint.strong(dependsOnId)} (${type})`;
  },
});
