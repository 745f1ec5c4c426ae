/**
 * The exchange's info endpoint: the questions that this room asks, and its answers
 * as rows. An answer that is not what was asked for is refused as a whole.
 *
 * What a newcomer gets wrong: the endpoint also gives the candle of the hour that
 * is still running. It is left out here, because a candle is a fact only once its
 * hour is over.
 */
import { type Clock, Failure, isJsonObject, type JsonValue } from "@bridle/record";
import { canonicalDecimal, compareText } from "../decimal.js";
import { hourOf } from "../hours.js";
import { marketLimits } from "../limits.js";
import {
  type AssetContext,
  type Candle,
  type DecimalText,
  type Fill,
  type Funding,
  type Hour,
  hourMs,
  type HourRange,
  type Liquidation,
  type MarketSource,
  type Ms,
} from "../types.js";
import { assetContextFrom, candleFrom, fillFrom, fundingFrom, textOf } from "../wire.js";
import { type Answered, ask, type Asking, sourceOf } from "./ask.js";
import { fetchHttp } from "./fetch-http.js";
import type { Http } from "./http.js";

export const infoUrl = "https://api.hyperliquid.xyz/info";

export interface InfoOptions {
  readonly clock: Clock;
  readonly http?: Http;
  readonly url?: string;
  readonly signal?: AbortSignal;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly source: MarketSource;
}

export interface ListedMarket {
  readonly market: string;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  readonly delisted: boolean;
}

export interface Level {
  readonly price: DecimalText;
  readonly size: DecimalText;
  readonly orders: number;
}

/** Best first on both sides. */
export interface Book {
  readonly market: string;
  readonly timeMs: Ms;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export class InfoClient {
  private readonly asking: Asking;

  constructor({ clock, http = fetchHttp, url = infoUrl, signal }: InfoOptions) {
    this.asking = { clock, http, url, ...(signal === undefined ? {} : { signal }) };
  }

  /** Hourly candles whose hour is over, a page for each request. */
  async *candles(market: string, { from, to }: Required<HourRange>): AsyncGenerator<Page<Candle>> {
    const complete = Math.min(to, hourOf(await this.asking.clock.now()) - 1);
    for (let first = from; first <= complete; first += marketLimits.candleHoursPerRequest) {
      const last = Math.min(first + marketLimits.candleHoursPerRequest - 1, complete);
      const req = { coin: market, interval: "1h", startTime: first * hourMs, endTime: last * hourMs };
      const answer = await ask({ type: "candleSnapshot", req }, this.asking);
      const rows = listOf(answer).map((each, i) => candleFrom(each, { source: answer.name, line: i + 1 }));
      requireMarket(answer, market, rows);
      const wanted = rows.filter(({ hour }) => hour >= first && hour <= last);
      yield { rows: wanted, source: sourceOf(answer, wanted.length) };
    }
  }

  /** The exchange gives at most some hundred rows at a time; each page begins after the last row of the one before. */
  async *funding(
    market: string,
    { from, to }: { readonly from: Hour; readonly to?: Hour },
  ): AsyncGenerator<Page<Funding>> {
    const endTime = to === undefined ? undefined : (to + 1) * hourMs - 1;
    let startTime = from * hourMs;
    for (let page = 0; page < marketLimits.fundingPagesMax; page++) {
      const request = {
        type: "fundingHistory",
        coin: market,
        startTime,
        ...(endTime === undefined ? {} : { endTime }),
      };
      const answer = await ask(request, this.asking);
      const list = listOf(answer);
      const rows = list.map((each, i) => fundingFrom(each, { source: answer.name, line: i + 1 }));
      requireMarket(answer, market, rows);
      let last = startTime - 1;
      for (const each of list) {
        const time = isJsonObject(each) ? Number(each["time"]) : Number.NaN;
        if (!(time > last)) throw wrong(answer, `the time ${time} does not come after ${last}`);
        last = time;
      }
      if (rows.length > 0) yield { rows, source: sourceOf(answer, rows.length) };
      if (rows.length === 0 || (endTime !== undefined && last >= endTime)) return;
      startTime = last + 1;
    }
    throw new Failure("info_answer_invalid", {
      message: `the funding of ${market} has more than ${marketLimits.fundingPagesMax} pages`,
      hint: "Ask for a shorter time.",
    });
  }

  /** Every market and its context of this moment; the exchange gives none of use for one that was delisted. */
  async assetContexts(): Promise<Page<AssetContext> & { readonly markets: readonly ListedMarket[] }> {
    const timeMs = await this.asking.clock.now();
    const answer = await ask({ type: "metaAndAssetCtxs" }, this.asking);
    const [meta, contexts] = listOf(answer);
    if (!isJsonObject(meta) || !Array.isArray(meta["universe"]) || !Array.isArray(contexts)) {
      throw wrong(answer, "it is no pair of a universe and its contexts");
    }
    const markets = (meta["universe"] as readonly JsonValue[]).map((each) => listedFrom(each, answer));
    if (contexts.length !== markets.length) {
      throw wrong(answer, `it has ${markets.length} markets and ${contexts.length} contexts`);
    }
    const rows = markets.flatMap(({ market, delisted }, i) =>
      delisted
        ? []
        : [
            assetContextFrom(
              contexts[i] as JsonValue,
              { market, timeMs },
              { source: answer.name, line: i + 1 },
            ),
          ],
    );
    return { rows, markets, source: sourceOf(answer, rows.length) };
  }

  /** The latest fills of a user, and those of them that were forced on them. */
  async fills(user: string): Promise<Page<Fill> & { readonly liquidations: readonly Liquidation[] }> {
    const answer = await ask({ type: "userFills", user }, this.asking);
    const facts = listOf(answer).map((each, i) => fillFrom(each, user, { source: answer.name, line: i + 1 }));
    const liquidations = facts.flatMap(({ liquidation }) => (liquidation === undefined ? [] : [liquidation]));
    return {
      rows: facts.map(({ fill }) => fill),
      liquidations,
      source: sourceOf(answer, facts.length + liquidations.length),
    };
  }

  async book(market: string): Promise<{ readonly book: Book; readonly source: MarketSource }> {
    const answer = await ask({ type: "l2Book", coin: market }, this.asking);
    const { value } = answer;
    if (!isJsonObject(value) || value["coin"] !== market || !Number.isSafeInteger(value["time"])) {
      throw wrong(answer, `it is no book of ${market}`);
    }
    const levels = value["levels"];
    if (!Array.isArray(levels) || levels.length !== 2) throw wrong(answer, "it has no two sides");
    const [bids, asks] = (levels as readonly JsonValue[]).map((side) => levelsFrom(side, answer)) as [
      Level[],
      Level[],
    ];
    requireOrder(bids, -1, answer);
    requireOrder(asks, 1, answer);
    const book = { market, timeMs: value["time"] as number, bids, asks };
    return { book, source: sourceOf(answer, bids.length + asks.length) };
  }
}

function listOf(answer: Answered): readonly JsonValue[] {
  if (!Array.isArray(answer.value)) throw wrong(answer, "it is no list");
  return answer.value as readonly JsonValue[];
}

function requireMarket(answer: Answered, market: string, rows: readonly { readonly market: string }[]): void {
  const other = rows.find((row) => row.market !== market);
  if (other !== undefined) throw wrong(answer, `it is about ${other.market}`);
}

function listedFrom(value: JsonValue, answer: Answered): ListedMarket {
  const { name, szDecimals, maxLeverage, isDelisted } = isJsonObject(value) ? value : {};
  if (typeof name !== "string" || !Number.isSafeInteger(szDecimals) || !Number.isSafeInteger(maxLeverage)) {
    throw wrong(answer, "a market of its universe has no name, szDecimals or maxLeverage");
  }
  return {
    market: name,
    sizeDecimals: szDecimals as number,
    maxLeverage: maxLeverage as number,
    delisted: isDelisted === true,
  };
}

function levelsFrom(side: JsonValue, answer: Answered): Level[] {
  if (!Array.isArray(side)) throw wrong(answer, "a side of the book is no list");
  return (side as readonly JsonValue[]).map((each, i) => {
    const { px, sz, n } = isJsonObject(each) ? each : {};
    const place = { source: answer.name, line: i + 1 };
    const price = canonicalDecimal(textOf("px", px, place) ?? "");
    const size = canonicalDecimal(textOf("sz", sz, place) ?? "");
    if (price === undefined || size === undefined || !Number.isSafeInteger(n)) {
      throw wrong(answer, `level ${i + 1} of a side has no px, sz or n`);
    }
    return { price, size, orders: n as number };
  });
}

function requireOrder(levels: readonly Level[], direction: 1 | -1, answer: Answered): void {
  for (let i = 1; i < levels.length; i++) {
    const [before, after] = [levels[i - 1] as Level, levels[i] as Level];
    if (compareText(after.price, before.price) !== direction) {
      throw wrong(answer, `its prices are out of order: ${before.price}, then ${after.price}`);
    }
  }
}

function wrong(answer: Answered, what: string): Failure {
  return new Failure("info_answer_invalid", {
    message: `${answer.name}: the answer is not what was asked for: ${what}`,
    hint: "Is this the exchange's info endpoint, and of this version?",
    detail: { sha256: answer.sha256 },
  });
}
