/** `premath issue search`: issues that hold every word. */
import { defineOperation } from "@bridle/operation";
import { refuse, grouped } from "@bridle/record";
import * as Type from "typebox";
import { listItem } from "../memory/list.js";
import { searchedFields, searchIssues } from "../memory/search.js";
import { askIssues, tellUnsound } from "./issue-question.js";
import { count, issueHead, issuesPathAnswer, limitInput, listOf } from "./issue-schemas.js";
import { issueCellsWithStatus, issueLines } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { cell, counted } from "./text-layout.js";

export const IssueSearch = Type.Object({
  action: Type.Literal("issue.search"),
  issuesPath: issuesPathAnswer,
  words: listOf(Type.String(), "What was looked for."),
  count: count("How many issues are in items."),
  totalCount: count("How many hold every word, shown or not."),
  items: listOf(
    Type.Object({
      ...issueHead,
      issueType: Type.String(),
      assignee: Type.String(),
      score: count("Where the words stand, weighed."),
      matchedIn: listOf(Type.Enum([...searchedFields]), "Where some of the words stand."),
    }),
    "Best first; then those that are not closed, by priority, by id.",
  ),
});

export const issueSearch = defineOperation({
  names: {
    id: "op/issue.search",
    action: "issue.search",
    command: ["issue", "search"],
    tool: "issue_search",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Find issues by the words in them.",
  description:
    "Every word must stand somewhere in the id, the title, the labels, the description, the notes or the comments; " +
    "upper and lower case are the same. A hit in the id counts most, then the title, then the labels.",
  examples: [
    { command: "premath issue search upload retry", says: "issues with both words" },
    { command: "premath issue search lease --limit 5 --json", says: "the five best" },
  ],
  input: Type.Object(
    {
      words: Type.Array(Type.String(), {
        minItems: 1,
        "x-position": 0,
        "x-placeholder": "word",
        description: "What to look for; every word must be there.",
      }),
      limit: limitInput("Issues"),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueSearch,
  async run(input, call) {
    const words = input.words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
    if (words.length === 0) {
      return refuse("issue_invalid", {
        message: "there is no word to look for",
        hint: "Name at least one; `premath issue list` shows every issue.",
      });
    }
    return askIssues(input, call, (asked) => {
      tellUnsound(asked, call);
      const hits = searchIssues(asked.graph, words);
      const items = hits.slice(0, input.limit).map(({ node, score, matchedIn }) => ({
        ...listItem(node),
        score,
        matchedIn: [...matchedIn],
      }));
      return {
        action: "issue.search" as const,
        issuesPath: asked.issuesPath,
        words,
        count: items.length,
        totalCount: hits.length,
        items,
      };
    });
  },
  present({ items, totalCount, words }, paint) {
    const rows = items.map((item) => [
      ...issueCellsWithStatus(item, paint),
      paint.dim(item.matchedIn.join(", ")),
    ]);
    const total = counted(totalCount, "issue", "issues");
    const shown = items.length < totalCount ? `${grouped(items.length)} of ${total}` : total;
    return [
      ...issueLines(rows),
      `  ${shown} with ${words.map((word) => `"${cell(word)}"`).join(" and ")}`,
    ].join("\n");
  },
});
