import { isRefusal } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { sampleEpisode, truthCanary, windowIds } from "../../../../test/support/search-episode.js";
import { anyEpisode, playEpisode, sampleManifest, script } from "../../../../test/support/played-episodes.js";
import { atifFaults } from "./atif-schema.js";
import { toAtif } from "./atif.js";
import { fromAtif, type ImportedEpisode } from "./from-atif.js";

const btc = { anchor_market: "BTC", window_id: windowIds[1] };
const run = { manifest: sampleManifest({ policy_params: { model: "gpt-5.3-codex" } }) };

const small = playEpisode(
  sampleEpisode(),
  script([
    ["read_persistence", btc],
    ["keep_artifact", { artifact_id: "$0" }],
    ["keep_artifact", { artifact_id: "$0" }],
    ["prune_working_set", { artifact_ids: ["$0"], reason: "irrelevant" }],
    ["abstain", { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" }],
  ]),
);

describe("an episode as ATIF", () => {
  it("is a prompt, the query, each step as a tool call, and a remark after a prune", () => {
    const { steps, ...root } = toAtif(run, small);
    const id = small.artifacts[0]?.artifact_id;
    const told = steps.map(({ step_id, source, message, tool_calls, observation }) => [
      step_id,
      source,
      tool_calls?.[0]?.tool_call_id ?? message.slice(0, 40),
      tool_calls?.[0]?.function_name,
      observation?.results[0]?.content,
    ]);
    expect(told).toEqual([
      [1, "system", "You inspect the evidence of one episode ", undefined, undefined],
      [2, "user", "Does the funding stress on BTC persist?", undefined, undefined],
      [3, "agent", "s-0001", "read_persistence", '{"earlier":4,"persisted":3}'],
      [4, "agent", "s-0002", "keep_artifact", `{"context_pressure_class":"low","working_set":["${id}"]}`],
      [
        5,
        "agent",
        "r-0003-1",
        "keep_artifact",
        `refused (artifact_already_kept): ${id} is in the working set already`,
      ],
      [6, "agent", "s-0003", "prune_working_set", '{"context_pressure_class":"low","working_set":[]}'],
      [7, "system", "1 artifact was taken out of the working ", undefined, undefined],
      [8, "agent", "s-0004", "abstain", '{"context_pressure_class":"low","working_set":[]}'],
    ]);
    expect(steps[6]?.extra).toEqual({
      context_management: { boundary: "remove", tokens_after: 0, tokens_before: 7, type: "prune" },
    });
    expect(root).toMatchObject({
      agent: { model_name: "gpt-5.3-codex", name: "hlq-harness", version: "0.1.0" },
      final_metrics: { total_steps: 4 },
      schema_version: "ATIF-v1.8",
    });
    expect(root.trajectory_id).toBe(`${run.manifest.run_id}/ep-1`);
    expect(root.session_id).toBe(run.manifest.run_id);
  });

  it("tells a trainer which reads the harness made", () => {
    const branched = playEpisode(
      sampleEpisode(),
      script([
        [
          "branch_subquery",
          {
            arguments: { anchor_market: "BTC", window_ids: [...windowIds] },
            subquery_type: "persistence_check",
          },
        ],
      ]),
    );
    const by = toAtif(run, branched).steps.map(
      ({ extra }) => (extra?.["hlq"] as { proposed_by?: string } | undefined)?.proposed_by,
    );
    expect(by).toEqual([undefined, undefined, "policy", "harness", "harness", "policy"]);
  });

  it("names every action and what it takes", () => {
    const { tool_definitions } = toAtif(run, small).agent as unknown as {
      readonly tool_definitions: readonly { readonly function: { readonly name: string } }[];
    };
    expect(tool_definitions.map(({ function: { name } }) => name)).toHaveLength(12);
  });
});

describe("the way there and back", () => {
  it("restores every row of any episode to the byte, through valid ATIF, and shows nothing of the truth", () => {
    const seen = { steps: 0, refusals: 0, artifacts: 0 };
    holds(
      fc.property(anyEpisode, (episode) => {
        const atif = toAtif(run, episode);
        const text = JSON.stringify(atif);
        expect(atifFaults(atif)).toEqual([]);
        expect(text).not.toContain(truthCanary);
        expect(atif.steps.map(({ step_id }) => step_id)).toEqual(atif.steps.map((_, i) => i + 1));
        for (const { source, tool_calls, observation } of atif.steps) {
          if (source !== "agent") expect(tool_calls).toBeUndefined();
          for (const { source_call_id } of observation?.results ?? [])
            expect(tool_calls?.map(({ tool_call_id }) => tool_call_id)).toContain(source_call_id);
        }
        const back = fromAtif(JSON.parse(text)) as ImportedEpisode;
        expect(isRefusal(back) && back).toBe(false);
        expect(back).toEqual({ episode, manifest: run.manifest });
        const rows = ({ steps, refusals, terminal }: typeof episode) =>
          [...steps, ...refusals, terminal].map((row) => JSON.stringify(row));
        expect(rows(back.episode)).toEqual(rows(episode));
        seen.steps += episode.steps.length;
        seen.refusals += episode.refusals.length;
        seen.artifacts += episode.artifacts.length;
      }),
      200,
    );
    expect(Math.min(seen.steps, seen.refusals, seen.artifacts)).toBeGreaterThan(100);
    console.log(
      `proof: ATIF: ${seen.steps} steps, ${seen.refusals} refusals and ${seen.artifacts} artifacts of random episodes came back to the byte`,
    );
  });

  it("is read from every version since v1.4 on, and refused with what its version does not have", () => {
    const { agent, trajectory_id, ...rest } = toAtif(run, small);
    const { tool_definitions, ...older } = agent;
    const four = {
      ...rest,
      agent: { ...older, extra: { ...older.extra, tool_definitions } },
      schema_version: "ATIF-v1.4",
      session_id: trajectory_id,
    };
    const five = { ...rest, agent, schema_version: "ATIF-v1.5" };
    const seven = { ...rest, agent, trajectory_id, schema_version: "ATIF-v1.7" };
    for (const each of [four, five, seven])
      expect(fromAtif(JSON.parse(JSON.stringify(each)))).toEqual({ episode: small, manifest: run.manifest });
    expect(atifFaults({ ...four, agent })).toEqual(["agent.tool_definitions is of v1.5"]);
    expect(atifFaults({ ...five, trajectory_id })).toEqual(["trajectory_id is of v1.7"]);
    expect(atifFaults({ ...seven, schema_version: "ATIF-v1.9" })).toHaveLength(1);
  });

  it("has rules that notice a wrong number, a call by the user and a result of nobody's call", () => {
    const sound = toAtif(run, small) as unknown as { steps: Record<string, unknown>[] };
    const changed = (at: number, change: object) => ({
      ...sound,
      steps: sound.steps.map((step, i) => (i === at ? { ...step, ...change } : step)),
    });
    expect(atifFaults(changed(2, { step_id: 9 }))).toEqual(["step 3 is numbered 9"]);
    expect(atifFaults(changed(2, { source: "user" }))).toEqual(["step 3 calls a tool and is by the user"]);
    expect(
      atifFaults(changed(2, { observation: { results: [{ content: "", source_call_id: "s-9999" }] } })),
    ).toEqual(["step 3 has a result of s-9999, which it did not call"]);
  });

  it("refuses a trajectory in which anything was changed", () => {
    const text = JSON.stringify(toAtif(run, small));
    const changed = [
      text.replace('"persisted\\":3', '"persisted\\":4'),
      text.replace('"working_set_after":["', '"working_set_after":["x'),
      text.replace('"step_budget":12', '"step_budget":13'),
      text.replace('"step_type":"keep_artifact"', '"step_type":"drop_artifact"'),
      text.replaceAll("is in the working set already", "was never read"),
    ];
    for (const other of changed) {
      expect(other).not.toBe(text);
      expect(fromAtif(JSON.parse(other))).toMatchObject({ refused: "atif_invalid" });
    }
  });

  it("refuses what is no trajectory, or not one of ours", () => {
    expect(fromAtif({ steps: [] })).toMatchObject({ refused: "atif_invalid" });
    expect(fromAtif({ ...toAtif(run, small), extra: {} })).toMatchObject({
      refused: "atif_invalid",
      message: expect.stringContaining("extra.hlq is missing"),
    });
  });
});
