/** A named limit on everything that this room waits for, repeats or keeps; units last in the name. */
export const modelLimits = {
  /** Wall time of one call with all of its attempts; 0 is no limit. */
  callWallMsMax: 600_000,
  /** From sending a request to the first sign of an answer. */
  firstSignMsMax: 120_000,
  /** Longest silence within an answer. */
  silenceMsMax: 60_000,
  /**
   * Of one answer, in UTF-8, with its arguments and its thinking; beyond it the answer counts as cut off by
   * length. Several times what the longest models say, and less than a row of a log may hold.
   */
  answerBytesMax: 1024 * 1024,
  /** How deep the arguments of a call may nest. */
  argumentsDepthMax: 100,
  /** Restarts of an answer that stalled or broke off. */
  brokenRetriesMax: 3,
  /** Retries when the provider says to slow down. */
  rateLimitRetriesMax: 8,
  /** Retries after a server error, or when the provider cannot be reached. */
  serverErrorRetriesMax: 8,
  /** The first pause; it doubles. */
  retryDelayMs: 1_000,
  /** Longest pause that we choose; one that the provider asks for is kept to, however long. */
  retryDelayMsMax: 30_000,
  /** Pauses together. */
  retryWallMsMax: 90_000,
  /** What is read of an error's body. */
  errorBodyCharsMax: 4_096,
  /** What is shown of it. */
  errorShownCharsMax: 400,
  /** What is shown of a value that differs from the tape. */
  differenceShownCharsMax: 120,
  /** Turns of one loop. */
  turnsMax: 200,
  /** A token is renewed this long before it ends. */
  tokenEarlyMs: 60_000,
  /** How long the browser is waited for. */
  loginWaitMsMax: 600_000,
  /** One request to the token server. */
  tokenRequestMsMax: 30_000,
  /** How long the lock of the credentials is waited for; longer than whoever holds it may take. */
  credentialsLockMsMax: 60_000,
  /** A file of settings or credentials. */
  settingsBytesMax: 1024 * 1024,
} as const;
