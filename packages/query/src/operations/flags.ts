/** The flags of `hlq ask` and of the tools. Files are named on the command line only: another caller gets the server's source. */
import * as Type from "typebox";
import { queryLimits } from "../limits.js";

export const sourceFlags = {
  sources: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      "x-flag": "source",
      "x-placeholder": "synthetic|info|bigquery|file",
      "x-cli-only": true,
      description:
        "`synthetic`; `info`, or `info:` and an address; `bigquery`; or a file, once per file. HLQ_SOURCE without it.",
    }),
  ),
  maxBytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      "x-cli-only": true,
      description: "Of `bigquery`: bytes that one statement may read; 1 GB without it.",
    }),
  ),
} as const;

export const askFlags = {
  dryRun: Type.Optional(Type.Boolean({ description: "Show what would be executed; open no source." })),
  coins: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      "x-flag": "coin",
      "x-placeholder": "BTC,ETH",
      description: "Markets, separated by commas, besides those that the question names.",
    }),
  ),
  asOf: Type.Optional(
    Type.String({
      "x-placeholder": "time",
      description: "As of when, RFC 3339; the source's last hour without it.",
    }),
  ),
  top: Type.Optional(
    Type.Integer({ minimum: 1, maximum: queryLimits.topMax, description: "How many rows." }),
  ),
  ...sourceFlags,
} as const;

export function coinsIn(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((coin) => coin.trim())
    .filter((coin) => coin !== "");
}
