/**
 * Carries out again what a recorded episode did: the same proposals, against the
 * pack, without any policy. So no model can be called, whatever is missing.
 *
 * The proposals are in the steps and in the refusals. A refusal whose proposal
 * was too long to be kept whole is taken over as it is recorded.
 */
import { Failure, isJsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { EpisodeState } from "../episode/state.js";
import { abstainFor, type Outcome, step } from "../episode/step.js";
import { type Proposal, type RefusalRecord, stopReasons, type StepRecord } from "../types.js";
import { emitOutcome, type RowSink } from "./drive.js";
import type { RecordedEpisode } from "./read.js";
import type { Recorded } from "./row-cursor.js";

export interface Again {
  readonly state: EpisodeState;
  /** Refusals that could not be carried out again. */
  readonly asRecorded: number;
}

export interface AgainOptions {
  readonly recorded: RecordedEpisode;
  readonly state: EpisodeState;
  readonly sink: RowSink;
  readonly policyId: string;
}

/** Contract: fails with `replay_differs` when the pack refuses what it once carried out. */
export function carryOutAgain({ recorded, state: from, sink, policyId }: AgainOptions): Again {
  const to = { sink, touched: new Set(from.retrieved), policyId };
  const refusals = [...recorded.refusals];
  let state = from;
  let asRecorded = 0;
  const refuseUpTo = (index: number) => {
    while (refusals[0] !== undefined && refusals[0].record.step_index <= index) {
      const refusal = refusals.shift() as Recorded<RefusalRecord>;
      const outcome = isWhole(refusal.record) ? step(state, proposalOf(refusal.record)) : undefined;
      if (outcome === undefined) {
        asRecorded++;
        sink.add("refusals.jsonl", refusal.text);
        state = takeOver(state, refusal);
      } else {
        emitOutcome(outcome, to);
        ({ state } = outcome);
      }
    }
  };
  for (const each of recorded.steps) {
    const { record } = each;
    refuseUpTo(record.step_index);
    // The reads of a branch came with it, and an end by the harness with the refusal before it.
    if (state.stepCount >= record.step_index) continue;
    const outcome = stepAgain(state, each);
    emitOutcome(outcome, to);
    ({ state } = outcome);
  }
  refuseUpTo(Number.POSITIVE_INFINITY);
  return { state, asRecorded };
}

function stepAgain(state: EpisodeState, recorded: Recorded<StepRecord>): Outcome {
  const { record, text, place } = recorded;
  const outcome = step(state, proposalOf(record));
  if (outcome.steps[0]?.text === text) return outcome;
  const ended = record.step_type === "abstain" ? abstainAgain(state, record) : undefined;
  if (ended?.steps[0]?.text === text) return ended;
  if (outcome.refusal === undefined) return outcome;
  throw new Failure("replay_differs", {
    message: `${record.episode_id} ${record.step_id}: ${record.action_name} is refused now: ${outcome.refusal.message}`,
    hint: "The pack does not have what the run read, or the program has changed.",
    detail: {
      episode_id: record.episode_id,
      step_index: record.step_index,
      file: place.file,
      line: place.line,
      refusal: outcome.refusal.class,
    },
  });
}

/** The harness may end an episode in words that a policy may not use. */
function abstainAgain(state: EpisodeState, { action_args }: StepRecord): Outcome | undefined {
  const said = String(action_args["stop_reason"]);
  const reason = stopReasons.find((each) => said.startsWith(`${each}: `));
  return reason === undefined ? undefined : abstainFor(state, reason, said.slice(reason.length + 2));
}

function proposalOf({ action_args, action_name, ...rest }: StepRecord | RefusalRecord): Proposal {
  const notes = "notes" in rest ? rest.notes : undefined;
  const proposal = { action_args: action_args as Proposal["action_args"], action_name };
  return notes === undefined ? proposal : { ...proposal, notes };
}

const nameCharsMax = 64;

/** Whether the row holds all of what was proposed: nothing cut, nothing that JSON could not carry. */
function isWhole({ action_args, action_name }: RefusalRecord): boolean {
  return action_name.length < nameCharsMax && !/\ufffd/.test(action_name) && isPlain(action_args);
}

function isPlain(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return !value.includes("\ufffd");
  if (value === null || value === undefined) return false;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).every(isPlain);
  if (!isJsonObject(value)) return true;
  if (Object.keys(value).join() === "cut,digest") return false;
  return Object.entries(value).every(([name, member]) => isPlain(name) && isPlain(member));
}

function takeOver(state: EpisodeState, { text }: Recorded<RefusalRecord>): EpisodeState {
  return {
    ...state,
    refusalsInARow: state.refusalsInARow + 1,
    refusalCount: state.refusalCount + 1,
    refusalsDigest: sha256Hex(`${state.refusalsDigest}\n${text}`),
  };
}
