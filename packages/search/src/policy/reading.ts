/**
 * The reading plan that the heuristic and the assisted policy share: which view is
 * read next, and how an episode is brought to its end within its budget.
 *
 * What is kept, when to stop and what to say is for a `Judgement`. The plan goes
 * from what an answer always rests on to what merely breaks a tie, so that it may
 * stop anywhere. A refusal never ends it: what cannot be read is taken as unknown,
 * what cannot be kept is not kept.
 */
import type { JsonObject } from "@bridle/record";
import type {
  Artifact,
  Brief,
  Observation,
  Proposal,
  StopCandidate,
  StopReason,
  ViewName,
} from "../types.js";
import { type Evidence, learn } from "../evidence/evidence.js";
import type { EpisodePolicy } from "./types.js";

/** What a policy thinks when it stops. */
export interface Verdict extends StopCandidate {
  readonly stopReason: StopReason;
  readonly detail: string;
  readonly openRisks: readonly string[];
  /** Views that it rests on; whatever else was kept is dropped before the end. */
  readonly restsOn: readonly ViewName[];
  /** It leans one way and does not decide, because it is too likely wrong. */
  readonly abstains?: boolean;
}

export interface Situation {
  readonly evidence: Evidence;
  readonly unread: readonly ViewName[];
  /** Nothing more can be read, so there must be a verdict. */
  readonly last: boolean;
}

/** Contract: pure, and a verdict is given whenever `last` is true. */
export interface Judgement {
  keeps(artifact: Artifact, evidence: Evidence, brief: Brief): boolean;
  /** Undefined to read on. */
  verdict(situation: Situation): Verdict | undefined;
}

export const readingOrder = [
  "derived_metrics",
  "persistence",
  "peer_comparisons",
  "prior_episode_shortlists",
  "market_state",
] as const satisfies readonly ViewName[];

export class Reading implements EpisodePolicy {
  private evidence: Evidence = {};
  private unread: readonly ViewName[] = readingOrder;
  private fresh: Artifact | undefined;
  private readonly views = new Map<string, ViewName>();
  private decided: Verdict | undefined;
  private ending: "drop" | "update" | "end" | "ended" = "drop";

  constructor(
    private readonly brief: Brief,
    private readonly judgement: Judgement,
  ) {}

  propose(observation: Observation): Proposal {
    for (const artifact of observation.artifacts) {
      this.evidence = learn(this.evidence, this.brief, artifact);
      this.views.set(artifact.artifact_id, artifact.view_name);
      this.fresh = artifact;
    }
    return (this.decided === undefined ? this.readOn(observation) : undefined) ?? this.end(observation);
  }

  /** Undefined when it is time to end. One step is kept back for saying what the decision will be. */
  private readOn({ working_set }: Observation): Proposal | undefined {
    const { step_budget_remaining: left } = working_set;
    const { fresh } = this;
    this.fresh = undefined;
    if (fresh !== undefined && left > 1 && this.judgement.keeps(fresh, this.evidence, this.brief)) {
      if (!working_set.active_artifact_ids.includes(fresh.artifact_id))
        return { action_name: "keep_artifact", action_args: { artifact_id: fresh.artifact_id } };
    }
    const next = this.nextRead();
    const last = next === undefined || left < (this.views.size === 0 ? 1 : 2);
    this.decided = this.judgement.verdict({ evidence: this.evidence, unread: this.unread, last });
    if (this.decided !== undefined) return undefined;
    if (next === undefined) throw new Error("a judgement gave no verdict when nothing was left to read");
    this.unread = this.unread.slice(this.unread.indexOf(next.view) + 1);
    return next.proposal;
  }

  private nextRead(): { readonly view: ViewName; readonly proposal: Proposal } | undefined {
    for (const view of this.unread) {
      const proposal = this.readOf(view);
      if (proposal !== undefined) return { view, proposal };
    }
    return undefined;
  }

  private readOf(view: ViewName): Proposal | undefined {
    const { anchor_market, window_id, markets, pattern_ids, query } = this.brief;
    const read = (action_name: string, args: JsonObject = { window_id }): Proposal => ({
      action_name,
      action_args: { anchor_market, ...args },
    });
    switch (view) {
      case "derived_metrics":
        return read("read_derived_metrics");
      case "persistence":
        return read("read_persistence");
      case "market_state":
        return read("read_market_state");
      case "peer_comparisons": {
        const peers = markets.filter((market) => market !== anchor_market).slice(0, peersMax);
        return peers.length === 0 ? undefined : read("compare_markets", { peer_markets: peers, window_id });
      }
      case "prior_episode_shortlists": {
        if (pattern_ids.length === 0) return undefined;
        const pattern = this.evidence.side === -1 ? "funding_stress_down" : "funding_stress_up";
        const asked = pattern_ids.includes(pattern) ? pattern : query.slice(0, queryCharsMax);
        return asked === ""
          ? undefined
          : read("retrieve_similar_prior_episodes", { pattern_id_or_query: asked });
      }
    }
  }

  private end({ working_set, refusal }: Observation): Proposal {
    const verdict = this.decided as Verdict;
    const { active_artifact_ids: active, step_budget_remaining: left } = working_set;
    const isUsed = (id: string) => verdict.restsOn.includes(this.views.get(id) ?? "market_state");
    if (this.ending === "drop") {
      this.ending = "update";
      const [first, ...others] = active.filter((id) => !isUsed(id));
      if (first !== undefined && left > 1) return dropping(first, others);
    }
    if (this.ending === "update") {
      this.ending = "end";
      const { confidence, leaning } = verdict;
      if (left > 0)
        return { action_name: "decision_update", action_args: { stop_candidate: { confidence, leaning } } };
    }
    const retained = active.filter(isUsed);
    // An end that was refused is not proposed again as it was.
    const refused = this.ending === "ended" && refusal !== undefined;
    this.ending = "ended";
    return ending(verdict, refused ? [] : retained);
  }
}

const peersMax = 64;
const queryCharsMax = 200;

function dropping(first: string, others: readonly string[]): Proposal {
  if (others.length === 0) return { action_name: "drop_artifact", action_args: { artifact_id: first } };
  return {
    action_name: "prune_working_set",
    action_args: { artifact_ids: [first, ...others], reason: "irrelevant: the decision does not rest on it" },
  };
}

function ending(
  { leaning, stopReason, detail, openRisks, abstains = false }: Verdict,
  retained: readonly string[],
): Proposal {
  const args = {
    open_risks: openRisks,
    retained_artifact_ids: retained,
    stop_reason: detail === "" ? stopReason : `${stopReason}: ${detail}`,
  };
  if (abstains || leaning === "abstain") return { action_name: "abstain", action_args: args };
  return { action_name: "finalize", action_args: { decision_class: leaning, ...args } };
}

/** The one case in which an answer would be dishonest: what a score is measured against is not all there. */
export function withoutHistory({ score, historyHours, historyHoursNeeded }: Evidence): Verdict | undefined {
  const base = { leaning: "abstain", openRisks: [], restsOn: ["derived_metrics"] } as const;
  if (historyHours !== undefined && historyHoursNeeded !== undefined && historyHours < historyHoursNeeded) {
    const detail = `${historyHours} of ${historyHoursNeeded} hours are there`;
    return { ...base, confidence: 0.95, stopReason: "history_missing", detail };
  }
  if (score !== undefined) return undefined;
  return {
    ...base,
    confidence: 0.5,
    stopReason: "evidence_missing",
    detail: "there is no score of funding",
  };
}
