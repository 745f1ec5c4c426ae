/** What all operations that answer a question share: the source, the log, the text for people. */
import { type Call, columns, type Paint } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import { isAbsolute, join } from "node:path";
import { provenanceOf } from "../answer/provenance.js";
import { sparkline } from "../answer/rows.js";
import type { Answer, Cell } from "../answer/types.js";
import { ask, type AskInput, type Outcome, type Plan } from "../ask.js";
import { families } from "../families.js";
import { logQuestion } from "../log/write.js";
import type { Opening } from "../source/open.js";
import { keptName, specOf } from "../source/spec.js";
import type { QuestionSource } from "../source/types.js";

export interface Answering extends AskInput {
  readonly sources?: readonly string[];
  readonly maxBytes?: number;
}

export async function answering(input: Answering, call: Call): Promise<Answer | Refusal> {
  const spec = specOf(input.sources ?? [], call.env["HLQ_SOURCE"]);
  if (isRefusal(spec)) return spec;
  const opening: Opening = {
    spec,
    ports: call.ports,
    cwd: call.cwd,
    env: call.env,
    signal: call.signal,
    ...(input.maxBytes === undefined ? {} : { maxBytes: input.maxBytes }),
  };
  const outcome = await carriedOut(input, opening, call);
  await log(input, outcome, call);
  return outcome.answer;
}

async function carriedOut(input: Answering, opening: Opening, call: Call): Promise<Outcome> {
  const nowMs = await call.ports.clock.now();
  try {
    return await ask(input, { nowMs, withSource: (plan, use) => withSource(plan, opening, call, use) });
  } catch (error) {
    // A bug of ours, or an interruption: the log gets its minimal record, the caller the error.
    const timestamp = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
    const provenance = provenanceOf({ template: null, coverage: null, timestamp });
    const answer = refuse("internal_error", {
      message: error instanceof Error ? error.message : String(error),
    });
    await log(input, { answer, executions: [], provenance }, call);
    throw error;
  }
}

async function withSource<Result>(
  plan: Plan,
  opening: Opening,
  call: Call,
  use: (source: QuestionSource) => Promise<Result>,
): Promise<Result> {
  // Loaded here: a dry run needs neither the engine nor what fills it.
  const { openSource } = await import("../source/open.js");
  const name = keptName(opening);
  if (call.kept !== undefined && name !== undefined)
    return call.kept.use(name, () => openSource(plan, opening), use);
  const source = await openSource(plan, opening);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

async function log({ question, dryRun = false }: Answering, outcome: Outcome, call: Call): Promise<void> {
  const folder = call.env["HLQ_TRAJECTORY_LOG_DIR"];
  if (folder === undefined || folder === "") return;
  await logQuestion({
    folder: isAbsolute(folder) ? folder : join(call.cwd, folder),
    ports: call.ports,
    question,
    outcome,
    dryRun,
    // Only a surface that lives on between calls keeps things, and that is MCP.
    surface: call.kept === undefined ? "cli" : "mcp",
  });
}

// --- For people ------------------------------------------------------------------------------------

export function present(answer: Answer, paint: Paint): string {
  const lines = [answer.summary];
  if (answer.status === "help")
    return [
      answer.summary,
      "",
      ...columns(families.map(({ name, example }) => [paint.strong(name), example])),
    ].join("\n");
  for (const { text, parameters, coin } of answer.sql) {
    lines.push(
      "",
      ...(coin === undefined ? [] : [paint.strong(coin)]),
      text.trimEnd(),
      paint.dim(`-- ${JSON.stringify(parameters)}`),
    );
  }
  if (answer.rows.length > 0) {
    const head = answer.columns.map((column) => paint.strong(column.replaceAll("_", " ")));
    const rows = answer.rows.map((row) => answer.columns.map((column) => shown(column, row[column] ?? null)));
    lines.push("", ...columns([head, ...rows]));
  }
  const dropped = droppedOf(answer);
  if (dropped.length > 0)
    lines.push("", ...dropped.map(({ label, reason }) => paint.note(`Not used: ${label}: ${reason}`)));
  return lines.join("\n");
}

function droppedOf({ provenance }: Answer): readonly { readonly label: string; readonly reason: string }[] {
  const { coverage } = provenance;
  if (coverage === null) return [];
  if (!("per_coin" in coverage)) return coverage.dropped;
  return coverage.per_coin.flatMap(({ coin, dropped }) =>
    dropped.map(({ label, reason }) => ({ label: `${coin}, ${label}`, reason })),
  );
}

function shown(column: string, value: Cell): string {
  if (value === null) return "–";
  if (column === "trend") return sparkline(String(value));
  if (typeof value === "number")
    return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(value);
  return String(value);
}
