/** Whether the rows of one episode say the same thing: pure, and without the pack. */
import { isJsonObject, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import { holdArtifact } from "../episode/artifact.js";
import { rowOf, stepId } from "../episode/row.js";
import type { StepRecord, TerminalRecord } from "../types.js";
import { episodeRow } from "./drive.js";
import { firstDifference, shown } from "./first-difference.js";
import { runDamaged } from "./manifest.js";
import type { RecordedEpisode } from "./read.js";
import type { Recorded } from "./row-cursor.js";
import type { RunManifest } from "./types.js";

/** The chain from the start on, and what each step makes of the working set. */
export function checkSteps(
  manifest: RunManifest,
  { start, steps }: Pick<RecordedEpisode, "start" | "steps">,
): void {
  let head = sha256Hex(start.text);
  checkFork(manifest, start, 0, head);
  let active: readonly string[] = [];
  for (const [i, each] of steps.entries()) {
    const { record, text, place } = each;
    const index = i + 1;
    const expect = (field: string, found: JsonValue | undefined, expected: JsonValue) => {
      if (found !== expected)
        throw runDamaged(place, `${field} is ${shown(found)}, what is before it says ${shown(expected)}`);
    };
    expect("previous_digest", record.previous_digest, head);
    expect("step_index", record.step_index, index);
    expect("step_id", record.step_id, stepId(index));
    expect("working_set_before", record.working_set_before.join(" "), active.join(" "));
    active = after(record);
    expect("working_set_after", record.working_set_after.join(" "), active.join(" "));
    if (record.terminal_action !== undefined && index < steps.length)
      throw runDamaged(place, "steps stand behind the one that ended the episode");
    head = sha256Hex(text);
    checkFork(manifest, each, index, head);
  }
}

function after({ step_type, working_set_before: before, ...record }: StepRecord): readonly string[] {
  switch (step_type) {
    case "keep_artifact":
      return [...before, ...(record.selected_artifact_ids ?? [])];
    case "drop_artifact":
    case "prune_working_set":
      return before.filter((id) => record.dropped_artifact_ids?.includes(id) !== true);
    case "env_read":
    case "branch_subquery":
    case "decision_update":
    case "finalize":
    case "abstain":
      return before;
  }
}

function checkFork(
  { forked_from: origin }: RunManifest,
  { place }: Recorded<unknown>,
  index: number,
  head: string,
): void {
  if (origin === undefined || origin.at_step !== index || origin.head_digest === head) return;
  throw runDamaged(
    place,
    `its digest is not ${origin.head_digest}, with which run.json says the fork begins`,
  );
}

/** Terminal and episode row follow from the rest to the byte. */
export function checkEnd(manifest: RunManifest, recorded: RecordedEpisode): void {
  const { start, steps, terminal, episode } = recorded;
  const last = steps.at(-1);
  if (terminal === undefined) {
    if (episode !== undefined)
      throw runDamaged(episode.place, "the episode is written, and terminals.jsonl does not hold its end");
    return;
  }
  if (last?.record.terminal_action === undefined)
    throw runDamaged(terminal.place, "the episode has ended, and steps.jsonl does not hold its last step");
  const expected = rowOf(terminalOf(recorded, last));
  requireSame(terminal, expected);
  if (episode !== undefined)
    requireSame(episode, episodeRow(manifest.policy_id, start.record, expected.record));
}

function requireSame(
  { record, text, place }: Recorded<object>,
  expected: { readonly record: object; readonly text: string },
): void {
  if (text === expected.text) return;
  const difference = firstDifference(record as JsonObject, expected.record as JsonObject);
  if (difference === undefined) throw runDamaged(place, "it is not canonical JSON");
  const { path, left, right } = difference;
  throw runDamaged(place, `${path} is ${shown(left)}, the other files say ${shown(right)}`);
}

function terminalOf(recorded: RecordedEpisode, last: Recorded<StepRecord>): TerminalRecord {
  const { start, steps, refusals, artifacts } = recorded;
  const { action_args: args, terminal_action } = last.record;
  const retained = strings(args["retained_artifact_ids"]);
  const decision = args["decision_class"];
  return {
    decision_class: decision === undefined ? null : (decision as TerminalRecord["decision_class"]),
    episode_id: start.record.episode_id,
    head_digest: sha256Hex(last.text),
    open_risks: strings(args["open_risks"]),
    refusal_count: refusals.length,
    refusals_digest: digestOfRefusals(refusals),
    retained_artifact_ids: retained,
    retained_evidence: retained.flatMap((id) => {
      const found = artifacts.find(({ record }) => record.artifact_id === id);
      if (found === undefined || !isJsonObject(found.record.payload)) return [];
      const { payloadDigest, summary } = holdArtifact(found.record, recorded.loader);
      const { anchor_market, artifact_type, view_name, window_id } = found.record;
      return [
        {
          anchor_market,
          artifact_id: id,
          artifact_type,
          payload_digest: payloadDigest,
          summary,
          view_name,
          window_id,
        },
      ];
    }),
    step_count: steps.length,
    stop_reason: String(args["stop_reason"]),
    terminal_action: terminal_action as TerminalRecord["terminal_action"],
  };
}

export function digestOfRefusals(refusals: readonly { readonly text: string }[]): string {
  let digest = sha256Hex("");
  for (const { text } of refusals) digest = sha256Hex(`${digest}\n${text}`);
  return digest;
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(String) : [];
}
