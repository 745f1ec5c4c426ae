/** `premath dep project`: every dependency with what it means in one view. */
import { columns, defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { integrityOf, pathText, waitsIn } from "../memory/cycle.js";
import { projectDependencies } from "../memory/dependency-projection.js";
import { dependencyType, Integrity } from "./dep-input.js";
import { issuesInput } from "../calls/issues.js";
import { askIssues } from "./issue-question.js";
import { cell, counted } from "./text-layout.js";

const View = Type.Enum(["execution", "gtd", "groupoid"], { description: "Which view." });

export const depProject = defineOperation({
  names: { id: "op/dep.project", action: "dep.project", command: ["dep", "project"], tool: "dep_project" },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "List every dependency with its role in a view.",
  description:
    "execution tells what blocks from what only informs; gtd sorts into next actions, project structure, captured work, " +
    "reference and duplicates; groupoid into constraints, generators, provenance and equivalences. With the integrity of " +
    "the full graph.",
  examples: [
    { command: "premath dep project", says: "what blocks what" },
    { command: "premath dep project --view gtd --json", says: "the same edges as projects and next actions" },
  ],
  input: Type.Object(
    {
      view: Type.Optional(
        Type.Enum(["execution", "gtd", "groupoid"], {
          default: "execution",
          description: "Which view; execution when left out.",
        }),
      ),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("dep.project"),
    issuesPath: Type.String(),
    view: View,
    count: Type.Integer(),
    items: Type.Array(
      Type.Object({
        issueId: Type.String(),
        dependsOnId: Type.String(),
        type: dependencyType("The kind of the dependency."),
        view: View,
        role: Type.String({ description: "What the kind means in the view." }),
        blocking: Type.Boolean(),
        createdBy: Type.Union([Type.String(), Type.Null()]),
      }),
      { description: "By issueId, dependsOnId, type and createdBy." },
    ),
    integrity: Integrity,
  }),
  async run(input, call) {
    const { view = "execution" } = input;
    return askIssues(input, call, ({ graph, issuesPath }) => {
      const { items, unread } = projectDependencies(graph, view);
      const [first] = unread;
      if (first !== undefined) {
        const rows = counted(unread.length, "row is no issue", "rows are no issues");
        call.warn(`${rows} and left out, ${first} first; \`premath issue check\` says why.`);
      }
      const { hasCycle, cyclePath } = integrityOf(waitsIn(graph, "full"));
      return {
        action: "dep.project" as const,
        issuesPath,
        view,
        count: items.length,
        items,
        integrity: { hasCycle, cyclePath: cyclePath === null ? null : [...cyclePath] },
      };
    });
  },
  present({ items, integrity: { cyclePath } }, paint) {
    const rows = items.map(({ issueId, dependsOnId, type, role, createdBy }) => [
      paint.strong(cell(issueId)),
      cell(dependsOnId),
      type,
      role,
      createdBy === null ? "" : paint.dim(cell(createdBy)),
    ]);
    const cycle = cyclePath === null ? "no cycle" : paint.bad(`cycle ${pathText(cyclePath)}`);
    const total = `  ${counted(items.length, "dependency", "dependencies")} · ${cycle}`;
    return [...columns(rows), total].join("\n");
  },
});
