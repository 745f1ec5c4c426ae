/** `premath issue check`: whether the issues say what the contract asks of them. */
import { type Call, defineOperation } from "@bridle/operation";
import { describeDamage, Failure } from "@bridle/record";
import * as Type from "typebox";
import { workLimits } from "../limits.js";
import { checkErrorClasses, checkIssues, checkWarningClasses, classesOf } from "../memory/check.js";
import { compactnessClasses, looseEdges } from "../memory/compactness.js";
import type { IssueMemory } from "../store/issue-file.js";
import { memoryMissing, unmergedFailure } from "../store/issue-refusals.js";
import { withMemory, issuesInput } from "../calls/issues.js";
import { count, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { tellSides } from "./issue-question.js";
import { issueLines } from "./issue-words.js";
import { cell, counted } from "./text-layout.js";

export const issueCheckKind = "premath.issue_graph.check.v1";

const findingOf = <Class extends string>(classes: readonly Class[]) =>
  Type.Object({
    issueId: orNull(Type.String({ description: "Null for a row that has no id." })),
    class: Type.Enum([...classes]),
    message: Type.String(),
    line: Type.Integer({ minimum: 1, description: "Where the row stands in the file." }),
  });

/** What `issue check` answers. */
export const IssueCheck = Type.Object(
  {
    action: Type.Literal("issue.check"),
    issuesPath: issuesPathAnswer,
    checkKind: Type.Literal(issueCheckKind),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: listOf(Type.String(), "Sorted, no repeats."),
    warningClasses: listOf(Type.String(), "Sorted, no repeats."),
    errors: listOf(
      findingOf([...checkErrorClasses, ...compactnessClasses]),
      "By issue id, those of --compactness last; any makes the result a rejection.",
    ),
    warnings: listOf(findingOf(checkWarningClasses), "By issue id."),
    summary: Type.Object({
      issueCount: count("Issues in the file."),
      errorCount: count("Errors."),
      warningCount: count("Warnings."),
      noteWarnThreshold: count("Characters of notes above which there is a warning."),
    }),
  },
  { title: "Issue check", description: "Whether the issues say what the contract asks of them." },
);

export const issueCheck = defineOperation({
  names: {
    id: "op/mcp.issue_check",
    action: "issue.check",
    command: ["issue", "check"],
    tool: "issue_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Check that issues say what would be accepted and how to verify it.",
  description:
    "An issue that is open or in progress, unless it is ephemeral, needs a line `Acceptance:` in its description or a " +
    "text in acceptance_criteria, and a verification command in its description or notes, on a line of its own or in " +
    "backticks: mise run, python3, cargo, premath, sh, nix develop -c, uv run, pytest, npm run, npm test, npx, node, " +
    "bridle or hlq. A title that starts with [EPIC] needs the type epic, and every row must be an issue. Long notes " +
    "and blockers that are not there are warnings. Errors make the exit code 1. Nothing is changed.",
  examples: [
    { command: "premath issue check", says: "are the issues in order?" },
    { command: "premath issue check --note-warn-threshold 500 --json", says: "and are the notes short?" },
  ],
  input: Type.Object(
    {
      noteWarnThreshold: Type.Optional(
        Type.Integer({
          minimum: 0,
          default: workLimits.noteWarnThresholdDefault,
          description: `Characters of notes above which to warn, ${workLimits.noteWarnThresholdDefault} when left out.`,
        }),
      ),
      compactness: Type.Optional(
        Type.Boolean({
          description:
            "Also find edges that say nothing more: blocked by what is closed, or through another.",
        }),
      ),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueCheck,
  run: (input, call) =>
    withMemory(input, call, async (memory, { shown }) => {
      const graph = await memory.graph();
      if (graph === undefined) return memoryMissing(shown);
      if (memory.file !== undefined) await refuseUnfit(memory.file, call);
      const { noteWarnThreshold = workLimits.noteWarnThresholdDefault } = input;
      const linesWithoutId = memory.file?.findings.linesWithoutId ?? [];
      const { errors: found, warnings } = checkIssues(graph, { noteWarnThreshold, linesWithoutId });
      const errors = [...found, ...(input.compactness === true ? looseEdges(graph) : [])];
      return {
        action: "issue.check" as const,
        issuesPath: shown,
        checkKind: issueCheckKind as typeof issueCheckKind,
        result: errors.length === 0 ? ("accepted" as const) : ("rejected" as const),
        failureClasses: classesOf(errors),
        warningClasses: classesOf(warnings),
        errors: [...errors],
        warnings: [...warnings],
        summary: {
          issueCount: graph.size,
          errorCount: errors.length,
          warningCount: warnings.length,
          noteWarnThreshold,
        },
      };
    }),
  present({ errors, warnings, summary, result, issuesPath }, paint) {
    const lines = issueLines(
      [
        ...errors.map((found) => ({ ...found, word: paint.bad("error") })),
        ...warnings.map((found) => ({ ...found, word: paint.note("warning") })),
      ].map(({ word, issueId, line, message, class: of }) => [
        word,
        paint.strong(cell(issueId ?? "")),
        paint.dim(`line ${line}`),
        `${message} ${paint.dim(`(${of})`)}`,
      ]),
    );
    const verdict = result === "accepted" ? paint.good("in order") : paint.bad("rejected");
    const { issueCount, errorCount, warningCount } = summary;
    const counts = [
      counted(issueCount, "issue", "issues"),
      counted(errorCount, "error", "errors"),
      counted(warningCount, "warning", "warnings"),
    ].join(" · ");
    return [...lines, `  ${verdict}: ${counts} ${paint.dim(issuesPath)}`].join("\n");
  },
});

/** Half a file cannot be called in order, nor can two sides in one. */
async function refuseUnfit(memory: IssueMemory, call: Call): Promise<void> {
  const { findings, shown } = memory;
  const [first] = findings.damage;
  const sides = await tellSides(memory, call);
  if (first === undefined) return;
  if (sides !== undefined) throw unmergedFailure(shown, sides, "the issues were not checked");
  const more = findings.damageCount - 1;
  const others = more === 0 ? "" : `, and ${counted(more, "more place", "more places")}`;
  throw new Failure("log_damaged", {
    message: `${describeDamage(shown, first)}${others}; the issues were not checked`,
    hint: `Look with \`bridle log verify ${shown}\`; \`bridle log repair ${shown}\` sets the damage aside.`,
    detail: { line: first.line, byte: first.at, damageCount: findings.damageCount },
  });
}
