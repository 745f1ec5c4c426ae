/** `premath issue tree`: issues below those that they belong to or hold up. */
import { defineOperation, type Paint } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { workLimits } from "../limits.js";
import { resolveNode } from "../memory/resolve.js";
import { issueTree as treeOf, type TreeItem, treeMarks } from "../memory/tree.js";
import { askIssues } from "./issue-question.js";
import { count, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { statusCell } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { cell, counted } from "./text-layout.js";

export const IssueTree = Type.Object({
  action: Type.Literal("issue.tree"),
  issuesPath: issuesPathAnswer,
  rootId: orNull(Type.String({ description: "The issue at the top; null when all were asked for." })),
  depthMax: count("How deep the tree is shown."),
  count: count("How many items there are."),
  items: listOf(
    Type.Object({
      depth: count("0 at the top."),
      id: Type.String(),
      title: Type.String(),
      status: orNull(Type.String({ description: "Null when the issue is missing." })),
      priority: orNull(Type.Integer()),
      via: orNull(Type.String({ description: "The type of the dependency; null at the top." })),
      mark: orNull(
        Type.Enum([...treeMarks], {
          description:
            "Why nothing stands below: cycle, it stands above itself; repeated, it is unfolded elsewhere; missing, " +
            "it is not in the file; cut, the tree is not shown deeper.",
        }),
      ),
    }),
    "Depth first: children by id, then what an issue waits for by id.",
  ),
});

export const issueTree = defineOperation({
  names: { id: "op/issue.tree", action: "issue.tree", command: ["issue", "tree"], tool: "issue_tree" },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Show how issues belong together and what they wait for.",
  description:
    "Below an issue stand its children (parent-child), then what it waits for (blocks, conditional-blocks, " +
    "waits-for). Every issue is unfolded once; where it is met again it is marked, and a cycle is cut and marked.",
  examples: [
    { command: "premath issue tree", says: "all issues, from those that stand below no other" },
    { command: "premath issue tree bd-1 --depth 3", says: "three levels below one of them" },
  ],
  input: Type.Object(
    {
      id: Type.Optional(
        Type.String({
          minLength: 1,
          "x-position": 0,
          "x-placeholder": "id",
          description: "The issue at the top; all that stand below no other when left out.",
        }),
      ),
      depth: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: workLimits.treeDepthMax,
          default: workLimits.treeDepthDefault,
          description: `Levels below the top, ${workLimits.treeDepthDefault} when left out.`,
        }),
      ),
      hideClosed: Type.Optional(Type.Boolean({ description: "Leave closed issues out." })),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueTree,
  run: (input, call) =>
    askIssues(input, call, ({ graph, issuesPath }) => {
      const { id, depth: depthMax = workLimits.treeDepthDefault, hideClosed = false } = input;
      const root = id === undefined ? undefined : resolveNode(graph, id);
      if (isRefusal(root)) return root;
      const items = treeOf(graph, root?.id, { depthMax, hideClosed });
      return {
        action: "issue.tree" as const,
        issuesPath,
        rootId: root?.id ?? null,
        depthMax,
        count: items.length,
        items,
      };
    }),
  present({ items, issuesPath }, paint) {
    const issues = counted(new Set(items.map(({ id }) => id)).size, "issue", "issues");
    return [...items.map((item) => line(item, paint)), `  ${issues} ${paint.dim(issuesPath)}`].join("\n");
  },
});

function line(item: TreeItem, paint: Paint): string {
  const { depth, id, title, status, priority, via, mark } = item;
  const how = via === null || via === "parent-child" ? "" : paint.dim(`${waitWords[via] ?? via} `);
  const marked =
    mark === null ? "" : `  ${mark === "cycle" ? paint.bad("cycle") : paint.note(markWords[mark])}`;
  const head = `${"  ".repeat(depth + 1)}${how}${paint.strong(cell(id))}`;
  if (status === null || priority === null) return `${head}${marked}`;
  return `${head}  ${paint.dim(`P${priority}`)}  ${cell(title)}  ${statusCell(status, paint)}${marked}`;
}

const waitWords: Readonly<Record<string, string>> = {
  blocks: "waits for",
  "conditional-blocks": "waits on condition for",
  "waits-for": "waits for",
};

const markWords = { repeated: "see above", missing: "missing", cut: "…" } as const;
