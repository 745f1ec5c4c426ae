/** `issue check` finds what the contract lists, and nothing where there is nothing. */
import type { JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { checkIssues, classesOf } from "./check.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { namesAcceptance, namesVerification, verificationCommands } from "./verification.js";

const whole = { description: "Acceptance: it works.\n`npm test`" };

function check(rows: readonly JsonObject[], options: { threshold?: number; linesWithoutId?: number[] } = {}) {
  const graph = new IssueGraph();
  for (const [i, row] of rows.entries()) {
    graph.put(new IssueNode(String(row["id"]), row, JSON.stringify(row), i + 1));
  }
  const { threshold = 2_000, linesWithoutId = [] } = options;
  return checkIssues(graph, { noteWarnThreshold: threshold, linesWithoutId });
}

const found = ({ errors, warnings }: ReturnType<typeof check>) =>
  [...errors, ...warnings].map(({ issueId, line, class: of }) => [
    issueId,
    line,
    of.replace("issue_graph.", ""),
  ]);

describe("an issue", () => {
  it("that calls itself an epic must be one, whatever its status", () => {
    const rows = [
      { id: "a", title: "[EPIC] x", status: "closed" },
      { id: "b", title: "[EPIC] x", issue_type: " Epic ", ...whole },
      { id: "c", title: "x [EPIC]", ...whole },
    ];
    expect(found(check(rows))).toEqual([["a", 1, "issue_type.epic_mismatch"]]);
  });

  it("that is active says what would be accepted and how to verify it; closed, blocked and ephemeral ones need not", () => {
    const rows = [
      { id: "b", title: "b", status: " In_Progress" },
      { id: "a", title: "a" },
      ...["closed", "blocked", "strange"].map((status) => ({ id: status, title: status, status })),
      { id: "e", title: "e", ephemeral: true },
    ];
    expect(found(check(rows))).toEqual([
      ["a", 2, "acceptance.missing"],
      ["a", 2, "verification_command.missing"],
      ["b", 1, "acceptance.missing"],
      ["b", 1, "verification_command.missing"],
    ]);
  });

  it("may have its acceptance in its own member, and its command in the notes", () => {
    const row = { id: "a", title: "a", acceptance_criteria: "it works", notes: "- premath issue check" };
    expect(found(check([row]))).toEqual([]);
    expect(found(check([{ ...row, acceptance_criteria: "  " }]))).toEqual([["a", 1, "acceptance.missing"]]);
  });

  it("with long notes is warned of, counted in characters", () => {
    const row = (notes: string) => ({ id: "a", title: "a", ...whole, notes });
    expect(found(check([row("😀".repeat(5))], { threshold: 5 }))).toEqual([]);
    const { warnings, errors } = check([row("😀".repeat(6))], { threshold: 5 });
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      {
        issueId: "a",
        line: 1,
        class: "issue_graph.notes.large",
        message: "the notes have 6 characters, more than 5",
      },
    ]);
  });

  it("that waits for one that is not there is warned of, unless it is closed", () => {
    const dependencies = [
      { issue_id: "a", depends_on_id: "gone", type: "waits-for" },
      { issue_id: "a", depends_on_id: "lost", type: "related" },
      { issue_id: "a", depends_on_id: "b", type: "blocks" },
    ];
    const rows = [
      { id: "a", title: "a", ...whole, dependencies },
      { id: "b", title: "b", status: "closed", dependencies },
    ];
    expect(found(check(rows))).toEqual([["a", 1, "dependency.missing"]]);
  });
});

describe("a row that is no issue", () => {
  it("is an error that names its line and what is wrong", () => {
    const { errors } = check([{ id: "a", title: "a", priority: "high" }], { linesWithoutId: [7] });
    expect(errors).toEqual([
      {
        issueId: "a",
        class: "issue_graph.row.invalid",
        message: 'the row is no issue: priority is "high", expected a whole number',
        line: 1,
      },
      {
        issueId: null,
        class: "issue_graph.row.invalid",
        message: "the row is no issue: id is missing",
        line: 7,
      },
    ]);
    expect(classesOf(errors)).toEqual(["issue_graph.row.invalid"]);
  });
});

describe("what would be accepted", () => {
  it.each([
    ["Acceptance: x", true],
    ["first\n\t ACCEPTANCE CRITERIA :\n- x", true],
    ["acceptance\n\n  criteria\n:", true],
    ["\n\n\n  acceptance:", true],
    ["the acceptance: x", false],
    ["Acceptance", false],
    ["Acceptance criterion: x", false],
    ["", false],
  ])("is found or not in %j", (text, expected) => {
    expect(namesAcceptance(text)).toBe(expected);
  });
});

describe("a verification command", () => {
  it.each([
    ["mise run baseline", true],
    ["text\n  - `python3 x.py`  \nmore", true],
    ["* cargo", true],
    ["run `sh tools/x.sh` first", true],
    ["NPM TEST", true],
    ["`premath issue check` and more", true],
    ["nix develop -c x\r", true],
    ["premath x` and", false],
    ["shell out", false],
    ["the command is npm test", false],
    ["`echo npm test`", false],
    ["`npm test\n`", true],
    ["see `npm test\n`", false],
    ["npm install", false],
    ["nodes", false],
    ["", false],
  ])("is found or not in %j", (text, expected) => {
    expect(namesVerification(text)).toBe(expected);
  });

  it("is found as the contract's own pattern finds it", () => {
    const words = verificationCommands.join("|");
    const line = new RegExp(`^\\s*(?:[-*]\\s*)?(?:\`)?(?:${words})\\b[^\`\\n]*(?:\`)?\\s*$`, "im");
    const span = new RegExp(`\`(?:${words})\\b[^\`\\n]*\``, "i");
    const piece = fc.constantFrom("npm test", "sh", "node", "x", "`", "\n", " ", "-", "*", "\t", "premath");
    holds(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        expect(namesVerification(text)).toBe(line.test(text) || span.test(text));
      }),
      2_000,
    );
  });

  it("is looked for in the time that the text is long, even in one made of blanks", () => {
    const size = 300_000;
    for (const text of [" ", "\n", "\r", "\u2028", "- ", "`", "sh ", "acceptance\n", "`sh "].map((piece) =>
      piece.repeat(size),
    )) {
      const start = performance.now();
      namesAcceptance(text);
      namesVerification(text);
      expect(performance.now() - start).toBeLessThan(5_000);
    }
  });
});

describe("well-formed issues", () => {
  it("are accepted, whatever they say", () => {
    const text = fc.string({ maxLength: 40 });
    const row = fc.record({
      title: text.filter((title) => !title.startsWith("[EPIC]")),
      description: text.map((said) => `${said}\nAcceptance: it works\n- \`npm test\`\n`),
      status: fc.constantFrom("open", "in_progress", "blocked", "closed"),
      priority: fc.integer({ min: 0, max: 4 }),
      issue_type: fc.constantFrom("epic", "task"),
      notes: text,
      labels: fc.array(text),
      future: fc.jsonValue(),
    });
    holds(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const numbered = rows.map((each, i) => ({ id: `bd-${i}`, ...each }) as JsonObject);
        expect(check(numbered)).toEqual({ errors: [], warnings: [] });
      }),
    );
  });
});
