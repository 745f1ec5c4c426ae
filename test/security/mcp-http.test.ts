/**
 * What strangers, web pages and broken clients can do to the MCP server on HTTP:
 * nothing. Every request here goes over a real socket to a real process.
 */
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { KeptThings } from "@bridle/operation";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { Calls } from "../../packages/surface/src/mcp/calls.js";
import { type HttpServer, startHttp } from "../../packages/surface/src/mcp/http.js";
import { mcpLimits } from "../../packages/surface/src/mcp/limits.js";
import {
  type HttpServerUnderTest,
  bundleServer,
  killLeftovers,
  startHttpServer,
  startServer,
  stopServer,
} from "../mcp-support/launch.js";
import { test } from "../support/everyday.js";

const secret = "s3cret-looking-value-that-must-never-be-shown";
const secrets = {
  OPENAI_API_KEY: `${secret}-1`,
  AWS_SECRET_ACCESS_KEY: `${secret}-2`,
  GITHUB_TOKEN: `${secret}-3`,
};

let program: string;
let folder: string;
let server: HttpServerUnderTest;
/** Everything that the server has said to anybody. */
let heard = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-mcp-security-"));
  program = await bundleServer();
  const input = { allowedOrigins: ["https://console.example"] };
  server = await startHttpServer({ program, input, cwd: folder, env: secrets });
});
afterAll(async () => {
  await stopServer(server);
  killLeftovers();
  await rm(folder, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(options: {
  readonly method?: string;
  readonly path?: string;
  /** On top of the usual ones; undefined takes one away. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly to?: URL;
}): Promise<Reply> {
  const to = options.to ?? server.url;
  const headers: OutgoingHttpHeaders = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...options.headers,
  };
  for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: to.hostname,
        port: to.port,
        method: options.method ?? "POST",
        path: options.path ?? "/mcp",
        agent: false,
        headers,
      },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.on("end", () => {
          heard += `${JSON.stringify(response.headers)}${body}`;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(options.body ?? listTools);
  });
}

const listTools = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

function callTool(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
}

async function stillServes(): Promise<void> {
  const reply = await send({ body: callTool("fixture_echo", { text: "hello" }) });
  expect(reply.status).toBe(200);
  expect(reply.body).toContain("hello");
}

describe("the token", () => {
  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["wrong", "Bearer wrong"],
    ["a prefix of the right one", "PREFIX"],
    ["the right one with more behind it", "LONGER"],
    ["the right one in other letters", "CASE"],
    ["the right one under another scheme", "SCHEME"],
    ["the right one without a scheme", "BARE"],
  ])("%s is refused with a challenge, and nothing runs", async (_what, shown) => {
    const { token } = server;
    const forms: Record<string, string> = {
      PREFIX: `Bearer ${token.slice(0, -1)}`,
      LONGER: `Bearer ${token}A`,
      CASE: `Bearer ${token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase()}`,
      SCHEME: `Basic ${token}`,
      BARE: token,
    };
    const authorization = shown === undefined ? undefined : (forms[shown] ?? shown);
    const reply = await send({
      headers: { authorization },
      body: callTool("fixture_slow", { ticks: 1 }),
    });
    expect(reply.status).toBe(401);
    expect(reply.headers["www-authenticate"]).toMatch(/^Bearer realm="premath-mcp"/);
    expect(existsSync(join(folder, "slow-started"))).toBe(false);
  });

  test("in the query or in a cookie does not count", async () => {
    const headers = { authorization: undefined, cookie: `token=${server.token}` };
    expect((await send({ headers, path: `/mcp?token=${server.token}` })).status).toBe(404);
    expect((await send({ headers })).status).toBe(401);
  });

  test("the right one lets in", stillServes);
});

describe("the Host header (DNS rebinding)", () => {
  test.each([
    "evil.example",
    "evil.example:PORT",
    "localhost.evil.example:PORT",
    "127.0.0.1.evil.example:PORT",
    "localhost",
    "localhost:1",
    "localhost:0PORT1",
    "192.168.1.10:PORT",
    "0.0.0.0:PORT",
    "[::]:PORT",
    "user@localhost:PORT",
    "localhost:PORT:PORT",
  ])("%j is refused although the token is right", async (host) => {
    const reply = await send({ headers: { host: host.replaceAll("PORT", server.url.port) } });
    expect(reply.status).toBe(403);
  });

  test.each(["localhost:PORT", "127.0.0.1:PORT", "[::1]:PORT", "LOCALHOST:PORT"])(
    "%j is this server",
    async (host) => {
      expect((await send({ headers: { host: host.replaceAll("PORT", server.url.port) } })).status).toBe(200);
    },
  );

  test.each([
    ["twice", "Host: HOST\r\nHost: evil.example\r\n"],
    ["empty", "Host: \r\n"],
    ["not at all", ""],
  ])("given %s is refused", async (_how, lines) => {
    const { url, token } = server;
    const answer = await talk(
      url,
      `POST /mcp HTTP/1.1\r\n${lines.replace("HOST", url.host)}Authorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${listTools.length}\r\nConnection: close\r\n\r\n${listTools}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  });
});

describe("the Origin header", () => {
  test.each([
    "https://evil.example",
    "null",
    "*",
    "http://localhost",
    "http://localhost:1",
    "https://localhost:PORT",
    "http://localhost:PORT.evil.example",
    "https://console.example.evil.example",
    "http://console.example",
    "file://",
  ])("%j is refused although token and Host are right", async (origin) => {
    const reply = await send({ headers: { origin: origin.replaceAll("PORT", server.url.port) } });
    expect(reply.status).toBe(403);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each(["http://localhost:PORT", "http://127.0.0.1:PORT", "https://console.example"])(
    "%j is allowed, and named in the answer instead of a wildcard",
    async (pattern) => {
      const origin = pattern.replaceAll("PORT", server.url.port);
      const reply = await send({ headers: { origin } });
      expect(reply.status).toBe(200);
      expect(reply.headers["access-control-allow-origin"]).toBe(origin);
      expect(reply.headers["access-control-allow-credentials"]).toBeUndefined();
    },
  );

  test("a preflight is answered for allowed origins only, and runs nothing", async () => {
    const headers = { authorization: undefined, "access-control-request-method": "POST" };
    const allowed = await send({
      method: "OPTIONS",
      headers: { ...headers, origin: "https://console.example" },
      body: "",
    });
    expect(allowed.status).toBe(204);
    expect(allowed.headers["access-control-allow-origin"]).toBe("https://console.example");
    const refused = await send({
      method: "OPTIONS",
      headers: { ...headers, origin: "https://evil.example" },
      body: "",
    });
    expect(refused.status).toBe(403);
    const noBrowser = await send({ method: "OPTIONS", headers, body: "" });
    expect(noBrowser.status).toBe(401);
  });
});

describe("paths and methods", () => {
  test.each([
    "/",
    "/mcp/",
    "/mcp/..",
    "//mcp",
    "/MCP",
    "/%6dcp",
    "/sse",
    "/.well-known/oauth-protected-resource",
  ])("there is nothing at %s", async (path) => {
    expect((await send({ path })).status).toBe(404);
  });

  test.each(["GET", "DELETE", "PUT", "HEAD", "PATCH"])("%s is not allowed", async (method) => {
    expect((await send({ method, body: "" })).status).toBe(405);
  });

  test("another content type is refused, so that no form of a web page fits", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      expect((await send({ headers: { "content-type": type } })).status).toBe(415);
    }
  });
});

describe("bodies", () => {
  test.each([
    ["not JSON", "{not json"],
    ["nothing", ""],
    ["a number", "42"],
    ["null", "null"],
    ["an empty batch", "[]"],
    ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x00, 0x22])],
    ["a message of another protocol", JSON.stringify({ hello: "world" })],
    ["a method that is not there", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "no/such" })],
    [
      "arguments that are no object",
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "fixture_echo", arguments: [1] },
      }),
    ],
    [
      "a tool name that is no string",
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: { a: 1 } } }),
    ],
    ["an id that is an object", JSON.stringify({ jsonrpc: "2.0", id: {}, method: "tools/list" })],
  ])("%s is answered with an error and the server goes on", async (_what, body) => {
    const reply = await send({ body });
    expect([200, 202, 400, 404]).toContain(reply.status);
    if (reply.status === 200) expect(reply.body).toContain('"error"');
    expect(reply.body).not.toContain("    at ");
    await stillServes();
  });

  test("an argument named like a part of every object reaches nothing", async () => {
    const strange =
      '"arguments":{"text":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const reply = await send({ body: callTool("fixture_echo", {}).replace('"arguments":{}', strange) });
    expect(reply.body).toContain("input_invalid");
    const next = await send({ body: callTool("fixture_echo", { text: "x" }) });
    expect(next.body).not.toContain("polluted");
  });

  test("nesting beyond reason is refused", async () => {
    const depth = 200_000;
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const reply = await send({
      body: callTool("fixture_echo", { text: "x", refs: "HERE" }).replace('"HERE"', nested),
    });
    expect(reply.body).toContain("failureClass=json_too_deep");
    await stillServes();
  });

  test("a body over the limit is refused, announced or not", async () => {
    const size = mcpLimits.messageBytesMax + 1;
    const announced = await talk(
      server.url,
      `POST /mcp HTTP/1.1\r\nHost: ${server.url.host}\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n{`,
    );
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);

    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const streamed = await talk(
      server.url,
      `POST /mcp HTTP/1.1\r\nHost: ${server.url.host}\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(size / 0x10000 + 1)}`,
    );
    expect(streamed).toMatch(/^HTTP\/1\.1 413 /);
    await stillServes();
  });

  test("a stranger's body is not read at all", async () => {
    const announced = await talk(
      server.url,
      `POST /mcp HTTP/1.1\r\nHost: ${server.url.host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${mcpLimits.messageBytesMax}\r\n\r\n{"jsonrpc"`,
    );
    expect(announced).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("headers over the limit are refused", async () => {
    const reply = await talk(
      server.url,
      `POST /mcp HTTP/1.1\r\nHost: ${server.url.host}\r\nX-Long: ${"x".repeat(mcpLimits.headerBytesMax)}\r\n\r\n`,
    );
    expect(reply).toMatch(/^HTTP\/1\.1 431 /);
    await stillServes();
  });
});

/** Sends the text and reads until the server closes. */
function talk(url: URL, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (more: string) => (answer += more));
    // What was not read before a reset is what the server had to say by then.
    socket
      .on("error", () => undefined)
      .on("close", () => {
        heard += answer;
        resolve(answer);
      });
    socket.write(text);
  });
}

describe("with short limits", () => {
  let small: HttpServer;
  const calls = new Calls();
  const token = "0123456789abcdef0123456789abcdef";

  beforeAll(async () => {
    const started = await startHttp(
      {
        table: {
          entries: [],
          gates: [],
          load: () => Promise.reject(new Error("nothing to load")),
        },
        ports: nodePorts(),
        mutation: { policy: "instruction-linked" },
        cwd: folder,
        env: {},
        serverName: "small",
        serverVersion: "0",
        kept: new KeptThings(),
        log() {},
      },
      calls,
      {
        host: "127.0.0.1",
        port: 0,
        allowRemote: false,
        allowedOrigins: [],
        token,
        limits: {
          headersMsMax: 200,
          requestMsMax: 1_500,
          timeoutCheckMs: 50,
          connectionsMax: 40,
          requestsOpenMax: 4,
          messageBytesMax: 1000,
        },
      },
    );
    if ("refused" in started) throw new Error(started.message);
    small = started;
  });
  afterAll(() => small.close());

  const head = (): string =>
    `POST /mcp HTTP/1.1\r\nHost: ${new URL(small.url).host}\r\nAuthorization: Bearer ${token}\r\n` +
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

  test("a client that never finishes its headers is cut off, sooner than one that never finishes its body", async () => {
    const begun = performance.now();
    expect(await talk(new URL(small.url), "POST /mcp HTTP/1.1\r\nHost: ")).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - begun).toBeLessThan(1_200);
  });

  test("a client that never finishes its body is cut off", async () => {
    expect(await talk(new URL(small.url), `${head()}Content-Length: 100\r\n\r\n{`)).toMatch(
      /^HTTP\/1\.1 408 /,
    );
  });

  test("more requests at once than may be are told to come back, and those after them are served", async () => {
    const to = new URL(small.url);
    const unfinished: Socket[] = [];
    for (let count = 0; count < 4; count += 1) {
      const socket = connect(Number(to.port), to.hostname).on("error", () => undefined);
      socket.write(`${head()}Content-Length: 100\r\n\r\n{`);
      unfinished.push(socket);
    }
    const ask = (): Promise<Reply> => send({ to, headers: { authorization: `Bearer ${token}` } });
    await vi.waitFor(async () => expect((await ask()).status).toBe(503), { timeout: 1_200, interval: 10 });
    for (const socket of unfinished) socket.destroy();
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 5_000, interval: 20 });
  });

  test("more connections than may be are dropped, and the others go on", async () => {
    const to = new URL(small.url);
    const sockets = Array.from({ length: 60 }, () =>
      connect(Number(to.port), to.hostname).on("error", () => undefined),
    );
    // Those that were let in are told 408 in the end; those that were not are told nothing.
    let dropped = 0;
    for (const socket of sockets)
      socket.on("close", () => (dropped += socket.bytesRead === 0 ? 1 : 0)).resume();
    await vi.waitFor(() => expect(dropped).toBe(20), { timeout: 5_000 });
    for (const socket of sockets) socket.destroy();
    const ask = (): Promise<Reply> => send({ to, headers: { authorization: `Bearer ${token}` } });
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 5_000 });
  });
});

describe("where it listens", () => {
  test.each(["0.0.0.0", "::", "192.0.2.1", "example.com", "127.0.0.1.evil.example", "0"])(
    "%s is refused without --allow-remote",
    async (host) => {
      const refused = startServer({ program, input: { http: true, host }, cwd: folder });
      expect(await refused.exited).toEqual({ code: 1, signal: null });
      expect(refused.stderr()).toContain("is not a loopback address");
      expect(refused.stderr()).toContain("--allow-remote");
      expect(refused.stderr()).not.toContain("token");
    },
  );

  test("a port that is taken is said to be", async () => {
    const input = { http: true, port: Number(server.url.port) };
    const refused = startServer({ program, input, cwd: folder });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toContain("in use by another program");
  });

  test("opened to others on purpose, a name in the Host header is still refused and an address is not", async () => {
    const input = { host: "0.0.0.0", allowRemote: true };
    const open = await startHttpServer({ program, input, cwd: folder });
    const to = new URL(`http://127.0.0.1:${open.url.port}/mcp`);
    const status = async (host: string): Promise<number> =>
      (await send({ to, headers: { host, authorization: `Bearer ${open.token}` } })).status;
    expect(await status(`192.0.2.7:${to.port}`)).toBe(200);
    expect(await status(`evil.example:${to.port}`)).toBe(403);
    expect(await status(`192.0.2.7`)).toBe(403);
    await stopServer(open);
  });
});

describe("what is told to whom", () => {
  test("a drawn token is on one line of stderr and nowhere else", () => {
    const said = server
      .stderr()
      .split("\n")
      .filter((line) => line.includes(server.token));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain("(shown once)");
    expect(server.stdout()).toBe("");
    expect(heard).not.toContain(server.token);
  });

  test("two servers draw different tokens, of 256 bits", async () => {
    const other = await startHttpServer({ program, input: {}, cwd: folder });
    expect(other.token).not.toBe(server.token);
    expect(Buffer.from(other.token, "base64url")).toHaveLength(32);
    await stopServer(other);
  });

  test.each(["environment", "file", "flag"] as const)(
    "a token from the %s is used and never repeated",
    async (from) => {
      const token = `given-token-0123456789-${from}`;
      const file = join(folder, "token");
      await writeFile(file, `${token}\n`, { mode: 0o600 });
      const given = await startHttpServer({
        program,
        cwd: folder,
        token,
        input: from === "file" ? { tokenFile: "token" } : from === "flag" ? { token } : {},
        env: from === "environment" ? { BRIDLE_MCP_TOKEN: token } : {},
      });
      const reply = await send({
        to: given.url,
        headers: { authorization: `Bearer ${token}` },
        body: callTool("fixture_environment", {}),
      });
      expect(reply.status).toBe(200);
      expect(reply.body, "operations do not see the token").not.toContain("BRIDLE_MCP_TOKEN");
      expect((await send({ to: given.url, headers: { authorization: "Bearer wrong" } })).status).toBe(401);
      expect(await stopServer(given)).toEqual({ code: 0, signal: null });
      expect(given.stdout() + given.stderr() + reply.body).not.toContain(token);
      expect(given.stderr().includes("visible in the process list")).toBe(from === "flag");
    },
  );

  test.each([
    ["too short", { token: "short" }, "16 to 512"],
    ["not fit for a header", { token: "has spaces and\nlines in it" }, "Authorization header"],
    ["given twice", { token: "0123456789abcdef", tokenFile: "x" }, "both given"],
    ["in a file that is not there", { tokenFile: "absent" }, "no token file"],
    ["in a folder", { tokenFile: "." }, "not a regular file"],
  ])("a token that is %s is refused, and not repeated", async (_what, input, says) => {
    const refused = startServer({ program, input: { http: true, ...input }, cwd: folder });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toContain(says);
    if ("token" in input) expect(refused.stderr()).not.toContain(input.token);
  });

  test("a token file that others can read is refused", async () => {
    const file = join(folder, "open-token");
    await writeFile(file, "0123456789abcdef0123456789abcdef");
    await chmod(file, 0o644);
    const refused = startServer({
      program,
      input: { http: true, tokenFile: file },
      cwd: folder,
    });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toContain("chmod 600");
  });

  test.each(["*", "https://*.example", "console.example", "https://console.example/path", "null"])(
    "%j is no origin that could be allowed",
    async (origin) => {
      const input = { http: true, allowedOrigins: [origin] };
      const refused = startServer({ program, input, cwd: folder });
      expect(await refused.exited).toEqual({ code: 1, signal: null });
      expect(refused.stderr()).toContain("is not an origin");
    },
  );

  test("no secret of the environment was in anything that was said", async () => {
    for (const tool of ["fixture_environment", "fixture_break", "fixture_refuse"]) {
      await send({ body: callTool(tool, {}) });
    }
    expect(heard.length).toBeGreaterThan(1000);
    expect(heard + server.stderr() + server.stdout()).not.toContain(secret);
  });
});
