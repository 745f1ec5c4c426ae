/** How much of what is not ours is listened to, and how long. What goes beyond is left out or ended, with a sentence. */
export const extensionLimits = {
  /** Of a file of servers, and of a command's text. */
  fileBytesMax: 256_000,
  serversMax: 32,
  /** From the start of a server until its tools are known. */
  connectMs: 30_000,
  /** Of one call; a server that has not answered by then is ended. */
  callMs: 120_000,
  /** One message of a server. */
  messageBytesMax: 8_000_000,
  /** Whatever a server says until one request is answered. */
  requestBytesMax: 24_000_000,
  /** What is kept of its standard error, for the sentence that says how it ended. */
  errorCharsMax: 400,
  /** After it was asked to end. */
  graceMs: 500,
  pagesMax: 20,
  toolsMax: 100,
  /** All definitions of one server: they stand in the log of each session. */
  definitionsCharsMax: 200_000,
  nameCharsMax: 64,
  descriptionCharsMax: 2_000,
  schemaCharsMax: 16_000,
  schemaDepthMax: 8,
  /** Of a result; the cap stage shows less of it and keeps the rest as an artifact. */
  resultCharsMax: 1_000_000,
  /** Files whose bytes a yes covers. */
  coveredFilesMax: 500,
  coveredBytesMax: 20_000_000,
  commandsMax: 100,
} as const;
