/** The parts of a pack hour by hour: where each begins and ends, and what belongs to none. */
import { describe, expect, it } from "vitest";
import { partOfPack, horizonOf, trainingParts } from "./part-of-pack.js";
import { partAt, type Parts, partsOf, SpanSeen } from "./parts.js";
import type { PackManifest } from "./types.js";

const manifest = (members: object): PackManifest =>
  ({ generator_params: {}, ...members }) as unknown as PackManifest;
const windowAt = (hour: number) => `${new Date(hour * 3_600_000).toISOString().slice(0, 13)}:00Z/24h`;
const episode = (hour: number, anchor_market = "BTC") => ({ anchor_market, window_id: windowAt(hour) });

describe("the parts of a pack", () => {
  it("begin with a day, after half and after seven tenths of the time, at least a day apart", () => {
    // A hundred days and an hour of the last.
    expect(partsOf({ first: 2_400, last: 4_800 }, 3)).toEqual({
      embargo_hours: 24,
      rule: "by time, an embargo before each.v1",
      validation_from_hour: 151 * 24,
      test_from_hour: 171 * 24,
    });
    expect(partsOf({ first: 2_400, last: 4_799 }, 48)).toMatchObject({
      ...{ embargo_hours: 48, validation_from_hour: 150 * 24, test_from_hour: 170 * 24 },
    });
    expect(partsOf(undefined, 3)).toBeNull();
  });

  it("are cut to the hour, and the hours of the embargo before each belong to none", () => {
    const parts: Parts = {
      ...{ embargo_hours: 24, rule: "by time, an embargo before each.v1" },
      ...{ validation_from_hour: 240, test_from_hour: 480 },
    };
    const at = (hour: number) => partAt(parts, hour);
    expect([at(0), at(215), at(216), at(239)]).toEqual(["train", "train", undefined, undefined]);
    expect([at(240), at(455), at(456), at(479)]).toEqual(["validation", "validation", undefined, undefined]);
    expect([at(480), at(9_999)]).toEqual(["test", "test"]);
    const of = partOfPack(manifest({ parts }), []);
    expect([of({ anchor_market: "X", hour: 480 }), of({ anchor_market: "X", hour: undefined })]).toEqual([
      ...["test", undefined],
    ]);
  });

  it("are of no episode where the manifest says that there are none", () => {
    expect(
      partOfPack(manifest({ parts: null }), [episode(10)])({ anchor_market: "BTC", hour: 10 }),
    ).toBeUndefined();
    expect(trainingParts(manifest({ parts: null }), [episode(10)])).toBeNull();
  });

  it("of a pack of the first format are by coin and week, and for training by time as well", () => {
    const episodes = ["BTC", "ETH", "SOL", "DOGE", "XRP"].flatMap((market) =>
      [0, 20, 40, 60, 80, 100].map((day) => episode(480_000 + 24 * day, market)),
    );
    const of = partOfPack(manifest({}), episodes);
    const found = new Set(
      episodes.map(({ anchor_market, window_id }) =>
        of({ anchor_market, hour: Date.parse(window_id.replace("Z/24h", ":00Z")) / 3_600_000 }),
      ),
    );
    expect(found).toEqual(new Set(["train", "test", undefined]));
    expect(
      partOfPack(manifest({}), [{ anchor_market: "BTC", window_id: "a week" }])({
        anchor_market: "BTC",
        hour: 1,
      }),
    ).toBe(undefined);
    const span = { first: 480_000, last: 480_000 + 2_400 };
    expect(trainingParts(manifest({}), episodes)).toEqual(partsOf(span, 0));
    expect(trainingParts(manifest({}), [])).toBeNull();
  });

  it("span all episodes that say when they are, in whatever order they come", () => {
    const seen = new SpanSeen();
    expect(seen.span).toBeUndefined();
    for (const hour of [480_100, 480_000, 480_200]) seen.add(episode(hour));
    seen.add({ window_id: "a week" });
    expect(seen.span).toEqual({ first: 480_000, last: 480_200 });
  });

  it("know how long an outcome takes from how the pack was built", () => {
    expect(horizonOf(manifest({ generator_params: { persist_hours: 3 } }))).toBe(3);
    expect(horizonOf(manifest({ generator_params: { persist_hours: "3" } }))).toBe(0);
  });
});
