/**
 * A provider on loopback: speaks OpenAI's chat completions and Codex's responses
 * as streams of events, and does what providers do on bad days.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export class ModelServer {
  readonly asked: Asked[] = [];
  private readonly replies: Reply[] = [];
  private last: Reply | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ModelServer> {
    const server = createServer((request, response) => void made.answer(request, response));
    const made = new ModelServer(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** In this order; the last one is repeated. */
  reply(...replies: readonly Reply[]): this {
    this.replies.push(...replies);
    return this;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const asked: Asked = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      text,
      body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
    this.asked.push(asked);
    this.last = this.replies.shift() ?? this.last;
    if (this.last === undefined) response.writeHead(500).end("the test gave no reply");
    else await this.last(response, asked);
  }
}

export function status(code: number, body: string | object, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (response) =>
    void response.writeHead(code, { "content-type": "application/json", ...headers }).end(text);
}

const eventStream = { "content-type": "text/event-stream; charset=utf-8" };

export interface StreamOptions {
  /** How the stream ends: properly, by a broken connection, without its last events, or not at all. */
  readonly ending?: "end" | "break" | "stop_early" | "hang";
}

/** Each item one `data:` event. */
export function stream(events: readonly (object | string)[], { ending = "end" }: StreamOptions = {}): Reply {
  return async (response) => {
    response.writeHead(200, eventStream);
    for (const event of events) {
      const name = typeof event === "object" && "type" in event ? `event: ${String(event.type)}\n` : "";
      response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
      // So that they arrive one by one.
      await new Promise(setImmediate);
    }
    if (ending === "break") response.destroy();
    else if (ending !== "hang") response.end();
  };
}

// --- Chat completions ------------------------------------------------------------------------------

export interface ChatAnswer extends StreamOptions {
  readonly text?: readonly string[];
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly fragments: readonly string[];
  }[];
  readonly finish?: string;
  readonly usage?: object;
}

export function chat({ text = [], toolCalls = [], finish, usage, ending }: ChatAnswer): Reply {
  const chunk = (delta: object, finishReason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "tiny",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const events: (object | string)[] = [chunk({ role: "assistant", content: "" })];
  for (const piece of text) events.push(chunk({ content: piece }));
  for (const [index, { id, name, fragments }] of toolCalls.entries()) {
    events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }));
    for (const fragment of fragments)
      events.push(chunk({ tool_calls: [{ index, function: { arguments: fragment } }] }));
  }
  if (ending !== undefined && ending !== "end") return stream(events, { ending });
  events.push(chunk({}, finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop")));
  events.push({
    id: "chatcmpl-1",
    choices: [],
    usage: usage ?? { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
  });
  events.push("[DONE]");
  return stream(events);
}

// --- Codex responses -------------------------------------------------------------------------------

export interface CodexAnswer extends StreamOptions {
  readonly text?: readonly string[];
  readonly call?: { readonly name: string; readonly fragments: readonly string[] };
  readonly status?: "completed" | "incomplete";
}

export function codex({ text, call, status: end = "completed", ending }: CodexAnswer): Reply {
  const events: object[] = [{ type: "response.created", response: { id: "resp_1" } }];
  if (text !== undefined) {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] as object[] };
    events.push({ type: "response.output_item.added", item });
    events.push({ type: "response.content_part.added", part: { type: "output_text", text: "" } });
    for (const delta of text) events.push({ type: "response.output_text.delta", delta });
    const content = [{ type: "output_text", text: text.join("") }];
    events.push({ type: "response.output_item.done", item: { ...item, content } });
  }
  if (call !== undefined) {
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: call.name, arguments: "" };
    events.push({ type: "response.output_item.added", item });
    for (const delta of call.fragments)
      events.push({ type: "response.function_call_arguments.delta", delta });
    if (end === "completed") {
      const whole = call.fragments.join("");
      events.push({ type: "response.function_call_arguments.done", arguments: whole });
      events.push({ type: "response.output_item.done", item: { ...item, arguments: whole } });
    }
  }
  if (ending !== undefined && ending !== "end") return stream(events, { ending });
  const usage = {
    input_tokens: 30,
    output_tokens: 7,
    total_tokens: 37,
    input_tokens_details: { cached_tokens: 10 },
  };
  events.push({ type: "response.completed", response: { id: "resp_1", status: end, usage } });
  return stream(events);
}

// --- Anthropic messages ----------------------------------------------------------------------------

export interface AnthropicAnswer extends StreamOptions {
  readonly text: readonly string[];
  readonly call?: { readonly name: string; readonly fragments: readonly string[] };
}

export function anthropic({ text, call, ending }: AnthropicAnswer): Reply {
  const usage = { input_tokens: 9, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage,
  };
  const events: object[] = [{ type: "message_start", message }];
  const block = (index: number, start: object, deltas: readonly object[]) => {
    events.push({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  };
  block(
    0,
    { type: "text", text: "" },
    text.map((each) => ({ type: "text_delta", text: each })),
  );
  if (call !== undefined) {
    const deltas = call.fragments.map((each) => ({ type: "input_json_delta", partial_json: each }));
    block(1, { type: "tool_use", id: "toolu_1", name: call.name, input: {} }, deltas);
  }
  if (ending !== undefined && ending !== "end") return stream(events, { ending });
  const reason = call === undefined ? "end_turn" : "tool_use";
  events.push({ type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 6 } });
  events.push({ type: "message_stop" });
  return stream(events);
}

/** An unsigned token as Codex wants one. */
export function accessToken(name: string, accountId = "acct-1"): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: accountId }, name };
  return `${part({ alg: "none" })}.${part(claims)}.${part({ name })}`;
}
