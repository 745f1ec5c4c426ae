/** A named limit on everything that this room reads, units last in the name. */
export const marketLimits = {
  /** A source file as it lies on the disk. */
  sourceBytesMax: 8 * 1024 * 1024 * 1024,
  /** An lz4 file is held in memory whole while it is decoded. */
  lz4BytesMax: 512 * 1024 * 1024,
  /** One line of text. */
  lineBytesMax: 4 * 1024 * 1024,
  /** What is read from a file at a time. */
  readChunkBytes: 256 * 1024,
  /** Digits before and behind the point of a number, as it stands in a source. */
  decimalDigitsMax: 60,
  /** How a number may be scaled by its exponent. */
  decimalExponentMax: 60,
  /** Digits behind the point that are kept of prices and amounts, and of rates. */
  amountScale: 18,
  rateScale: 24,
  /** Digits that the engine keeps of one number, before and behind the point. */
  storedDigitsMax: 38,
  /** Rows that go into the engine at a time. */
  appendRowsPerChunk: 2048,
  /** One answer of the info endpoint. */
  answerBytesMax: 64 * 1024 * 1024,
  /** How long one request may take. */
  requestMsMax: 30_000,
  /** Tries of one request, the first included. */
  requestTriesMax: 6,
  /** The first wait between two tries; each further one is twice as long. */
  retryWaitMs: 500,
  /** A server that asks for a longer wait than this is taken at its word: we stop. */
  retryAfterMsMax: 120_000,
  /** Hours of candles that one request asks for; the exchange gives at most 5,000. */
  candleHoursPerRequest: 4_000,
  /** Pages of one funding history. */
  fundingPagesMax: 10_000,
} as const;
