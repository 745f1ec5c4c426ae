import { InfoClient, openEngine } from "@bridle/market";
import { isRefusal } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { startInfoServer } from "../../../../test/support/info-server.js";
import type { Recording } from "../../../../test/support/market-data.js";
import { ask } from "../ask.js";
import { loadNeeded } from "./info.js";

const hour = 3_600_000;
const nowMs = Date.parse("2025-07-20T12:30:00Z");
const start = Date.parse("2025-07-19T00:00:00Z");
const universe = ["BTC", "ETH"].map((name) => ({ name, szDecimals: 3, maxLeverage: 50 }));
const context = (funding: string, mark: string) => ({
  ...{ funding, openInterest: "100", prevDayPx: "100", dayNtlVlm: "5000", premium: "0.0002" },
  ...{ oraclePx: "110", markPx: mark, midPx: mark, impactPxs: ["109.9", "110.1"] },
});
const facts: readonly Recording[] = [
  {
    request: { type: "metaAndAssetCtxs" },
    response: [{ universe }, [context("0.0001", "110"), context("-0.0003", "50")]],
  },
  {
    request: { type: "candleSnapshot", req: { coin: "BTC" } },
    response: Array.from({ length: 37 }, (_, i) => ({
      ...{ t: start + i * hour, T: start + (i + 1) * hour - 1, s: "BTC", i: "1h", n: 1, v: "1" },
      ...{ o: String(100 + i), c: String(101 + i), h: String(102 + i), l: String(99 + i) },
    })),
  },
];

class QuickClock extends VirtualClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms > 10_000) return super.sleep(ms, signal);
    this.jump(ms);
  }
}

async function asked(
  question: string,
  troubles: readonly { readonly status: number; readonly body?: string }[] = [],
) {
  const server = await startInfoServer(facts);
  server.troubles.push(...troubles);
  const client = new InfoClient({ clock: new QuickClock({ startMs: nowMs }), url: server.url });
  const { answer } = await ask(
    { question },
    {
      nowMs,
      withSource: async (plan, use) =>
        use(await loadNeeded(plan, { client, nowMs, builder: await openEngine() })),
    },
  );
  return { answer, types: server.asked.map(({ type }) => type) };
}

describe("the exchange's info endpoint", () => {
  it.each([
    ["highest funding right now", "ETH"],
    ["largest open interest right now", "BTC"],
    ["widest spreads right now", "BTC"],
  ])("%j is one look at all markets", async (question, first) => {
    const { answer, types } = await asked(question);
    expect(types).toEqual(["metaAndAssetCtxs"]);
    expect(answer).toMatchObject({ status: "answered", rows: [{ market: first }, {}] });
  });

  it("past hours are asked for the coin that is named, and the hour that still runs is not read", async () => {
    const { answer, types } = await asked("btc price change last 24h");
    expect(types).toEqual(["metaAndAssetCtxs", "candleSnapshot"]);
    // From the open of 2025-07-19T12:00Z, 112, to the close of 11:00Z the day after, 136.
    expect(answer).toMatchObject({
      rows: [{ market: "BTC", first_price: 112, last_price: 136, hours: 24 }],
      hours: { to_utc: "2025-07-20T12:00Z" },
    });
  });

  it("what it has no history of is dropped with that reason", async () => {
    const { answer, types } = await asked("btc liquidations last 24h");
    expect(types).toEqual([]);
    expect(JSON.stringify(answer)).toMatch(/no history of liquidations/);
  });

  it("one that is down, or answers nonsense, is an error with its class", async () => {
    const down = await asked(
      "highest funding right now",
      Array.from({ length: 8 }, () => ({ status: 503 })),
    );
    expect(isRefusal(down.answer) && down.answer.refused).toBe("info_unreachable");
    const nonsense = await asked("highest funding right now", [{ status: 200, body: "<html>" }]);
    expect(isRefusal(nonsense.answer) && nonsense.answer.refused).toBe("info_answer_invalid");
  });
});
