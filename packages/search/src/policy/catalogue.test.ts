import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { join } from "node:path";
import { packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { readEpisodeOf } from "../run/read.js";
import { catalogue } from "./catalogue.js";
import { Chance } from "./chance.js";

describe("the catalogue", () => {
  it("makes a policy under its name, and again from the id and the parameters that a run records", async () => {
    // The others need a script, a model or a file of weights.
    const needNothing = ["always-signal", "always-low", "random", "heuristic"];
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining(needNothing));
    for (const name of needNothing) {
      const policy = await policyOf(name);
      expect(policy.policyId).toBe(`${name}.v1`);
      expect((await policyOf(policy.policyId, policy.params)).params).toEqual(policy.params);
    }
  });

  it("says which one was meant, and what a policy cannot be told", async () => {
    expect((await failureOf(policyOf("allways-low"))).message).toContain("did you mean always-low?");
    expect((await failureOf(policyOf("random.v9"))).failureClass).toBe("policy_unknown");
    expect((await failureOf(policyOf("random", { speed: 1 }))).failureClass).toBe("policy_params_invalid");
    for (const script of [
      7,
      [7],
      { "ep-1": 7 },
      [{ action: "abstain" }],
      [{ action_name: "a", notes: "so" }],
    ]) {
      const failure = await failureOf(policyOf("scripted", { script: script as never }));
      expect(failure.failureClass, JSON.stringify(script)).toBe("policy_params_invalid");
    }
  });
});

describe("a script", () => {
  it("may be another for each episode, names artifacts by their number, and abstains when it is over", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const scope = { anchor_market: "BTC", window_id: "2025-07-11T00:00Z/24h" };
    const read = (action_name: string) => ({ action_args: scope, action_name });
    const keep = (n: number) => ({
      action_args: { artifact_id: { $artifact: n } },
      action_name: "keep_artifact",
    });
    const script = {
      "*": [read("read_market_state"), read("read_persistence"), keep(2), keep(-2), keep(3)],
      "ep-00001": [],
    };
    const out = join(base, "a");
    await runIn({ pack, policy: await policyOf("scripted", { script: script as never }), out });
    const { steps, terminal, refusals } = await readEpisodeOf(out, "ep-00002", ports);
    const [market, persistence] = steps.map(({ record }) => record.artifact_ids_read[0]);
    expect(terminal?.record).toMatchObject({
      retained_artifact_ids: [persistence, market],
      stop_reason: "evidence_missing: the script is over",
    });
    expect(refusals[0]?.record).toMatchObject({ action_args: { artifact_id: "art_none_3" } });
    expect((await readEpisodeOf(out, "ep-00001", ports)).steps).toHaveLength(1);
  });
});

describe("chance", () => {
  it("is decided by its names alone, and spreads over what there is", () => {
    const draw = (...names: string[]) => {
      const chance = new Chance(...names);
      return Array.from({ length: 2_000 }, () => chance.below(10));
    };
    expect(draw("a", "b")).toEqual(draw("a", "b"));
    expect(draw("a", "b")).not.toEqual(draw("ab"));
    for (let n = 0; n < 10; n++) {
      const count = draw("a").filter((drawn) => drawn === n).length;
      expect(count).toBeGreaterThan(140);
      expect(count).toBeLessThan(260);
    }
    expect(draw("golden").slice(0, 8)).toEqual([9, 2, 1, 5, 4, 0, 0, 1]);
  });
});
