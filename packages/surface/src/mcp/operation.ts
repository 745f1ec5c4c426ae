/**
 * `premath mcp-serve` as an operation of the table that it serves.
 *
 * It belongs on the command line only. The table is asked for when a server
 * starts and not before, and the protocol library is loaded then too: declaring
 * this operation costs a schema.
 */
import { type Operation, defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import type { ToolTable } from "./types.js";

const input = Type.Object(
  {
    http: Type.Optional(
      Type.Boolean({ description: "Listen for HTTP; without it, serve the client on stdin and stdout." }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description: "Port to listen on; any free one when left out, printed on stderr.",
      }),
    ),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Address to listen on, 127.0.0.1 when left out; loopback only.",
      }),
    ),
    allowRemote: Type.Optional(
      Type.Boolean({ description: "Let --host be an address that other machines can reach." }),
    ),
    token: Type.Optional(
      Type.String({
        description:
          "Token that clients must show. Visible in the process list: prefer --token-file or BRIDLE_MCP_TOKEN. " +
          "Without any of them one is drawn and printed on stderr.",
      }),
    ),
    tokenFile: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "path",
        "x-path": true,
        description: "File that holds the token, readable by you only.",
      }),
    ),
    families: Type.Optional(
      Type.Array(Type.String(), {
        "x-flag": "family",
        "x-placeholder": "name",
        description:
          "Offer this family of tools and no others (issue, dep, harness, log, …, or premath, hlq, bridle); repeatable. " +
          "issue, dep, harness, observe and instruction when left out.",
      }),
    ),
    mutationPolicy: Type.Optional(
      Type.Enum(["instruction-linked", "open", "human-override"], {
        description:
          "What a mutation must show: instruction-linked (default) that a lane allows it, open nothing, " +
          "human-override nothing for a while and with a reason.",
      }),
    ),
    lane: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "name",
        description: "The lane that changes stand on; the only open one of the folder when left out.",
      }),
    ),
    overrideReason: Type.Optional(
      Type.String({
        "x-placeholder": "text",
        description: "Why a person overrides the lanes; kept in the rows.",
      }),
    ),
    overrideFor: Type.Optional(
      Type.String({
        "x-placeholder": "time",
        description: "For how long, such as 2h; 1h when left out, 24h at most.",
      }),
    ),
    allowedOrigins: Type.Optional(
      Type.Array(Type.String(), {
        "x-flag": "allowed-origin",
        "x-placeholder": "origin",
        description: "Browser origin that may call, besides loopback on the same port; repeatable.",
      }),
    ),
    serverName: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,64}$",
        description: "Name that clients are told, premath-mcp when left out.",
      }),
    ),
    root: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "dir",
        "x-path": true,
        description: "Folder that tools work in and do not reach out of; the current one when left out.",
      }),
    ),
    repoRoot: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "dir",
        "x-path": true,
        description: "The same as --root, as the original's server calls it.",
      }),
    ),
    issuesPath: Type.Optional(
      Type.String({
        minLength: 1,
        "x-flag": "issues",
        "x-placeholder": "path",
        "x-path": true,
        description: "Issue memory of calls that name none; .premath/issues.jsonl of --root when left out.",
      }),
    ),
    issueQueryBackend: Type.Optional(
      Type.Enum(["jsonl"], { description: "Where issues are read from; the file is the only one there is." }),
    ),
    surface: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "path",
        "x-path": true,
        description:
          "The observation that observe_* tools tell of in calls that name none; made afresh when left out.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  transport: Type.Enum(["stdio", "http"]),
  url: Type.Optional(Type.String()),
  tools: Type.Integer({ minimum: 0 }),
  calls: Type.Integer({ minimum: 0 }),
  endedBy: Type.Enum(["client", "SIGTERM", "SIGINT", "aborted"]),
});

export type ServeInput = Type.Static<typeof input>;
export type Served = Type.Static<typeof output>;

export function mcpServe(source: {
  readonly serverVersion: string;
  table(): Promise<ToolTable>;
}): Operation<typeof input, typeof output> {
  return defineOperation({
    names: { id: "op/mcp.serve", action: "mcp.serve", command: ["mcp-serve"], tool: "mcp_serve" },
    family: "premath",
    effect: "read",
    surfaces: ["cli"],
    ownsStdout: true,
    summary: "Serve the operations as MCP tools, on stdio or HTTP.",
    description:
      "Over stdio, stdout carries protocol frames only and the server ends when its client closes stdin. " +
      "Over HTTP it listens on loopback, and every request must show the token.",
    examples: [
      { command: "premath mcp-serve", says: "serve the client that started this process" },
      { command: "premath mcp-serve --http --port 7311", says: "listen on http://127.0.0.1:7311/mcp" },
      {
        command: "premath mcp-serve --family harness --mutation-policy open",
        says: "offer the harness tools, and let them write",
      },
    ],
    input,
    output,
    async run(given, call) {
      const [{ serve }, table] = await Promise.all([import("./serve.js"), source.table()]);
      return serve(given, call, { table, serverVersion: source.serverVersion });
    },
    present: ({ transport, calls, endedBy }) =>
      `Served ${calls} ${calls === 1 ? "call" : "calls"} over ${transport}; ended by ${endedBy}.`,
  });
}
