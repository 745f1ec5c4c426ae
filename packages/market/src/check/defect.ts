/**
 * What can be wrong with market data although every row can be read. Each kind
 * says whether a pack is built all the same: what would make numbers wrong is
 * refused, unless the caller says that it is meant.
 */
import type { SourceLine } from "../types.js";

export const defectKinds = {
  interval_unexpected: { refuses: true, says: "Rows stand further apart than an hour." },
  funding_out_of_range: {
    refuses: true,
    says: "A funding rate is beyond what the exchange pays in an hour.",
  },
  premium_out_of_range: { refuses: true, says: "A premium is more than half of the price." },
  price_out_of_range: { refuses: true, says: "A price is ten times that of the hour before, or a tenth." },
  market_spelling: { refuses: true, says: "A market is not spelled as the exchange spells it." },
  market_elsewhere: {
    refuses: true,
    says: "A market is spelled with the currency it is quoted in, as other venues spell theirs.",
  },
  rows_repeated: { refuses: false, says: "The same row stands there more than once; it counts once." },
  hours_missing: { refuses: false, says: "Hours are missing; numbers that need them are left out." },
  columns_unused: { refuses: false, says: "Columns are in the file that nothing is made of." },
} as const satisfies Record<string, { readonly refuses: boolean; readonly says: string }>;

export type DefectKind = keyof typeof defectKinds;
export const refusedKinds = (Object.keys(defectKinds) as DefectKind[]).filter(
  (kind) => defectKinds[kind].refuses,
);

export interface Defect {
  readonly kind: DefectKind;
  /** Undefined where it is about a whole source. */
  readonly market: string | undefined;
  readonly place: SourceLine;
  readonly message: string;
}

/** What the exchange pays in an hour at most, as a share of the position. */
export const fundingRateMax = 0.04;
export const premiumMax = 0.5;
/** From one hour to the next. */
export const priceFactorMax = 10;

/**
 * Upper case letters and digits, as in BTC or 2Z; `k` before them for a thousand,
 * as in kPEPE; the name of a builder's exchange and a colon before them; `@` and a
 * number; two of them with a slash for spot.
 */
export function isSpelledLikeTheExchange(market: string): boolean {
  return /^(?:[a-z0-9]{1,16}:)?(?:@\d{1,6}|(?:k)?[A-Z0-9][A-Z0-9-]{0,31}(?:\/[A-Z0-9]{1,16})?)$/.test(market);
}

/** BTCUSDT, ETH-USD, SOL-PERP: names of other venues; here a perpetual has the coin's name and nothing behind it. */
export function isSpelledLikeElsewhere(market: string): boolean {
  return /^[A-Z0-9]{2,}[-_]?(?:USD[TC]?|BUSD|PERP|SWAP)$/.test(market);
}
