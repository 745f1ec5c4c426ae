import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endHourOf } from "../window.js";
import { foldsOf } from "../train/folds.js";
import { isHeldOut, partOf, splitOf } from "./first-split.js";

const windowAt = (hour: number) => `${new Date(hour * 3_600_000).toISOString().slice(0, 13)}:00Z/24h`;
const july = 486_384;

describe("the split", () => {
  it("holds out the same third of the coins for good", () => {
    const names = [
      "BTC",
      "ETH",
      "SOL",
      "HYPE",
      "DOGE",
      "XRP",
      "AAVE",
      "LINK",
      "SUI",
      "AVAX",
      "kPEPE",
      "FARTCOIN",
    ];
    expect(names.filter(isHeldOut)).toEqual(["BTC", "ETH"]);
    const many = Array.from({ length: 3000 }, (_, i) => `COIN${i}`).filter(isHeldOut).length;
    expect(many).toBeGreaterThan(900);
    expect(many).toBeLessThan(1100);
  });

  it("cuts on a Monday, after three fifths of the time", () => {
    const split = splitOf(
      [july, july + 1000].map((hour) => ({ anchor_market: "BTC", window_id: windowAt(hour) })),
    );
    const cut = new Date((split?.cut_hour ?? 0) * 3_600_000);
    expect(cut.getUTCDay()).toBe(1);
    expect(cut.getUTCHours()).toBe(0);
    expect((split?.cut_hour ?? 0) - july - 600).toBeGreaterThanOrEqual(0);
    expect((split?.cut_hour ?? 0) - july - 600).toBeLessThan(168);
  });

  it("never trains on a coin or a week that it tests on", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            coin: fc.string({ minLength: 1, maxLength: 6 }),
            hour: fc.integer({ min: 0, max: 3000 }),
          }),
          {
            minLength: 1,
          },
        ),
        (drawn) => {
          const episodes = drawn.map(({ coin, hour }) => ({
            anchor_market: coin,
            window_id: windowAt(july + hour),
          }));
          const split = splitOf(episodes);
          if (split === undefined) throw new Error("these windows say when they end");
          const of = (part: string) =>
            episodes.filter(
              ({ anchor_market, window_id }) =>
                partOf(split, { anchor_market, hour: endHourOf(window_id) }) === part,
            );
          const hours = (list: typeof episodes) => list.map(({ window_id }) => endHourOf(window_id) ?? 0);
          const trained = new Set(of("train").map(({ anchor_market }) => anchor_market));
          expect(of("test").some(({ anchor_market }) => trained.has(anchor_market))).toBe(false);
          expect(Math.max(...hours(of("train")), 0) + 24).toBeLessThan(
            Math.min(...hours(of("test")), Infinity),
          );
        },
      ),
    );
  });

  it("uses an episode whose window does not say when it is for nothing", () => {
    expect(splitOf([{ anchor_market: "BTC", window_id: "w1" }])).toBeUndefined();
    const split = { cut_hour: 0, rule: "coin third by sha256 and weeks from a cut.v1" } as const;
    expect(partOf(split, { anchor_market: "BTC", hour: endHourOf("w1") })).toBe("neither");
  });

  it("deals coins into folds of one size, whatever their order", () => {
    const coins = Array.from({ length: 41 }, (_, i) => `COIN${i}`);
    const folds = foldsOf(coins, 4);
    const sizes = [0, 1, 2, 3].map((fold) => [...folds.values()].filter((each) => each === fold).length);
    expect(sizes).toEqual([11, 10, 10, 10]);
    expect(foldsOf(coins.toReversed(), 4)).toEqual(folds);
  });
});
