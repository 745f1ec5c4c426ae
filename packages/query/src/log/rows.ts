/** From what became of a question to the rows of the log; pure, ids come in. */
import { isRefusal } from "@bridle/record";
import type { Execution, Outcome } from "../ask.js";
import { coverageOf } from "../answer/coverage.js";
import { families, familyOf } from "../families.js";
import type { Slots, Window } from "../types.js";
import type {
  artifactTypes,
  LogRows,
  queryModes,
  retrievalStages,
  Row,
  sourceSurfaces,
  statuses,
  stepTypes,
  timeHorizons,
} from "./types.js";

type One<List extends readonly string[]> = List[number];

export interface LogInput {
  readonly question: string;
  readonly outcome: Outcome;
  readonly dryRun: boolean;
  readonly surface: One<typeof sourceSurfaces>;
  /** The first is the episode's; every row has one of its own. */
  readonly id: () => string;
}

export function logRowsOf(input: LogInput): LogRows {
  const { question, outcome, surface, id } = input;
  const { routed } = outcome;
  const episodeId = `oe_${id()}`;
  const mode = modeOf(input);
  const family = routed?.kind === "family" ? routed.family : undefined;
  const episode: Row = {
    episode_id: episodeId,
    user_query: question,
    topic_family: family === undefined ? "none" : familyOf(family).about,
    query_type:
      mode === "error" ? "error" : (family ?? (routed?.kind === "unsupported" ? "unsupported" : "help")),
    query_mode: mode,
    time_horizon: horizonOf(outcome.plan?.slots.window ?? null),
    status: statusOf(input),
    source_surface: surface,
  };
  const steps: Row[] = [];
  const artifacts: Row[] = [];
  const artifact = (stepId: string, type: One<typeof artifactTypes>, payload: unknown) =>
    artifacts.push({
      artifact_id: `oa_${id()}`,
      episode_id: episodeId,
      step_id: stepId,
      artifact_type: type,
      payload,
    });
  const shortlist = routed === undefined || routed.kind === "help" ? [] : routed.neighbours;
  const parts: readonly (Execution | undefined)[] =
    outcome.executions.length > 0 ? outcome.executions : [undefined];
  for (const part of parts) {
    const stepId = `os_${id()}`;
    steps.push(stepOf(input, { stepId, episodeId, mode, part }));
    if (mode === "help")
      artifact(stepId, "capability_manifest", { families: families.map(({ name }) => name) });
    else if (shortlist.length > 0) artifact(stepId, "ann_shortlist", { ids: shortlist });
    if (part === undefined) continue;
    artifact(stepId, "sql_render", part.sql);
    if (mode === "live") artifact(stepId, "sql_result_set", { rows: part.rows });
    artifact(stepId, "coverage_report", part.coverage);
  }
  return { episodes: [episode], steps, artifacts };
}

function modeOf({ outcome, dryRun }: LogInput): One<typeof queryModes> {
  if (isRefusal(outcome.answer)) return "error";
  if (outcome.answer.status === "help") return "help";
  return dryRun ? "dry_run" : "live";
}

function statusOf({ outcome }: LogInput): One<typeof statuses> {
  const { answer } = outcome;
  if (isRefusal(answer)) return "error";
  if (answer.status === "unsupported") return "unsupported";
  return answer.status === "empty" ? "empty" : "ok";
}

function stepOf(
  { outcome }: LogInput,
  at: {
    readonly stepId: string;
    readonly episodeId: string;
    readonly mode: One<typeof queryModes>;
    readonly part: Execution | undefined;
  },
): Row {
  const { plan, routed, provenance, answer } = outcome;
  const estimated = plan === undefined ? undefined : coverageOf(plan.template, plan.asked, () => undefined);
  const fields = (list: readonly { readonly field: string }[] | undefined) =>
    (list ?? []).map(({ field }) => field);
  return {
    step_id: at.stepId,
    episode_id: at.episodeId,
    step_type: typeOf(at.mode, routed?.kind),
    parsed_slots: plan === undefined ? null : slotsShown(plan.slots),
    route_family: routed?.kind === "family" ? routed.family : null,
    chosen_route: plan?.template.name ?? null,
    retrieval_stage: stageOf(at.mode, at.part, plan !== undefined),
    requested_slots: fields(plan?.asked),
    supported_slots_estimated: fields(estimated?.applied),
    unsupported_slots_estimated: fields(estimated?.dropped),
    post_execution_coverage: at.mode === "live" ? (at.part?.coverage ?? null) : null,
    provenance_snapshot: provenance,
    // A minimal record of what went wrong.
    ...(isRefusal(answer) ? { error: { class: answer.refused, message: answer.message } } : {}),
  };
}

function typeOf(mode: One<typeof queryModes>, kind: string | undefined): One<typeof stepTypes> {
  if (mode === "error") return "error";
  if (mode === "help") return "capability";
  if (kind === "unsupported") return "unsupported";
  return mode === "dry_run" ? "dry_run" : "execution";
}

function stageOf(
  mode: One<typeof queryModes>,
  part: Execution | undefined,
  planned: boolean,
): One<typeof retrievalStages> {
  if (part === undefined) return planned ? "routed" : "none";
  return mode === "dry_run" ? "rendered" : "executed";
}

function slotsShown({
  coins,
  unknownCoins,
  addresses,
  window,
  topN,
  direction,
  thresholds,
  persistence,
}: Slots) {
  return {
    coins,
    unknown_coins: unknownCoins,
    addresses,
    window,
    top_n: topN ?? null,
    direction: direction ?? null,
    thresholds,
    persistence,
  };
}

function horizonOf(window: Window | null): One<typeof timeHorizons> {
  if (window === null) return "none";
  if ("relative" in window)
    return ({ now: "now", today: "day", yesterday: "day", this_week: "week", this_month: "month" } as const)[
      window.relative
    ];
  if ("day" in window) return "day";
  if ("last_hours" in window)
    return window.last_hours <= 24
      ? "day"
      : window.last_hours <= 168
        ? "week"
        : window.last_hours <= 744
          ? "month"
          : "longer";
  return "since" in window && window.since === "yesterday" ? "day" : "longer";
}
