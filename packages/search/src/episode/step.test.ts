import { canonicalJson, type JsonObject, sha256Hex } from "@bridle/record";
import fc from "fast-check";
import { holds } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { describe, expect, it } from "vitest";
import {
  marketNames,
  sampleEpisode,
  truthCanary,
  windowIds,
} from "../../../../test/support/search-episode.js";
import {
  actionNames,
  decisionClasses,
  type Proposal,
  type RefusalClass,
  startStepId,
  stepTypes,
} from "../types.js";
import { EpisodeRegistry } from "./registry.js";
import { beginEpisode, type EpisodeState, observe, workingSetOf } from "./state.js";
import { type Outcome, step } from "./step.js";

const btc = { anchor_market: "BTC", window_id: windowIds[1] };

function begin(options: Parameters<typeof sampleEpisode>[0] = {}): EpisodeState {
  return beginEpisode(new EpisodeRegistry("pack_test", sampleEpisode(options)), "start");
}

const propose = (action_name: string, action_args: JsonObject): Proposal => ({ action_name, action_args });

/** Carries out one proposal after the other and keeps what came of each. */
function play(state: EpisodeState, proposals: readonly Proposal[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const proposal of proposals) {
    const outcome = step(outcomes.at(-1)?.state ?? state, proposal);
    outcomes.push(outcome);
  }
  return outcomes;
}

const last = (outcomes: readonly Outcome[]) => outcomes.at(-1) as Outcome;
const idOf = (outcome: Outcome) => outcome.artifacts[0]?.artifact.artifact_id ?? "";
const finalize = (ids: readonly string[]) =>
  propose("finalize", {
    decision_class: "finalize_signal",
    open_risks: [],
    retained_artifact_ids: ids,
    stop_reason: "evidence_sufficient",
  });

describe("the frozen names", () => {
  it("[SEARCH-6.0.1] [SEARCH-6.0.2] are the eleven actions, [TRAJ-6.1] the eight step types, [SEARCH-6.3.4] the two classes", () => {
    expect([...actionNames]).toEqual([
      "read_market_state",
      "read_derived_metrics",
      "read_persistence",
      "compare_markets",
      "retrieve_similar_prior_episodes",
      "keep_artifact",
      "drop_artifact",
      "prune_working_set",
      "branch_subquery",
      "finalize",
      "abstain",
    ]);
    expect([...stepTypes]).toEqual([
      "env_read",
      "branch_subquery",
      "keep_artifact",
      "drop_artifact",
      "prune_working_set",
      "decision_update",
      "finalize",
      "abstain",
    ]);
    expect([...decisionClasses]).toEqual(["finalize_signal", "finalize_low_signal"]);
  });
});

describe("reading", () => {
  it("[SEARCH-5.3.3] [TRAJ-7.1.2] does not keep", () => {
    const [read] = play(begin(), [propose("read_market_state", btc)]);
    expect(read?.steps[0]?.record).toMatchObject({
      step_type: "env_read",
      working_set_after: [],
      working_set_before: [],
    });
    expect(read?.state.activeIds).toEqual([]);
    expect(observe(last([read as Outcome]).state).artifacts).toEqual([]);
  });

  it("[SEARCH-5.2.3] gives the same id in another registry, and another one in another pack", () => {
    const one = last(play(begin(), [propose("read_market_state", btc)]));
    const again = last(play(begin(), [propose("read_market_state", btc)]));
    const other = step(
      beginEpisode(new EpisodeRegistry("pack_other", sampleEpisode()), "start"),
      propose("read_market_state", btc),
    );
    expect(idOf(again)).toBe(idOf(one));
    expect(idOf(other)).not.toBe(idOf(one));
  });

  it("answers a view that a known market lacks with an empty artifact", () => {
    const read = last(
      play(begin(), [propose("read_derived_metrics", { anchor_market: "SOL", window_id: windowIds[0] })]),
    );
    expect(read.artifacts[0]?.artifact).toMatchObject({ payload: { empty: true }, source_refs: [] });
  });

  it("[SEARCH-6.1.4] compares any subset of the peers, in the pack's order, whatever the order asked", () => {
    const of = (peers: string[]) =>
      last(play(begin(), [propose("compare_markets", { ...btc, peer_markets: peers })]));
    expect(of(["ETH", "SOL"]).artifacts[0]?.artifact.payload).toMatchObject({
      rows: [
        { market: "BTC", rank: 1 },
        { market: "SOL", rank: 2 },
        { market: "ETH", rank: 3 },
      ],
    });
    expect(idOf(of(["SOL", "ETH"]))).toBe(idOf(of(["ETH", "SOL", "ETH"])));
    expect(of(["ETH"]).artifacts[0]?.artifact.payload).toMatchObject({
      rows: [{ market: "BTC" }, { market: "ETH", rank: 2 }],
    });
  });

  it("[SEARCH-6.1.5] finds a shortlist by the id of its pattern and by words", () => {
    const of = (asked: string) =>
      last(
        play(begin(), [
          propose("retrieve_similar_prior_episodes", { anchor_market: "BTC", pattern_id_or_query: asked }),
        ]),
      );
    expect(of("funding_stress_up").artifacts[0]?.artifact).toMatchObject({
      artifact_type: "shortlist",
      payload: { episodes: [{ episode_id: "ep-0" }] },
    });
    expect(idOf(of("Long funding STRESS?"))).toBe(idOf(of("funding_stress_up")));
    expect(of("volcano").artifacts[0]?.artifact.payload).toEqual({ empty: true });
  });
});

describe("a branch", () => {
  const branch = propose("branch_subquery", {
    arguments: { anchor_market: "BTC", window_ids: [...windowIds] },
    subquery_type: "derived_metrics",
  });

  it("[SEARCH-7.4] points back to the step before it, and its reads point to it", () => {
    const [first] = play(begin(), [branch]);
    expect(
      first?.steps.map(({ record }) => [record.step_id, record.step_type, record.branch_parent_step_id]),
    ).toEqual([
      ["s-0001", "branch_subquery", startStepId],
      ["s-0002", "env_read", "s-0001"],
      ["s-0003", "env_read", "s-0001"],
    ]);
    expect(first?.state.stepsLeft).toBe(9);
    const second = last(play(begin(), [propose("read_market_state", btc), branch]));
    expect(second.steps[0]?.record.branch_parent_step_id).toBe("s-0001");
  });

  it("[TRAJ-7.2.3] keeps nothing by itself, [SEARCH-7.5] and what it read can be kept", () => {
    const asked = last(play(begin(), [branch]));
    expect(asked.state.activeIds).toEqual([]);
    const kept = step(asked.state, propose("keep_artifact", { artifact_id: idOf(asked) }));
    expect(kept.state.activeIds).toEqual([idOf(asked)]);
  });

  it("that does not fit the budget, holds a branch, or fails in one read does nothing", () => {
    const cases: [Proposal, RefusalClass, number][] = [
      [branch, "step_budget_short", 2],
      [
        propose("branch_subquery", { arguments: { subquery_type: "x" }, subquery_type: "derived_metrics" }),
        "branch_nested",
        12,
      ],
      [
        propose("branch_subquery", { arguments: {}, subquery_type: "derived_metric" }),
        "subquery_type_unknown",
        12,
      ],
      [
        propose("branch_subquery", {
          arguments: { anchor_market: "BTC", window_ids: [windowIds[0], "nowhere"] },
          subquery_type: "persistence_check",
        }),
        "window_unknown",
        12,
      ],
    ];
    for (const [proposal, expected, stepBudget] of cases) {
      const before = begin({ stepBudget });
      const outcome = step(before, proposal);
      expect(outcome.refusal?.class).toBe(expected);
      expect(unchanged(outcome.state)).toEqual(unchanged(before));
    }
  });
});

describe("the token budget", () => {
  it("refuses a keep that does not fit and shows the pressure", () => {
    const reads = marketNames.map((market) =>
      propose("read_market_state", { ...btc, anchor_market: market }),
    );
    let state = begin({ padding: 7_000, tokenBudgetClass: "small" });
    const ids: string[] = [];
    for (const proposal of reads) {
      const outcome = step(state, proposal);
      ids.push(idOf(outcome));
      state = outcome.state;
    }
    const pressures: string[] = [];
    for (const id of ids) {
      const outcome = step(state, propose("keep_artifact", { artifact_id: id }));
      pressures.push(outcome.refusal?.class ?? (outcome.steps[0]?.record.context_pressure_class as string));
      state = outcome.state;
    }
    expect(pressures).toEqual(["low", "high", "token_budget_exceeded"]);
    expect(observe(state).token_budget_remaining).toBeGreaterThan(0);
  });
});

describe("the end", () => {
  it("[TRAJ-7.7.3] rests only on what is active, and names it alike in step and terminal", () => {
    const read = last(play(begin(), [propose("read_persistence", btc)]));
    const id = idOf(read);
    expect(step(read.state, finalize([id])).refusal?.class).toBe("retained_not_active");
    const ended = last(play(read.state, [propose("keep_artifact", { artifact_id: id }), finalize([id])]));
    expect(ended.steps[0]?.record).toMatchObject({
      selected_artifact_ids: [id],
      terminal_action: "finalize",
    });
    expect(ended.terminal?.record).toMatchObject({
      decision_class: "finalize_signal",
      retained_artifact_ids: [id],
      retained_evidence: [{ artifact_id: id, view_name: "persistence" }],
      step_count: 3,
    });
    expect(ended.terminal?.record.head_digest).toBe(ended.steps[0]?.digest);
  });

  it("[SEARCH-8.6] takes a bounded stop reason only", () => {
    const ended = (stop_reason: string) =>
      step(begin(), propose("abstain", { open_risks: [], retained_artifact_ids: [], stop_reason }));
    expect(ended("history_missing").terminal?.record.decision_class).toBeNull();
    expect(ended("history_missing: listed two days ago").terminal).toBeDefined();
    for (const bad of ["because", `history_missing: ${"x".repeat(161)}`, "history_missing: a\nb"]) {
      expect(ended(bad).refusal?.class).toBe("args_invalid");
    }
  });

  it("comes from the harness when the budget is spent and nobody ends it", () => {
    const outcomes = play(begin({ stepBudget: 3 }), Array(8).fill(propose("read_market_state", btc)));
    expect(observe((outcomes[2] as Outcome).state).must_end).toBe(true);
    expect(outcomes.slice(3).map(({ refusal }) => refusal?.class)).toEqual(
      Array(5).fill("step_budget_spent"),
    );
    expect(last(outcomes).terminal?.record).toMatchObject({ refusal_count: 5, terminal_action: "abstain" });
    expect(last(outcomes).terminal?.record.stop_reason).toMatch(/^budget_exhausted: /);
  });

  it("comes from the harness after five refusals in a row or twice the budget in all", () => {
    const bad = propose("keep_artifact", { artifact_id: "art_0" });
    expect(last(play(begin(), Array(5).fill(bad))).terminal?.record.stop_reason).toMatch(
      /^refusals_exhausted: 5/,
    );
    const update = propose("decision_update", { stop_candidate: { confidence: 0.5, leaning: "abstain" } });
    const mixed = Array.from({ length: 60 }, (_, i) => (i % 5 === 4 ? update : bad));
    const outcomes = play(begin({ stepBudget: 12 }), mixed);
    expect(outcomes.find(({ terminal }) => terminal !== undefined)?.terminal?.record).toMatchObject({
      refusal_count: 24,
    });
  });
});

/** What a refusal must leave as it was. */
function unchanged(state: EpisodeState) {
  const {
    refusalsInARow: _row,
    refusalCount: _count,
    refusalsDigest: _digest,
    registry: _registry,
    ...rest
  } = state;
  return rest;
}

const anyArgs = fc.record(
  {
    anchor_market: fc.constantFrom(...marketNames, "DOGE"),
    window_id: fc.constantFrom(...windowIds, "nowhere"),
    peer_markets: fc.array(fc.constantFrom(...marketNames, "DOGE"), { minLength: 1, maxLength: 3 }),
    pattern_id_or_query: fc.constantFrom("funding_stress_up", "short funding", "\ud800", "nothing like it"),
    artifact_id: fc.nat({ max: 6 }).map(String),
    reason: fc.constantFrom("irrelevant", "superseded: by a later one", "just because"),
    subquery_type: fc.constantFrom("derived_metrics", "peer_comparison", "branch_subquery"),
    stop_reason: fc.constantFrom("evidence_sufficient", "whatever"),
    decision_class: fc.constantFrom(...decisionClasses, "abstain"),
  },
  { requiredKeys: [] },
);

interface Draft {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly picks: readonly number[];
  readonly exact: boolean;
}

const drafts: fc.Arbitrary<Draft[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...actionNames, "decision_update", "read_markets"),
    args: anyArgs,
    picks: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }),
    exact: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  }),
  { maxLength: 40 },
);

/** A draft becomes a proposal about artifacts that were really read; half of them have exactly the right members. */
function proposalOf({ name, args, picks, exact }: Draft, state: EpisodeState): Proposal {
  if (!exact) return propose(name, args as JsonObject);
  const ids = [
    ...new Set(
      picks.map((pick) => state.retrieved[pick % Math.max(1, state.retrieved.length)] ?? "art_none"),
    ),
  ];
  const full: Record<string, unknown> = {
    anchor_market: "BTC",
    window_id: windowIds[1],
    peer_markets: ["ETH"],
    pattern_id_or_query: "funding_stress_up",
    ...args,
    artifact_id: ids[0] ?? "art_none",
    artifact_ids: ids,
    retained_artifact_ids: ids,
    reason: "irrelevant",
    stop_reason: "evidence_sufficient",
    open_risks: [],
    decision_class: "finalize_low_signal",
    stop_candidate: { confidence: 0.25, leaning: "abstain" },
    subquery_type: "persistence_check",
    arguments: { anchor_market: "BTC", window_ids: [windowIds[0]] },
  };
  const members: Record<string, readonly string[]> = {
    compare_markets: ["anchor_market", "peer_markets", "window_id"],
    retrieve_similar_prior_episodes: ["anchor_market", "pattern_id_or_query"],
    keep_artifact: ["artifact_id"],
    drop_artifact: ["artifact_id"],
    prune_working_set: ["artifact_ids", "reason"],
    branch_subquery: ["arguments", "subquery_type"],
    finalize: ["decision_class", "open_risks", "retained_artifact_ids", "stop_reason"],
    abstain: ["open_risks", "retained_artifact_ids", "stop_reason"],
    decision_update: ["stop_candidate"],
  };
  const wanted = members[name] ?? ["anchor_market", "window_id"];
  return propose(name, Object.fromEntries(wanted.map((member) => [member, full[member]])) as JsonObject);
}

describe("any sequence of proposals", () => {
  it("[SEARCH-8.1] [TRAJ-8.2] [TRAJ-8.3] keeps every promise of the contract", () => {
    let steps = 0;
    let refusals = 0;
    let ends = 0;
    holds(
      fc.property(drafts, fc.integer({ min: 1, max: 14 }), (sequence, stepBudget) => {
        let state = begin({ stepBudget });
        let head = sha256Hex("start");
        let terminals = 0;
        for (const draft of sequence) {
          const proposal = proposalOf(draft, state);
          const outcome = step(state, proposal);
          expect(step(state, proposal)).toEqual(outcome);
          if (outcome.refusal !== undefined) {
            refusals++;
            if (outcome.terminal === undefined) expect(unchanged(outcome.state)).toEqual(unchanged(state));
          }
          let before = state.activeIds;
          for (const { record, text, digest } of outcome.steps) {
            steps++;
            expect(text).toBe(canonicalJson(record as unknown as JsonObject));
            expect(digest).toBe(sha256Hex(text));
            expect(record.previous_digest).toBe(head);
            expect(record.working_set_before).toEqual(before);
            if (record.step_type === "env_read" || record.step_type === "branch_subquery")
              expect(record.working_set_after).toEqual(before);
            head = digest;
            before = record.working_set_after;
          }
          if (outcome.steps.length > 0) expect(outcome.state.activeIds).toEqual(before);
          if (state.terminal !== undefined)
            expect(outcome.steps.length + (outcome.refusalRow ? 1 : 0)).toBe(0);
          if (outcome.terminal !== undefined) {
            terminals++;
            expect(outcome.terminal.text).toBe(
              canonicalJson(outcome.terminal.record as unknown as JsonObject),
            );
            expect(outcome.terminal.record.head_digest).toBe(head);
            for (const id of outcome.terminal.record.retained_artifact_ids) expect(before).toContain(id);
          }
          if (outcome.refusalRow !== undefined)
            expect(outcome.refusalRow.text).toBe(
              canonicalJson(outcome.refusalRow.record as unknown as JsonObject),
            );
          expect(outcome.state.stepsLeft).toBeGreaterThanOrEqual(0);
          const shown = JSON.stringify([
            observe(outcome.state, outcome),
            workingSetOf(outcome.state),
            outcome.steps,
            outcome.terminal,
          ]);
          expect(shown).not.toContain(truthCanary);
          state = outcome.state;
        }
        expect(terminals).toBeLessThanOrEqual(1);
        ends += terminals;
      }),
      600,
    );
    expect(Math.min(steps, refusals, ends)).toBeGreaterThan(share(100, 40));
    console.log(
      `proof: episode: ${steps} steps, ${refusals} refusals and ${ends} ends of random episodes kept every promise`,
    );
  });
});
