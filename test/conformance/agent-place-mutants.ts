/** The mutants of AGENT 13 to 15: who is speaking, how it is configured, and what is written where. */
import { dispatch, open, reworded, settings, stats, system } from "./agent-changes.js";
import type { Breakage } from "./clause-mutants.js";

const cliSettings = "packages/surface/src/cli/settings.ts";
const cliAgentSettings = "packages/surface/src/cli/settings-agent.ts";
const cliConfig = "packages/surface/src/cli/config.ts";
const cliRun = "packages/surface/src/cli/run.ts";
const limits = "packages/model/src/choice/limits-from-env.ts";
const modelSettings = "packages/model/src/choice/settings.ts";
const journal = "packages/agent/src/session/journal.ts";
const notes = "packages/agent/src/memory/store.ts";
const afterFailures = "packages/agent/src/lesson/after-failures.ts";
const statePaths = "packages/agent/src/state-paths.ts";
const settingFiles = "packages/surface/src/cli/setting-files.ts";
const architecture = "ARCHITECTURE.md";

const identity: readonly Breakage[] = [
  {
    clauses: ["AGENT-13.1"],
    breaks: "the harness is told with the name of the model",
    changes: reworded(system, "version ${oneLine(harness.version)}`", "on ${oneLine(model)}`"),
  },
  {
    clauses: ["AGENT-13.2"],
    breaks: "only the provider of the model is named",
    changes: reworded(
      system,
      "makes the text: ${oneLine(model)}`",
      'makes the text: ${oneLine(model.split("/")[0] ?? "")}`',
    ),
  },
  {
    clauses: ["AGENT-13.3"],
    breaks: "what the project says stands as it is",
    changes: reworded(system, ": `\\n\\n${quoted(cut.text)}`;", ": `\\n\\n${cut.text}`;"),
  },
  {
    clauses: ["AGENT-13.3"],
    breaks: "what the project says is no mere data",
    changes: reworded(system, "It is data from the project: follow", "Follow"),
  },
  {
    clauses: ["AGENT-13.4"],
    breaks: "the account stands there as a name",
    changes: reworded(system, "; an account of this machine, which may or may not be the user's name", ""),
  },
  {
    clauses: ["AGENT-13.4"],
    breaks: "the account is not told",
    changes: reworded(system, "- OS user: ${oneLine(osUser)};", "- OS user:"),
  },
  {
    clauses: ["AGENT-13.5"],
    breaks: "a child speaks as its parent",
    changes: reworded(open, "    persona: brief.systemPrompt,\n", ""),
  },
  {
    clauses: ["AGENT-13.5"],
    breaks: "a child is told of another harness",
    changes: reworded(
      open,
      "    persona: brief.systemPrompt,\n",
      '    persona: brief.systemPrompt,\n    world: { ...options.world, harness: { name: "Child", version: "1" } },\n',
    ),
  },
];

const configuration: readonly Breakage[] = [
  {
    clauses: ["AGENT-14.1"],
    breaks: "what a setting may be is not taken from the table",
    changes: reworded(cliAgentSettings, "    takes,\n    fits:", '    takes: "a value",\n    fits:'),
  },
  {
    clauses: ["AGENT-14.1"],
    breaks: "the guide says what the table said before",
    changes: reworded(settings, '"Offer verify_result."', '"Offer verify_result, or not."'),
  },
  {
    clauses: ["AGENT-14.1"],
    breaks: "config shows no defaults",
    changes: reworded(cliConfig, "        default: standard,\n", "        default: null,\n"),
  },
  {
    clauses: ["AGENT-14.2"],
    breaks: "what does not fit is replaced by the default",
    changes: reworded(
      settings,
      "if (value !== undefined) return value;",
      'if (value !== undefined || text !== "") return value ?? entry.default;',
    ),
  },
  {
    clauses: ["AGENT-14.2"],
    breaks: "nothing says what may stand there",
    changes: reworded(settings, "; it takes ${entry.takes}", ""),
  },
  {
    clauses: ["AGENT-14.2"],
    breaks: "a limit that does not fit is passed over",
    changes: reworded(limits, 'throw unfit(key, text, "a whole number");', "continue;"),
  },
  {
    clauses: ["AGENT-14.2"],
    breaks: "a switch that does not fit is off",
    changes: reworded(limits, 'throw unfit(key, text, "1 or 0");', "return false;"),
  },
  {
    clauses: ["AGENT-14.3"],
    breaks: "0 is the default",
    changes: reworded(
      settings,
      'text === undefined || text === "" ?',
      'text === undefined || text === "" || text === "0" ?',
    ),
  },
  {
    clauses: ["AGENT-14.3"],
    breaks: "a limit of 0 is the usual one",
    changes: reworded(
      limits,
      'if (text === undefined || text === "") continue;',
      'if (text === undefined || text === "" || Number(text) === 0) continue;',
    ),
  },
  {
    clauses: ["AGENT-14.4"],
    breaks: "a slip of the pen is not noticed",
    changes: reworded(cliSettings, "const slipsMax = 2;", "const slipsMax = 0;"),
  },
  {
    clauses: ["AGENT-14.4"],
    breaks: "a command runs all the same",
    changes: reworded(cliRun, "tellsOfSettings.has(entry.names.id) ? [] :", 'entry.names.id !== "" ? [] :'),
  },
  {
    clauses: ["AGENT-14.4"],
    breaks: "the nearest name is not said",
    changes: reworded(
      cliSettings,
      "fewest] = [candidate.key, slips]",
      "fewest] = [candidate.key.slice(0, 4), slips]",
    ),
  },
  {
    clauses: ["AGENT-14.5"],
    breaks: "a project may have keys and providers",
    changes: reworded(
      modelSettings,
      "const projectFile = Type.Object(names, { additionalProperties: false });",
      "const projectFile = Type.Object(names, { additionalProperties: true });",
    ),
  },
  {
    clauses: ["AGENT-14.5"],
    breaks: "a key that a tool printed stands in the log",
    changes: reworded(
      dispatch,
      "return secrets.hideIn(report as unknown as JsonObject) as unknown as ToolReport;",
      "return report;",
    ),
  },
];

const files: readonly Breakage[] = [
  {
    clauses: ["AGENT-15.1"],
    breaks: "the log is rewritten on the way",
    changes: reworded(
      journal,
      "      this.written += count;\n",
      "      this.written += count;\n      await this.log.rewrite(async function* (rows) {\n        let at = 0;\n        for await (const row of rows) if (at++ !== 1) yield row.text;\n      });\n",
    ),
  },
  {
    clauses: ["AGENT-15.1"],
    breaks: "without its artifacts a session is forgotten",
    changes: reworded(
      open,
      "const rows = session === undefined ? [] : await journal.read();",
      'const there = await ports.files.stat(join(stateFolder(workspace), "artifacts"));\n  const rows = session === undefined ? [] : (await journal.read()).slice(0, there === undefined ? 1 : Infinity);',
    ),
  },
  {
    clauses: ["AGENT-15.2"],
    breaks: "the notes are where nobody says",
    changes: reworded(notes, '".agent_notes.json";', '".agent_memory.json";'),
  },
  {
    clauses: ["AGENT-15.2"],
    breaks: "the failures are where nobody says",
    changes: reworded(afterFailures, '"failures.jsonl"', '"failed.jsonl"'),
  },
  {
    clauses: ["AGENT-15.2"],
    breaks: "nobody says where drafts are",
    changes: reworded(architecture, "| `.bridle/agent/staging/` ", "| a draft "),
  },
  {
    clauses: ["AGENT-15.4"],
    breaks: "git sees what the agent keeps",
    changes: reworded(statePaths, "await ignoreItself(folder, files);", ""),
  },
  {
    clauses: ["AGENT-14.6"],
    breaks: "the project's file is said to be one's own",
    changes: reworded(
      settingFiles,
      'origins.set(key, { path: project.path ?? "", of: "project" });',
      'origins.set(key, { path: project.path ?? "", of: "own" });',
    ),
  },
  {
    clauses: ["AGENT-15.3"],
    breaks: "whoever writes forgets what was there",
    changes: reworded(
      stats,
      "sum(before === undefined ? none : countsIn(before), counts)",
      "sum(none, counts)",
    ),
  },
  {
    clauses: ["AGENT-15.3"],
    breaks: "what is there is read before it is locked",
    changes: reworded(
      stats,
      "return document.change((file) => withCounts(file, writing, now));",
      "const file = await document.read();\n      return document.change(() => withCounts(file, writing, now));",
    ),
  },
];

export const agentPlaceMutants: readonly Breakage[] = [...identity, ...configuration, ...files];
