/**
 * The exchange's own names for things, as its info endpoint and its archive write
 * them, and the rows that they are.
 *
 * Numbers are decimal strings there. A JSON number with a fraction has already been
 * a float once it is parsed, so it is refused instead of being believed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { invalid, readRow } from "./tables/read-row.js";
import type { AssetContext, Candle, Fill, Funding, Liquidation, SourceLine } from "./types.js";

/** What each column is called on the wire. */
const wireNames = {
  candle: { market: "s", hour: "t", open: "o", high: "h", low: "l", close: "c", volume: "v", trades: "n" },
  funding: { market: "coin", hour: "time", rate: "fundingRate", premium: "premium", stampMs: "time" },
  assetContext: {
    mark: "markPx",
    oracle: "oraclePx",
    mid: "midPx",
    premium: "premium",
    funding: "funding",
    openInterest: "openInterest",
    previousDayPrice: "prevDayPx",
    dayVolume: "dayNtlVlm",
    dayBaseVolume: "dayBaseVlm",
  },
  fill: {
    market: "coin",
    timeMs: "time",
    price: "px",
    size: "sz",
    side: "side",
    direction: "dir",
    startPosition: "startPosition",
    closedPnl: "closedPnl",
    fee: "fee",
    feeToken: "feeToken",
    crossed: "crossed",
    hash: "hash",
    orderId: "oid",
    tradeId: "tid",
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export function candleFrom(value: JsonValue | undefined, place: SourceLine): Candle {
  const wire = requireObject(value, place, "a candle");
  if (wire["i"] !== "1h")
    throw invalid(place, `the candle's interval is ${JSON.stringify(wire["i"])}, expected "1h"`);
  return readRow("candle", textsOf(wire, wireNames.candle, place), { place });
}

export function fundingFrom(value: JsonValue | undefined, place: SourceLine): Funding {
  const wire = requireObject(value, place, "a funding payment");
  return readRow("funding", textsOf(wire, wireNames.funding, place), { place });
}

/** The exchange's contexts do not carry their coin or their time: those are the ones of the question. */
export function assetContextFrom(
  value: JsonValue | undefined,
  at: { readonly market: string; readonly timeMs: number },
  place: SourceLine,
): AssetContext {
  const wire = requireObject(value, place, "an asset context");
  const texts = textsOf(wire, wireNames.assetContext, place);
  const [impactBid, impactAsk] = impactOf(wire["impactPxs"], place);
  const others: Readonly<Record<string, string | undefined>> = {
    market: at.market,
    timeMs: String(at.timeMs),
    impactBid,
    impactAsk,
  };
  return readRow("assetContext", (column) => (column in others ? others[column] : texts(column)), { place });
}

function impactOf(value: JsonValue | undefined, place: SourceLine): readonly (string | undefined)[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.length === 2)
    return value.map((each: JsonValue) => textOf("impactPxs", each, place));
  throw invalid(place, "impactPxs is no pair of prices");
}

export interface FillFacts {
  readonly fill: Fill;
  /** Only on the side of the one who was liquidated, so that a forced trade counts once. */
  readonly liquidation?: Liquidation;
}

export function fillFrom(
  value: JsonValue | undefined,
  user: string | undefined,
  place: SourceLine,
): FillFacts {
  const wire = requireObject(value, place, "a fill");
  const texts = textsOf(wire, wireNames.fill, place);
  const fill = readRow("fill", (column) => (column === "user" ? user : texts(column)), { place });
  const forced = wire["liquidation"];
  if (forced === undefined || forced === null) return { fill };
  const { liquidatedUser, markPx, method } = requireObject(forced, place, "a liquidation");
  const liquidated = textOf("liquidatedUser", liquidatedUser, place)?.toLowerCase();
  if (user === undefined || liquidated !== user.toLowerCase()) return { fill };
  const others: Readonly<Record<string, string | undefined>> = {
    position: fill.side === "sell" ? "long" : "short",
    mark: textOf("markPx", markPx, place),
    method: textOf("method", method, place),
    user,
  };
  const liquidation = readRow(
    "liquidation",
    (column) => (column in others ? others[column] : texts(column)),
    { place },
  );
  return { fill, liquidation };
}

function textsOf(wire: JsonObject, names: Readonly<Record<string, string>>, place: SourceLine) {
  return (column: string): string | undefined => {
    const name = names[column];
    return name === undefined ? undefined : textOf(name, wire[name], place);
  };
}

export function textOf(name: string, value: JsonValue | undefined, place: SourceLine): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw invalid(place, `${name} is ${JSON.stringify(value).slice(0, 48)}, expected a decimal in a string`);
}

export function requireObject(value: JsonValue | undefined, place: SourceLine, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(place, `this is no object, so it is not ${what}`);
}
