import { ConnectionTurn } from "@bridle/work";
import { KeptThings, type Operation, defineOperation, manifestEntry } from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import type { ServerContext } from "@modelcontextprotocol/server";
import * as Type from "typebox";
import { expect, test } from "vitest";
import { Calls } from "./calls.js";
import { callTool } from "./tool-call.js";
import type { ToolTable } from "./types.js";

const counting = defineOperation({
  names: { id: "op/test.count", action: "test.count", command: ["test", "count"], tool: "test_count" },
  family: "bridle",
  effect: "read",
  surfaces: ["mcp"],
  summary: "Count to two.",
  examples: [{ command: "bridle test count", says: "count" }],
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Unknown(),
  async run(_input, call) {
    call.progress({ doing: "one", done: 1 });
    call.progress({ doing: "two", done: 2 });
    return {};
  },
}) as unknown as Operation;

function setting(load: ToolTable["load"], notify: ServerContext["mcpReq"]["notify"] = async () => {}) {
  const logged: string[] = [];
  const entry = manifestEntry(counting, "test");
  const request = {
    id: 1,
    signal: new AbortController().signal,
    _meta: { progressToken: "p" },
    notify,
  } as unknown as ServerContext["mcpReq"];
  const settings = {
    table: { entries: [entry], gates: [], load },
    ports: nodePorts(),
    mutation: { policy: "instruction-linked" },
    cwd: "/",
    env: {},
    serverName: "test",
    serverVersion: "0",
    kept: new KeptThings(),
    log: (line: string) => void logged.push(line),
  } as const;
  const call = callTool({
    settings,
    calls: new Calls(),
    entry,
    input: {},
    name: undefined,
    turn: new ConnectionTurn("test", "test"),
    request,
  });
  return { call, logged };
}

test("the answer waits for the last progress report, because after it a report belongs to nothing", async () => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const { call } = setting(
    async () => counting,
    ({ params }) => {
      order.push(`report ${String(params?.["progress"])}`);
      return new Promise((resolve) => waiting.push(resolve));
    },
  );
  const answered = call.then(() => order.push("answer"));
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  expect(order).toEqual(["report 1"]);
  waiting.shift()?.();
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  expect(order).toEqual(["report 1", "report 2"]);
  waiting.shift()?.();
  await answered;
  expect(order).toEqual(["report 1", "report 2", "answer"]);
});

test("a room that cannot be loaded is an answer for the client and a line for the person", async () => {
  const { call, logged } = setting(() => Promise.reject(new Error("chunk-XYZ.js is gone")));
  const result = await call;
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain("[failureClass=internal_error] test_count");
  expect(JSON.stringify(result)).not.toContain("chunk-XYZ");
  expect(logged).toEqual(["test_count could not be loaded: chunk-XYZ.js is gone"]);
});
