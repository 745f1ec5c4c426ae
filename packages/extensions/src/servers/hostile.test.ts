/** What a server that means harm can do to whoever uses it: nothing beyond the text of its tools. */
import { fileURLToPath } from "node:url";
import type { AgentTool, ToolRun } from "@bridle/agent";
import { Failure } from "@bridle/record";
import { Compile } from "typebox/compile";
import { afterEach, describe, expect } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import type { ServerEntry } from "../types.js";
import { Connection } from "./connect.js";
import { changesSince, toolsOf } from "./tools.js";

const program = fileURLToPath(new URL("../../../../test/support/hostile-mcp.mjs", import.meta.url));
const env = { PATH: process.env["PATH"], HOME: "/nowhere", API_KEY: "canary-key", PASSED: "canary-passed" };
const opened: Connection[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function entry(...args: string[]): ServerEntry {
  const how = {
    kind: "stdio",
    command: process.execPath,
    args: [program, ...args],
    env: { GIVEN: "${PASSED}" },
  } as const;
  return { name: "hostile", origin: "project", file: "/x/.mcp.json", folder: "/tmp", how };
}

async function connected(limits: { callMs?: number; connectMs?: number } = {}, ...args: string[]) {
  const connection = await Connection.open(entry(...args), {
    env,
    signal: new AbortController().signal,
    ...limits,
  });
  opened.push(connection);
  return connection;
}

async function hostile(limits: { callMs?: number } = {}) {
  const notices: string[] = [];
  const connection = await connected(limits);
  const secrets = [["PASSED", "canary-passed"]] as const;
  const tools = await toolsOf({ name: "hostile", connection, secrets, notice: (said) => notices.push(said) });
  return { connection, notices, tools, call: (name: string, args = {}) => run(tools, name, args) };
}

function run(tools: readonly AgentTool[], name: string, args = {}) {
  const tool = tools.find((each) => each.name === `mcp_hostile_${name}`);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  const signal = new AbortController().signal;
  return tool.run(args, { callId: "c", round: 1, signal, update: () => {} } satisfies ToolRun);
}

async function refusedBy(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Failure) return error;
  throw new Error("no failure", { cause: error });
}

// oxlint-disable-next-line no-control-regex
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

describe("what a hostile server says of its tools", () => {
  it("is bounded, quoted and without anything that steers; names are plain, schemas closed, and none is safe", async () => {
    const { tools, notices } = await hostile();
    expect(tools.map(({ name }) => name)).toHaveLength(new Set(tools.map(({ name }) => name)).size);
    for (const { name, family, description, parameters, intent, foreign } of tools) {
      expect(name).toMatch(/^mcp_hostile_[\w-]{1,52}$/);
      expect({ family, foreign }).toEqual({ family: "mcp:hostile", foreign: true });
      expect(description.length).toBeLessThan(4_500);
      expect(`${description}${JSON.stringify(parameters)}`).not.toMatch(steering);
      expect(description).toMatch(/^A tool of the MCP server hostile, which says of it: ["(]/);
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
      expect(JSON.stringify(parameters)).not.toMatch(/pattern|\$ref/);
      expect(JSON.stringify(parameters).length).toBeLessThan(16_001);
      expect(() => Compile(parameters as never)).not.toThrow();
      expect(intent({}).risk).toBe(name === "mcp_hostile_burn" ? "destructive" : "cautious");
      expect(intent({}).changes).toBe("anything");
    }
    expect(tools).toHaveLength(13);
    // The same page again and again: twice is nothing new, and the pages end.
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain("left out");
    expect(notices[0]).not.toMatch(steering);
  });
});

describe("what a hostile server answers", () => {
  it("is text: controls are shown by number, pictures named, and no variable is there that its entry did not name", async () => {
    const { call } = await hostile();
    const injected = await call("inject");
    expect(injected).toMatchObject({ ok: true, facts: { server: "hostile", tool: "inject" } });
    expect(injected.text).not.toMatch(steering);
    expect(injected.text).toContain("\\u001b]0;owned");
    expect(injected.text).toContain("[image image/png");
    const { text } = await call("env");
    expect(text).not.toContain("canary");
    expect(text).toContain('"GIVEN":"[PASSED]"');
  });

  it("to a question of its own is no: a client of ours neither samples, asks people nor calls tools for it", async () => {
    const { call } = await hostile();
    const said = JSON.parse((await call("ask")).text) as { code: number }[];
    expect(said.map(({ code }) => code)).toEqual([-32601, -32601, -32601, -32601]);
  });

  it("that was forged for later requests is taken for none of them", async () => {
    const { call } = await hostile();
    expect((await call("forge")).text).toBe("forging");
    expect((await call("read_file", { path: "x" })).text).toBe("ran read_file");
  });

  it("after it renamed its tools: the names that were listed stay, and the old one is refused by the server", async () => {
    const { call, tools, connection } = await hostile();
    await call("rename");
    const failure = await refusedBy(call("read_file", { path: "x" }));
    expect(failure.failureClass).toBe("mcp_tool_failed");
    expect(failure.message).not.toMatch(steering);
    const later = await toolsOf({ name: "hostile", connection, secrets: [], notice: () => {} });
    expect(changesSince(tools, later)).toBe(
      "since the session was recorded, other tools that are not ours are offered: mcp_hostile_read_file is gone; mcp_hostile_read_file_2 is new",
    );
    expect(changesSince(tools, tools)).toBeUndefined();
  });

  it.each([
    ["flood", "mcp_server_flooded"],
    ["long_line", "mcp_server_flooded"],
    ["stall", "mcp_server_stalled"],
    ["die", "mcp_server_failed"],
  ])("%s: it is ended, the call says so, and so does every later one", async (name, code) => {
    const { call } = await hostile(name === "stall" ? { callMs: 150 } : {});
    const first = await refusedBy(call(name));
    expect(first.failureClass).toBe(code);
    expect(first.message).not.toMatch(steering);
    const later = await refusedBy(call("env"));
    expect(later.failureClass).toMatch(/^mcp_server_/);
  });
});

describe("a server that does not begin", () => {
  it.each([
    ["silent", "mcp_server_stalled", "did not answer in time"],
    ["dead", "mcp_server_failed", "no such \\u001b[31mlibrary"],
    ["babble", "mcp_server_flooded", "was ended"],
  ])("%s is a sentence", async (mode, code, says) => {
    const failure = await refusedBy(connected({ connectMs: mode === "silent" ? 300 : 20_000 }, mode));
    expect(failure).toMatchObject({ failureClass: code });
    expect(failure.message).toContain(says);
  });

  it("for there is no such program is a sentence", async () => {
    const missing = {
      ...entry(),
      how: { kind: "stdio", command: "no-such-program", args: [], env: {} } as const,
    };
    const failure = await refusedBy(Connection.open(missing, { env, signal: new AbortController().signal }));
    expect(failure.message).toMatch(/"hostile" is not there: .*ENOENT/);
  });
});
