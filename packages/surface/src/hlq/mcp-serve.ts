/** `hlq mcp-serve`: one episode for one client on stdin and stdout, recorded like any other run. */
import { isAbsolute, join } from "node:path";
import { defineOperation, type Operation } from "@bridle/operation";
import * as Type from "typebox";

const input = Type.Object(
  {
    pack: Type.String({
      minLength: 1,
      "x-placeholder": "folder",
      "x-path": true,
      description: "The folder of the pack.",
    }),
    episode: Type.String({ minLength: 1, "x-placeholder": "id", description: "The episode to offer." }),
    out: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description: "The run folder that is written; runs/<episode> without it.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  action: Type.Literal("hlq.mcp_serve"),
  episodeId: Type.String(),
  runFolder: Type.String(),
  ended: Type.Boolean({ description: "False when the client left before the episode had an end." }),
});

export const hlqMcpServe: Operation<typeof input, typeof output> = defineOperation({
  names: {
    id: "op/hlq.mcp_serve",
    action: "hlq.mcp_serve",
    command: ["mcp-serve"],
    tool: "hlq_mcp_serve",
  },
  family: "hlq",
  effect: "mutate",
  surfaces: ["cli"],
  ownsStdout: true,
  summary: "Offer one episode to an agent outside, as MCP tools on stdio.",
  description:
    "The eleven actions under their frozen names, decision_update, and `episode`, which says what it is about and costs " +
    "nothing. Every proposal is checked, recorded and chained as in `hlq run`. The server ends when its client does.",
  examples: [
    {
      command:
        "hlq mcp-serve --pack packs/pack_0123456789abcdef-20260101T000000Z --episode ep-2025071015-BTC",
      says: "for a client that starts this process",
    },
  ],
  input,
  output,
  async run(given, call) {
    const { serveEpisode } = await import("./serve-episode.js");
    const at = (path: string) => (isAbsolute(path) ? path : join(call.cwd, path));
    const runFolder = given.out ?? join("runs", given.episode);
    const ended = await serveEpisode({
      pack: at(given.pack),
      episode: given.episode,
      out: at(runFolder),
      call,
    });
    if (typeof ended !== "boolean") return ended;
    return { action: "hlq.mcp_serve" as const, episodeId: given.episode, runFolder, ended };
  },
  present: ({ episodeId, runFolder, ended }) =>
    ended ? `${episodeId} has ended; ${runFolder}` : `The client left ${episodeId} unfinished; ${runFolder}`,
});

export const operations: readonly Operation[] = [hlqMcpServe as unknown as Operation];
