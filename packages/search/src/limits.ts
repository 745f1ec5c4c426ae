/** Every bound of this room, by name; units stand last. */
export const searchLimits = {
  /** A summary that the harness makes of an artifact. */
  summaryCharsMax: 240,
  notesCharsMax: 280,
  /** What may follow a stop or prune reason after `: `. */
  reasonDetailCharsMax: 160,
  openRisksMax: 8,
  openRiskCharsMax: 160,
  patternQueryCharsMax: 200,
  idCharsMax: 128,
  peerMarketsMax: 64,
  pruneIdsMax: 64,
  /** Child reads of one branch. */
  branchReadsMax: 8,
  /** Proposals refused one after the other, and in all for each step of the budget, before the harness abstains. */
  refusalsInARowMax: 5,
  refusalsPerStepMax: 2,
  stepBudgetMax: 200,
  /** The one estimator of tokens: bytes of the canonical JSON. */
  bytesPerToken: 4,
  /** Markets and blocks of time that there must be for an interval. */
  clustersMin: 6,
  /** With fewer weeks than this, judgements are grouped by day. */
  weeksMin: 8,
  /** A stated probability nearer to none or all counts as this near. */
  probabilityLeast: 0.001,
  calibrationBins: 10,
  riskCurvePointsMax: 100,
  evaluatedRunsMax: 200,
  /** An export that is an answer rather than a file. */
  exportAnswerBytesMax: 1_000_000,
} as const;
