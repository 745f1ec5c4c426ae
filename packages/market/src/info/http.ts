/** The one thing that this room needs of the network. The real one is in fetch-http.ts. */
export interface HttpQuestion {
  readonly url: string;
  /** Sent as JSON. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The header of that name, as it came. */
  readonly retryAfter?: string;
  readonly body: Uint8Array;
}

export interface Http {
  /** Contract: rejects when there was no whole answer; any status is an answer. Redirections are not followed. */
  post(question: HttpQuestion): Promise<HttpAnswer>;
}
