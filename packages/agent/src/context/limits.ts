/** A named limit on everything that the context keeps or shows; units last in the name. */
export const contextLimits = {
  /** One artifact; of a longer text the beginning is kept, and it says so. */
  artifactBytesMax: 8 * 1024 * 1024,
  /** What one read of an artifact shows. */
  artifactShownChars: 8_000,
  artifactShownCharsMax: 16_000,
  /** The message that stands for what was taken out. */
  summaryCharsMax: 12_000,
  /** Of it, what the model itself says. */
  ownWordsCharsMax: 4_000,
  /** Lines of it: calls, and what was said. */
  callLinesMax: 40,
  saidLinesMax: 12,
  /** Of a call line: what the call was about, and how its result begins. */
  targetCharsMax: 80,
  resultCharsMax: 60,
  saidCharsMax: 160,
  /** Facts of each kind; the latest stay. */
  factsMax: 24,
  factCharsMax: 120,
  /** How many rounds back, and how far into a result, facts are looked for. */
  factsReadRoundsMax: 100,
  factsReadCharsMax: 4_000,
  /** The user's earlier messages that stay as they are, together; the first and the latest stay anyway. */
  userCharsMax: 8_000,
  /** A result that is longer is elided once it is not of the last rounds. */
  elideCharsMin: 4_000,
  elidePreviewChars: 400,
  elideAfterRounds: 3,
  /** Results up to here stand in the record of what was taken out; longer ones have an artifact of their own. */
  recordedCharsMax: 700,
  /** Of a call's arguments in the record of what was taken out; what was written stands in the workspace. */
  argumentsCharsMax: 8_000,
} as const;
