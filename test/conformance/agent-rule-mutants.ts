/** The mutants of AGENT 5 and 6: a rule that nobody watches, that is found and passed over, or that says something else. */
import {
  changes,
  dispatch,
  memoryTools,
  open,
  readIntent,
  recall,
  repeats,
  reworded,
  afterAnswer,
  projection,
  sendLog,
  state,
  system,
  table,
  unwatched,
} from "./agent-changes.js";
import type { Breakage } from "./clause-mutants.js";

const bounds = "packages/rules/src/bounds.ts";
const editFile = "packages/tools/src/write/edit-file.ts";
const planState = "packages/agent/src/plan/state.ts";
const ownTools = "packages/agent/src/own-tools/own-tools.ts";
const protocol = "packages/rules/src/protocol.ts";

const watched: readonly (readonly [clause: string, rule: string, detector: string])[] = [
  ["AGENT-5.1", "R-PLAN-3STEPS", "plan3steps"],
  ["AGENT-5.3", "R-CITE-PATHS", "citePaths"],
  ["AGENT-5.4", "R-ORCH-ID", "orchId"],
  ["AGENT-5.5", "R-SPAWN-PROMPT", "spawnPrompt"],
  ["AGENT-5.9", "R-CHUNK-LARGE-FILES", "chunkLargeFiles"],
  ["AGENT-5.10", "R-LARGE-READ-DISCIPLINE", "largeReadDiscipline"],
  ["AGENT-5.11", "R-WRITE-ONE-VERIFY", "writeOneVerify"],
  ["AGENT-5.14", "R-READ-TOOL-ERRORS", "readToolErrors"],
  ["AGENT-5.15", "R-SYNTAX-COLUMN", "syntaxColumn"],
  ["AGENT-5.26", "R-TYPECHECK-VERIFY", "typecheckVerify"],
  ["AGENT-5.8", "R-SEARCH-DIVERSITY", "searchDiversity"],
  ["AGENT-5.16", "R-RESEARCH-BUDGET", "researchBudget"],
  ["AGENT-5.21", "R-ACTIVE-FIRST", "activeFirst"],
  ["AGENT-5.25", "R-ADVERSARIAL-CHECK", "adversarialCheck"],
  ["AGENT-5.27", "R-SCOPE-CREEP", "scopeCreep"],
  ["AGENT-5.29", "R-OUTPUT-TYPOGRAPHY", "outputTypography"],
];

const unwatchedRules: readonly Breakage[] = watched.map(([clause, rule, detector]) => ({
  clauses: [clause],
  breaks: `nobody watches ${rule}`,
  changes: [unwatched(rule, detector)],
}));

const passedOver: readonly Breakage[] = [
  {
    clauses: ["AGENT-5.4", "AGENT-5.5", "AGENT-5.9", "AGENT-5.10", "AGENT-5.13"],
    breaks: "a call that a rule refuses is carried out all the same",
    changes: [
      {
        file: dispatch,
        find: 'findings.find(({ rule }) => rule.held === "refused")',
        replace: "findings.find(() => false)",
      },
    ],
  },
  {
    clauses: ["AGENT-5.3", "AGENT-5.26"],
    breaks: "an answer that a rule sends back is delivered",
    changes: [
      {
        file: afterAnswer,
        find: "blocking.length > 0 && !state.revised",
        replace: "blocking.length > 0 && state.revised",
      },
    ],
  },
  {
    clauses: [
      ...["AGENT-5.1", "AGENT-5.8", "AGENT-5.11", "AGENT-5.14", "AGENT-5.15", "AGENT-5.16"],
      ...["AGENT-5.21", "AGENT-5.27"],
    ],
    breaks: "what is found is not told",
    changes: [{ file: state, find: 'if (told === "note")', replace: 'if (told === "message")' }],
  },
  {
    clauses: ["AGENT-5.25", "AGENT-5.29"],
    breaks: "what is found in the last answer is told to nobody",
    changes: reworded(
      sendLog,
      'if (row.type === "end") session.untold = projection.state.told;',
      'if (row.type === "end") session.untold = [];',
    ),
  },
];

/** The clause that says that a rule is held by the judge, and how the rule's text ends. */
const byTheJudge: readonly (readonly [clause: string, ends: string])[] = [
  ["AGENT-5.33", "and say what is uncertain about it."],
  ["AGENT-5.34", "Hedge the lower ones."],
  ["AGENT-5.35", "Never settle it in silence."],
  ["AGENT-5.36", "say of a part that it is deferred and why."],
  ["AGENT-5.37", "say so before you turn to a later one."],
  ["AGENT-5.38", "nor open with the same words."],
  ["AGENT-5.39", "not from what old notes say."],
  ["AGENT-5.40", "name it only after that, as what it is."],
  ["AGENT-5.41", "call sites with grep_file or a search command."],
  ["AGENT-6.10", "what was found, what is open."],
  ["AGENT-6.11", "what came of it, and what remains unknown."],
];

const judged: readonly Breakage[] = [
  {
    clauses: byTheJudge.map(([clause]) => clause),
    breaks: "what the judge objects to is delivered",
    changes: reworded(afterAnswer, "judgement.broken.length === 0", "judgement.broken.length < 9"),
  },
  {
    clauses: byTheJudge.map(([clause]) => clause),
    breaks: "nobody is asked to judge",
    changes: reworded(open, "config.ruleJudge && depth === 0", "config.ruleJudge && depth > 9"),
  },
  ...byTheJudge.map(([clause, ends]) => ({
    clauses: [clause],
    breaks: "the judge is not asked about the rule, and not believed",
    changes: reworded(table, `${ends}",\n    held: "judged",`, `${ends}",\n    held: "said",`),
  })),
];

const stages: readonly Breakage[] = [
  {
    clauses: ["AGENT-5.1"],
    breaks: "three steps need no plan",
    changes: reworded(
      "packages/rules/src/detectors/plan-3steps.ts",
      "const stepsMin = 3;",
      "const stepsMin = 4;",
    ),
  },
  {
    clauses: ["AGENT-5.6"],
    breaks: "calls beyond the tool budget run",
    changes: reworded(bounds, "this.#toolCalls >= maxToolCalls", "this.#toolCalls > maxToolCalls"),
  },
  {
    clauses: ["AGENT-5.6"],
    breaks: "steps have no bound",
    changes: reworded(bounds, "this.#steps >= maxSteps", "this.#steps > maxSteps + 99"),
  },
  {
    clauses: ["AGENT-5.6"],
    breaks: "time has no bound",
    changes: reworded(bounds, "/ 60_000 >= maxMinutes", "/ 60_000 > maxMinutes + 99"),
  },
  {
    clauses: ["AGENT-5.6"],
    breaks: "calls of one round are not held to the bounds",
    changes: reworded(dispatch, 'call.tool.name === "plan" ? undefined', 'call.tool.name !== "" ? undefined'),
  },
  {
    clauses: ["AGENT-5.7"],
    breaks: "what the plan promised is not held",
    changes: reworded(
      planState,
      "[...this.given(), ...(this.current?.commitments ?? [])]",
      "[...this.given()]",
    ),
  },
  {
    clauses: ["AGENT-5.7"],
    breaks: "what whoever started it ruled out is not held",
    changes: reworded(
      planState,
      "[...this.given(), ...(this.current?.commitments ?? [])]",
      "[...(this.current?.commitments ?? [])]",
    ),
  },
  {
    clauses: ["AGENT-5.10"],
    breaks: "of a file that is shown in part only that part counts",
    changes: reworded(projection, 'row.facts?.["bytes"] ?? row.facts?.["chars"]', 'row.facts?.["chars"]'),
  },
  {
    clauses: ["AGENT-5.12"],
    breaks: "whatever is asked again is done again",
    changes: reworded(
      repeats,
      "return this.#isAnswered(call, wish) ? answered(call, wish) : undefined;",
      "return undefined;",
    ),
  },
  {
    clauses: ["AGENT-5.12"],
    breaks: "memory is asked the same again",
    changes: reworded(memoryTools, 'repeat: "answer"', 'repeat: "run"'),
  },
  {
    clauses: ["AGENT-5.12"],
    breaks: "a path is read the same again",
    changes: reworded(readIntent, 'repeat: "answer"', 'repeat: "run"'),
  },
  { clauses: ["AGENT-5.13"], breaks: "a page may begin with open tags", changes: changes.openPagesPass },
  {
    clauses: ["AGENT-5.15"],
    breaks: "the colon is not held against the equals sign",
    changes: reworded(table, "edit at that column and check `:` against `=`.", "edit at that column."),
  },
  {
    clauses: ["AGENT-5.15"],
    breaks: "an edit with two equal sides is taken for a good one",
    changes: reworded(editFile, "search === replace);", "search === replace && search === undefined);"),
  },
  {
    clauses: ["AGENT-5.27"],
    breaks: "the paths that an issue declares are not known",
    changes: reworded(projection, "...present({ declaredPaths })", "...present({})"),
  },
  {
    clauses: ["AGENT-5.21"],
    breaks: "every family is active from the start",
    changes: reworded(
      "packages/agent/src/turn/toolbox.ts",
      "lazy ? coreFamilies :",
      "lazy && false ? coreFamilies :",
    ),
  },
  {
    clauses: ["AGENT-5.20"],
    breaks: "what fails is tried without end",
    changes: changes.retriedForever,
  },
];

const said: readonly Breakage[] = [
  {
    clauses: ["AGENT-5.2"],
    breaks: "a prerequisite may be skipped",
    changes: reworded(table, "in the user's order and skip none.", "in the user's order."),
  },
  {
    clauses: ["AGENT-5.17"],
    breaks: "a theme may come back",
    changes: reworded(table, "treat each major theme once.", "treat each major theme."),
  },
  {
    clauses: ["AGENT-5.18"],
    breaks: "a search may follow old notes",
    changes: reworded(
      table,
      "new search from what is asked now, not from what old notes say.",
      "new search from notes.",
    ),
  },
  {
    clauses: ["AGENT-5.19"],
    breaks: "the account may come first",
    changes: reworded(table, "use the memory tools first.", "use what you know."),
  },
  {
    clauses: ["AGENT-5.28"],
    breaks: "a change of signature needs no search",
    changes: reworded(
      table,
      "something exported or change its signature, search",
      "something exported, search",
    ),
  },
  {
    clauses: ["AGENT-5.22"],
    breaks: "a live claim needs no as-of time",
    changes: reworded(table, "its source and its as-of time,", "its source,"),
  },
  {
    clauses: ["AGENT-5.23"],
    breaks: "there are two tiers",
    changes: reworded(
      table,
      "T2 quality press, T3 encyclopaedia or aggregator, T4 blog or unknown.",
      "T2 everything else.",
    ),
  },
  {
    clauses: ["AGENT-5.24"],
    breaks: "the model takes a side",
    changes: reworded(table, "name both sides and who says what.", "take the more likely side."),
  },
  {
    clauses: ["AGENT-5.30"],
    breaks: "a part may be left without a word",
    changes: reworded(
      table,
      "answer each part, or say of a part that it is deferred and why.",
      "answer the main one.",
    ),
  },
  {
    clauses: [
      ...["AGENT-5.2", "AGENT-5.17", "AGENT-5.18", "AGENT-5.19"],
      ...["AGENT-5.22", "AGENT-5.23", "AGENT-5.24", "AGENT-5.28", "AGENT-5.30"],
    ],
    breaks: "a rule without a detector is not recalled",
    changes: reworded(
      recall,
      "Object.keys(HARNESS_RULES).toSorted",
      "Object.keys(HARNESS_RULES).filter((id) => HARNESS_RULES[id].detector !== undefined).toSorted",
    ),
  },
  {
    clauses: [
      ...["AGENT-5.2", "AGENT-5.17", "AGENT-5.18", "AGENT-5.19", "AGENT-5.22", "AGENT-5.23"],
      ...["AGENT-5.24", "AGENT-5.28", "AGENT-6.1", "AGENT-6.3", "AGENT-6.4"],
    ],
    breaks: "rules are recalled and their text is not in the prompt",
    changes: changes.withoutNamedRules,
  },
  {
    clauses: ["AGENT-5.31"],
    breaks: "a rule is missing in the recall",
    changes: changes.recallIsShort,
  },
  {
    clauses: ["AGENT-5.32", "AGENT-6.8"],
    breaks: "the recall lists a rule that has no row",
    changes: changes.recallSaysMore,
  },
  {
    clauses: ["AGENT-5.32"],
    breaks: "a row of the table has another id",
    changes: reworded(table, 'id: "R-MULTI-PART-USER"', 'id: "R-MANY-PARTS"'),
  },
  {
    clauses: ["AGENT-6.1"],
    breaks: "nothing tells to verify",
    changes: reworded(table, "call verify_result before answering, where it is offered", "take care"),
  },
  {
    clauses: ["AGENT-6.1"],
    breaks: "verify_result is never offered",
    changes: reworded(
      ownTools,
      "mayHaveChildren && config.verifyTools",
      "!mayHaveChildren && config.verifyTools",
    ),
  },
  {
    clauses: ["AGENT-6.3"],
    breaks: "the summary stands at the end",
    changes: reworded(table, "Open the reply to a long send", "End the reply to a long send"),
  },
  {
    clauses: ["AGENT-6.4"],
    breaks: "what remains unknown is not said",
    changes: reworded(table, "what came of it, and what remains unknown.", "and what came of it."),
  },
  {
    clauses: ["AGENT-6.5"],
    breaks: "memory is asked in any words",
    changes: reworded(table, "over memory, in the words of the current ask.", "over memory."),
  },
  {
    clauses: ["AGENT-6.6"],
    breaks: "the score may stand in the answer",
    changes: reworded(table, "but in think only and never in the answer.", "also in the answer."),
  },
  {
    clauses: ["AGENT-6.6"],
    breaks: "the score is no option",
    changes: reworded(table, "    optional: true,\n", ""),
  },
  {
    clauses: ["AGENT-6.7"],
    breaks: "names may be blended",
    changes: reworded(table, "name each as what it is; never blend their names.", "say your name."),
  },
  {
    clauses: ["AGENT-6.7", "AGENT-13.1"],
    breaks: "the persona is introduced by the name of the harness",
    changes: reworded(system, "Your voice, quoted below.", "Your voice, that of Bridle, quoted below."),
  },
  {
    clauses: ["AGENT-6.8"],
    breaks: "only rules with a row are in the prompt",
    changes: reworded(protocol, "${rules.map(", '${rules.filter(({ layer }) => layer === "harness").map('),
  },
  {
    clauses: ["AGENT-6.9"],
    breaks: "the core words a rule once more",
    changes: reworded(protocol, "End with an answer", "R-CITE-PATHS: cite a path. End with an answer"),
  },
];

export const agentRuleMutants: readonly Breakage[] = [
  ...unwatchedRules,
  ...passedOver,
  ...judged,
  ...stages,
  ...said,
];
