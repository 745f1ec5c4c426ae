import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { driveAll } from "../../../../test/support/search-drive.js";
import { never, ports, runIn } from "../../../../test/support/search-run.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { habitualEpisodes, stressEpisode } from "../../../../test/support/stress-episode.js";
import { openPack, readManifest } from "../pack/open.js";
import { decidingPolicies } from "../policy/deciding.js";
import { heuristicPolicy } from "../policy/heuristic.js";
import { partAt } from "../pack/parts.js";
import { modelDigest, readModel } from "../train/model.js";
import { endHourOf } from "../window.js";
import type { EpisodeWithTruth } from "../types.js";
import { openRun } from "./open-run.js";
import { trainOperation } from "./train.js";

/** A pack and a run of the heuristic on it, both on the disk. */
async function prepared(episodes: readonly EpisodeWithTruth[]) {
  const cwd = newFolder();
  const { folder } = await samplePack(join(cwd, "packs"), { episodes });
  const pack = await openPack(folder, ports);
  await runIn({ pack, policy: heuristicPolicy({ thorough: true }), out: join(cwd, "runs/heuristic") });
  await pack.close();
  const warnings: string[] = [];
  const call: Call = {
    ...{ ports, signal: never, cwd, env: {} },
    warn: (sentence) => warnings.push(sentence),
    progress: () => {},
  };
  const train = (more: object = {}) =>
    trainOperation(openRun).run(
      { runs: ["runs/heuristic"], packs: [folder], out: "model.json", ...more },
      call,
    );
  return { cwd, train, warnings, episodes, folder };
}

describe("hlq train", () => {
  it("writes a model that the assisted policy uses, the same bytes each time", async () => {
    const { cwd, train } = await prepared(habitualEpisodes({ coins: 15, each: 14, odds: 10 }));
    const answer = (await train()) as Record<string, unknown>;
    expect(answer).toMatchObject({
      action: "hlq.train",
      file: "model.json",
      stop: { failed: null },
      keep: { failed: null },
    });
    const text = readFileSync(join(cwd, "model.json"), "utf8");
    await train({ out: "again.json" });
    expect(readFileSync(join(cwd, "again.json"), "utf8")).toBe(text);
    const model = readModel(text, "model.json");
    expect(answer["modelSha256"]).toBe(modelDigest(model));
    const around = { ports, cwd, env: {}, signal: never };
    const policy = await decidingPolicies.assisted.make({ trained_model: "model.json" }, around);
    expect(policy.params).toEqual({
      abstain_risk: 0.4,
      trained_model: model,
      trained_model_sha256: modelDigest(model),
    });
    // A run is resumed from what it recorded.
    const again = await decidingPolicies.assisted.make(policy.params, { ...around, cwd: "/" });
    expect(again.params).toEqual(policy.params);
    await expect(
      decidingPolicies.assisted.make({ ...policy.params, trained_model_sha256: "other" }, around),
    ).rejects.toMatchObject({ failureClass: "policy_params_invalid" });
    const ended = await driveAll(policy, [
      stressEpisode({ earlier: 6, persisted: 5 }),
      stressEpisode({ earlier: 6, persisted: 1 }),
      stressEpisode({ earlier: 6, persisted: 5, history: 100 }),
    ]);
    expect(ended.map(({ terminal }) => terminal.decision_class)).toEqual([
      "finalize_signal",
      "finalize_low_signal",
      null,
    ]);
    expect(ended.flatMap(({ refusals }) => refusals)).toEqual([]);
    expect(ended[0]?.terminal.retained_evidence.map(({ view_name }) => view_name)).toEqual([
      "derived_metrics",
      "persistence",
    ]);
  });

  it("learns from the training part, is judged by the validation part, and leaves the test part alone", async () => {
    const { cwd, train, episodes, folder } = await prepared(
      habitualEpisodes({ coins: 15, each: 14, odds: 10 }),
    );
    const answer = (await train()) as unknown as Record<string, number>;
    const { heldBack = 0, trajectories = 0, validationTrajectories = 0 } = answer;
    expect(heldBack + trajectories + validationTrajectories).toBe(episodes.length);
    const { parts } = await readManifest(folder, ports);
    if (parts === null || parts === undefined) throw new Error("the pack has parts");
    const { training } = readModel(readFileSync(join(cwd, "model.json"), "utf8"), "model.json");
    const hourOf = ({ window_id }: EpisodeWithTruth) => endHourOf(window_id) as number;
    const of = (part: string) => episodes.filter((each) => partAt(parts, hourOf(each)) === part);
    expect([trajectories, validationTrajectories]).toEqual([of("train").length, of("validation").length]);
    expect(training.until_hour).toBeLessThanOrEqual(Math.min(...of("test").map(hourOf)));
  });

  it("reports a model that learnt nothing as failed, and saves it only when told to", async () => {
    const { cwd, train, warnings } = await prepared(habitualEpisodes({ coins: 15, each: 14, odds: 50 }));
    const refused = await train();
    expect(isRefusal(refused as never) && (refused as { refused: string }).refused).toBe("model_failed");
    expect(existsSync(join(cwd, "model.json"))).toBe(false);
    const saved = await train({ saveFailed: true });
    expect((saved as { stop: { failed: unknown } }).stop.failed).toEqual(expect.any(String));
    expect(warnings.join()).toMatch(/failed and was saved all the same: stop: /);
    expect(existsSync(join(cwd, "model.json"))).toBe(true);
  });

  it("says what is missing when nothing is there to train on, and which pack a run needs", async () => {
    const { train } = await prepared([stressEpisode()]);
    expect(await train()).toMatchObject({ refused: "training_data_missing" });
    const other = await prepared([stressEpisode({ market: "ETH" })]);
    const { folder } = await samplePack(join(other.cwd, "others"));
    expect(await other.train({ out: join(other.folder, "model.json") })).toMatchObject({
      refused: "export_into_record",
    });
    await expect(other.train({ packs: [folder] })).rejects.toMatchObject({ failureClass: "pack_missing" });
  });
});

describe("reading a model", () => {
  it("refuses what is no model, or one with other features", async () => {
    const { cwd, train } = await prepared(habitualEpisodes({ coins: 15, each: 14, odds: 10 }));
    await train();
    const text = readFileSync(join(cwd, "model.json"), "utf8");
    for (const [broken, why] of [
      ["{", /not JSON/],
      ["{}", /model.json: /],
      [text.replace('"feature_version": "1"', '"feature_version": "0"'), /version 0/],
      [text.replace('"habit"', '"habits"'), /stop has other features/],
    ] as const) {
      expect(() => readModel(broken, "model.json")).toThrow(why);
    }
  });
});
