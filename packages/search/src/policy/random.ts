/**
 * Proposes at random, from a seed: mostly what is allowed, now and then what is
 * not. A baseline, and what the proofs of the environment are driven with.
 *
 * What it draws depends on the seed, the episode and what it has seen, never on
 * the order in which episodes are run.
 */
import type { JsonObject } from "@bridle/record";
import { decisionClasses, type Brief, type Observation, type Proposal } from "../types.js";
import { Chance } from "./chance.js";
import type { Policy } from "./types.js";

export interface RandomParams {
  readonly seed: number;
  /** Out of a hundred proposals, about how many are meant to be refused. */
  readonly illegalPercent: number;
}

export function randomPolicy({ seed, illegalPercent }: RandomParams): Policy {
  return {
    policyId: "random.v1",
    params: { illegal_percent: illegalPercent, seed },
    nondeterministicComponents: [],
    begin(brief) {
      const chance = new Chance("random.v1", seed, brief.episode_id);
      return {
        propose(observation) {
          const drawn = new Draw(chance, brief, observation);
          return chance.percent(illegalPercent) ? drawn.illegal() : drawn.legal();
        },
      };
    },
  };
}

class Draw {
  private readonly kept: readonly string[];
  private readonly read: readonly string[];

  constructor(
    private readonly chance: Chance,
    private readonly brief: Brief,
    private readonly observation: Observation,
  ) {
    const { active_artifact_ids, retrieval_history } = observation.working_set;
    this.kept = active_artifact_ids;
    this.read = [...new Set(retrieval_history.flatMap(({ artifact_ids }) => artifact_ids))];
  }

  legal(): Proposal {
    const { chance, kept } = this;
    if (this.observation.must_end) return this.end();
    const unkept = this.read.filter((id) => !kept.includes(id));
    const kinds: (() => Proposal)[] = [
      () => this.view(),
      () => this.view(),
      () => this.compare(),
      () => this.similar(),
      () => this.branch(),
      () => this.update(),
      () => this.end(),
      ...(unkept.length === 0 ? [] : Array(4).fill(() => one("keep_artifact", chance.pick(unkept)))),
      ...(kept.length === 0 ? [] : [() => one("drop_artifact", chance.pick(kept)), () => this.prune()]),
    ];
    return (chance.pick(kinds) ?? (() => this.end()))();
  }

  illegal(): Proposal {
    const { chance, kept } = this;
    const unkept = this.read.find((id) => !kept.includes(id)) ?? "art_0000000000000000";
    const kinds: Proposal[] = [
      propose("read_everything", {}),
      propose("read_market_state", { anchor_market: "NOWHERE", window_id: this.window() }),
      propose("read_persistence", { anchor_market: this.market() }),
      one("keep_artifact", kept[0] ?? "art_0000000000000000"),
      one("drop_artifact", unkept),
      propose("branch_subquery", { arguments: {}, subquery_type: "branch_subquery" }),
      propose("finalize", { ...this.ending([unkept]), decision_class: "finalize_signal" }),
      propose("abstain", { ...this.ending([]), stop_reason: "x".repeat(3_000) }),
    ];
    return chance.pick(kinds) ?? propose("read_everything", {});
  }

  private view(): Proposal {
    const names = ["read_market_state", "read_derived_metrics", "read_persistence"];
    const args = { anchor_market: this.market(), window_id: this.window() };
    return propose(this.chance.pick(names) ?? "read_market_state", args);
  }

  private compare(): Proposal {
    const peers = this.some(this.brief.markets, 3);
    const peer_markets = peers.length === 0 ? [this.brief.anchor_market] : peers;
    return propose("compare_markets", {
      anchor_market: this.market(),
      peer_markets,
      window_id: this.window(),
    });
  }

  private similar(): Proposal {
    const pattern = this.chance.pick(this.brief.pattern_ids) ?? "anything alike";
    return propose("retrieve_similar_prior_episodes", {
      anchor_market: this.brief.anchor_market,
      pattern_id_or_query: pattern,
    });
  }

  private branch(): Proposal {
    const windows = this.some(this.brief.window_ids, 3);
    const window_ids = windows.length === 0 ? [this.brief.window_id] : windows;
    return propose("branch_subquery", {
      arguments: { anchor_market: this.market(), window_ids },
      subquery_type: this.chance.pick(["derived_metrics", "persistence_check"]) ?? "derived_metrics",
    });
  }

  private update(): Proposal {
    const leaning = this.chance.pick([...decisionClasses, "abstain"]) ?? "abstain";
    return propose("decision_update", {
      stop_candidate: { confidence: this.chance.below(101) / 100, leaning },
    });
  }

  private prune(): Proposal {
    return propose("prune_working_set", {
      artifact_ids: this.kept.slice(0, 1 + this.chance.below(this.kept.length)),
      reason: "irrelevant: drawn by lot",
    });
  }

  private end(): Proposal {
    const args = this.ending(this.some(this.kept, this.kept.length));
    if (this.chance.percent(30)) return propose("abstain", args);
    return propose("finalize", {
      ...args,
      decision_class: this.chance.pick(decisionClasses) ?? "finalize_signal",
    });
  }

  private ending(retained: readonly string[]): JsonObject {
    return { open_risks: [], retained_artifact_ids: [...retained], stop_reason: "evidence_sufficient" };
  }

  private market(): string {
    return this.chance.pick(this.brief.markets) ?? this.brief.anchor_market;
  }

  private window(): string {
    return this.chance.pick(this.brief.window_ids) ?? this.brief.window_id;
  }

  private some(of: readonly string[], countMax: number): string[] {
    return of.filter(() => this.chance.percent(50)).slice(0, countMax);
  }
}

function propose(action_name: string, action_args: JsonObject): Proposal {
  return { action_args, action_name };
}

function one(action_name: string, artifact_id = "art_0000000000000000"): Proposal {
  return propose(action_name, { artifact_id });
}
