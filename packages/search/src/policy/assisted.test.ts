import { describe, expect, it } from "vitest";
import { handModel } from "../../../../test/support/hand-model.js";
import { driveEpisode } from "../../../../test/support/search-drive.js";
import { stressEpisode } from "../../../../test/support/stress-episode.js";
import { assistedPolicy } from "./assisted.js";

const episode = () => stressEpisode({ earlier: 4, persisted: 3 });

describe("the assisted policy", () => {
  it("[SEARCH-1.4] leaves to small models what is kept and when to stop", async () => {
    const kept = async (view: string) => {
      const model = handModel({ keep: { one: -10, [`is_${view}`]: 20 }, stop: { one: 1 } });
      const { steps, artifacts } = await driveEpisode(assistedPolicy(model), episode());
      const views = new Map(artifacts.map(({ artifact_id, view_name }) => [artifact_id, view_name]));
      return steps.flatMap(({ step_type, selected_artifact_ids = [] }) =>
        step_type === "keep_artifact" ? selected_artifact_ids.map((id) => views.get(id)) : [],
      );
    };
    expect(await kept("persistence")).toEqual(["persistence"]);
    expect(await kept("derived_metrics")).toEqual(["derived_metrics"]);
    const readsUntil = async (one: number) => {
      const { steps } = await driveEpisode(assistedPolicy(handModel({ keep: {}, stop: { one } })), episode());
      return steps.filter(({ step_type }) => step_type === "env_read").length;
    };
    expect(await readsUntil(20)).toBe(1);
    expect(await readsUntil(1)).toBeGreaterThan(3);
  });

  it("[SEARCH-3.12] says what its model says, as one of the decisions that there are", async () => {
    const decided = async (one: number) =>
      (await driveEpisode(assistedPolicy(handModel({ keep: {}, stop: { one } })), episode())).terminal
        .decision_class;
    expect(await decided(3)).toBe("finalize_signal");
    expect(await decided(-3)).toBe("finalize_low_signal");
  });
});
