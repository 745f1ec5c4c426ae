/**
 * One proposal in one state: the whole of what can happen in an episode.
 *
 * Pure: the same state and proposal give the same rows and the same next state,
 * so a live run, a replay, a fork and a simulation are one code path. A refusal
 * changes nothing but the count of refusals. After the terminal nothing is
 * written any more.
 */
import { isJsonObject, type JsonObject, sha256Hex } from "@bridle/record";
import { nearest } from "@bridle/operation";
import { searchLimits } from "../limits.js";
import {
  type ActionName,
  type ActionRefusal,
  type DecisionClass,
  type Proposal,
  type ProposalName,
  proposalNames,
  type RefusalRecord,
  type StepRecord,
  type StopReason,
  type TerminalAction,
  type TerminalRecord,
} from "../types.js";
import { type ArgsOf, checkArgs, proposalArgs } from "./args.js";
import { cut, type HeldArtifact } from "./artifact.js";
import { branchOf, type ChildRead } from "./branch.js";
import {
  argsTextOf,
  type ChainedRow,
  type Checked,
  refusalRow,
  type Row,
  rowOf,
  type StepMembers,
  stepId,
  stepRow,
} from "./row.js";
import { type EpisodeState, pressureOf } from "./state.js";

/** What came of a proposal. The rows are in the order in which they are written. */
export interface Outcome {
  readonly state: EpisodeState;
  /** What was read, to be shown once. */
  readonly artifacts: readonly HeldArtifact[];
  readonly steps: readonly ChainedRow<StepRecord>[];
  readonly refusal?: ActionRefusal;
  readonly refusalRow?: Row<RefusalRecord>;
  readonly terminal?: Row<TerminalRecord>;
}

export function step(state: EpisodeState, proposal: Proposal): Outcome {
  if (state.terminal !== undefined) {
    const refusal: ActionRefusal = { class: "episode_ended", message: "the episode has ended" };
    return { state, artifacts: [], steps: [], refusal };
  }
  const checked = check(state, proposal);
  const outcome = "class" in checked ? checked : carryOut(state, checked);
  return "class" in outcome ? refuseProposal(state, proposal, outcome) : outcome;
}

/** The harness itself ends the episode: nobody else did, or nobody else can. */
export function abstainFor(state: EpisodeState, reason: StopReason, detail: string): Outcome {
  const args = {
    open_risks: [],
    retained_artifact_ids: state.activeIds,
    stop_reason: `${reason}: ${cut(detail.toWellFormed(), searchLimits.reasonDetailCharsMax)}`,
  };
  const argsText = JSON.stringify(args);
  return end(state, { name: "abstain", args, argsText, notes: endedByHarness }, null);
}

/** The remark on a step with which the harness itself ended an episode. */
export const endedByHarness = "by the harness";

function check(
  state: EpisodeState,
  { action_name: name, action_args, notes }: Proposal,
): Checked | ActionRefusal {
  if (!isProposalName(name)) {
    const near = nearest(String(name), proposalNames);
    return refusal(
      "action_unknown",
      `there is no action ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
  if (!isJsonObject(action_args)) return refusal("args_invalid", `${name} takes an object of arguments`);
  const invalid = checkArgs(proposalArgs[name], action_args);
  if (invalid !== undefined) return invalid;
  const argsText = argsTextOf(action_args);
  if (argsText === undefined) return refusal("args_invalid", `${name}: a text holds half a character`);
  if (state.stepsLeft === 0 && name !== "finalize" && name !== "abstain") {
    return refusal("step_budget_spent", "the step budget is spent; only finalize or abstain is accepted now");
  }
  const remark = notes === undefined ? "" : cut(notes.toWellFormed(), searchLimits.notesCharsMax);
  return { name, args: action_args, argsText, notes: remark === "" ? undefined : remark };
}

const known: ReadonlySet<unknown> = new Set(proposalNames);

function isProposalName(name: unknown): name is ProposalName {
  return known.has(name);
}

function carryOut(state: EpisodeState, checked: Checked): Outcome | ActionRefusal {
  const { name, args } = checked;
  switch (name) {
    case "read_market_state":
    case "read_derived_metrics":
    case "read_persistence":
    case "compare_markets":
    case "retrieve_similar_prior_episodes":
      return read(state, checked);
    case "keep_artifact":
      return keep(state, checked, (args as ArgsOf<"keep_artifact">).artifact_id);
    case "drop_artifact":
      return drop(state, checked, [(args as ArgsOf<"drop_artifact">).artifact_id]);
    case "prune_working_set":
      return drop(state, checked, (args as ArgsOf<"prune_working_set">).artifact_ids);
    case "branch_subquery":
      return branch(state, checked);
    case "decision_update": {
      const { confidence, leaning } = (args as ArgsOf<"decision_update">).stop_candidate;
      const stop_candidate = { confidence, leaning };
      return stepped(state, { stopCandidate: stop_candidate }, checked, {
        step_type: "decision_update",
        stop_candidate,
      });
    }
    case "finalize":
      return conclude(state, checked, (args as ArgsOf<"finalize">).decision_class);
    case "abstain":
      return conclude(state, checked, null);
  }
}

// --- Reads and branches ----------------------------------------------------------------------------

function read(state: EpisodeState, checked: Checked): Outcome | ActionRefusal {
  const found = retrieve(state, checked.name as ActionName, checked.args);
  if ("class" in found) return found;
  return readStep(state, checked, found);
}

function readStep(
  state: EpisodeState,
  checked: Checked,
  found: HeldArtifact,
  branchStepId?: string,
): Outcome {
  const id = found.artifact.artifact_id;
  const entry = {
    action_name: checked.name as ActionName,
    artifact_ids: [id],
    step_id: stepId(state.stepCount + 1),
  };
  const change: Change = {
    retrievalHistory: [...state.retrievalHistory, entry],
    retrieved: state.retrieved.includes(id) ? state.retrieved : [...state.retrieved, id],
  };
  const members: StepMembers = {
    artifact_digests: [found.digest],
    artifact_ids_read: entry.artifact_ids,
    branch_parent_step_id: branchStepId,
    step_type: "env_read",
  };
  return stepped(state, change, checked, members, [found]);
}

function retrieve(
  { registry }: EpisodeState,
  name: ActionName,
  args: JsonObject,
): HeldArtifact | ActionRefusal {
  const { anchor_market, window_id, peer_markets, pattern_id_or_query } = args as Record<string, string> & {
    readonly peer_markets: readonly string[];
  };
  const [market = "", window = ""] = [anchor_market, window_id];
  switch (name) {
    case "read_market_state":
      return registry.read("market_state", market, window);
    case "read_derived_metrics":
      return registry.read("derived_metrics", market, window);
    case "read_persistence":
      return registry.read("persistence", market, window);
    case "compare_markets":
      return registry.compare(market, peer_markets, window);
    case "retrieve_similar_prior_episodes":
      return registry.similar(market, pattern_id_or_query ?? "");
    default:
      throw new Error(`${name} reads nothing`);
  }
}

/** All of its reads succeed, or nothing happens. */
function branch(state: EpisodeState, checked: Checked): Outcome | ActionRefusal {
  const wanted = branchOf(checked.args as ArgsOf<"branch_subquery">);
  if ("class" in wanted) return wanted;
  const { reads, subqueryType } = wanted;
  if (state.stepsLeft < reads.length + 1) {
    const cost = `this branch takes ${reads.length + 1} steps, and ${state.stepsLeft} are left`;
    return refusal("step_budget_short", cost);
  }
  const found: { readonly read: ChildRead; readonly held: HeldArtifact }[] = [];
  for (const each of reads) {
    const held = retrieve(state, each.action_name, each.action_args);
    if ("class" in held) return held;
    found.push({ read: each, held });
  }
  const parent = state.lastStepId;
  const entry = {
    artifact_ids: found.map(({ held }) => held.artifact.artifact_id),
    branch_parent_step_id: parent,
    step_id: stepId(state.stepCount + 1),
    subquery_type: subqueryType,
  };
  const asked = stepped(state, { branchHistory: [...state.branchHistory, entry] }, checked, {
    branch_parent_step_id: parent,
    step_type: "branch_subquery",
    subquery_type: subqueryType,
  });
  const steps = [...asked.steps];
  let next = asked.state;
  for (const { read: each, held } of found) {
    const child = readStep(next, checkedRead(each), held, entry.step_id);
    steps.push(...child.steps);
    next = child.state;
  }
  return { state: next, artifacts: found.map(({ held }) => held), steps };
}

/** What a branch reads was checked with it, and its arguments are made with their members in order. */
function checkedRead({ action_name: name, action_args: args }: ChildRead): Checked {
  return { name, args, argsText: JSON.stringify(args), notes: undefined };
}

// --- The working set -------------------------------------------------------------------------------

function keep(state: EpisodeState, checked: Checked, id: string): Outcome | ActionRefusal {
  const held = state.retrieved.includes(id) ? state.registry.get(id) : undefined;
  if (held === undefined) return refusal("artifact_unknown", `${id} was not read in this episode`);
  if (state.activeIds.includes(id))
    return refusal("artifact_already_kept", `${id} is in the working set already`);
  const tokens = state.activeTokens + held.tokens;
  const budget = state.registry.tokenBudget;
  if (tokens > budget) {
    const over = `${id} has ${held.tokens} tokens, and ${budget - state.activeTokens} of ${budget} are left; drop something first`;
    return refusal("token_budget_exceeded", over);
  }
  const change: Change = {
    active: [...state.active, held],
    activeIds: [...state.activeIds, id],
    activeTokens: tokens,
  };
  return stepped(state, change, checked, {
    selected_artifact_ids: [id],
    step_type: "keep_artifact",
  });
}

function drop(state: EpisodeState, checked: Checked, ids: readonly string[]): Outcome | ActionRefusal {
  const stranger = ids.find((id) => !state.activeIds.includes(id));
  if (stranger !== undefined) return refusal("artifact_not_kept", `${stranger} is not in the working set`);
  const active = state.active.filter(({ artifact }) => !ids.includes(artifact.artifact_id));
  const change: Change = {
    active,
    activeIds: active.map(({ artifact }) => artifact.artifact_id),
    activeTokens: active.reduce((sum, { tokens }) => sum + tokens, 0),
  };
  return stepped(state, change, checked, {
    dropped_artifact_ids: ids,
    step_type: checked.name === "drop_artifact" ? "drop_artifact" : "prune_working_set",
  });
}

// --- The end ---------------------------------------------------------------------------------------

function conclude(
  state: EpisodeState,
  checked: Checked,
  decision: DecisionClass | null,
): Outcome | ActionRefusal {
  const { retained_artifact_ids: retained } = checked.args as {
    readonly retained_artifact_ids: readonly string[];
  };
  const stranger = retained.find((id) => !state.activeIds.includes(id));
  if (stranger !== undefined) {
    return refusal(
      "retained_not_active",
      `${stranger} is not in the working set, so the decision cannot rest on it`,
    );
  }
  return end(state, checked, decision);
}

function end(state: EpisodeState, checked: Checked, decision: DecisionClass | null): Outcome {
  const { stop_reason, ...given } = checked.args as {
    readonly open_risks: readonly string[];
    readonly retained_artifact_ids: readonly string[];
    readonly stop_reason: string;
  };
  const [open_risks, retained_artifact_ids] = [[...given.open_risks], [...given.retained_artifact_ids]];
  const action = checked.name as TerminalAction;
  const { state: after, steps } = stepped(state, {}, checked, {
    selected_artifact_ids: retained_artifact_ids,
    step_type: action,
    terminal_action: action,
  });
  const terminal = rowOf<TerminalRecord>({
    decision_class: decision,
    episode_id: state.registry.episodeId,
    head_digest: after.headDigest,
    open_risks,
    refusal_count: state.refusalCount,
    refusals_digest: state.refusalsDigest,
    retained_artifact_ids,
    retained_evidence: retained_artifact_ids.map((id) => evidenceOf(state, id)),
    step_count: after.stepCount,
    stop_reason,
    terminal_action: action,
  });
  return { state: { ...after, terminal: terminal.record }, artifacts: [], steps, terminal };
}

function evidenceOf({ active }: EpisodeState, id: string): TerminalRecord["retained_evidence"][number] {
  const held = active.find(({ artifact }) => artifact.artifact_id === id);
  if (held === undefined) throw new Error(`${id} was retained and is not active`);
  const { anchor_market, artifact_id, artifact_type, view_name, window_id } = held.artifact;
  return {
    anchor_market,
    artifact_id,
    artifact_type,
    payload_digest: held.payloadDigest,
    summary: held.summary,
    view_name,
    window_id,
  };
}

// --- What every proposal leaves --------------------------------------------------------------------

/** What a step changes beside the counts; what is left out stays. */
type Change = Partial<
  Pick<
    EpisodeState,
    | "active"
    | "activeIds"
    | "activeTokens"
    | "retrieved"
    | "retrievalHistory"
    | "branchHistory"
    | "stopCandidate"
  >
>;

function stepped(
  before: EpisodeState,
  change: Change,
  checked: Checked,
  members: StepMembers,
  artifacts: readonly HeldArtifact[] = none,
): Outcome {
  const { registry } = before;
  const index = before.stepCount + 1;
  const step_id = stepId(index);
  const activeIds = change.activeIds ?? before.activeIds;
  const activeTokens = change.activeTokens ?? before.activeTokens;
  const row = stepRow(
    {
      episodeIdText: registry.episodeIdText,
      index,
      step_id,
      previous_digest: before.headDigest,
      context_pressure_class: pressureOf(activeTokens, registry.tokenBudget),
      working_set_after: activeIds,
      working_set_before: before.activeIds,
    },
    checked,
    members,
  );
  // Member by member, so that all states have one shape.
  const state: EpisodeState = {
    registry,
    active: change.active ?? before.active,
    activeIds,
    activeTokens,
    retrieved: change.retrieved ?? before.retrieved,
    retrievalHistory: change.retrievalHistory ?? before.retrievalHistory,
    branchHistory: change.branchHistory ?? before.branchHistory,
    stepCount: index,
    // The end is always possible, so it costs nothing.
    stepsLeft: members.terminal_action === undefined ? before.stepsLeft - 1 : before.stepsLeft,
    refusalsInARow: 0,
    refusalCount: before.refusalCount,
    refusalsDigest: before.refusalsDigest,
    lastStepId: step_id,
    headDigest: row.digest,
    stopCandidate: change.stopCandidate ?? before.stopCandidate,
    terminal: undefined,
  };
  return { state, artifacts, steps: [row] };
}

const none: readonly HeldArtifact[] = [];

function refuseProposal(state: EpisodeState, proposal: Proposal, why: ActionRefusal): Outcome {
  const { episode_id, step_budget } = state.registry.brief;
  const row = refusalRow({ episode_id, index: state.stepCount + 1 }, proposal, why);
  const next: EpisodeState = {
    ...state,
    refusalsInARow: state.refusalsInARow + 1,
    refusalCount: state.refusalCount + 1,
    refusalsDigest: sha256Hex(`${state.refusalsDigest}\n${row.text}`),
  };
  const refused = { refusal: why, refusalRow: row };
  const inARow = next.refusalsInARow >= searchLimits.refusalsInARowMax;
  if (!inARow && next.refusalCount < searchLimits.refusalsPerStepMax * step_budget) {
    return { state: next, artifacts: [], steps: [], ...refused };
  }
  const count = inARow
    ? `${next.refusalsInARow} proposals in a row were refused`
    : `${next.refusalCount} proposals were refused`;
  const reason: StopReason = state.stepsLeft === 0 ? "budget_exhausted" : "refusals_exhausted";
  return { ...abstainFor(next, reason, `${count}, the last as ${why.class}`), ...refused };
}

function refusal(of: ActionRefusal["class"], message: string): ActionRefusal {
  return { class: of, message };
}
