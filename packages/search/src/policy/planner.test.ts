import { join } from "node:path";
import { type ModelRequest, type ScriptedStep, scriptedModel, TapeRecorder, TapeReplay } from "@bridle/model";
import { refuse } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { sampleEpisode, truthCanary, windowIds } from "../../../../test/support/search-episode.js";
import { never, packIn, ports, runIn } from "../../../../test/support/search-run.js";
import { EpisodeRegistry } from "../episode/registry.js";
import { beginEpisode, type EpisodeState, observe } from "../episode/state.js";
import { type Outcome, step } from "../episode/step.js";
import { readEpisodeOf } from "../run/read.js";
import { reconstruct } from "../run/reconstruct.js";
import { replayRun } from "../run/replay.js";
import { actionNames } from "../types.js";
import { plannerRequest } from "./planner-request.js";
import { plannerPolicy } from "./planner.js";
import type { ModelCall } from "@bridle/model";

const btc = { anchor_market: "BTC", window_id: windowIds[1] };
const calls = (name: string, args: object): ScriptedStep => ({
  toolCalls: [{ name, arguments: { ...args } }],
});
const endWith = (ids: readonly string[]) =>
  calls("finalize", {
    decision_class: "finalize_signal",
    open_risks: [],
    retained_artifact_ids: ids,
    stop_reason: "evidence_sufficient",
  });

async function play(call: ModelCall, state: EpisodeState): Promise<Outcome[]> {
  const policy = plannerPolicy({ call, model: "scripted/one", live: false }).begin(state.registry.brief, {
    signal: new AbortController().signal,
  });
  const outcomes: Outcome[] = [];
  for (let latest: Outcome | undefined; latest?.terminal === undefined;) {
    const proposal = await policy.propose(observe(latest?.state ?? state, latest ?? {}));
    latest = step(latest?.state ?? state, proposal);
    outcomes.push(latest);
  }
  return outcomes;
}

const begin = () => beginEpisode(new EpisodeRegistry("pack_test", sampleEpisode({ padding: 40 })), "start");
const idRead = (request: ModelRequest) => /"artifact_id":"(art_[0-9a-f]+)"/.exec(textOf(request))?.[1] ?? "";
const textOf = (request: ModelRequest) => JSON.stringify(request.messages).replaceAll("\\", "");

describe("the planner", () => {
  it("[SEARCH-5.1.2] [SEARCH-2.5] [SEARCH-2.6] [TRAJ-8.1] shows the model its working set and what it just read, and nothing that it read before", async () => {
    let kept = "";
    const model = scriptedModel([
      calls("read_market_state", btc),
      calls("read_persistence", btc),
      (request) => {
        kept = idRead(request);
        return { toolCalls: [{ name: "keep_artifact", arguments: { artifact_id: kept } }] };
      },
      calls("read_derived_metrics", btc),
      () => ({ toolCalls: [{ name: "finalize", arguments: finalArgs(kept) }] }),
    ]);
    const outcomes = await play(model.call, begin());
    expect(outcomes.at(-1)?.terminal?.record.retained_artifact_ids).toEqual([kept]);
    const texts = model.requests.map(textOf);
    const holds = (payload: string) => texts.map((text) => text.includes(payload));
    expect(texts[0]).not.toContain("payload");
    expect(holds('"padding"')).toEqual([false, true, false, false, false]);
    expect(holds('"persisted":3')).toEqual([false, false, true, true, true]);
    expect(holds('"funding_z"')).toEqual([false, false, false, false, true]);
    // What was read is known by id, in the order of the steps.
    expect(texts[4]).toContain('"step_id":"s-0001"');
    for (const text of texts) expect(text).not.toContain(truthCanary);
    expect(model.requests.every(({ messages }) => messages.length === 1)).toBe(true);
  });

  it("that answers nonsense is refused and told so, and the harness abstains in the end", async () => {
    const nonsense: ScriptedStep[] = [
      { text: "I think the market is nice." },
      { toolCalls: [{ name: "keep_artifact", arguments: '{"artifact_id": ' }] },
      calls("buy_everything", {}),
      calls("finalize", { decision_class: "yes" }),
      calls("read_market_state", { anchor_market: "BTC", window_id: windowIds[1], extra: 1 }),
    ];
    const model = scriptedModel(nonsense);
    const outcomes = await play(model.call, begin());
    expect(outcomes.map(({ refusal }) => refusal?.class)).toEqual([
      "action_unknown",
      "action_unknown",
      "action_unknown",
      "args_invalid",
      "args_invalid",
    ]);
    expect(outcomes.at(-1)?.terminal?.record.stop_reason).toMatch(/^refusals_exhausted/);
    expect(textOf(model.requests[1] as ModelRequest)).toContain("there is no action no_tool_call");
  });

  it("whose model is down says so by its class", async () => {
    const model = scriptedModel([{ fail: refuse("model_stalled", { message: "nothing came for 60 s" }) }]);
    const failure = await failureOf(play(model.call, begin()));
    expect(failure.failureClass).toBe("model_unavailable");
  });

  it("replays from its tape without the model, and a changed episode is a miss that names the field", async () => {
    const path = join(newFolder(), "tape.jsonl");
    const model = scriptedModel([calls("read_persistence", btc), endWith([])]);
    const recorder = await TapeRecorder.open({ path, ports });
    const recorded = await play(recorder.record(model.call), begin());
    await recorder.close();
    const replay = await TapeReplay.open({ path, ports });
    const replayed = await play(replay.call, begin());
    expect(replayed.map(({ steps }) => steps.map(({ text }) => text))).toEqual(
      recorded.map(({ steps }) => steps.map(({ text }) => text)),
    );
    const again = await TapeReplay.open({ path, ports });
    const other = beginEpisode(new EpisodeRegistry("pack_test", sampleEpisode({ stepBudget: 5 })), "start");
    const miss = await failureOf(play(again.call, other));
    expect(miss.message).toMatch(/message/i);
  });

  it("[SEARCH-3.11] operates the environment through its actions, into a run that is replayed without it", async () => {
    const { out, pack, model } = await plannerRun();
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual([...actionNames, "decision_update"]);
    const { steps } = await readEpisodeOf(out, "ep-00000", ports);
    expect(steps.map(({ record }) => record.step_type)).toEqual([
      "env_read",
      "keep_artifact",
      "branch_subquery",
      "env_read",
      "finalize",
    ]);
    expect(await replayRun({ folder: out, pack, ports, signal: never })).toMatchObject({
      status: "complete",
    });
    expect(model.requests).toHaveLength(4);
  });

  it("[SEARCH-1.5] is asked nothing that the record of the run does not say", async () => {
    const { out, pack, model } = await plannerRun();
    const recorded = await readEpisodeOf(out, "ep-00000", ports);
    const { brief } = new EpisodeRegistry(pack.manifest.pack_id, await pack.episode("ep-00000"));
    const asked = [0, 1, 2, 4].map((k) => {
      const past = reconstruct(recorded, k);
      const { active, read, token_budget_remaining, working_set } = past;
      const observation = {
        active_artifacts: active,
        artifacts: read,
        ended: false,
        must_end: false,
        token_budget_remaining,
        working_set,
      };
      const proposed = recorded.steps
        .slice(0, k)
        .findLast(
          ({ record }) => record.step_type !== "env_read" || record.branch_parent_step_id === undefined,
        );
      const lastAction = proposed?.record.action_name;
      return plannerRequest({
        model: "scripted/one",
        brief,
        observation,
        ...(lastAction === undefined ? {} : { lastAction }),
      });
    });
    expect(model.requests.map(textOf)).toEqual(asked.map(textOf));
  });
});

/** A model that reads, keeps, branches and decides, and talks more than is written down, in a run of one episode. */
async function plannerRun() {
  const base = newFastFolder();
  const pack = await packIn(base, 1);
  const text = "I will look at this more closely. ".repeat(20);
  let kept = "";
  const model = scriptedModel([
    { ...calls("read_persistence", btc), text },
    (request) => {
      kept = idRead(request);
      return { text, toolCalls: [{ name: "keep_artifact", arguments: { artifact_id: kept } }] };
    },
    calls("branch_subquery", {
      arguments: { anchor_market: "BTC", window_ids: [windowIds[0]] },
      subquery_type: "derived_metrics",
    }),
    () => ({ toolCalls: [{ name: "finalize", arguments: finalArgs(kept) }] }),
  ]);
  const out = join(base, "run");
  const policy = plannerPolicy({ call: model.call, model: "scripted/one", live: false });
  await runIn({ pack, policy, out });
  return { out, pack, model };
}

function finalArgs(id: string) {
  return {
    decision_class: "finalize_signal",
    open_risks: ["only one view was kept"],
    retained_artifact_ids: [id],
    stop_reason: "evidence_sufficient",
  };
}
