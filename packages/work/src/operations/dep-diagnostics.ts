/** `premath dep diagnostics`: whether issues wait for each other in a circle. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { integrityOf, pathText, waitsIn } from "../memory/cycle.js";
import { Integrity } from "./dep-input.js";
import { issuesInput } from "../calls/issues.js";
import { askIssues } from "./issue-question.js";
import { counted } from "./text-layout.js";

export const depDiagnostics = defineOperation({
  names: {
    id: "op/mcp.dep_diagnostics",
    action: "dep.diagnostics",
    command: ["dep", "diagnostics"],
    tool: "dep_diagnostics",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Say whether issues wait for each other in a circle.",
  description:
    "Judged over the four kinds of dependency that block. The active scope has the issues that are open or in progress " +
    "and what they wait for among themselves; the full scope has all of them. The path is the same for the same issues, " +
    "whatever the order of the rows. A cycle is an answer, not a failure.",
  examples: [
    { command: "premath dep diagnostics", says: "is there a deadlock in the work at hand?" },
    { command: "premath dep diagnostics --graph-scope full", says: "closed and blocked issues included" },
  ],
  input: Type.Object(
    {
      graphScope: Type.Optional(
        Type.Enum(["active", "full"], {
          default: "active",
          description: "Which issues count; active when left out.",
        }),
      ),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("dep.diagnostics"),
    issuesPath: Type.String(),
    graphScope: Type.Enum(["active", "full"]),
    issueCount: Type.Integer({ description: "Issues in the scope; additive." }),
    integrity: Integrity,
  }),
  async run(input, call) {
    const { graphScope = "active" } = input;
    return askIssues(input, call, ({ graph, issuesPath }) => {
      const waits = waitsIn(graph, graphScope);
      const { hasCycle, cyclePath } = integrityOf(waits);
      return {
        action: "dep.diagnostics" as const,
        issuesPath,
        graphScope,
        issueCount: waits.size,
        integrity: { hasCycle, cyclePath: cyclePath === null ? null : [...cyclePath] },
      };
    });
  },
  present({ graphScope, issueCount, integrity: { cyclePath } }, paint) {
    const issues =
      graphScope === "active"
        ? counted(issueCount, "active issue", "active issues")
        : counted(issueCount, "issue", "issues");
    if (cyclePath === null) return `  ${paint.good("no cycle")} among ${issues}`;
    const [from = "", to = ""] = cyclePath;
    return [
      `  ${paint.bad("cycle")} ${pathText(cyclePath)}`,
      `  None of these can become ready. Cut one edge, e.g. with \`premath dep remove ${from} ${to} --type <type>\`;`,
      "  `premath dep project` lists the types.",
    ].join("\n");
  },
});
