/** `hlq mcp-serve`: episodes for one client on stdin and stdout, one after another, recorded like any other run. */
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
    episode: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        "x-placeholder": "id,…|@file",
        description:
          "The episodes to offer, in the order of the pack: ids with commas between, or @ and a file with one a line; all of the pack without it.",
      }),
    ),
    out: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description:
          "The run folder that is written; runs/<episode> without it, or runs/outside for several.",
      }),
    ),
    resume: Type.Optional(
      Type.Boolean({
        description: "Go on with the session that is there, from the last step of its episode.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  action: Type.Literal("hlq.mcp_serve"),
  runFolder: Type.String(),
  ended: Type.Boolean({ description: "False when the client left before every episode had an end." }),
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
  needs: "nothing",
  surfaces: ["cli"],
  ownsStdout: true,
  summary: "Offer episodes to an agent outside, as MCP tools on stdio.",
  description:
    "The eleven actions under their frozen names, decision_update, `episode`, which says what it is about and costs " +
    "nothing, and `next_episode`. Every proposal is checked, recorded and chained as in `hlq run`; one that is refused is " +
    "an error with its class. The server ends when its client does, and a session that was dropped goes on with --resume.",
  examples: [
    {
      command:
        "hlq mcp-serve --pack packs/pack_0123456789abcdef-20260101T000000Z --episode ep-2025071015-BTC",
      says: "one episode, for a client that starts this process",
    },
    {
      command: "hlq mcp-serve --pack packs/pack_0123456789abcdef-20260101T000000Z --out runs/agent --resume",
      says: "all of them, from where the last session ended",
    },
  ],
  input,
  output,
  async run(given, call) {
    const [{ serveEpisodes }, { episodeIdsFrom, fileNameOf }] = await Promise.all([
      import("./serve-episode.js"),
      import("@bridle/search"),
    ]);
    const at = (path: string) => (isAbsolute(path) ? path : join(call.cwd, path));
    const episodes = given.episode === undefined ? undefined : await episodeIdsFrom(given.episode, call);
    const [only, ...others] = episodes ?? [];
    const isOne = only !== undefined && others.length === 0;
    const runFolder = given.out ?? join("runs", isOne ? fileNameOf(only) : "outside");
    const ended = await serveEpisodes({
      pack: at(given.pack),
      ...(episodes === undefined ? {} : { episodes }),
      out: at(runFolder),
      resume: given.resume === true,
      call,
    });
    return { action: "hlq.mcp_serve" as const, runFolder, ended };
  },
  present: ({ runFolder, ended }) =>
    ended ? `Every episode has ended; ${runFolder}` : `The client left before the end; ${runFolder}`,
});

export const operations: readonly Operation[] = [hlqMcpServe as unknown as Operation];
