/**
 * What really happened on the wire while pi made a request.
 *
 * pi reports a failed request as one sentence: no status for some providers, no
 * Retry-After for most, and some of its providers repeat a request on their own,
 * with timers that we do not control. All of them send through the global
 * `fetch`, so that is where we look: the first answer that is an error, or a
 * connection that fails, is noted here and ends pi's attempt. Whether there is
 * another one is decided in retry.ts.
 *
 * The watch concerns requests made inside `watched` and passes all others on
 * untouched. It also notes whether an answer came to its end: some of pi's
 * providers take a stream that broke off for a finished one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject } from "@bridle/record";
import { modelLimits } from "../limits.js";
import { ArgumentPieces } from "./argument-pieces.js";
import { StreamedCallIds } from "./streamed-call-ids.js";

export class Wire {
  /** The first thing that went wrong. */
  trouble: WireTrouble | undefined;
  /** Whether the answer's own last event was seen; true where the protocol has none that we know. */
  ended: boolean;
  /** Whether the stream was closed properly, where its protocol says so. */
  closed = false;
  private unread = "";
  private readonly decoder = new TextDecoder();
  private readonly callIds = new StreamedCallIds();
  private readonly pieces = new ArgumentPieces();

  constructor(private readonly lastEvents: readonly string[] | undefined) {
    this.ended = lastEvents === undefined;
  }

  /** Reads the events of a stream along, and says what pi is to read of them; undefined when one is no JSON. */
  see(bytes: Uint8Array): string | undefined {
    this.unread = (this.unread + this.decoder.decode(bytes, { stream: true })).replaceAll("\r\n", "\n");
    let whole = "";
    for (let end = this.unread.indexOf("\n\n"); end !== -1; end = this.unread.indexOf("\n\n")) {
      const events = this.seeEvent(this.unread.slice(0, end));
      if (events === undefined) return undefined;
      for (const event of events) whole += `${event}\n\n`;
      this.unread = this.unread.slice(end + 2);
    }
    return whole;
  }

  /** What is left when the stream ends. */
  takeRest(): string {
    const held = this.pieces.rest().map((event) => `${event}\n\n`);
    const rest = this.unread + this.decoder.decode();
    this.unread = "";
    return held.join("") + rest;
  }

  private seeEvent(event: string): readonly string[] | undefined {
    const lines = event.split("\n").filter((line) => line.startsWith("data:"));
    const data = lines.map((line) => line.slice("data:".length).trim()).join("\n");
    if (data.startsWith("[DONE]")) this.closed = true;
    if (data === "" || this.closed) return [...this.pieces.rest(), event];
    try {
      const value: unknown = JSON.parse(data);
      if (isJsonObject(value) && this.lastEvents?.includes(String(value["type"])) === true) this.ended = true;
      return this.pieces.next(
        this.callIds.toldApart(value) ? `data: ${JSON.stringify(value)}` : event,
        value,
      );
    } catch {
      // Clients of providers write such an event to the console before they give up.
      this.trouble ??= { kind: "garbled", event: data.slice(0, modelLimits.errorBodyCharsMax) };
      return undefined;
    }
  }
}

export type WireTrouble =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** 200, and not what was asked for. */
  | { readonly kind: "content"; readonly contentType: string; readonly body: string }
  | { readonly kind: "garbled"; readonly event: string }
  | { readonly kind: "connection"; readonly message: string }
  | { readonly kind: "broken"; readonly message: string };

const scope = new AsyncLocalStorage<Wire>();

/** Runs `start` so that whatever it sends, now or later, is seen by the wire. */
export function watched<Result>(wire: Wire, start: () => Result): Result {
  install();
  return scope.run(wire, start);
}

let installed: typeof globalThis.fetch | undefined;

function install(): void {
  const plain = globalThis.fetch;
  if (plain === installed) return;
  installed = (input, init) => {
    const wire = scope.getStore();
    return wire === undefined ? plain(input, init) : send(wire, () => plain(input, init));
  };
  globalThis.fetch = installed;
}

async function send(wire: Wire, request: () => Promise<Response>): Promise<Response> {
  // A second request in one attempt is pi trying again by itself.
  if (wire.trouble !== undefined) throw halt();
  let response: Response;
  try {
    response = await request();
  } catch (error) {
    wire.trouble ??= { kind: "connection", message: causeOf(error) };
    throw halt();
  }
  const contentType = response.headers.get("content-type") ?? "";
  if (!response.ok) {
    const headers = Object.fromEntries(response.headers);
    wire.trouble ??= { kind: "status", status: response.status, headers, body: await beginning(response) };
    throw halt();
  }
  if (/^(?:text\/html|application\/json)\b/i.test(contentType)) {
    wire.trouble ??= { kind: "content", contentType, body: await beginning(response) };
    throw halt();
  }
  if (response.body === null || !/^text\/event-stream\b/i.test(contentType)) {
    wire.ended = true;
    return response;
  }
  const { status, statusText, headers } = response;
  return new Response(seen(response.body, wire), { status, statusText, headers });
}

/** Every provider of pi gives up at once on an error of this name. */
function halt(): Error {
  return Object.assign(new Error("The request was ended by its watch"), { name: "AbortError" });
}

const encoder = new TextEncoder();

function seen(body: ReadableStream<Uint8Array>, wire: Wire): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let cancelled = false;
  return new ReadableStream({
    async pull(controller) {
      const read = await reader.read().catch((error: unknown) => ({ error }));
      if (cancelled) return;
      if ("error" in read) {
        // A client that gives up on what it has read ends the stream from our side.
        if (!isAbort(read.error)) wire.trouble ??= { kind: "broken", message: causeOf(read.error) };
        return controller.error(read.error);
      }
      if (read.done) {
        const rest = wire.takeRest();
        if (rest !== "") controller.enqueue(encoder.encode(rest));
        return controller.close();
      }
      const whole = wire.see(read.value);
      // An empty piece where an event has only begun: whoever reads it asks for the next.
      if (whole !== undefined) return controller.enqueue(encoder.encode(whole));
      await reader.cancel();
      controller.error(halt());
    },
    cancel(reason) {
      cancelled = true;
      return reader.cancel(reason);
    },
  });
}

async function beginning(response: Response): Promise<string> {
  const max = modelLimits.errorBodyCharsMax;
  const decoder = new TextDecoder();
  let text = "";
  try {
    const reader = response.body?.getReader();
    while (reader !== undefined && text.length < max) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    await reader?.cancel();
  } catch {
    // What was read so far says more than nothing.
  }
  return text.slice(0, max);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause && typeof cause.code === "string"
    ? `${cause.code} ${cause.message}`.trim()
    : cause.message;
}
