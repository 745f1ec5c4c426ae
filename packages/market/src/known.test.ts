import { describe, expect, it } from "vitest";
import { recordings } from "../../../test/support/market-data.js";
import { knownAtMs, knownRows } from "./known.js";
import { hourMs, type Funding } from "./types.js";
import { fundingFrom } from "./wire.js";

const hour = 486_000;
const at = (ms: number) => hour * hourMs + ms;
const funding = (stamp: number) =>
  fundingFrom(
    { coin: "BTC", fundingRate: "0.0000125", premium: "0.0001", time: at(stamp) },
    { source: "f", line: 1 },
  );

describe("when a row is known", () => {
  it("is the end of its hour for a candle, and the stamp for a context, a fill and a liquidation", () => {
    const candle = { market: "BTC", hour, open: "1", high: "1", low: "1", close: "1" };
    expect(knownAtMs("candle", candle)).toBe(at(hourMs));
    expect(knownAtMs("assetContext", { market: "BTC", timeMs: at(61) })).toBe(at(61));
  });

  it("is the hour for funding that is stamped up to a minute late, and the stamp after that", () => {
    for (const [stamp, known] of [
      [0, 0],
      [57, 0],
      [60_000, 0],
      [60_001, 60_001],
      [24 * 60_000, 24 * 60_000],
    ] as const) {
      const row = funding(stamp);
      expect(row.hour).toBe(hour);
      expect(knownAtMs("funding", row)).toBe(at(known));
      expect("stampMs" in row).toBe(known !== 0);
    }
  });

  it("comes in the order of the rows, so those that are known are counted from the first", () => {
    const rows: Funding[] = [0, 1, 2].map((ahead) => ({
      market: "BTC",
      hour: hour + ahead,
      rate: "0",
      ...(ahead === 1 ? { stampMs: at(hourMs + 24 * 60_000) } : {}),
    }));
    expect(
      [-1, 0, hourMs, hourMs + 24 * 60_000, 2 * hourMs].map((ms) => knownRows("funding", rows, at(ms))),
    ).toEqual([0, 1, 1, 2, 3]);
  });

  const recorded = recordings()
    .filter(({ request, response }) => request.type === "fundingHistory" && Array.isArray(response))
    .flatMap(({ response }) => response as object[]);
  if (recorded.length > 0)
    it("is late for one payment in the recordings, by 24 minutes", () => {
      const rows = recorded.map((row, i) => fundingFrom(row as never, { source: "recordings", line: i + 1 }));
      const late = rows.filter(({ stampMs }) => stampMs !== undefined);
      const minutes = late.map((row) => Math.round((knownAtMs("funding", row) - row.hour * hourMs) / 60_000));
      expect([...new Set(minutes)]).toEqual([24]);
    });
});
