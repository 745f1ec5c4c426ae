/**
 * The mutants of AGENT, as `clause-mutants.ts` explains them: those of the guidance,
 * of work over many steps and of writes. The named rules stand in `agent-rule-mutants.ts`,
 * identity, configuration and files in `agent-place-mutants.ts`.
 */
import {
  changes,
  commit,
  cutOff,
  memoryTools,
  notes,
  protocol,
  recall,
  reworded,
  open,
  projection,
  send,
  settings,
  state,
  stats,
  system,
  unwatched,
} from "./agent-changes.js";
import { agentPlaceMutants } from "./agent-place-mutants.js";
import { agentRuleMutants } from "./agent-rule-mutants.js";
import type { Breakage } from "./clause-mutants.js";

const afterFailures = "packages/agent/src/lesson/after-failures.ts";
const reflexion = "packages/agent/src/lesson/reflexion.ts";
const planTool = "packages/agent/src/plan/tool.ts";
const editFile = "packages/tools/src/write/edit-file.ts";
const standard = "packages/tools/src/standard.ts";
const sink = "packages/tools/src/write/sink.ts";
const guide = "docs/guides/incomplete-writes.md";

const line = "`- **${id}**\\n`";

const guidance: readonly Breakage[] = [
  { clauses: ["AGENT-1.1", "AGENT-2.2"], breaks: "nothing is recalled", changes: changes.neverRecalled },
  {
    clauses: ["AGENT-1.1", "AGENT-2.1"],
    breaks: "the named rules are not in the prompt",
    changes: changes.withoutNamedRules,
  },
  {
    clauses: ["AGENT-2.1"],
    breaks: "the core is not in the prompt",
    changes: reworded(system, "`${PROTOCOL_CORE}\\n\\n${PROTOCOL_NAMED_RULES}`", "PROTOCOL_NAMED_RULES"),
  },
  {
    clauses: ["AGENT-2.2"],
    breaks: "the recall is no list of the table's keys",
    changes: reworded(notes, "next.recall())", '"Mind the rules.")'),
  },
  { clauses: ["AGENT-2.3"], breaks: "every later round recalls again", changes: changes.recalledAgain },
  { clauses: ["AGENT-2.4"], breaks: "the recall comes a round late", changes: changes.recalledLater },
  {
    clauses: ["AGENT-2.5", "AGENT-3.1"],
    breaks: "the recall cannot be switched off",
    changes: changes.recalledAnyway,
  },
  {
    clauses: ["AGENT-3.1"],
    breaks: "the switch has another name",
    changes: reworded(settings, '"AGENT_RULE_RECALL"', '"AGENT_RULES_RECALL"'),
  },
  {
    clauses: ["AGENT-2.6"],
    breaks: "each id comes with a summary",
    changes: reworded(recall, line, "`- **${id}** ${HARNESS_RULES[id].text}\\n`"),
  },
  {
    clauses: ["AGENT-2.8"],
    breaks: "the recall repeats the text of each rule",
    changes: reworded(recall, line, "`- **${id}** ${HARNESS_RULES[id].text}\\n`"),
  },
  {
    clauses: ["AGENT-2.7", "AGENT-4.2"],
    breaks: "what is broken most comes last",
    changes: changes.rarestFirst,
  },
  {
    clauses: ["AGENT-2.7"],
    breaks: "the counts are not looked at",
    changes: reworded(
      open,
      "buildHarnessRuleRecallMessage(await stats.violations())",
      "buildHarnessRuleRecallMessage()",
    ),
  },
  {
    clauses: ["AGENT-3.2"],
    breaks: "the counts stand in another file",
    changes: reworded(stats, '".agent_rule_stats.json"', '".rule_stats.json"'),
  },
  {
    clauses: ["AGENT-3.2"],
    breaks: "what is broken is not counted",
    changes: reworded(open, "violations: repeated(violations),", "violations: [],"),
  },
  {
    clauses: ["AGENT-3.3"],
    breaks: "rules that errors name are not counted",
    changes: reworded(afterFailures, 'await bumpRuleHits(counted.join(" "), { stats });', "void counted;"),
  },
  {
    clauses: ["AGENT-3.3"],
    breaks: "only the first rule that an error names is counted",
    changes: reworded(reflexion, "rules: namedRulesIn(errors),", "rules: namedRulesIn(errors).slice(0, 1),"),
  },
  { clauses: ["AGENT-4.1"], breaks: "one rule is left out", changes: changes.recallIsShort },
  {
    clauses: ["AGENT-4.3"],
    breaks: "the definitions have another heading",
    changes: reworded(protocol, "`## Named rules\n", "`## Rules\n"),
  },
  {
    clauses: ["AGENT-4.4"],
    breaks: "the alias knows no counts",
    changes: reworded(
      recall,
      "  return buildHarnessRuleRecallMessage(hitCounts);",
      "  return buildHarnessRuleRecallMessage(hitCounts && undefined);",
    ),
  },
  {
    clauses: ["AGENT-4.4"],
    breaks: "nothing says that the alias is deprecated",
    changes: reworded(recall, "@deprecated Use", "Use"),
  },
  {
    clauses: ["AGENT-4.5"],
    breaks: "the alias lists as many rules as it is told",
    changes: reworded(
      recall,
      "  return buildHarnessRuleRecallMessage(hitCounts);",
      '  return buildHarnessRuleRecallMessage(hitCounts).split("\\n").slice(0, (_topN ?? 98) + 1).join("\\n");',
    ),
  },
];

const steps: readonly Breakage[] = [
  {
    clauses: ["AGENT-7.1"],
    breaks: "nothing tells to plan a large build",
    changes: reworded(protocol, "A large build, or one over many files, starts with plan:", "A plan has:"),
  },
  {
    clauses: ["AGENT-7.1"],
    breaks: "what counts as done is not kept in view",
    changes: reworded(planTool, "...plan.doneWhen.map(", "...plan.doneWhen.slice(99).map("),
  },
  {
    clauses: ["AGENT-7.1"],
    breaks: "the milestones are not kept in view",
    changes: reworded(notes, "if (plan !== undefined) note(", "if (plan === '') note("),
  },
  { clauses: ["AGENT-7.2"], breaks: "a tag may be left open", changes: changes.openPagesPass },
  {
    clauses: ["AGENT-7.3", "AGENT-12.2"],
    breaks: "create replaces what is there",
    changes: changes.createReplaces,
  },
  {
    clauses: ["AGENT-7.4"],
    breaks: "overwrite only makes new files",
    changes: reworded(commit, "return overwrite(workspace, write);", "return create(workspace, write);"),
  },
  {
    clauses: ["AGENT-7.4"],
    breaks: "an edit is only shown",
    changes: reworded(
      editFile,
      'if (args["preview"] === true) return',
      'if (args["preview"] !== false) return',
    ),
  },
  {
    clauses: ["AGENT-7.5"],
    breaks: "the model is not told that it repeats a refused mode",
    changes: [unwatched("R-READ-TOOL-ERRORS", "readToolErrors")],
  },
  {
    clauses: ["AGENT-7.5"],
    breaks: "a refused mode is tried without end",
    changes: changes.retriedForever,
  },
  {
    clauses: ["AGENT-7.6"],
    breaks: "each memory query runs",
    changes: reworded(memoryTools, 'repeat: "answer"', 'repeat: "run"'),
  },
  {
    clauses: ["AGENT-7.7", "AGENT-7.8"],
    breaks: "after a compression everything is fetched again",
    changes: changes.compactionForgetsAll,
  },
  {
    clauses: ["AGENT-7.7"],
    breaks: "what left the context cannot be read again",
    changes: reworded(projection, "this.repeats.compacted(row.left);", "void row.left;"),
  },
  {
    clauses: ["AGENT-7.7"],
    breaks: "nothing tells to read only what is needed",
    changes: reworded(protocol, "read again only what you need to go on and", "go on and"),
  },
  {
    clauses: ["AGENT-7.8"],
    breaks: "nothing tells to leave memory alone",
    changes: reworded(protocol, " and ask memory nothing twice", ""),
  },
];

const writes: readonly Breakage[] = [
  {
    clauses: ["AGENT-11.1", "AGENT-12.3"],
    breaks: "an answer that hits the limit is taken as it is",
    changes: reworded(cutOff, 'return stop === "length" && text', 'return stop === "error" && text'),
  },
  {
    clauses: ["AGENT-11.2"],
    breaks: "a call that does not parse is not continued",
    changes: reworded(cutOff, 'if (!call.parses) return "cut";', 'if (!call.parses) return "dispatch";'),
  },
  {
    clauses: ["AGENT-11.2"],
    breaks: "content that looks cut is written",
    changes: reworded(cutOff, 'call.looksCut() ? "cut"', 'call.looksCut() ? "dispatch"'),
  },
  {
    clauses: ["AGENT-11.3", "AGENT-12.3"],
    breaks: "two continue rounds are the usual bound",
    changes: reworded(settings, 'whole("AGENT_LENGTH_RESUME_MAX", 3,', 'whole("AGENT_LENGTH_RESUME_MAX", 2,'),
  },
  {
    clauses: ["AGENT-11.3"],
    breaks: "there is always one more continue round",
    changes: reworded(
      send,
      "this.state.resumes < this.session.options.config.lengthResumeMax",
      "this.state.resumes <= this.session.options.config.lengthResumeMax",
    ),
  },
  {
    clauses: ["AGENT-12.3"],
    breaks: "cut calls are continued without being counted",
    changes: reworded(
      state,
      "          this.resumes++;",
      "          if (this.results.length === 0) this.resumes++;",
    ),
  },
  {
    clauses: ["AGENT-11.4"],
    breaks: "0 is handed on as the longest completion",
    changes: reworded(send, "...(completionTokensMax > 0 ?", "...(completionTokensMax >= 0 ?"),
  },
  {
    clauses: ["AGENT-11.4"],
    breaks: "the longest completion is left to the provider",
    changes: reworded(send, "maxOutputTokens: completionTokensMax }", "}"),
  },
  {
    clauses: ["AGENT-11.5", "AGENT-12.5"],
    breaks: "the nudge cannot be switched off",
    changes: changes.nudgedAnyway,
  },
  {
    clauses: ["AGENT-11.5", "AGENT-12.5"],
    breaks: "the nudge is off when nothing is said",
    changes: changes.nudgeOff,
  },
  {
    clauses: ["AGENT-11.5", "AGENT-12.5"],
    breaks: "a write that looks cut is passed over",
    changes: changes.neverNudged,
  },
  {
    clauses: ["AGENT-12.1"],
    breaks: "append replaces what is there",
    changes: reworded(
      commit,
      "return append(workspace, write);",
      "return overwrite(workspace, { ...write, confirmed: true });",
    ),
  },
  {
    clauses: ["AGENT-12.1"],
    breaks: "nothing tells to append",
    changes: reworded(protocol, "| continue a file | write_file, mode: append |\n", ""),
  },
  {
    clauses: ["AGENT-12.4"],
    breaks: "nothing is staged when nothing is said",
    changes: reworded(
      settings,
      '"AGENT_WRITE_STREAM_SINK",\n    true,',
      '"AGENT_WRITE_STREAM_SINK",\n    false,',
    ),
  },
  {
    clauses: ["AGENT-12.4"],
    breaks: "staging cannot be switched off",
    changes: reworded(standard, "enabled: config.writeStreamSink,", "enabled: true,"),
  },
  {
    clauses: ["AGENT-12.4"],
    breaks: "content waits in memory until the call has ended",
    changes: reworded(sink, "this.chars >= this.options.staging.minChars", "this.chars === Infinity"),
  },
  {
    clauses: ["AGENT-12.6"],
    breaks: "the guide does not say how the nudge is switched off",
    changes: reworded(guide, "| `AGENT_WRITE_INTEGRITY_NUDGE`       |", "| a setting |"),
  },
];

export const agentMutants: readonly Breakage[] = [
  ...guidance,
  ...steps,
  ...writes,
  ...agentRuleMutants,
  ...agentPlaceMutants,
];
