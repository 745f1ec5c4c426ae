import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsAsync } from "../../../../test/support/property.js";
import { driveEpisode } from "../../../../test/support/search-drive.js";
import { sampleEpisode } from "../../../../test/support/search-episode.js";
import { stressEpisode, type StressOptions } from "../../../../test/support/stress-episode.js";
import type { EpisodeWithTruth, View } from "../types.js";
import { heuristicPolicy } from "./heuristic.js";

const strong: StressOptions = {
  interest: 0.2,
  premium: 0.0008,
  earlier: 6,
  persisted: 5,
  peers: [3, 3, 3, 2],
  priors: [true, true, true],
};
const drive = (options: StressOptions) => driveEpisode(heuristicPolicy(), stressEpisode(options));

const share = fc.double({ min: -1, max: 1, noNaN: true });
const stresses = fc.record({
  side: fc.constantFrom<1 | -1>(1, -1),
  interest: fc.option(share, { nil: undefined }),
  premium: fc.option(
    share.map((each) => each / 500),
    { nil: undefined },
  ),
  return1h: share.map((each) => each / 10),
  history: fc.constantFrom(100, 168),
  earlier: fc.integer({ min: 0, max: 9 }),
  persisted: fc.integer({ min: 0, max: 9 }),
  peers: fc.array(fc.double({ min: -6, max: 6, noNaN: true }), { maxLength: 8 }),
  priors: fc.array(fc.boolean(), { maxLength: 8 }),
  stepBudget: fc.integer({ min: 1, max: 12 }),
});

describe("the heuristic", () => {
  it("calls it a signal when interest, premium, others and habit all speak for it, and rests on what it kept", async () => {
    const { terminal, steps } = await drive(strong);
    expect(terminal.decision_class).toBe("finalize_signal");
    expect(terminal.stop_reason).toMatch(/^evidence_sufficient: /);
    const views = terminal.retained_evidence.map(({ view_name }) => view_name);
    expect(views).toEqual(["derived_metrics", "persistence"]);
    const said = steps.findLast(({ step_type }) => step_type === "decision_update")?.stop_candidate;
    expect(said?.leaning).toBe("finalize_signal");
    expect(said?.confidence).toBeGreaterThan(0.8);
  });

  it("reads on while what is unread could turn the decision, and stops when it could not", async () => {
    const mixed = await drive({ ...strong, interest: -0.2, persisted: 3 });
    const clear = await drive({ interest: -0.2, premium: -0.0008, return1h: -0.05 });
    const views = ({ artifacts }: typeof mixed) => artifacts.map(({ view_name }) => view_name);
    expect(views(clear)).toEqual(["derived_metrics"]);
    expect(views(mixed).length).toBeGreaterThan(2);
    expect(clear.terminal.decision_class).toBe("finalize_low_signal");
  });

  it("drops what it kept and does not rest on", async () => {
    // Others lean the same way, and everything else says that it ends.
    const { terminal, steps } = await driveEpisode(
      heuristicPolicy({ thorough: true }),
      stressEpisode({ interest: -0.2, premium: -0.0008, earlier: 6, persisted: 0, peers: [4, 4, 4] }),
    );
    expect(terminal.decision_class).toBe("finalize_low_signal");
    expect(steps.map(({ step_type }) => step_type)).toContain("drop_artifact");
    expect(terminal.retained_evidence.map(({ view_name }) => view_name)).not.toContain("peer_comparisons");
    expect(terminal.open_risks).toContain("many other markets lean the same way");
  });

  it("abstains where the history is missing, and keeps what shows it", async () => {
    const { terminal } = await drive({ ...strong, history: 100 });
    expect(terminal.terminal_action).toBe("abstain");
    expect(terminal.stop_reason).toBe("history_missing: 100 of 160 hours are there");
    expect(terminal.retained_evidence.map(({ view_name }) => view_name)).toEqual(["derived_metrics"]);
  });

  it("claims no signal without open interest and premium, and names both as risks", async () => {
    const { interest: _i, premium: _p, ...rest } = strong;
    const { terminal, steps } = await drive({ ...rest, priors: [] });
    expect(terminal.decision_class).toBe("finalize_low_signal");
    expect(terminal.open_risks).toEqual(
      expect.arrayContaining(["open interest is not known", "the premium is not known"]),
    );
    const said = steps.findLast(({ step_type }) => step_type === "decision_update")?.stop_candidate;
    expect(said?.confidence).toBeLessThanOrEqual(0.72);
  });

  it("comes to an end on a pack that has none of our members", async () => {
    const { terminal, refusals } = await driveEpisode(heuristicPolicy(), sampleEpisode());
    expect(refusals).toEqual([]);
    expect(terminal.stop_reason).not.toMatch(/policy_failed|exhausted/);
  });

  it("thinks the same whichever side pays", async () => {
    await holdsAsync(
      fc.asyncProperty(stresses, async (drawn) => {
        const [long, short] = [await drive({ ...drawn, side: 1 }), await drive({ ...drawn, side: -1 })];
        expect(short.terminal.decision_class).toBe(long.terminal.decision_class);
        expect(short.terminal.stop_reason).toBe(long.terminal.stop_reason);
      }),
      60,
    );
  });

  it("is never refused and always says what it will decide, whatever is missing and however small the budget", async () => {
    await holdsAsync(
      fc.asyncProperty(stresses, fc.func(fc.boolean()), async (drawn, isThere) => {
        const { refusals, terminal, steps } = await driveEpisode(
          heuristicPolicy({ thorough: isThere("thorough") }),
          thinned(stressEpisode(drawn), isThere),
        );
        expect(refusals).toEqual([]);
        expect(terminal.stop_reason).not.toMatch(/policy_failed|exhausted/);
        if (drawn.stepBudget > 1) expect(steps.at(-2)?.step_type).toBe("decision_update");
      }),
      100,
    );
  });
});

/** Some views and some members are not there. */
function thinned(episode: EpisodeWithTruth, isThere: (name: string) => boolean): EpisodeWithTruth {
  const views = Object.entries(episode.environment_views).map(([name, list]) => [
    name,
    name === "market_state" || isThere(name)
      ? (list as readonly View[]).map((view) => ({
          ...view,
          payload: Object.fromEntries(
            Object.entries(view.payload).filter(
              ([member]) => ["rows", "episodes", "pattern_id", "words"].includes(member) || isThere(member),
            ),
          ),
        }))
      : [],
  ]);
  return {
    ...episode,
    environment_views: Object.fromEntries(views) as EpisodeWithTruth["environment_views"],
  };
}
