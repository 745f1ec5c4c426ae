/** The named limits of the MCP server, units last in the name. */
export const mcpLimits = {
  /** One HTTP request body, or one message on stdin. */
  messageBytesMax: 8 * 1024 * 1024,
  /** Requests being answered at once, streams included; more are told to come back. */
  requestsOpenMax: 64,
  /** Streams that only listen, of the requests above. */
  subscriptionsMax: 16,
  /** Sockets; more are dropped before a byte of them is read. */
  connectionsMax: 256,
  /** Witnesses that a listing of resources names, the last by name. */
  resourcesListedMax: 200,
  headerBytesMax: 16 * 1024,
  /** From the first byte of a request to the end of its headers. */
  headersMsMax: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestMsMax: 30_000,
  /** How often the two above are looked at. */
  timeoutCheckMs: 1_000,
  keepAliveMsMax: 5_000,
  /** How long a refused request may go on sending a body that nobody wants. */
  lingerMsMax: 1_000,
  /** What aborted calls get to put their state in order when the server ends. */
  shutdownMsMax: 3_000,
  /** And then their answers, to reach the client. */
  flushMsMax: 250,
  /** A token that somebody chose themselves. */
  tokenCharsMin: 16,
  tokenCharsMax: 512,
  tokenFileBytesMax: 4096,
  /** A line on stderr. */
  logLineCharsMax: 400,
  /** Different lines about requests; the same one is said once. */
  logLinesMax: 64,
} as const;

export type McpLimits = { readonly [Name in keyof typeof mcpLimits]: number };
