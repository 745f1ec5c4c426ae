import { nodePorts, type Ports } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import {
  accessToken,
  anthropic,
  chat,
  codex,
  ModelServer,
  status,
  stream,
} from "../../../../test/support/model-server.js";
import { until } from "../../../../test/support/until.js";
import { answerOf } from "../answer.js";
import type { Keys, ModelChoice } from "./choice.js";
import type { CallLimits } from "../retry.js";
import type { ModelCall, ModelEvent, ModelRequest } from "../types.js";
import { piModelCall } from "./call.js";

const local = (url: string): ModelChoice => ({
  ref: "local/tiny",
  provider: "local",
  id: "tiny",
  baseUrl: `${url}/v1`,
});
const codexChoice = (url: string): ModelChoice => ({
  ref: "openai-codex/gpt-5.5",
  provider: "openai-codex",
  id: "gpt-5.5",
  baseUrl: `${url}/backend-api`,
});
const oneKey = (value: string): Keys => ({ keyFor: async () => ({ value, renewable: false }) });

function request(model: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { model, messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }], ...more };
}

interface Setup {
  readonly call: ModelCall;
  readonly clock: VirtualClock;
  readonly server: ModelServer;
}

async function setup(
  limits: Partial<CallLimits> = {},
  choiceOf = local,
  key = "key-of-the-test",
): Promise<Setup> {
  const server = await ModelServer.start();
  const clock = new VirtualClock();
  const ports: Ports = { ...nodePorts(), clock };
  return {
    server,
    clock,
    call: piModelCall({ models: [choiceOf(server.url)], keys: oneKey(key), ports, limits }),
  };
}

async function all(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads the stream and lets exactly the pauses pass that it announces. */
async function patiently(stream: AsyncIterable<ModelEvent>, clock: VirtualClock): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const reader = stream[Symbol.asyncIterator]();
  for (;;) {
    const last = events.at(-1);
    const next = reader.next();
    if (last?.type === "retry" && last.delayMs > 0) {
      await until("it sleeps", () => clock.sleeping > 0);
      await clock.advance(last.delayMs);
    }
    const { done, value } = await next;
    if (done === true) return events;
    events.push(value);
  }
}

const deltasOf = (events: readonly ModelEvent[], type: ModelEvent["type"]) =>
  events.flatMap((event) => (event.type === type && "delta" in event ? [event.delta] : []));
const lastOf = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  if (last?.type === "done") return last.response;
  return last?.type === "failed" ? last.refusal : undefined;
};

describe("a local server that speaks as OpenAI does", () => {
  it("streams text and raw arguments as they came, with usage", async () => {
    const { call, server } = await setup();
    server.reply(
      chat({
        text: ["Hel", "lo"],
        toolCalls: [{ id: "c1", name: "read", fragments: ['{"pa', 'th": ', '"a.txt"}'] }],
      }),
    );
    const tools = [
      {
        name: "read",
        description: "Reads a file.",
        parameters: { type: "object", properties: { path: { type: "string" } } },
      },
    ];
    const events = await all(
      call(request("local/tiny", { system: "Be brief.", tools, temperature: 0, maxOutputTokens: 64 })),
    );
    expect(deltasOf(events, "text_delta")).toEqual(["Hel", "lo"]);
    expect(deltasOf(events, "arguments_delta")).toEqual(['{"pa', 'th": ', '"a.txt"}']);
    expect(lastOf(events)).toEqual({
      content: [
        { kind: "text", text: "Hello" },
        { kind: "tool_call", id: "c1", name: "read", argumentsText: '{"path": "a.txt"}' },
      ],
      stop: "tool_use",
      usage: { inputTokens: 12, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 },
      responseId: "chatcmpl-1",
    });
    const [asked] = server.asked;
    expect(asked?.path).toBe("/v1/chat/completions");
    expect(asked?.headers["authorization"]).toBe("Bearer key-of-the-test");
    expect(asked?.body).toMatchObject({ model: "tiny", stream: true, temperature: 0, max_tokens: 64 });
    expect(asked?.body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "hello" }] },
    ]);
    expect(Object.keys(asked?.body ?? {})).not.toContain("store");
  });

  it("an answer that was cut off in the middle of arguments keeps their text as it is", async () => {
    const { call, server } = await setup();
    server.reply(
      chat({
        toolCalls: [{ id: "c1", name: "write", fragments: ['{"content":"half a li'] }],
        finish: "length",
      }),
    );
    const response = await answerOf(call(request("local/tiny")));
    expect(response.stop).toBe("length");
    expect(response.content[0]).toMatchObject({ argumentsText: '{"content":"half a li' });
  });

  it("20 MB of arguments end as an answer that was cut off, while they arrive", async () => {
    const { call, server } = await setup();
    const fragment = "x".repeat(64 * 1024);
    const fragments = ['{"content":"', ...Array.from({ length: 320 }, () => fragment), '"}'];
    server.reply(chat({ toolCalls: [{ id: "c1", name: "write_file", fragments }] }));
    const response = await answerOf(call(request("local/tiny")));
    expect(response.stop).toBe("length");
    const [part] = response.content;
    const text = part?.kind === "tool_call" ? part.argumentsText : "";
    expect(text.length).toBeGreaterThan(1024 * 1024);
    expect(text.length).toBeLessThan(1024 * 1024 + 4 * fragment.length);
  });

  it("200 KB of arguments in pieces of 16 characters arrive whole, in larger pieces as they grow", async () => {
    const { call, server } = await setup();
    const pieces = Array.from({ length: 12_500 }, (_, i) => String(i).padStart(16, "."));
    const fragments = ['{"content":"', ...pieces, '"}'];
    server.reply(chat({ toolCalls: [{ id: "c1", name: "write_file", fragments }] }));
    const events = await all(call(request("local/tiny")));
    const deltas = deltasOf(events, "arguments_delta");
    expect(deltas.join("")).toBe(fragments.join(""));
    // As they came at first, then each an eighth of what there is.
    expect(deltas.slice(0, 4)).toEqual(fragments.slice(0, 4));
    expect(deltas.length).toBeLessThan(400);
    expect(lastOf(events)).toMatchObject({
      stop: "tool_use",
      content: [{ argumentsText: fragments.join("") }],
    });
  });

  it("an endless text ends at the limit of an answer, in bytes", async () => {
    const { call, server } = await setup();
    server.reply(chat({ text: Array.from({ length: 40 }, () => "数".repeat(10_000)) }));
    const response = await answerOf(call(request("local/tiny")));
    expect(response.stop).toBe("length");
    const [part] = response.content;
    expect(part?.kind === "text" && part.text.length).toBe(350_000);
  });

  it("two calls with one id stay two calls", async () => {
    const { call, server } = await setup();
    server.reply(
      chat({
        toolCalls: [
          { id: "same", name: "read", fragments: ['{"path":', '"a.txt"}'] },
          { id: "same", name: "read", fragments: ['{"path":"b.txt"}'] },
        ],
      }),
    );
    const { content } = await answerOf(call(request("local/tiny")));
    expect(content).toEqual([
      { kind: "tool_call", id: "same", name: "read", argumentsText: '{"path":"a.txt"}' },
      { kind: "tool_call", id: "same_1", name: "read", argumentsText: '{"path":"b.txt"}' },
    ]);
  });

  it("an answer that the provider's filter withheld is not asked for again", async () => {
    const { call, server } = await setup();
    server.reply(chat({ text: ["Half of"], finish: "content_filter" }));
    const events = await all(call(request("local/tiny")));
    expect(lastOf(events)).toMatchObject({
      refused: "model_refused",
      message: expect.stringContaining("content_filter") as string,
    });
    expect(server.asked).toHaveLength(1);
  });

  it("tells the model its earlier calls and their results", async () => {
    const { call, server } = await setup();
    server.reply(chat({ text: ["ok"] }));
    await answerOf(
      call(
        request("local/tiny", {
          messages: [
            { role: "user", content: [{ kind: "text", text: "read" }] },
            {
              role: "assistant",
              model: "local/tiny",
              stop: "tool_use",
              content: [{ kind: "tool_call", id: "c1", name: "read", argumentsText: '{"path":"a"}' }],
            },
            {
              role: "tool_result",
              toolCallId: "c1",
              toolName: "read",
              isError: false,
              content: [{ kind: "text", text: "A" }],
            },
          ],
        }),
      ),
    );
    expect(server.asked[0]?.body["messages"]).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", function: { name: "read", arguments: '{"path":"a"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "A" },
    ]);
  });
});

describe("a call that cannot be made", () => {
  it.each([
    ["a model that was not chosen", {}, "local/other", "model_unknown", /was not chosen/],
    [
      "a protocol that does not exist",
      { api: "openai-complet" },
      "local/tiny",
      "model_settings_invalid",
      /no protocol called openai-complet/,
    ],
    [
      "a model of which nothing is known",
      { baseUrl: undefined },
      "local/tiny",
      "model_settings_invalid",
      /nothing is known of local\/tiny/,
    ],
  ] as const)("%s is a failure before anything is sent", async (_, change, model, failureClass, says) => {
    const choiceOf = (url: string) => ({ ...local(url), ...change }) as ModelChoice;
    const { call, server } = await setup({}, choiceOf);
    expect((await rejectsWith(failureClass, answerOf(call(request(model))))).message).toMatch(says);
    expect(server.asked).toEqual([]);
  });
});

describe("bad days of a provider", () => {
  it.each([
    ["seconds", { "retry-after": "17" }, 17_000],
    ["milliseconds", { "retry-after-ms": "250" }, 250],
    ["a date", { "retry-after": new Date(Date.UTC(2026, 0, 1, 0, 0, 40)).toUTCString() }, 40_000],
  ])(
    "429 with Retry-After in %s is waited for, by the clock, and not a moment less",
    async (_, headers, delayMs) => {
      const { call, server, clock } = await setup();
      const at: number[] = [];
      const note = async () => void at.push(await clock.monotonic());
      server.reply(
        async (response, asked) => {
          await note();
          await status(429, { error: { message: "slow down" } }, headers)(response, asked);
        },
        async (response, asked) => {
          await note();
          await chat({ text: ["ok"] })(response, asked);
        },
      );
      const events = await patiently(call(request("local/tiny")), clock);
      expect(at).toEqual([0, delayMs]);
      expect(events.find(({ type }) => type === "retry")).toMatchObject({
        attempt: 2,
        delayMs,
        because: { refused: "model_rate_limited", message: "local/tiny answered 429: slow down" },
      });
      expect(lastOf(events)).toMatchObject({ stop: "stop" });
    },
  );

  it("a Retry-After beyond what we may wait fails at once and says when to come back", async () => {
    const { call, server } = await setup();
    server.reply(status(429, { error: { message: "slow down" } }, { "retry-after": "3600" }));
    const failure = await rejectsWith("model_rate_limited", answerOf(call(request("local/tiny"))));
    expect([failure.hint, failure.detail]).toEqual([
      "Try again in 3600 s.",
      { status: 429, retryAfterMs: 3_600_000 },
    ]);
    expect(server.asked).toHaveLength(1);
  });

  it("server errors are tried again with pauses that grow, until the limit", async () => {
    const { call, server, clock } = await setup({ serverErrorRetriesMax: 3 });
    server.reply(status(503, "upstream is away"));
    const events = await patiently(call(request("local/tiny")), clock);
    const delays = events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));
    expect(delays).toHaveLength(3);
    for (const [i, delay] of delays.entries()) {
      expect(delay).toBeGreaterThanOrEqual(750 * 2 ** i);
      expect(delay).toBeLessThanOrEqual(1000 * 2 ** i);
    }
    expect(lastOf(events)).toMatchObject({
      refused: "model_unavailable",
      message: "local/tiny answered 503: upstream is away",
    });
    expect(server.asked).toHaveLength(4);
  });

  it("a server that is not there is tried again too", async () => {
    const { call, clock } = await setup({ serverErrorRetriesMax: 1 }, () => local("http://127.0.0.1:9"));
    const events = await patiently(call(request("local/tiny")), clock);
    expect(events.map(({ type }) => type)).toEqual(["start", "retry", "failed"]);
    expect(lastOf(events)).toMatchObject({
      refused: "model_unavailable",
      message: expect.stringContaining("cannot be reached"),
    });
  });

  it.each([
    [400, "model_refused"],
    [401, "model_unauthorized"],
    [403, "model_unauthorized"],
    [404, "model_refused"],
  ] as const)("%i is not tried again", async (code, failureClass) => {
    const { call, server } = await setup();
    server.reply(status(code, { error: { message: "no" } }));
    await rejectsWith(failureClass, answerOf(call(request("local/tiny"))));
    expect(server.asked).toHaveLength(1);
  });

  it("a quota that is used up is no reason to wait", async () => {
    const { call, server } = await setup();
    server.reply(status(429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } }));
    await rejectsWith("model_refused", answerOf(call(request("local/tiny"))));
    expect(server.asked).toHaveLength(1);
  });

  it("a stream that falls silent is begun again after its limit, and then given up", async () => {
    const { call, server, clock } = await setup({
      silenceMsMax: 5_000,
      brokenRetriesMax: 1,
      retryDelayMs: 0,
    });
    server.reply(chat({ text: ["half"], ending: "hang" }));
    const events: ModelEvent[] = [];
    const reader = call(request("local/tiny"))[Symbol.asyncIterator]();
    for (;;) {
      const next = reader.next();
      if (events.at(-1)?.type === "text_delta") {
        await until("it sleeps", () => clock.sleeping > 0);
        await clock.advance(5_000);
      }
      const { done, value } = await next;
      if (done === true) break;
      events.push(value);
    }
    const half = ["part_start", "text_delta"];
    expect(events.map(({ type }) => type)).toEqual(["start", ...half, "retry", ...half, "failed"]);
    expect(lastOf(events)).toMatchObject({
      refused: "model_stalled",
      message: "local/tiny said nothing for 5 s",
    });
  });

  it("a server that accepts and never answers is given up at the limit of the whole call", async () => {
    const { call, clock, server } = await setup({ callWallMsMax: 30_000, firstSignMsMax: 60_000 });
    server.reply(() => {});
    const events = all(call(request("local/tiny")));
    await until("it was asked and sleeps", () => server.asked.length === 1 && clock.sleeping > 0);
    await clock.advance(30_000);
    expect(lastOf(await events)).toMatchObject({ refused: "model_timeout" });
  });

  it.each([
    ["breaks", "break"],
    ["ends without a finish reason", "stop_early"],
  ] as const)("a stream that %s is begun again and never taken for an answer", async (_, ending) => {
    const { call, server, clock } = await setup();
    server.reply(chat({ text: ["half"], ending }), chat({ text: ["whole"] }));
    const events = await patiently(call(request("local/tiny")), clock);
    expect(events.filter(({ type }) => type === "retry")).toHaveLength(1);
    expect(lastOf(events)).toMatchObject({ content: [{ kind: "text", text: "whole" }] });
  });

  it.each([
    [
      "a web page",
      (response: import("node:http").ServerResponse) =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
      /text\/html instead of a stream: <h1>Welcome/,
    ],
    ["JSON that was not streamed", status(200, { choices: [] }), /application\/json instead of a stream/],
    ["events that are no JSON", stream(["{broken"]), /cannot be understood/],
  ])("%s is garbage, said as such and not asked for again", async (_, reply, says) => {
    const { call, server } = await setup();
    server.reply(reply);
    expect(
      (await rejectsWith("model_answer_invalid", answerOf(call(request("local/tiny"))))).message,
    ).toMatch(says);
    expect(server.asked).toHaveLength(1);
  });

  it("an error that the provider sends within its stream is a failure with its words", async () => {
    const { call, server, clock } = await setup({ serverErrorRetriesMax: 1 });
    server.reply(stream([{ error: { message: "the engine is overloaded" } }]));
    expect(lastOf(await patiently(call(request("local/tiny")), clock))).toMatchObject({
      refused: "model_unavailable",
      message: expect.stringContaining("overloaded"),
    });
    expect(server.asked).toHaveLength(2);
  });

  it("an abort ends a call that waits for an answer, and one that waits for its next attempt", async () => {
    const { call, server, clock } = await setup();
    const first = new AbortController();
    server.reply(chat({ text: ["half"], ending: "hang" }), status(503, "later"));
    const events: ModelEvent[] = [];
    for await (const event of call(request("local/tiny"), { signal: first.signal })) {
      events.push(event);
      if (event.type === "text_delta") first.abort();
    }
    expect(lastOf(events)).toMatchObject({ refused: "aborted" });

    const second = new AbortController();
    const reading = all(call(request("local/tiny"), { signal: second.signal }));
    await until("it was asked and sleeps", () => server.asked.length === 2 && clock.sleeping > 0);
    await new Promise(setImmediate);
    second.abort();
    expect(lastOf(await reading)).toMatchObject({ refused: "aborted" });
    expect(server.asked).toHaveLength(2);
    expect(clock.sleeping).toBe(0);
  });

  it("whatever bytes arrive, the call ends with one answer or one failure", async () => {
    const { call, server, clock } = await setup({ brokenRetriesMax: 0, serverErrorRetriesMax: 0 });
    const pieces = [
      "[DONE]",
      "null",
      "[]",
      "0",
      '"a"',
      "{}",
      '{"choices":null}',
      '{"choices":[{}]}',
      '{"choices":[{"delta":{"tool_calls":[{}]}}]}',
      '{"choices":[{"delta":{"content":1}}]}',
      '{"choices":[{"finish_reason":"stop"}]}',
      '{"choices":[{"finish_reason":"nonsense","delta":{}}]}',
    ];
    let tried = 0;
    for (const first of pieces) {
      for (const second of pieces.slice(0, 6)) {
        server.reply(stream([first, second]));
        const events = await patiently(call(request("local/tiny")), clock);
        expect(events.filter(({ type }) => type === "done" || type === "failed")).toHaveLength(1);
        tried++;
      }
    }
    console.log(`proof: ${tried} garbled streams, each ended in one answer or one failure`);
  });
});

describe("Codex", () => {
  const token = accessToken("one");

  it("is asked and answers as the real one does", async () => {
    const { call, server } = await setup({}, codexChoice, token);
    server.reply(codex({ text: ["Hi ", "there"], call: { name: "read", fragments: ['{"path"', ':"a"}'] } }));
    const events = await all(
      call(request("openai-codex/gpt-5.5", { system: "Be brief.", session: "ep-1", thinking: "low" })),
    );
    expect(deltasOf(events, "arguments_delta")).toEqual(['{"path"', ':"a"}']);
    expect(lastOf(events)).toMatchObject({
      content: [
        { kind: "text", text: "Hi there" },
        { kind: "tool_call", name: "read", argumentsText: '{"path":"a"}' },
      ],
      stop: "tool_use",
      usage: { inputTokens: 20, outputTokens: 7, cacheReadTokens: 10 },
    });
    const [asked] = server.asked;
    expect(asked?.path).toBe("/backend-api/codex/responses");
    expect(asked?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      "chatgpt-account-id": "acct-1",
    });
    expect(asked?.body).toMatchObject({
      model: "gpt-5.5",
      store: false,
      stream: true,
      instructions: "Be brief.",
      prompt_cache_key: "ep-1",
      reasoning: { effort: "low" },
    });
  });

  it("an answer that ends before it is completed is begun again, although pi takes it for whole", async () => {
    const { call, server, clock } = await setup({}, codexChoice, token);
    server.reply(codex({ text: ["half"], ending: "stop_early" }), codex({ text: ["whole"] }));
    const events = await patiently(call(request("openai-codex/gpt-5.5")), clock);
    expect(events.find(({ type }) => type === "retry")).toMatchObject({
      because: { message: expect.stringContaining("broke off") },
    });
    expect(lastOf(events)).toMatchObject({ content: [{ text: "whole" }] });
  });

  it("arguments that were cut off are not whole", async () => {
    const { call, server } = await setup({}, codexChoice, token);
    server.reply(codex({ call: { name: "write", fragments: ['{"content":"ha'] }, status: "incomplete" }));
    const response = await answerOf(call(request("openai-codex/gpt-5.5")));
    expect(response).toMatchObject({ stop: "length", content: [{ argumentsText: '{"content":"ha' }] });
  });

  it("errors reach us at once, once, and with their words: pi does not repeat them by itself", async () => {
    const { call, server } = await setup({}, codexChoice, token);
    server.reply(status(400, { detail: "the model is not offered to this account" }));
    const failure = await rejectsWith("model_refused", answerOf(call(request("openai-codex/gpt-5.5"))));
    expect(failure.message).toBe(
      "openai-codex/gpt-5.5 answered 400: the model is not offered to this account",
    );
    expect(server.asked).toHaveLength(1);
  });

  it("a plan's limit says when it is lifted", async () => {
    const { call, server } = await setup({}, codexChoice, token);
    server.reply(
      status(429, {
        error: {
          type: "usage_limit_reached",
          message: "The usage limit has been reached",
          resets_in_seconds: 7_200,
        },
      }),
    );
    const failure = await rejectsWith("model_rate_limited", answerOf(call(request("openai-codex/gpt-5.5"))));
    expect(failure.hint).toBe("Try again in 7200 s.");
  });

  it("a token that is not accepted is renewed once", async () => {
    const server = await ModelServer.start();
    const rejected: (string | undefined)[] = [];
    const fresh = accessToken("two");
    const keys: Keys = {
      async keyFor(_, bad) {
        rejected.push(bad);
        return { value: bad === undefined ? token : fresh, renewable: true };
      },
    };
    const call = piModelCall({ models: [codexChoice(server.url)], keys, ports: nodePorts() });
    server.reply(status(401, { detail: "expired" }), codex({ text: ["ok"] }));
    expect((await answerOf(call(request("openai-codex/gpt-5.5")))).content).toMatchObject([{ text: "ok" }]);
    expect(rejected).toEqual([undefined, token]);
    expect(server.asked[1]?.headers["authorization"]).toBe(`Bearer ${fresh}`);
    server.reply(status(401, { detail: "expired" }));
    await rejectsWith("model_unauthorized", answerOf(call(request("openai-codex/gpt-5.5"))));
  });
});

describe("Anthropic", () => {
  const choice = (url: string): ModelChoice => ({
    ref: "anthropic/claude-sonnet-4-5",
    provider: "anthropic",
    id: "claude-sonnet-4-5",
    baseUrl: url,
  });

  it("streams text and raw arguments, and is tried again after Retry-After and after an answer that broke off", async () => {
    const { call, server, clock } = await setup({}, choice, "key-of-anthropic");
    server.reply(
      status(529, { error: { message: "Overloaded" } }, { "retry-after": "2" }),
      anthropic({ text: ["half"], ending: "stop_early" }),
      anthropic({ text: ["Hel", "lo"], call: { name: "read", fragments: ['{"path"', ': "a"}'] } }),
    );
    const events = await patiently(call(request("anthropic/claude-sonnet-4-5")), clock);
    const retries = events.flatMap((event) =>
      event.type === "retry" ? [[event.because.refused, event.delayMs]] : [],
    );
    expect(retries[0]).toEqual(["model_unavailable", 2_000]);
    expect(retries[1]?.[0]).toBe("model_answer_invalid");
    expect(lastOf(events)).toMatchObject({
      content: [
        { kind: "text", text: "Hello" },
        { kind: "tool_call", id: "toolu_1", name: "read", argumentsText: '{"path": "a"}' },
      ],
      stop: "tool_use",
      usage: { inputTokens: 9, outputTokens: 6 },
    });
    expect(server.asked[2]?.headers["x-api-key"]).toBe("key-of-anthropic");
  });
});
