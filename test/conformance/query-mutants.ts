/** The mutants of one-shot questions: what an answer or the log of questions would lack or say wrongly. */
import type { Breakage } from "./clause-mutants.js";

const ask = "packages/query/src/ask.ts";
const answering = "packages/query/src/operations/answering.ts";
const capabilities = "packages/query/src/operations/capabilities.ts";
const rows = "packages/query/src/log/rows.ts";
const write = "packages/query/src/log/write.ts";
const read = "packages/query/src/log/read.ts";
const provenance = "packages/query/src/answer/provenance.ts";
const route = "packages/query/src/route/route.ts";
const planner = "packages/search/src/policy/planner.ts";
const guide = "docs/guides/query.md";

export const queryMutants: readonly Breakage[] = [
  {
    clauses: ["SEARCH-1.2"],
    breaks: "the planner asks its model without pi's loop",
    changes: [
      { file: planner, find: "  runLoop,\n", replace: "  answerOf,\n" },
      {
        file: planner,
        find: "    let response: ModelResponse | undefined;\n",
        replace:
          "    let response: ModelResponse | undefined = await answerOf(call(request, { signal: this.signal }));\n    const runLoop = async (_: object): Promise<{ refusal?: never }> => ({});\n",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.7"],
    breaks: "what the planner reasons is not kept",
    changes: [
      {
        file: planner,
        find: 'const notes = said === "" ? {} : { notes: said };',
        replace: "const notes = {}; void said;",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.7"],
    breaks: "a policy that is no planner leaves its reasons in the record",
    changes: [
      {
        file: "packages/search/src/run/drive.ts",
        find: 'return reasons === true && typeof notes === "string"',
        replace: 'void reasons;\n  return typeof notes === "string"',
      },
    ],
  },
  {
    clauses: ["SEARCH-3.1"],
    breaks: "a question must be spelled without marks",
    changes: [
      {
        file: ask,
        find: 'if (question.trim() === "") {',
        replace: 'if (question.trim() === "" || question.includes("?")) {',
      },
    ],
  },
  {
    clauses: ["SEARCH-3.2"],
    breaks: "a question has no route",
    changes: [
      {
        file: ask,
        find: "return { answer, routed, plan, executions, provenance };\n}\n\n/** Coins",
        replace: "return { answer, plan, executions, provenance };\n}\n\n/** Coins",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.3", "SEARCH-3.4", "TRAJ-4.1"],
    breaks: "the template is executed twice",
    changes: [
      {
        file: ask,
        find: "const rows = missing === undefined ? rowsOf(await source.run(template.name, boundTo(text, values))) : [];",
        replace:
          "await source.run(template.name, boundTo(text, values));\n    const rows = missing === undefined ? rowsOf(await source.run(template.name, boundTo(text, values))) : [];",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.5", "TRAJ-4.6", "TRAJ-9.4"],
    breaks: "an answer does not say how many examples it was routed by",
    changes: [{ file: provenance, find: "    ann_snapshot_items: exampleCount,\n", replace: "" }],
  },
  {
    clauses: ["SEARCH-4.1"],
    breaks: "other venues are answered",
    changes: [
      {
        file: route,
        find: "const refusedFrom = 0.5;",
        replace: "const refusedFrom = 2;",
      },
      { file: route, find: "export const confidenceMin = 0.2;", replace: "export const confidenceMin = 0;" },
    ],
  },
  {
    clauses: ["SEARCH-4.1"],
    breaks: "a pack is built of another venue's rows",
    changes: [
      {
        file: "packages/market/src/ingest/rows.ts",
        find: 'venue.toLowerCase() !== "hyperliquid"',
        replace: "venue.length > 64",
      },
    ],
  },
  {
    clauses: ["TRAJ-1.1", "TRAJ-2.4", "TRAJ-2.6"],
    breaks: "nothing is logged",
    changes: [
      {
        file: answering,
        find: "  await logQuestion({",
        replace: "  if (folder.length < 0) await logQuestion({",
      },
    ],
  },
  {
    clauses: ["TRAJ-1.2", "TRAJ-9.3"],
    breaks: "a step of a question carries a field of the harness",
    changes: [
      {
        file: rows,
        find: "    step_id: at.stepId,\n",
        replace: "    step_id: at.stepId,\n    step_index: 0,\n",
      },
    ],
  },
  {
    clauses: ["TRAJ-2.1", "TRAJ-2.5"],
    breaks: "the log is on without being asked for",
    changes: [
      {
        file: answering,
        find: 'const folder = call.env["HLQ_TRAJECTORY_LOG_DIR"];',
        replace: 'const folder = call.env["HLQ_TRAJECTORY_LOG_DIR"] ?? "log";',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.2", "TRAJ-10.3"],
    breaks: "an answer is another one when it is logged",
    changes: [
      {
        file: answering,
        find: "  return outcome.answer;\n",
        replace:
          '  if (call.env["HLQ_TRAJECTORY_LOG_DIR"] !== undefined && "summary" in outcome.answer) return { ...outcome.answer, summary: "logged" };\n  return outcome.answer;\n',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.3"],
    breaks: "the log begins anew with each question",
    changes: [
      {
        file: write,
        find: 'const file = await files.open(path, "append");',
        replace: 'await files.remove(path);\n  const file = await files.open(path, "append");',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.7"],
    breaks: "a command for help is not logged",
    changes: [
      {
        file: capabilities,
        find: 'if (folder !== undefined && folder !== "") {',
        replace: 'if (folder === "never") {',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.8"],
    breaks: "a dry run is logged as a live one",
    changes: [
      {
        file: rows,
        find: 'return dryRun ? "dry_run" : "live";',
        replace: 'return dryRun ? "live" : "live";',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.9"],
    breaks: "a live execution leaves no result",
    changes: [
      {
        file: rows,
        find: 'if (mode === "live") artifact(stepId, "sql_result_set"',
        replace: 'if (mode === "help") artifact(stepId, "sql_result_set"',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.10"],
    breaks: "an exception leaves nothing",
    changes: [
      {
        file: answering,
        find: "    await log(input, { answer, executions: [], provenance }, call);\n",
        replace: "    void answer;\n    void provenance;\n",
      },
    ],
  },
  {
    clauses: ["TRAJ-2.11", "TRAJ-10.5"],
    breaks: "the log holds a score",
    changes: [
      {
        file: rows,
        find: '"ann_shortlist", { ids: shortlist }',
        replace: '"ann_shortlist", { ids: shortlist, score: 1 }',
      },
    ],
  },
  {
    clauses: ["TRAJ-2.12"],
    breaks: "the guide promises an API",
    changes: [{ file: guide, find: "no public API", replace: "a public API" }],
  },
  {
    clauses: ["TRAJ-3.1.1"],
    breaks: "each coin is an episode",
    changes: [
      {
        file: rows,
        find: "return { episodes: [episode], steps, artifacts };",
        replace: "return { episodes: steps.map(() => episode), steps, artifacts };",
      },
    ],
  },
  {
    clauses: ["TRAJ-3.1.2"],
    breaks: "an episode does not say where it was asked",
    changes: [
      { file: rows, find: "    source_surface: surface,\n", replace: "" },
      {
        file: rows,
        find: "const { question, outcome, surface, id } = input;",
        replace: "const { question, outcome, id } = input;",
      },
    ],
  },
  {
    clauses: ["TRAJ-3.2.1", "TRAJ-3.2.2"],
    breaks: "a step does not say how far it came",
    changes: [
      {
        file: rows,
        find: "    retrieval_stage: stageOf(at.mode, at.part, plan !== undefined),\n",
        replace: "",
      },
    ],
  },
  {
    clauses: ["TRAJ-3.3.1"],
    breaks: "an artifact belongs to no step",
    changes: [{ file: rows, find: "      step_id: stepId,\n", replace: '      step_id: "",\n' }],
  },
  {
    clauses: ["TRAJ-3.3.2"],
    breaks: "coverage is no artifact",
    changes: [{ file: rows, find: '    artifact(stepId, "coverage_report", part.coverage);\n', replace: "" }],
  },
  {
    clauses: ["TRAJ-5.8"],
    breaks: "a row holds the time of its run",
    changes: [
      {
        file: "packages/search/src/run/drive.ts",
        find: "if (touched.has(artifact.artifact_id)) continue;",
        replace: "if (touched.has(artifact.artifact_id) || Math.random() < 0.5) continue;",
      },
    ],
  },
  {
    clauses: ["TRAJ-8.6"],
    breaks: "a question has a working set",
    changes: [
      {
        file: rows,
        find: "    step_id: at.stepId,\n",
        replace: "    step_id: at.stepId,\n    working_set_before: [],\n",
      },
    ],
  },
  {
    clauses: ["TRAJ-9.1"],
    breaks: "rows of an earlier version are left out",
    changes: [
      {
        file: read,
        find: 'if (typeof row === "object" && row !== null && !Array.isArray(row)) return [row as Row];',
        replace: 'if (typeof row === "object" && row !== null && "topic_family" in row) return [row as Row];',
      },
    ],
  },
  {
    clauses: ["TRAJ-9.2"],
    breaks: "a question fails without the log",
    changes: [
      {
        file: answering,
        find: 'if (folder === undefined || folder === "") return;',
        replace: 'if (folder === undefined || folder === "") throw new Error("no log");',
      },
    ],
  },
  {
    clauses: ["TRAJ-10.1", "TRAJ-10.2"],
    breaks: "a log that cannot be written breaks the answer",
    changes: [
      {
        file: write,
        find: "  } catch {\n    // Best effort",
        replace: "  } catch (error) {\n    throw error;\n    // Best effort",
      },
    ],
  },
  {
    clauses: ["TRAJ-10.4"],
    breaks: "an answer carries ids of the log",
    changes: [
      {
        file: ask,
        find: 'status: rows.length === 0 ? "empty" : "answered",',
        replace: 'status: rows.length === 0 ? "empty" : "answered",\n    ...{ episode_id: "oe_1" },',
      },
    ],
  },
];
