/** `hlq pack build`: a new replay pack from made-up or recorded markets. */
import { defineOperation } from "@bridle/operation";
import { refusedKinds, type SourceFile } from "@bridle/market";
import { parseInstant, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { makePack } from "../pack/build/make.js";
import { episodesInWords, headOf, packHead, pathOf, shown } from "./pack-input.js";
import { dataInput, sourceFilesOf } from "./data-input.js";
import { packSourceOf } from "./pack-source.js";
import { paramsFrom, questionInput } from "./question-input.js";

export const packBuild = defineOperation({
  names: {
    id: "op/hlq.pack_build",
    action: "hlq.pack.build",
    command: ["pack", "build"],
    tool: "hlq_pack_build",
  },
  family: "hlq",
  effect: "mutate",
  needs: "nothing",
  surfaces: ["cli"],
  summary: "Make a replay pack from made-up or recorded markets.",
  description:
    "Writes a new folder under --out and touches no other. The same sources give the same pack id and the same episodes " +
    "on every machine; only the time and the revision differ. Files may be CSV, JSONL or Parquet, also compressed; what " +
    "they do not hold is left out of the views, and what would make numbers wrong is refused (`hlq data check` tells all of it). The " +
    "question can be changed: what a stress is, how long it must last, what it is measured against. `info` asks the exchange itself for candles and funding of whole hours. " +
    "Synthetic and recorded markets never stand in one pack.",
  examples: [
    {
      command: "hlq pack build --source synthetic --seed 7 --out packs",
      says: "everything offline, from a seed",
    },
    { command: "hlq pack build --source candles.csv --source funding.csv", says: "from recorded data" },
    {
      command: "hlq pack build --source info --from 2025-07-01T00:00:00Z --to 2025-08-31T23:00:00Z",
      says: "from the exchange",
    },
  ],
  input: Type.Object(
    {
      sources: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        "x-flag": "source",
        "x-placeholder": "synthetic|info|file",
        description:
          "`synthetic`; `info`, or `info:` and the address of an info endpoint; or a file of recorded data, given once per file.",
      }),
      from: Type.Optional(
        Type.String({ description: "Of `info`: the first hour that is asked for, RFC 3339." }),
      ),
      to: Type.Optional(
        Type.String({ description: "Of `info`: the last hour that is asked for, RFC 3339." }),
      ),
      infoMarkets: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          minItems: 1,
          "x-flag": "info-market",
          description:
            "Of `info`: a market that is asked for, once per market; all that are listed without it.",
        }),
      ),
      seed: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "Of the synthetic market; 1 without it." }),
      ),
      syntheticMarkets: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: 64,
          description: "How many markets are made up; 24 without it.",
        }),
      ),
      days: Type.Optional(
        Type.Integer({ minimum: 20, maximum: 1000, description: "Over how many days; 120 without it." }),
      ),
      markets: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          minItems: 1,
          "x-flag": "market",
          description: "Only episodes of this market; given once per market.",
        }),
      ),
      ...dataInput,
      accept: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          "x-placeholder": "class",
          description: `What the data is not refused for, given once per class: ${refusedKinds.join(", ")}.`,
        }),
      ),
      ...questionInput,
      out: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "folder",
          "x-path": true,
          description: "Where the new folder goes; packs without it.",
        }),
      ),
      now: Type.Optional(
        Type.String({ description: "The time that the manifest says, RFC 3339; the clock's without it." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("hlq.pack.build"), ...packHead }),
  async run(input, call) {
    const source = packSourceOf(input);
    if ("refused" in source) return source;
    const now = input.now === undefined ? undefined : parseInstant(input.now);
    if (input.now !== undefined && now === undefined) {
      return refuse("timestamp_invalid", { message: `--now is ${input.now}, which is no RFC 3339 time` });
    }
    const accept = input.accept ?? [];
    const stranger = accept.find((kind) => !(refusedKinds as readonly string[]).includes(kind));
    if (stranger !== undefined) {
      return refuse("input_invalid", {
        message: `--accept: there is no defect ${stranger}`,
        hint: `What is refused is ${refusedKinds.join(", ")}.`,
      });
    }
    const files =
      source.kind === "files"
        ? sourceFilesOf(
            source.paths.map((path) => pathOf(call, path)),
            input,
          )
        : [];
    if ("refused" in files) return files;
    const params = paramsFrom(input);
    if ("refused" in params) return params as Refusal;
    const { folder, manifest } = await makePack({
      source:
        source.kind === "files"
          ? { kind: "files", files: files as readonly SourceFile[], accept }
          : source.kind === "info"
            ? { ...source, accept }
            : source,
      params,
      out: pathOf(call, input.out ?? "packs"),
      ...(input.markets === undefined ? {} : { markets: input.markets }),
      nowMs: now === undefined ? await call.ports.clock.now() : now.seconds * 1000,
      ports: call.ports,
      signal: call.signal,
      progress: (done, total) => call.progress({ doing: "building episodes", done, total }),
    });
    if (manifest.episode_count === 0) call.warn("no stress was found in these markets, so the pack is empty");
    return { action: "hlq.pack.build" as const, ...headOf(manifest, shown(call, folder)) };
  },
  present({ packId, episodeCount, synthetic, folder }, paint) {
    const kind = synthetic ? ", synthetic" : "";
    return `  ${paint.strong(packId)}  ${episodesInWords(episodeCount)}${kind}\n  ${paint.dim(folder)}`;
  },
});
