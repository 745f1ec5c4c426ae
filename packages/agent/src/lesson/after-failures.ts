/** After a round in which every tool failed: a lesson for the model, a row for the failure log, a note for memory, counts for the rules. */
import { join } from "node:path";
import { Failure, present } from "@bridle/record";
import type { NoteIndex } from "../memory/recall.js";
import type { FailedRound, Lesson } from "../outside/outside.js";
import { bumpRuleHits, type RuleStats } from "@bridle/rules";
import { appendFailure, reflect } from "./reflexion.js";
import { stateFolder } from "../state-paths.js";
import type { AgentOptions } from "../types.js";

interface AfterFailuresOptions {
  readonly session: string;
  readonly options: AgentOptions & { readonly notice?: (sentence: string) => void };
  readonly stats: RuleStats;
  readonly index: NoteIndex;
}

export async function afterFailures(
  { ask, round, failures, mayAsk, countedRules }: FailedRound,
  signal: AbortSignal,
  { session, options, stats, index }: AfterFailuresOptions,
): Promise<Lesson> {
  const { config, ports, workspace, fast, main, notice } = options;
  const { call, model } = fast ?? main;
  const lessonModel = { call, model, session, clock: ports.clock, signal };
  const reflexion = await reflect(
    { ask, round, failures },
    config.reflexionSemantic && mayAsk ? lessonModel : undefined,
  );
  const path = join(stateFolder(workspace), "failures.jsonl");
  if (config.failureLog) await appendFailure(reflexion.row, { path, ports, notice });
  await remember(index, reflexion.memory, notice);
  // Those that the harness found itself are counted at the end of the send.
  const counted = reflexion.rules.filter((id) => !countedRules.has(id));
  await bumpRuleHits(counted.join(" "), { stats });
  const { note: text, usage } = reflexion;
  return { text, ...present({ usage }) };
}

async function remember(
  index: NoteIndex,
  { key, value }: { readonly key: string; readonly value: string },
  notice: ((sentence: string) => void) | undefined,
): Promise<void> {
  try {
    await index.store.put({ key, value, type: "reflection" });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notice?.(`the lesson was not remembered: ${error.message}`);
  }
}
