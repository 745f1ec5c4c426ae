/** The clauses of TRAJ on the rows of an episode, a small test each, on the text that is written. */
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import {
  abstain,
  begin,
  branch,
  btc,
  drop,
  finalize,
  idOf,
  keep,
  play,
  playLast,
  propose,
  prune,
  update,
  withKept,
  written,
} from "../../../../test/support/episode-steps.js";
import { marketNames, windowIds } from "../../../../test/support/search-episode.js";
import { actionNames, type Proposal } from "../types.js";
import { observe } from "./state.js";
import { step } from "./step.js";

const both = { anchor_market: "BTC", window_ids: [...windowIds] };
const readMarket = propose("read_market_state", btc);

/** The last row that the proposals leave. */
function rowAfter(...proposals: readonly Proposal[]): JsonObject {
  return written(playLast(begin(), ...proposals)).at(-1) ?? {};
}

/** The one row that the proposal leaves where three artifacts are kept. */
function rowOn(proposal: (ids: readonly [string, string, string]) => Proposal): JsonObject {
  const { state, ids } = withKept();
  const rows = written(step(state, proposal(ids)));
  expect(rows).toHaveLength(1);
  return rows[0] ?? {};
}

describe("every step", () => {
  it("[TRAJ-5.6] has the members that apply to it, and not those that do not", () => {
    const { state, ids } = withKept();
    const rows = [
      ...written(step(state, { ...drop(ids[0]), notes: "seen enough" })),
      ...written(step(state, branch("derived_metrics", both))).slice(0, 1),
      ...written(step(state, update(0.5, "abstain"))),
      ...written(step(state, finalize([ids[0]]))),
    ];
    const optional = [
      ...["branch_parent_step_id", "subquery_type", "selected_artifact_ids"],
      ...["dropped_artifact_ids", "stop_candidate", "notes"],
    ];
    expect(rows.map((row) => optional.filter((name) => name in row))).toEqual([
      ["dropped_artifact_ids", "notes"],
      ["branch_parent_step_id", "subquery_type"],
      ["stop_candidate"],
      ["selected_artifact_ids"],
    ]);
    expect(rows[0]?.["notes"]).toBe("seen enough");
  });

  it("[TRAJ-6.10] carries the name of the action that it is", () => {
    const id = idOf(step(begin(), readMarket));
    const script = [
      readMarket,
      propose("compare_markets", { ...btc, peer_markets: ["ETH"] }),
      keep(id),
      drop(id),
      branch("derived_metrics", { ...both, window_ids: [windowIds[0]] }),
      finalize([]),
    ];
    const names = play(begin(), ...script).flatMap((outcome) =>
      written(outcome).map((row) => row["action_name"]),
    );
    expect(names).toEqual([
      "read_market_state",
      "compare_markets",
      "keep_artifact",
      "drop_artifact",
      "branch_subquery",
      "read_derived_metrics",
      "finalize",
    ]);
    for (const name of names) expect(actionNames).toContain(name);
  });

  it("[TRAJ-8.2] says what was active before and after it", () => {
    const { state, ids } = withKept();
    const proposals = [readMarket, drop(ids[1]), update(0.5, "abstain"), finalize([ids[0]])];
    const sets = play(state, ...proposals).flatMap((outcome) =>
      written(outcome).map((row) => [row["working_set_before"], row["working_set_after"]]),
    );
    const rest = [ids[0], ids[2]];
    expect(sets).toEqual([
      [ids, ids],
      [ids, rest],
      [rest, rest],
      [rest, rest],
    ]);
  });

  it("[TRAJ-8.3] leaves what was kept active until it is dropped, pruned or the episode ends", () => {
    const { state, ids } = withKept();
    const outcomes = play(
      state,
      readMarket,
      branch("persistence_check", both),
      update(0.5, "abstain"),
      keep("art_none"),
      drop(ids[0]),
      prune([ids[1]]),
      abstain([]),
    );
    expect(outcomes.map(({ state: after }) => after.activeIds)).toEqual([
      ...[ids, ids, ids, ids],
      [ids[1], ids[2]],
      ...[[ids[2]], [ids[2]]],
    ]);
  });

  it("[TRAJ-8.4] can name an artifact by its id that is not active", () => {
    const [read] = play(begin(), readMarket);
    const later = playLast(read!.state, update(0.1, "abstain"), keep(idOf(read!)), drop(idOf(read!)));
    expect(step(later.state, keep(idOf(read!))).state.activeIds).toEqual([idOf(read!)]);
  });
});

describe("env_read", () => {
  it("[TRAJ-6.2] returned an artifact, [TRAJ-7.1.1] and has the members of the contract", () => {
    const read = playLast(begin(), readMarket);
    expect(written(read)[0]).toMatchObject({
      action_args: btc,
      action_name: "read_market_state",
      artifact_ids_read: [idOf(read)],
      step_type: "env_read",
      working_set_after: [],
      working_set_before: [],
    });
  });

  it("[TRAJ-7.1.3] leaves the working set as it was", () => {
    const row = rowOn(() => readMarket);
    expect(row["working_set_before"]).toHaveLength(3);
    expect(row["working_set_after"]).toEqual(row["working_set_before"]);
  });
});

describe("branch_subquery", () => {
  it("[TRAJ-6.3] [TRAJ-4.4] is a step of its own before the reads that it asked for", () => {
    const types = written(playLast(begin(), branch("derived_metrics", both))).map((row) => row["step_type"]);
    expect(types).toEqual(["branch_subquery", "env_read", "env_read"]);
  });

  it("[TRAJ-7.2.1] says its type and the step that it came from", () => {
    const rows = written(playLast(begin(), readMarket, branch("persistence_check", both)));
    expect(rows[0]).toMatchObject({ branch_parent_step_id: "s-0001", subquery_type: "persistence_check" });
  });

  it("[TRAJ-7.2.2] writes what its turn read into the registry of the episode", () => {
    const asked = playLast(begin(), branch("derived_metrics", both));
    const ids = written(asked).flatMap((row) => row["artifact_ids_read"] as string[]);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(step(asked.state, keep(id)).refusal).toBeUndefined();
  });
});

describe("keep_artifact", () => {
  const id = idOf(step(begin(), readMarket));

  it("[TRAJ-6.4] is the step that adds to the working set", () => {
    expect(rowAfter(readMarket, keep(id))).toMatchObject({
      step_type: "keep_artifact",
      working_set_after: [id],
      working_set_before: [],
    });
  });

  it("[TRAJ-7.3.1] has selected_artifact_ids, [TRAJ-7.3.2] which is the one id that was kept", () => {
    const other = playLast(begin(), readMarket, keep(id), propose("read_persistence", btc));
    const row = written(step(other.state, keep(idOf(other))))[0];
    expect(row?.["selected_artifact_ids"]).toEqual([idOf(other)]);
  });

  it("[TRAJ-7.3.3] has what was selected in working_set_after", () => {
    const row = rowAfter(readMarket, keep(id));
    expect(row["working_set_after"]).toEqual(
      expect.arrayContaining(row["selected_artifact_ids"] as string[]),
    );
    expect(row["selected_artifact_ids"]).toEqual([id]);
  });
});

describe("drop_artifact", () => {
  it("[TRAJ-6.5] is the step that removes one, [TRAJ-7.4.1] with dropped_artifact_ids", () => {
    const { ids } = withKept();
    expect(rowOn((kept) => drop(kept[1]))).toMatchObject({
      dropped_artifact_ids: [ids[1]],
      step_type: "drop_artifact",
      working_set_after: [ids[0], ids[2]],
    });
  });

  it("[TRAJ-7.4.2] takes it out of view only, [TRAJ-7.4.3] and it can be read and kept again", () => {
    const { state, ids } = withKept();
    const dropped = step(state, drop(ids[0]));
    expect(observe(dropped.state).active_artifacts).toHaveLength(2);
    expect(dropped.state.retrieved).toEqual(state.retrieved);
    expect(idOf(step(dropped.state, readMarket))).toBe(ids[0]);
    expect(step(dropped.state, keep(ids[0])).state.activeIds).toContain(ids[0]);
  });
});

describe("prune_working_set", () => {
  it("[TRAJ-6.6] is the step that removes several, [TRAJ-7.5.1] with their ids and its reason", () => {
    const { ids } = withKept();
    expect(rowOn((kept) => prune([kept[0], kept[2]], "superseded: by the metrics"))).toMatchObject({
      action_args: { reason: "superseded: by the metrics" },
      dropped_artifact_ids: [ids[0], ids[2]],
      step_type: "prune_working_set",
      working_set_after: [ids[1]],
    });
    const { state } = withKept();
    expect(step(state, propose("prune_working_set", { artifact_ids: ids })).refusal?.class).toBe(
      "args_invalid",
    );
  });

  it("[TRAJ-7.5.2] relieves the pressure", () => {
    let state = begin({ padding: 7_000, tokenBudgetClass: "small" });
    for (const anchor_market of marketNames.slice(0, 2)) {
      const read = step(state, propose("read_market_state", { ...btc, anchor_market }));
      state = step(read.state, keep(idOf(read))).state;
    }
    expect(observe(state).working_set.context_pressure_class).toBe("high");
    const pruned = step(state, prune(state.activeIds, "context_pressure"));
    expect(written(pruned)[0]?.["context_pressure_class"]).toBe("low");
    expect(observe(pruned.state).token_budget_remaining).toBe(4_000);
  });

  it("[TRAJ-7.5.3] takes a short reason of a known kind only", () => {
    const { state, ids } = withKept();
    for (const bad of ["because", "", `irrelevant: ${"x".repeat(161)}`, "irrelevant: a\nb"])
      expect(step(state, prune(ids, bad)).refusal?.class).toBe("args_invalid");
    expect(step(state, prune(ids, `irrelevant: ${"x".repeat(160)}`)).refusal).toBeUndefined();
  });
});

describe("decision_update", () => {
  it("[TRAJ-6.7] is the step that changes the leaning, [TRAJ-7.6.1] with stop_candidate", () => {
    expect(rowAfter(update(0.3, "abstain"), update(0.7, "finalize_signal"))).toMatchObject({
      step_type: "decision_update",
      stop_candidate: { confidence: 0.7, leaning: "finalize_signal" },
    });
  });

  it("[TRAJ-7.6.2] ends nothing, however sure it is", () => {
    const sure = playLast(begin(), update(1, "finalize_signal"));
    expect([sure.terminal, observe(sure.state).ended]).toEqual([undefined, false]);
    expect(step(sure.state, readMarket).refusal).toBeUndefined();
  });

  it("[TRAJ-7.6.3] records the leaning that there was before the end, whatever the end is", () => {
    const leanings = play(
      begin(),
      update(0.6, "finalize_signal"),
      update(0.8, "finalize_low_signal"),
      abstain([]),
    ).flatMap((outcome) =>
      written(outcome).map((row) => (row["stop_candidate"] as JsonObject | undefined)?.["leaning"]),
    );
    expect(leanings).toEqual(["finalize_signal", "finalize_low_signal", undefined]);
  });
});

describe("finalize", () => {
  it("[TRAJ-6.8] is the step of a decision, [TRAJ-7.7.1] with the members of the contract", () => {
    const { ids } = withKept();
    expect(rowOn((kept) => finalize([kept[0]], "finalize_low_signal"))).toMatchObject({
      action_args: { decision_class: "finalize_low_signal", stop_reason: "evidence_sufficient" },
      selected_artifact_ids: [ids[0]],
      step_type: "finalize",
      terminal_action: "finalize",
    });
  });

  it("[TRAJ-7.7.2] has one of two classes", () => {
    for (const given of ["finalize_signal", "finalize_low_signal"])
      expect(rowAfter(finalize([], given))).toMatchObject({ action_args: { decision_class: given } });
    for (const given of ["abstain", "maybe", ""])
      expect(written(step(begin(), finalize([], given)))).toEqual([]);
  });

  it("[TRAJ-7.7.3] selects what the terminal retains, not all that is active", () => {
    const { state, ids } = withKept();
    const ended = step(state, finalize([ids[1]]));
    expect(written(ended)[0]?.["selected_artifact_ids"]).toEqual([ids[1]]);
    expect(ended.terminal?.record.retained_artifact_ids).toEqual([ids[1]]);
  });
});

describe("abstain", () => {
  it("[TRAJ-6.9] is the step of an end without decision, [TRAJ-7.8.1] with the members of the contract", () => {
    const { ids } = withKept();
    expect(rowOn((kept) => abstain([kept[2]]))).toMatchObject({
      action_args: { stop_reason: "evidence_missing" },
      selected_artifact_ids: [ids[2]],
      step_type: "abstain",
      terminal_action: "abstain",
    });
  });

  it("[TRAJ-7.8.2] has no decision class, or null", () => {
    expect(rowAfter(abstain([]))["action_args"]).not.toHaveProperty("decision_class");
    const given = (decision_class: string | null) =>
      step(begin(), propose("abstain", { ...abstain([]).action_args, decision_class }));
    expect(written(given(null))[0]?.["action_args"]).toMatchObject({ decision_class: null });
    expect(given("finalize_signal").refusal?.class).toBe("args_invalid");
  });

  it("[TRAJ-7.8.3] may rest on nothing", () => {
    expect(rowAfter(abstain([]))["selected_artifact_ids"]).toEqual([]);
  });
});
