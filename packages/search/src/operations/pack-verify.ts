/** `hlq pack verify`: whether a pack is what its manifest says. */
import { grouped } from "@bridle/record";
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { verifyPack } from "../pack/verify.js";
import { episodesInWords, headOf, packHead, packInput, pathOf } from "./pack-input.js";

export const packVerify = defineOperation({
  names: {
    id: "op/hlq.pack_verify",
    action: "hlq.pack.verify",
    command: ["pack", "verify"],
    tool: "hlq_pack_verify",
  },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Check a replay pack to the byte.",
  description:
    "Reads the whole pack: the digests, the count, the order and the form of every episode. What is wrong is named with its line.",
  examples: [
    {
      command: "hlq pack verify packs/pack_0123456789abcdef-20260101T000000Z",
      says: "before trusting a copy",
    },
  ],
  input: Type.Object({ ...packInput }, { additionalProperties: false }),
  output: Type.Object({ action: Type.Literal("hlq.pack.verify"), ...packHead, bytes: Type.Integer() }),
  async run({ pack }, call) {
    const { manifest, bytes } = await verifyPack(pathOf(call, pack), call.ports);
    return { action: "hlq.pack.verify" as const, ...headOf(manifest, pack), bytes };
  },
  present({ packId, episodeCount, bytes }, paint) {
    return `  ${paint.good("sound")}  ${packId}, ${episodesInWords(episodeCount)}, ${grouped(bytes)} bytes`;
  },
});
