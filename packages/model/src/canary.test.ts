/**
 * A canary in every place where a secret may stand, and a provider that repeats
 * everything it is told: none of it comes out again.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { Failure, isRefusal, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import {
  accessToken,
  type Asked,
  chat,
  codex,
  ModelServer,
  type Reply,
  status,
  stream,
} from "../../../test/support/model-server.js";
import { TokenServer } from "../../../test/support/token-server.js";
import { codexEndpoints } from "./auth/codex.js";
import { Credentials } from "./auth/credentials.js";
import { openModels, type OpenedModels } from "./choice/open.js";
import { runLoop } from "./loop/run.js";
import { Secrets } from "./secrets.js";
import { TapeRecorder } from "./tape/record.js";
import type { LoopEvent, Message, Tool } from "./types.js";

const canaries = {
  env: "canary-env-7d1f0a93",
  named: 'canary-named-"quoted"\\55',
  config: "canary-config-2b9e4c",
  header: "canary-header-90aa12",
  access: accessToken("canary-access"),
  refresh: "canary-refresh-token-31",
} as const;
/** What would be left of one in any form that we know. */
const traces = [
  "canary-env",
  "canary-named",
  "canary-config",
  "canary-header",
  "canary-refresh",
  ...canaries.access.split(".").slice(1),
];

const ports = nodePorts();

interface World {
  readonly opened: OpenedModels;
  readonly server: ModelServer;
  readonly folder: string;
}

async function world(model: string): Promise<World> {
  const server = await ModelServer.start();
  const folder = newFolder();
  const config = join(folder, "bridle");
  mkdirSync(config, { recursive: true });
  const providers = {
    byEnv: { baseUrl: `${server.url}/v1`, apiKeyEnv: "ODD_NAME" },
    byfile: {
      baseUrl: `${server.url}/v1`,
      apiKey: canaries.config,
      headers: { "x-secret": canaries.header },
    },
    "openai-codex": { baseUrl: `${server.url}/backend-api` },
  };
  const { byEnv, ...rest } = providers;
  writeFileSync(
    join(config, "models.json"),
    JSON.stringify({ model, providers: { byenv: byEnv, ...rest } }),
    { mode: 0o600 },
  );
  const env = {
    XDG_CONFIG_HOME: folder,
    AGENT_API_KEY: canaries.env,
    ODD_NAME: canaries.named,
    AGENT_RATE_LIMIT_MAX_RETRIES: "1",
    AGENT_TRANSIENT_5XX_MAX_RETRIES: "0",
    AGENT_STREAM_MAX_RETRIES: "0",
    ...(model.startsWith("api/") ? { AGENT_API_BASE_URL: `${server.url}/v1` } : {}),
  };
  const opened = await openModels({ env, cwd: folder, ports });
  if (isRefusal(opened)) throw new Error(opened.message);
  const tokens = {
    access: canaries.access,
    refresh: canaries.refresh,
    expiresAt: Date.UTC(2100, 0, 1),
    accountId: "acct",
  };
  await opened.credentials.store(tokens);
  return { opened, server, folder };
}

/** Everything that the provider was told, as text to repeat. */
function echoOf({ headers, text }: Asked): string {
  return `you said ${JSON.stringify(headers)} ${headers["authorization"] as string} ${text} ${canaries.named}`;
}

function inPieces(text: string): string[] {
  return text.match(/.{1,17}/gs) ?? [];
}

const echoes: Record<string, (codexSpeaks: boolean) => Reply> = {
  "in its text": (isCodex) => (response, asked) =>
    (isCodex ? codex({ text: inPieces(echoOf(asked)) }) : chat({ text: inPieces(echoOf(asked)) }))(
      response,
      asked,
    ),
  "in the arguments of a tool": (isCodex) => (response, asked) => {
    const fragments = inPieces(JSON.stringify({ text: echoOf(asked) }));
    const call = isCodex
      ? codex({ call: { name: "t", fragments } })
      : chat({ toolCalls: [{ id: "c", name: "t", fragments }] });
    return call(response, asked);
  },
  "in a refusal": () => (response, asked) =>
    status(400, { error: { message: echoOf(asked) } })(response, asked),
  "in a complaint about the key": () => (response, asked) => status(403, echoOf(asked))(response, asked),
  "while it is too busy": () => (response, asked) =>
    status(429, echoOf(asked), { "retry-after": "0" })(response, asked),
  "when it is broken": () => (response, asked) => status(500, { error: echoOf(asked) })(response, asked),
  "in an error within the stream": () => (response, asked) =>
    stream([{ error: { message: echoOf(asked) }, type: "error", message: echoOf(asked) }])(response, asked),
  "in garbage": () => (response, asked) => stream([`{"a": ${echoOf(asked)}`])(response, asked),
  "in a web page": () => (response, asked) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(echoOf(asked)),
};

/** As somebody would write it to a log: with the causes of errors and every member. */
function logged(value: unknown): string {
  const errors =
    value instanceof Error ? `${value.stack ?? ""} ${JSON.stringify((value as Failure).detail)}` : "";
  return `${errors} ${JSON.stringify(value)} ${inspect(value, { depth: 20, showHidden: true })}`;
}

function expectNone(text: string, where: string): void {
  for (const trace of traces) expect(text.includes(trace), `${trace} in ${where}`).toBe(false);
}

const leaky: Tool = {
  name: "t",
  description: "Prints the environment.",
  parameters: { type: "object" },
  execute: async () => ({ content: `AGENT_API_KEY=${canaries.env} ${canaries.config}`, details: {} }),
};
const prompt: Message = { role: "user", content: [{ kind: "text", text: `my key is ${canaries.env}` }] };

describe("a secret", () => {
  it("[AGENT-14.5] comes out nowhere: not in an event, an answer, a failure, a tape or on the console", async () => {
    let tried = 0;
    const console_: string[] = [];
    const spies = (["stdout", "stderr"] as const).map((name) => {
      const real = process[name].write.bind(process[name]);
      process[name].write = ((text: string | Uint8Array) => (console_.push(String(text)), true)) as never;
      return () => void (process[name].write = real as never);
    });
    try {
      for (const model of ["api/tiny", "byenv/tiny", "byfile/tiny", "openai-codex/gpt-5.5"]) {
        for (const [how, reply] of Object.entries(echoes)) {
          const { opened, server, folder } = await world(model);
          server.reply(
            reply(model.startsWith("openai-codex")),
            model.startsWith("openai-codex") ? codex({ text: ["ok"] }) : chat({ text: ["ok"] }),
          );
          if (how !== "in the arguments of a tool") server.reply(reply(model.startsWith("openai-codex")));
          const tape = join(folder, "tape.jsonl");
          const recorder = await TapeRecorder.open({ path: tape, ports, secrets: opened.secrets });
          const events: LoopEvent[] = [];
          const result = await runLoop({
            call: recorder.record(opened.call),
            model: opened.main.ref,
            prompts: [prompt],
            tools: [leaky],
            secrets: opened.secrets,
            onEvent: (event) => void events.push(event),
          });
          await recorder.finish();
          await recorder.close();
          const place = `${model}, ${how}`;
          expect(server.asked.length, place).toBeGreaterThan(0);
          expect(JSON.stringify(server.asked[0]?.headers), place).toContain(
            model.startsWith("openai-codex") ? canaries.access : "canary-",
          );
          const ran = events.some((event) => event.type === "tool_end" && !event.isError);
          expect(ran, place).toBe(how === "in the arguments of a tool");
          // Only what the person said themselves stands there as it was.
          const said = (event: LoopEvent) => event.type === "message" && event.message === prompt;
          expect(events.filter(said)).toHaveLength(1);
          expectNone(logged(events.filter((event) => !said(event))), `events: ${place}`);
          expectNone(logged(result.refusal), `failure: ${place}`);
          expectNone(readFileSync(tape, "utf8"), `tape: ${place}`);
          expectNone(logged({ main: opened.main.ref, source: opened.source }), `choice: ${place}`);
          for (const path of filesUnder(folder)) {
            if (/(?:models|credentials)\.json$/.test(path)) expect(statSync(path).mode & 0o077, path).toBe(0);
            else expectNone(readFileSync(path, "utf8"), path);
          }
          tried++;
        }
      }
    } finally {
      for (const restore of spies) restore();
    }
    expectNone(console_.join(""), "the console");
    console.log(`proof: ${tried} ways of a provider to repeat a secret, none came through`);
  });

  it("is in no failure of a login or a refresh", async () => {
    const server = await TokenServer.start("another");
    const path = join(newFolder(), "credentials.json");
    const at = (tokenUrl: string) =>
      new Credentials({ path, ports, secrets: new Secrets(), endpoints: { ...codexEndpoints, tokenUrl } });
    await at(server.url).store({
      access: canaries.access,
      refresh: canaries.refresh,
      expiresAt: 0,
      accountId: "a",
    });
    for (const url of [server.url, "http://127.0.0.1:9/", "not an address"]) {
      const error: unknown = await at(url)
        .accessToken()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Failure);
      expectNone(logged(error), url);
    }
    expect(server.forms[0]?.get("refresh_token")).toBe(canaries.refresh);
  });
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
