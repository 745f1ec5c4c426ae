/** A named limit on everything that a question may be or bring, units last in the name. */
export const queryLimits = {
  /** A longer question is refused before a word of it is read. */
  questionCharsMax: 4_000,
  /** Rows of one answer. */
  topMax: 200,
  coinsMax: 40,
  addressesMax: 8,
  /** Hours of one window; longer ones are cut at the front and said so. */
  windowHoursMax: 8_760 * 4,
  /** Markets that are asked of the exchange one by one, when the question names none: those with most volume. */
  infoMarketsMax: 20,
  /** Points of a sparkline. */
  trendPointsMax: 24,
  /** Bytes that a question may read of BigQuery, unless --max-bytes says otherwise. */
  warehouseBytesMax: 1_000_000_000,
} as const;
