/** `hlq pack ls`: the packs in a folder. */
import { join } from "node:path";
import { columns, defineOperation } from "@bridle/operation";
import { codeOf, Failure } from "@bridle/record";
import * as Type from "typebox";
import { readManifest } from "../pack/open.js";
import { episodesInWords, headOf, packHead, pathOf, shown } from "./pack-input.js";

export const packLs = defineOperation({
  names: { id: "op/hlq.pack_ls", action: "hlq.pack.ls", command: ["pack", "ls"], tool: "hlq_pack_ls" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "List the replay packs in a folder.",
  examples: [{ command: "hlq pack ls", says: "those under packs/" }],
  input: Type.Object(
    {
      folder: Type.Optional(
        Type.String({
          minLength: 1,
          "x-position": 0,
          "x-placeholder": "folder",
          "x-path": true,
          description: "Where to look; packs without it.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.pack.ls"),
    packs: Type.Array(Type.Object({ ...packHead })),
  }),
  async run(input, call) {
    const folder = pathOf(call, input.folder ?? "packs");
    const packs = [];
    for (const name of await namesIn(folder, call.ports.files)) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      try {
        packs.push(headOf(await readManifest(path, call.ports), shown(call, path)));
      } catch (error) {
        if (!(error instanceof Failure) || error.failureClass !== "pack_missing") throw error;
      }
    }
    return { action: "hlq.pack.ls" as const, packs };
  },
  present({ packs }, paint) {
    if (packs.length === 0) return "  no packs; make one with `hlq pack build --source synthetic`";
    return columns(
      packs.map(({ packId, episodeCount, synthetic, generatedAtUtc, folder }) => [
        packId,
        episodesInWords(episodeCount),
        synthetic ? "synthetic" : "recorded",
        generatedAtUtc,
        paint.dim(folder),
      ]),
    ).join("\n");
  },
});

async function namesIn(folder: string, files: { list(path: string): Promise<string[]> }): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
