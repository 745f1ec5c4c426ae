/**
 * The MCP server as clients meet it: real processes, the official client, both
 * transports and both eras of the protocol.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Envelope,
  HostEffect,
  commandLineInstructionRef,
  openMutationPolicyDigest,
} from "@bridle/operation";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Check } from "typebox/value";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, vi } from "vitest";
import { mcpLimits } from "../../packages/surface/src/mcp/limits.js";
import { loadManifest } from "../../packages/surface/src/manifest/load.js";
import {
  bundleServer,
  killLeftovers,
  premath,
  startHttpServer,
  startServer,
  stopServer,
} from "../mcp-support/launch.js";
import { test } from "../support/everyday.js";

let program: string;
let folder: string;
let leave: (() => Promise<unknown>)[];

beforeAll(async () => {
  program = await bundleServer();
});
afterAll(killLeftovers);
beforeEach(async () => {
  leave = [];
  folder = await mkdtemp(join(tmpdir(), "bridle-mcp-e2e-"));
});
afterEach(async () => {
  for (const step of leave.reverse()) await step();
  await rm(folder, { recursive: true, force: true });
});

interface Connection {
  readonly client: Client;
  stderr(): string;
}

type Era = "2025-11-25" | "2026-07-28";

function newClient(era: Era): Client {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  return new Client({ name: "bridle-test", version: "1" }, { versionNegotiation: { mode } });
}

interface Meeting {
  readonly era: Era;
  /** The folder of the test, without it. */
  readonly cwd?: string;
  /** Where to put what ends it; at the end of the test, without it. */
  readonly leave?: (() => Promise<unknown>)[];
}

async function overStdio(input: object, { era, cwd = folder, ...more }: Meeting): Promise<Connection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, JSON.stringify(input)],
    cwd,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = newClient(era);
  await client.connect(transport);
  (more.leave ?? leave).push(() => client.close());
  return { client, stderr: () => stderr };
}

async function overHttp(input: object, { era, cwd = folder, ...more }: Meeting): Promise<Connection> {
  const server = await startHttpServer({ program, input: { ...input }, cwd });
  const steps = more.leave ?? leave;
  steps.push(() => stopServer(server));
  const transport = new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { authorization: `Bearer ${server.token}` } },
  });
  const client = newClient(era);
  await client.connect(transport);
  steps.push(() => client.close());
  return { client, stderr: server.stderr };
}

const ways = [
  { transport: "stdio", era: "2025-11-25", connect: overStdio },
  { transport: "stdio", era: "2026-07-28", connect: overStdio },
  { transport: "http", era: "2025-11-25", connect: overHttp },
  { transport: "http", era: "2026-07-28", connect: overHttp },
] as const;

function envelopeOf(result: { structuredContent?: unknown }): Envelope {
  return result.structuredContent as Envelope;
}

function textOf(result: { content: readonly { type: string }[] }): string {
  const [block] = result.content as readonly { text?: string }[];
  return block?.text ?? "";
}

describe.each(ways)("over $transport, protocol $era", ({ connect, era }) => {
  // One server for all of these, as a client keeps its own for as long as it works.
  let home: string;
  let server: Connection;
  let first: { readonly tools: Awaited<ReturnType<Client["listTools"]>>["tools"]; readonly stderr: string };
  const ended: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "bridle-mcp-e2e-"));
    server = await connect({}, { era, cwd: home, leave: ended });
    const { tools } = await server.client.listTools();
    first = { tools, stderr: server.stderr() };
  });
  afterAll(async () => {
    for (const step of ended.reverse()) await step();
    await rm(home, { recursive: true, force: true });
  });

  test("tools are listed from the manifest, with schema and hints, and no room is loaded", async () => {
    const { client, stderr } = server;
    const { tools } = first;
    expect(tools.map(({ name }) => name)).not.toContain("fixture_hidden");
    const echo = tools.find(({ name }) => name === "fixture_echo");
    expect(echo).toMatchObject({
      description: "Say the same back.",
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object", required: ["text"], additionalProperties: false },
    });
    expect(tools.find(({ name }) => name === "fixture_note")?.annotations).toMatchObject({
      readOnlyHint: false,
    });
    expect(client.getServerVersion()).toMatchObject({ name: "premath-mcp", version: "0.0.0-test" });
    expect(first.stderr).not.toContain("room loaded");

    await client.callTool({ name: "fixture_echo", arguments: { text: "hello" } });
    await vi.waitFor(() => expect(stderr()).toContain("room loaded for fixture_echo"));
  });

  test("an answer is the host-effect envelope, as structure and as the same JSON in text", async () => {
    const { client } = server;
    const result = await client.callTool({
      name: "fixture_echo",
      arguments: { text: "warn", issue_id: "bd-1" },
    });
    expect(result.isError).toBeFalsy();
    expect(envelopeOf(result)).toMatchObject({
      schema: "premath.host_effect.v0",
      action: "fixture.echo",
      resultClass: "accepted",
      failureClasses: [],
      payload: { said: { text: "warn", issueId: "bd-1" } },
      warnings: ["You asked for a warning."],
    });
    expect(envelopeOf(result).argsDigest).toMatch(/^he1_[0-9a-f]{64}$/);
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test("bad arguments, refusals, rejections and bugs are tool errors with their class, never a crash", async () => {
    const { client } = server;
    const call = (name: string, args: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: args });

    const bad = await call("fixture_echo", { txt: 1, maxCount: 0 });
    expect(bad.isError).toBe(true);
    expect(textOf(bad)).toMatch(/^\[failureClass=input_invalid\] .*text/);
    expect(envelopeOf(bad).resultClass).toBe("input_invalid");

    const refused = await call("fixture_refuse");
    expect(textOf(refused)).toBe("[failureClass=session_missing] there is no session here\nWrite one first.");
    expect(refused.isError).toBe(true);
    expect(envelopeOf(refused).payload).toMatchObject({ detail: { tried: 1 } });

    const rejected = await call("fixture_reject");
    expect(rejected.isError).toBe(true);
    expect(textOf(rejected)).toMatch(/^\[failureClass=step_invalid\] fixture.reject answers no:\n\{/);
    expect((await call("fixture_judge")).isError).toBeFalsy();

    const broken = await call("fixture_break");
    expect(broken.isError).toBe(true);
    expect(textOf(broken)).toContain("[failureClass=internal_error]");

    for (const name of ["no_such_tool", "fixture_hidden", "mcp_serve", "__proto__", "constructor"]) {
      const unknown = call(name);
      await expect(unknown, name).rejects.toBeInstanceOf(ProtocolError);
      await expect(unknown, name).rejects.toMatchObject({ code: -32602 });
    }
    expect((await call("fixture_echo", { text: "still here" })).isError).toBeFalsy();
  });

  test("a mutation without evidence is refused and nothing is written; under open it names policy and person", async () => {
    const refused = await server.client.callTool({ name: "fixture_note", arguments: { line: "one" } });
    expect(textOf(refused)).toMatch(/^\[failureClass=mutation\.use_evidence_missing\] /);
    expect(refused.isError).toBe(true);
    expect(existsSync(join(home, "notes.txt"))).toBe(false);

    const open = await connect({ mutationPolicy: "open" }, { era });
    const written = await open.client.callTool({ name: "fixture_note", arguments: { line: "two" } });
    expect(envelopeOf(written)).toMatchObject({
      resultClass: "accepted",
      policyDigest: openMutationPolicyDigest(),
      instructionRef: commandLineInstructionRef,
    });
    expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("two\n");
  });

  test("progress is reported in growing numbers, and cancelling stops the operation", async () => {
    const { client } = server;
    const seen: number[] = [];
    const done = await client.callTool(
      { name: "fixture_slow", arguments: { ticks: 5 } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(envelopeOf(done).payload).toEqual({ ticks: 5 });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));

    const giveUp = new AbortController();
    const cancelled = client.callTool(
      { name: "fixture_slow", arguments: { ticks: 100_000 } },
      { signal: giveUp.signal, onprogress: () => giveUp.abort("enough") },
    );
    await expect(cancelled).rejects.toThrow();
    await vi.waitFor(() => expect(existsSync(join(home, "slow-aborted"))).toBe(true), { timeout: 10_000 });
    expect((await client.callTool({ name: "fixture_echo", arguments: { text: "on" } })).isError).toBeFalsy();
  });
});

describe("the real command line", () => {
  test("premath mcp-serve offers what the manifest says, and its stdout carries frames only", async () => {
    const program = await premath();
    const { operations } = loadManifest();
    const offered = operations
      .filter(
        ({ surfaces, names }) =>
          surfaces.includes("mcp") && /^(issue|dep|harness|observe|instruction)\./.test(names.action),
      )
      .map(({ names }) => names.tool);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp-serve"],
      cwd: folder,
      stderr: "pipe",
    });
    const problems: Error[] = [];
    const client = newClient("2025-11-25");
    client.onerror = (error) => problems.push(error);
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(offered.toSorted());
    expect(client.getServerVersion()).toMatchObject({ name: "premath-mcp" });
    await client.close();
    expect(problems).toEqual([]);
  });

  async function connectReal(...flags: string[]): Promise<Client> {
    const args = [await premath(), "mcp-serve", ...flags];
    const client = newClient("2025-11-25");
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: "ignore" }),
    );
    leave.push(() => client.close());
    return client;
  }

  const step = {
    stepId: "s-1",
    action: "verify",
    resultClass: "accepted",
    finishedAt: "2026-02-25T05:00:00Z",
  };

  test("[TUSK-7.1] the session that the command line wrote is what a client reads over MCP", async () => {
    const words = ["harness-session", "write", "--summary", "parser done", "--next-step", "wire it up"];
    const wrote = startServer({ program: await premath(), words: [...words, "--json"], cwd: folder });
    expect(await wrote.exited).toEqual({ code: 0, signal: null });
    const client = await connectReal();
    const read = await client.callTool({ name: "harness_session_read", arguments: {} });
    const { session } = JSON.parse(wrote.stdout()) as { session: object };
    expect(envelopeOf(read).payload).toMatchObject({ path: ".premath/harness_session.json", session });
    expect(JSON.parse(await readFile(join(folder, ".premath/harness_session.json"), "utf8"))).toEqual(
      session,
    );
  });

  test("[TUSK-7.5] [TUSK-14.0.5] [TUSK-14.2.18] writes over MCP are refused and change nothing unless the policy is open", async () => {
    const calls = [
      { name: "harness_session_write", arguments: { summary: "half way" } },
      { name: "harness_feature_write", arguments: { feature_id: "bd-1", status: "pending" } },
      { name: "harness_trajectory_append", arguments: step },
      { name: "harness_kpi_remediate", arguments: { issue: "bd-1", reason: "one port" } },
    ];
    const linked = await connectReal();
    for (const call of calls) {
      const refused = await linked.callTool(call);
      expect(refused.isError).toBe(true);
      expect(envelopeOf(refused).failureClasses).toEqual(["mutation.use_evidence_missing"]);
      expect(envelopeOf(refused).policyDigest).toBeUndefined();
    }
    expect(await readdir(folder)).toEqual([]);

    const open = await connectReal("--mutation-policy", "open");
    for (const call of calls) {
      expect(envelopeOf(await open.callTool(call))).toMatchObject({
        resultClass: "accepted",
        policyDigest: openMutationPolicyDigest(),
        instructionRef: commandLineInstructionRef,
      });
    }
    const names = await readdir(join(folder, ".premath"));
    expect(names).toEqual(expect.arrayContaining(["harness_session.json", "harness_trajectory.jsonl"]));
  });

  test("[TUSK-14.1.9] every tool answers with one envelope of the published schema, whether it says yes or no", async () => {
    const client = await connectReal("--mutation-policy", "open", "--family", "harness");
    const calls = [
      ["harness_session_read", {}, "session_missing"],
      ["harness_session_write", { next_step: "wire it up" }, "accepted"],
      ["harness_session_read", {}, "accepted"],
      ["harness_session_read", { pth: "x" }, "input_invalid"],
      ["harness_session_bootstrap", {}, "accepted"],
      ["harness_feature_next", {}, "accepted"],
      ["harness_feature_check", {}, "feature_ledger_missing"],
      ["harness_feature_write", { feature_id: "bd-1", status: "in_progress" }, "accepted"],
      [
        "harness_feature_write",
        { feature_id: "bd-1", status: "completed" },
        "harness_feature_ledger.completed_missing_verification_ref",
      ],
      ["harness_feature_read", {}, "accepted"],
      ["harness_feature_check", { require_closure: true }, "harness_feature_ledger.closure_incomplete"],
      ["harness_trajectory_append", step, "accepted"],
      ["harness_trajectory_append", { ...step, finishedAt: "yesterday" }, "timestamp_invalid"],
      ["harness_trajectory_query", { mode: "latest" }, "accepted"],
      ["harness_kpi_report", { window_hours: 2 }, "accepted"],
      ["harness_kpi_report", { window_hours: 0 }, "input_invalid"],
      ["harness_kpi_remediate", { issue: "bd-1", reason: "one port" }, "accepted"],
    ] as const;
    for (const [name, args, resultClass] of calls) {
      const result = await client.callTool({ name, arguments: { ...args } });
      expect(Check(HostEffect, result.structuredContent), name).toBe(true);
      expect(envelopeOf(result).resultClass, name).toBe(resultClass);
      expect(result.isError ?? false, name).toBe(resultClass !== "accepted");
      expect(result.content).toHaveLength(1);
    }
  });

  test("premath mcp-serve --http says where it listens, ends on SIGTERM with 0, and keeps stdout empty", async () => {
    const words = ["mcp-serve", "--http", "--server-name", "my-tools"];
    const server = await startHttpServer({ program: await premath(), words, cwd: folder });
    expect(await stopServer(server)).toEqual({ code: 0, signal: null });
    expect(server.stdout()).toBe("");
    expect(server.stderr()).toMatch(
      /^my-tools: \d+ tools? at http:\/\/127\.0\.0\.1:\d+\/mcp\nmy-tools: token \S+ \(shown once\)\n/,
    );
    expect(server.stderr()).toMatch(/Served 0 calls over http; ended by SIGTERM\.\n$/);
  });

  test.each([
    [["--http", "--host", "0.0.0.0"], "--allow-remote"],
    [["--family", "nonsense"], "Known families: "],
    [["--http", "--token", "short"], "16 to 512"],
    [["--port", "99999", "--http"], "65535"],
    [["--server-name", "two words"], "--server-name"],
    [["--mutation-policy", "closed"], "instruction-linked"],
    [["--port", "7311"], "--port: without --http"],
  ])("bad flags %j are a bad invocation with a sentence that helps", async (flags, says) => {
    const server = startServer({ program: await premath(), words: ["mcp-serve", ...flags], cwd: folder });
    expect(await server.exited).toEqual({ code: 2, signal: null });
    expect(server.stderr()).toContain(says);
    expect(server.stdout()).toBe("");
  });
});

test("a cancellation stops the call of its own client, not one of the same number of another", async () => {
  const server = await startHttpServer({ program, input: {}, cwd: folder });
  leave.push(() => stopServer(server));
  const connectOne = async (): Promise<Client> => {
    const client = newClient("2025-11-25");
    const headers = { authorization: `Bearer ${server.token}` };
    await client.connect(new StreamableHTTPClientTransport(server.url, { requestInit: { headers } }));
    leave.push(() => client.close());
    return client;
  };
  const [one, other] = [await connectOne(), await connectOne()];
  // Both clients count their requests alike, so these two calls have the same id.
  const giveUp = new AbortController();
  const spared = other.callTool({ name: "fixture_slow", arguments: { ticks: 60 } });
  const cancelled = one.callTool(
    { name: "fixture_slow", arguments: { ticks: 100_000 } },
    { signal: giveUp.signal, onprogress: () => giveUp.abort("enough") },
  );
  await expect(cancelled).rejects.toThrow();
  await vi.waitFor(() => expect(existsSync(join(folder, "slow-aborted"))).toBe(true), { timeout: 10_000 });
  expect(envelopeOf(await spared).payload).toEqual({ ticks: 60 });
});

test("--root is where tools work, and --server-name is what clients are told", async () => {
  await mkdir(join(folder, "elsewhere"));
  const { client } = await overStdio({ root: "elsewhere", serverName: "my-tools" }, { era: "2025-11-25" });
  const result = await client.callTool({ name: "fixture_environment", arguments: {} });
  expect(envelopeOf(result).payload).toMatchObject({ cwd: join(await realpath(folder), "elsewhere") });
  expect(client.getServerVersion()?.name).toBe("my-tools");
});

describe("--family", () => {
  test("offers only what was named, by first word or by launcher", async () => {
    const byWord = await overStdio({ families: ["conformance"] }, { era: "2025-11-25" });
    const names = (await byWord.client.listTools()).tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "json_schema_2020_12_tool",
      "test_error_handling",
      "test_simple_text",
      "test_tool_with_progress",
    ]);
    await expect(
      byWord.client.callTool({ name: "fixture_echo", arguments: { text: "x" } }),
    ).rejects.toThrow();

    const byLauncher = await overStdio({ families: ["premath"] }, { era: "2025-11-25" });
    expect((await byLauncher.client.listTools()).tools.map(({ name }) => name)).toEqual(["fixture_note"]);
  });

  test("an unknown family is refused with the known ones", async () => {
    const server = startServer({ program, input: { families: ["isue"] }, cwd: folder });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.stderr()).toContain('"isue"');
    expect(server.stderr()).toContain("Known families: bridle, conformance, fixture, premath.");
  });
});

describe("stdio", () => {
  const opening = [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ];
  const frame = (message: object): string => `${JSON.stringify(message)}\n`;

  test("stdout carries frames only, whatever an operation prints, and garbage does not end the server", async () => {
    const server = startServer({ program, input: {}, cwd: folder });
    const send = (text: string): void => void server.child.stdin?.write(text);
    send(opening.map(frame).join(""));
    send('this is not JSON\n{"jsonrpc":"2.0"\n[]\n\n');
    send(
      frame({
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "fixture_print", arguments: {} },
      }),
    );
    send(
      frame({
        jsonrpc: "2.0",
        id: 3,
        method: "tools/call",
        params: { name: "fixture_break", arguments: {} },
      }),
    );
    await vi.waitFor(() => expect(server.stdout()).toContain('"id":3'), { timeout: 10_000 });
    server.child.stdin?.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });

    const frames = server
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc: string });
    expect(frames.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(server.stderr()).toContain("a stray print");
    expect(server.stderr()).toContain("another stray print");
    expect(server.stderr(), "the summary goes to stderr too").toContain('"endedBy":"client"');
    expect(server.stderr(), "a bug's message cannot steer the terminal").not.toContain("\u001b");
  });

  test("the last progress report is sent before the answer, however fast it came", async () => {
    const server = startServer({ program, cwd: folder });
    server.child.stdin?.write(opening.map(frame).join(""));
    const params = { name: "fixture_slow", arguments: { ticks: 2 }, _meta: { progressToken: "p" } };
    server.child.stdin?.write(frame({ jsonrpc: "2.0", id: 2, method: "tools/call", params }));
    await vi.waitFor(() => expect(server.stdout()).toContain('"id":2'), { timeout: 10_000 });
    server.child.stdin?.end();
    await server.exited;
    const frames = server
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id?: number; params?: { progress: number } });
    const told = frames.slice(1).map(({ id, params: notice }) => notice?.progress ?? `answer ${id}`);
    expect(told).toEqual([0, 1, 1.5, 2, "answer 2"]);
  });

  test("closing stdin ends the server at once and aborts what runs", async () => {
    const server = startServer({ program, input: {}, cwd: folder });
    server.child.stdin?.write(opening.map(frame).join(""));
    server.child.stdin?.write(
      frame({
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "fixture_slow", arguments: { ticks: 100_000 } },
      }),
    );
    await vi.waitFor(() => expect(existsSync(join(folder, "slow-started"))).toBe(true), { timeout: 10_000 });
    server.child.stdin?.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(existsSync(join(folder, "slow-aborted"))).toBe(true);
  });

  test("a client that goes away without a word ends the server without a trace", async () => {
    const server = startServer({ program, input: {}, cwd: folder });
    server.child.stdin?.write(opening.map(frame).join(""));
    await vi.waitFor(() => expect(server.stdout()).toContain('"id":1'), { timeout: 10_000 });
    server.child.stdout?.destroy();
    server.child.stdin?.write(frame({ jsonrpc: "2.0", id: 2, method: "tools/list" }));
    server.child.stdin?.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr()).not.toContain("    at ");
  });

  test("a message over the limit ends the connection with a word, not with a trace", async () => {
    const server = startServer({ program, input: {}, cwd: folder });
    server.child.stdin?.on("error", () => undefined);
    server.child.stdin?.write(Buffer.alloc(mcpLimits.messageBytesMax + 1024, "x"));
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toMatch(/^premath-mcp: .*maximum/);
    expect(server.stdout()).toBe("");
  });

  test("flags that only HTTP understands are refused instead of ignored", async () => {
    const server = startServer({ program, input: { port: 7311 }, cwd: folder });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.stderr()).toContain("--port: without --http there is nothing to listen on");
  });
});

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test.each([
    { transport: "stdio", input: {} },
    { transport: "http", input: { http: true } },
  ])("ends a $transport server cleanly", async ({ input }) => {
    const server = startServer({ program, input, cwd: folder });
    if ("http" in input)
      await vi.waitFor(() => expect(server.stderr()).toContain("shown once"), { timeout: 10_000 });
    else {
      server.child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      await vi.waitFor(() => expect(server.stdout()).toContain('"id":1'), { timeout: 10_000 });
    }
    server.child.kill(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr() + server.stdout()).toContain(`"endedBy":"${signal}"`);
  });
});

test("SIGTERM during a call over HTTP aborts it, answers it, and then ends", async () => {
  const server = await startHttpServer({ program, input: {}, cwd: folder });
  const client = newClient("2025-11-25");
  const headers = { authorization: `Bearer ${server.token}` };
  await client.connect(new StreamableHTTPClientTransport(server.url, { requestInit: { headers } }));
  const result = client.callTool({ name: "fixture_slow", arguments: { ticks: 100_000 } });
  await vi.waitFor(() => expect(existsSync(join(folder, "slow-started"))).toBe(true), { timeout: 10_000 });
  server.child.kill("SIGTERM");
  expect(textOf(await result)).toContain("[failureClass=aborted]");
  expect(await server.exited).toEqual({ code: 0, signal: null });
  await client.close();
});
