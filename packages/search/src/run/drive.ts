/**
 * One episode with one policy, from its start to its end, as rows.
 *
 * A policy that throws, or that proposes what cannot even be written down, ends
 * its episode with an abstention by the harness. Only an abort leaves an episode
 * without an end; so does a bug of ours, which is thrown on.
 */
import { Failure } from "@bridle/record";
import type { EpisodeRegistry } from "../episode/registry.js";
import { type Row, rowOf } from "../episode/row.js";
import { beginEpisode, type EpisodeState, observe } from "../episode/state.js";
import { abstainFor, type Outcome, step } from "../episode/step.js";
import type { EpisodePolicy, Policy } from "../policy/types.js";
import type { Brief, Proposal, StopReason, TerminalRecord } from "../types.js";
import type { RunEpisodeRecord, RunFile, StartRecord } from "./types.js";

/** Where rows go, each as its text. */
export interface RowSink {
  add(file: RunFile, text: string): void;
  /** Contract: called when the policy takes its time; what was added may be written meanwhile. */
  flush?(): Promise<void>;
}

export interface DriveOptions {
  readonly registry: EpisodeRegistry;
  readonly policy: Policy;
  readonly sink: RowSink;
  readonly signal: AbortSignal;
  /** Contract: throws when no more may be spent; asked before each proposal. */
  readonly mayGoOn?: () => void;
}

export function startRow(packId: string, policyId: string, brief: Brief): Row<StartRecord> {
  return rowOf<StartRecord>({
    anchor_market: brief.anchor_market,
    episode_id: brief.episode_id,
    pack_id: packId,
    policy_id: policyId,
    query: brief.query,
    step_budget: brief.step_budget,
    token_budget_class: brief.token_budget_class,
    window_id: brief.window_id,
  });
}

export function episodeRow(
  policyId: string,
  start: Pick<StartRecord, "anchor_market" | "episode_id" | "query" | "step_budget" | "window_id">,
  terminal: TerminalRecord,
): Row<RunEpisodeRecord> {
  return rowOf<RunEpisodeRecord>({
    anchor_market: start.anchor_market,
    episode_id: start.episode_id,
    policy_id: policyId,
    query: start.query,
    step_budget: start.step_budget,
    step_count: terminal.step_count,
    terminal_action: terminal.terminal_action,
    window_id: start.window_id,
  });
}

/** A whole episode. */
export function driveEpisode(options: DriveOptions): Promise<TerminalRecord> {
  const { registry, policy, sink } = options;
  const start = startRow(registry.packId, policy.policyId, registry.brief);
  sink.add("starts.jsonl", start.text);
  return driveOn(options, beginEpisode(registry, start.text));
}

/** From any state to the end. */
export async function driveOn(options: DriveOptions, from: EpisodeState): Promise<TerminalRecord> {
  const { policy, sink, signal, mayGoOn } = options;
  const touched = new Set(from.retrieved);
  let state = from;
  let latest: Outcome | undefined;
  let deciding: EpisodePolicy | undefined;
  while (state.terminal === undefined) {
    if (signal.aborted) throw aborted();
    mayGoOn?.();
    if (policy.asksAfterWriting === true) await sink.flush?.();
    let proposal: Proposal;
    try {
      deciding ??= policy.begin(state.registry.brief, { signal });
      const asked = deciding.propose(observe(state, latest));
      proposal = isPromise(asked) ? await waitFor(asked, sink, signal) : asked;
    } catch (error) {
      if (signal.aborted) throw aborted(error);
      if (error instanceof FlushFailure) throw error.cause;
      latest = abstainFor(state, ...reasonOf(error));
      emitOutcome(latest, { sink, touched, policyId: policy.policyId });
      state = latest.state;
      continue;
    }
    latest = carryOut(state, proposal, policy);
    emitOutcome(latest, { sink, touched, policyId: policy.policyId });
    state = latest.state;
  }
  return state.terminal;
}

/** Rows of one outcome, in the order in which they are written. */
export function emitOutcome(
  { artifacts, refusalRow, steps, terminal, state }: Outcome,
  to: { readonly sink: RowSink; readonly touched: Set<string>; readonly policyId: string },
): void {
  const { sink, touched, policyId } = to;
  for (const { artifact, text } of artifacts) {
    if (touched.has(artifact.artifact_id)) continue;
    touched.add(artifact.artifact_id);
    sink.add("artifacts.jsonl", text);
  }
  if (refusalRow !== undefined) sink.add("refusals.jsonl", refusalRow.text);
  for (const { text } of steps) sink.add("steps.jsonl", text);
  if (terminal === undefined) return;
  sink.add("terminals.jsonl", terminal.text);
  sink.add("episodes.jsonl", episodeRow(policyId, state.registry.brief, terminal.record).text);
}

function carryOut(state: EpisodeState, proposed: Proposal, policy: Policy): Outcome {
  const proposal = plain(proposed, policy);
  if (proposal === undefined) return abstainFor(state, "policy_failed", "what it proposed is no proposal");
  try {
    return step(state, proposal);
  } catch (error) {
    if (!isUnwritable(proposal, error)) throw error;
    return abstainFor(state, "policy_failed", "its proposal has no JSON form");
  }
}

/** Whoever proposes may be a model or a stranger's code: members of another kind are not passed on. */
function plain(proposed: unknown, { reasons }: Policy): Proposal | undefined {
  if (typeof proposed !== "object" || proposed === null) return undefined;
  const { action_args, action_name, notes } = proposed as Proposal;
  if (typeof action_name !== "string") return undefined;
  return reasons === true && typeof notes === "string"
    ? { action_args, action_name, notes }
    : { action_args, action_name };
}

function isUnwritable({ action_args }: Proposal, error: unknown): boolean {
  if (error instanceof Failure) return true;
  try {
    JSON.stringify(action_args);
    return false;
  } catch {
    return true;
  }
}

/** A model that takes seconds leaves time to write down what came before. */
async function waitFor(asked: Promise<Proposal>, sink: RowSink, signal: AbortSignal): Promise<Proposal> {
  asked.catch(() => {});
  try {
    await sink.flush?.();
  } catch (error) {
    throw new FlushFailure(error);
  }
  // Not every policy looks at the signal.
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(aborted());
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([asked, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The disk failed, not the policy. */
class FlushFailure extends Error {
  constructor(override readonly cause: unknown) {
    super("rows could not be written", { cause });
  }
}

function reasonOf(error: unknown): [StopReason, string] {
  const unavailable = error instanceof Failure && error.failureClass === "model_unavailable";
  const said = error instanceof Error ? error.message : String(error);
  // What cannot be shown would break the bounds of a stop reason.
  const words = said.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return [unavailable ? "model_unavailable" : "policy_failed", words === "" ? "no reason was given" : words];
}

export function aborted(cause?: unknown): Failure {
  return new Failure("aborted", {
    message: "the run was stopped before it was done",
    hint: "Go on with `hlq run --resume` and the same arguments.",
    cause,
  });
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
