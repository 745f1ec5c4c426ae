/**
 * Made-up accounts that trade in the synthetic market, and the truth about them:
 *
 *   whales      hold one position each; at the last hour they are worth 40 million
 *               dollars, and each further one a fifth less than the one before
 *   leaders     trade one market on most days, as chance has it
 *   copiers     repeat a leader's trades in the same market 1 or 3 days later, smaller
 *   stressed    stand on the wrong side of nearly every day
 *   others      scalp, trade a few times a day, or hold for days; some are right more
 *               often than not
 *   odd days    on one of the last ten days some of the others trade fifteen times
 *               their usual size
 *
 * Prices are those of the candles; positions, fees and realised profits follow from
 * the trades alone, in exact decimals.
 */
import { createHash } from "node:crypto";
import {
  type Decimal,
  add,
  compare,
  decimal,
  divide,
  formatDecimal,
  multiply,
  round,
  subtract,
  zero,
} from "../decimal.js";
import { type Candle, type Fill, hourMs, type Hour } from "../types.js";
import { Random } from "./random.js";

export type TraderStyle = "whale" | "leader" | "copier" | "stressed" | "scalper" | "day" | "swing";

export interface TraderTruth {
  /** In order, largest first. */
  readonly whales: readonly { readonly account: string; readonly market: string }[];
  readonly copies: readonly {
    readonly leader: string;
    readonly copier: string;
    readonly market: string;
    readonly lagDays: 1 | 3;
  }[];
  readonly stressed: readonly string[];
  /** The UTC day as days since 1970. */
  readonly oddDays: readonly { readonly account: string; readonly day: number }[];
  readonly styles: ReadonlyMap<string, TraderStyle>;
}

export interface TraderRows {
  readonly fills: readonly Fill[];
  readonly truth: TraderTruth;
}

export interface TraderFrame {
  readonly seed: string;
  readonly traders: number;
  readonly from: Hour;
  readonly to: Hour;
  /** Of markets that trade from the first to the last hour, in order. */
  readonly candles: ReadonlyMap<string, readonly Candle[]>;
}

const hoursPerDay = 24;
const sizeScale = 4;
const feeRate = decimal("0.00045");
const makerFeeRate = decimal("0.00015");
/** Odd days fall into the last days, so that there is a history to be odd against. */
const oddWithinDays = 10;

export function tradersOf(frame: TraderFrame): TraderRows {
  const { seed, traders } = frame;
  const desk = new Desk(frame);
  const account = (index: number) =>
    `0x${createHash("sha256").update(`${seed}/trader/${index}`).digest("hex").slice(0, 40)}`;
  const accounts = Array.from({ length: traders }, (_, i) => account(i));
  const whales = accounts.slice(0, Math.max(Math.floor(traders / 6), Math.min(10, traders)));
  const rest = accounts.slice(whales.length);
  const leaderCount = Math.max(Math.floor(rest.length / 16), 1);
  const leaders = rest.slice(0, leaderCount);
  const copiers = rest.slice(leaderCount, 3 * leaderCount);
  const stressed = rest.slice(3 * leaderCount, 4 * leaderCount);
  const others = rest.slice(4 * leaderCount);
  const styles = new Map<string, TraderStyle>();
  for (const [i, each] of whales.entries()) {
    styles.set(each, "whale");
    whale(desk, each, i);
  }
  const copies: TraderTruth["copies"][number][] = [];
  for (const [i, leader] of leaders.entries()) {
    styles.set(leader, "leader");
    const [first, second] = [copiers[2 * i], copiers[2 * i + 1]];
    const market = desk.market(i);
    const flows = lead(desk, leader, market);
    for (const [copier, lagDays] of [
      [first, 1],
      [second, 3],
    ] as const) {
      if (copier === undefined) continue;
      styles.set(copier, "copier");
      copies.push({ leader, copier, market, lagDays });
      follow(desk, copier, { market, flows, lagDays });
    }
  }
  for (const each of stressed) {
    styles.set(each, "stressed");
    daily(desk, each, { trips: 2, notional: 60_000, rightPerMille: 60 });
  }
  const oddDays: TraderTruth["oddDays"][number][] = [];
  for (const [i, each] of others.entries()) {
    const style = (["scalper", "day", "swing"] as const)[i % 3] as "scalper" | "day" | "swing";
    styles.set(each, style);
    const random = new Random(`${seed}/odd/${each}`);
    const isOdd = style !== "swing" && i % 5 === 0;
    const odd = isOdd ? desk.lastDay - random.between(0, oddWithinDays - 1) : undefined;
    if (odd !== undefined) oddDays.push({ account: each, day: odd });
    if (style === "swing") swing(desk, each);
    else {
      const right = random.between(380, 680);
      const busy = style === "scalper" ? { trips: 12, notional: 4_000 } : { trips: 2, notional: 25_000 };
      daily(desk, each, { ...busy, rightPerMille: right, ...(odd === undefined ? {} : { odd }) });
    }
  }
  return {
    fills: desk.fills(),
    truth: {
      whales: whales.map((each, i) => ({ account: each, market: desk.market(i) })),
      copies,
      stressed,
      oddDays,
      styles,
    },
  };
}

// --- How they trade --------------------------------------------------------------------------------

function whale(desk: Desk, account: string, index: number): void {
  const random = new Random(`${desk.seed}/whale/${account}`);
  const market = desk.market(index);
  const side = random.chance(600) ? 1 : -1;
  let worth = decimal("40000000");
  for (let i = 0; i < index; i++) worth = round(multiply(worth, decimal("0.8")), 2);
  const size = desk.sizeFor(worth, desk.lastPrice(market));
  const opened = desk.firstHour + random.between(2, 8 * hoursPerDay);
  desk.trade({ account, market, hour: opened, size, side });
  const small = round(multiply(size, decimal("0.002")), sizeScale);
  if (compare(small, zero) === 0) return;
  for (let hour = opened + 60; hour < desk.lastHour - 48; hour += random.between(40, 90)) {
    desk.trade({ account, market, hour, size: small, side: -1 });
    desk.trade({ account, market, hour: hour + 6, size: small, side: 1 });
  }
}

/** Signed dollars by day. */
type Flows = ReadonlyMap<number, number>;

function lead(desk: Desk, account: string, market: string): Flows {
  const random = new Random(`${desk.seed}/lead/${account}`);
  const flows = new Map<number, number>();
  let standing = 0;
  for (let day = desk.firstDay + 1; day <= desk.lastDay; day++) {
    if (random.chance(250)) continue;
    const wish = (random.chance(500) ? 1 : -1) * random.between(20_000, 100_000);
    // Back towards nothing when it has gone far to one side.
    const flow = Math.abs(standing + wish) > 400_000 ? -wish : wish;
    standing += flow;
    flows.set(day, flow);
    desk.tradeFor({ account, market, hour: day * hoursPerDay + random.between(1, 20), dollars: flow });
  }
  return flows;
}

function follow(
  desk: Desk,
  account: string,
  { market, flows, lagDays }: { readonly market: string; readonly flows: Flows; readonly lagDays: number },
): void {
  const random = new Random(`${desk.seed}/follow/${account}`);
  const perMille = random.between(150, 500);
  for (const [day, flow] of flows) {
    if (day + lagDays > desk.lastDay) continue;
    const dollars = Math.floor((flow * perMille * random.between(950, 1050)) / 1_000_000);
    desk.tradeFor({ account, market, hour: (day + lagDays) * hoursPerDay + random.between(1, 20), dollars });
  }
}

interface Habits {
  /** Round trips a day. */
  readonly trips: number;
  readonly notional: number;
  /** How often it stands on the right side of the next hours. */
  readonly rightPerMille: number;
  readonly odd?: number;
}

function daily(desk: Desk, account: string, { trips, notional, rightPerMille, odd }: Habits): void {
  const random = new Random(`${desk.seed}/daily/${account}`);
  const home = random.between(0, desk.marketCount - 1);
  for (let day = desk.firstDay; day <= desk.lastDay; day++) {
    const times = day === odd ? 15 : 1;
    for (let trip = 0; trip < trips; trip++) {
      const market = desk.market(home + (trip % 2));
      const open = day * hoursPerDay + Math.floor((trip * 20) / trips) + random.between(0, 1);
      const close = open + Math.max(Math.floor(18 / trips), 1);
      if (close > desk.lastHour) continue;
      const better = desk.rises(market, open, close) ? 1 : -1;
      const side = random.chance(rightPerMille) ? better : -better;
      const dollars = Math.floor((notional * times * random.between(900, 1100)) / 1000);
      const size = desk.tradeFor({ account, market, hour: open, dollars: side * dollars });
      if (size !== undefined)
        desk.trade({ account, market, hour: close, size, side: side === 1 ? -1 : 1, maker: trips > 4 });
    }
  }
}

function swing(desk: Desk, account: string): void {
  const random = new Random(`${desk.seed}/swing/${account}`);
  const market = desk.market(random.between(0, desk.marketCount - 1));
  for (let day = desk.firstDay + random.between(0, 3); day + 5 <= desk.lastDay; day += random.between(5, 8)) {
    const side = random.chance(550) ? 1 : -1;
    const dollars = side * random.between(50_000, 70_000);
    const size = desk.tradeFor({ account, market, hour: day * hoursPerDay + random.between(0, 20), dollars });
    const closing = (day + random.between(2, 4)) * hoursPerDay + random.between(0, 20);
    if (size !== undefined) desk.trade({ account, market, hour: closing, size, side: side === 1 ? -1 : 1 });
  }
}

// --- The desk: prices, positions, fills ------------------------------------------------------------

interface Trade {
  readonly account: string;
  readonly market: string;
  readonly hour: Hour;
  readonly size: Decimal;
  readonly side: 1 | -1;
  readonly maker?: boolean;
}

interface Position {
  size: Decimal;
  /** What was paid for it. */
  cost: Decimal;
}

/** A trade with the hour and the price at which it is made. */
interface Placed extends Trade {
  readonly price: Decimal;
}

class Desk {
  private readonly placed: Placed[] = [];
  readonly seed: string;
  readonly firstHour: Hour;
  readonly lastHour: Hour;
  readonly firstDay: number;
  readonly lastDay: number;
  private readonly names: readonly string[];
  private readonly prices = new Map<string, ReadonlyMap<Hour, string>>();
  private readonly positions = new Map<string, Position>();
  private readonly last = new Map<string, string>();

  constructor({ seed, from, to, candles }: TraderFrame) {
    this.seed = seed;
    this.firstHour = from;
    this.lastHour = to;
    this.firstDay = Math.ceil(from / hoursPerDay);
    this.lastDay = Math.floor((to + 1) / hoursPerDay) - 1;
    this.names = [...candles.keys()];
    for (const [market, rows] of candles) {
      this.prices.set(market, new Map(rows.map(({ hour, open }) => [hour, open])));
      this.last.set(market, (rows.at(-1) as Candle).close);
    }
  }

  get marketCount(): number {
    return this.names.length;
  }

  market(index: number): string {
    return this.names[index % this.names.length] as string;
  }

  lastPrice(market: string): Decimal {
    return decimal(this.last.get(market) as string);
  }

  rises(market: string, from: Hour, to: Hour): boolean {
    const [start, end] = [this.priceAt(market, from), this.priceAt(market, to)];
    return start !== undefined && end !== undefined && compare(end.price, start.price) > 0;
  }

  sizeFor(dollars: Decimal, price: Decimal): Decimal {
    return divide(dollars, price, sizeScale);
  }

  /** The size that was traded; undefined when nobody recorded a price. */
  tradeFor(wish: {
    readonly account: string;
    readonly market: string;
    readonly hour: Hour;
    readonly dollars: number;
  }): Decimal | undefined {
    const { account, market, hour, dollars } = wish;
    const at = this.priceAt(market, hour);
    if (at === undefined) return undefined;
    const size = this.sizeFor(decimal(String(Math.abs(dollars))), at.price);
    if (compare(size, zero) === 0) return undefined;
    this.trade({ account, market, hour, size, side: dollars > 0 ? 1 : -1 });
    return size;
  }

  trade(trade: Trade): void {
    const at = this.priceAt(trade.market, trade.hour);
    if (at !== undefined) this.placed.push({ ...trade, ...at });
  }

  /** Everything that was placed, in the order of time: positions follow from that order alone. */
  fills(): Fill[] {
    const inOrder = this.placed
      .map((trade, i) => ({ trade, i }))
      .toSorted((a, b) => a.trade.hour - b.trade.hour || a.i - b.i);
    let [hour, within] = [0, 0];
    return inOrder.map(({ trade }, i) => {
      [hour, within] = trade.hour === hour ? [hour, within + 1] : [trade.hour, 0];
      return this.fill(trade, { id: String(i + 1), within });
    });
  }

  private fill(
    { account, market, hour, price, size, side, maker = false }: Placed,
    { id, within }: { readonly id: string; readonly within: number },
  ): Fill {
    const position = this.positionOf(account, market);
    const before = position.size;
    const closedPnl = apply(position, side === 1 ? size : subtract(zero, size), price);
    const fee = round(multiply(multiply(size, price), maker ? makerFeeRate : feeRate), 6);
    return {
      market,
      // Each fill of an hour has a moment of its own.
      timeMs: hour * hourMs + within * 50,
      price: formatDecimal(price),
      size: formatDecimal(size),
      side: side === 1 ? "buy" : "sell",
      user: account,
      startPosition: formatDecimal(before),
      closedPnl: formatDecimal(round(closedPnl, 6)),
      fee: formatDecimal(fee),
      feeToken: "USDC",
      crossed: !maker,
      tradeId: id,
      orderId: id,
    };
  }

  /** The price at the hour, or at one of the next hours where nobody recorded it. */
  private priceAt(market: string, hour: Hour): { readonly hour: Hour; readonly price: Decimal } | undefined {
    for (let at = hour; at <= Math.min(hour + 6, this.lastHour); at++) {
      const text = this.prices.get(market)?.get(at);
      if (text !== undefined) return { hour: at, price: decimal(text) };
    }
    return undefined;
  }

  private positionOf(account: string, market: string): Position {
    const key = `${account} ${market}`;
    const found = this.positions.get(key) ?? { size: zero, cost: zero };
    this.positions.set(key, found);
    return found;
  }
}

/** Changes the position and gives the profit of what was closed. */
function apply(position: Position, signed: Decimal, price: Decimal): Decimal {
  const { size, cost } = position;
  const opens = compare(size, zero) === 0 || compare(size, zero) === compare(signed, zero);
  if (opens) {
    position.size = add(size, signed);
    position.cost = add(cost, multiply(signed, price));
    return zero;
  }
  const whole = compare(absolute(signed), absolute(size)) >= 0;
  const closed = whole ? subtract(zero, size) : signed;
  // What the closed part had cost.
  const paid = whole ? subtract(zero, cost) : divide(multiply(cost, closed), size, 12);
  const profit = subtract(paid, multiply(closed, price));
  const rest = subtract(signed, closed);
  position.size = add(size, signed);
  position.cost = whole ? multiply(rest, price) : add(cost, paid);
  return profit;
}

function absolute(value: Decimal): Decimal {
  return value.digits < 0n ? subtract(zero, value) : value;
}
