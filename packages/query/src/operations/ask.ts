/** `hlq ask`: one question in plain words, answered once. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { answerFields } from "./answer-schema.js";
import { answering, present } from "./answering.js";
import { askFlags, coinsIn } from "./flags.js";
import type { Answer } from "../answer/types.js";

export const askOperation = defineOperation({
  names: { id: "op/hlq.ask", action: "hlq.ask", command: ["ask"], tool: "ask_market" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Answer a question about Hyperliquid markets and traders, with where every number came from.",
  description:
    "Routed once by its words, without a model; one SQL template with bound parameters; one ranked answer with provenance. " +
    "What cannot be answered here is said, with the nearest that can. Without a source the synthetic market answers, and " +
    "says so in its first line.",
  examples: [
    { command: 'hlq ask "top gainers last 24h"', says: "offline, from the synthetic market" },
    {
      command: 'hlq ask "funding above 50% apr" --source candles.csv --source funding.csv',
      says: "from recorded data",
    },
    { command: 'hlq ask "btc and eth whales" --dry-run', says: "what would be executed; nothing is opened" },
  ],
  input: Type.Object(
    {
      question: Type.String({
        "x-position": 0,
        "x-placeholder": "question",
        description: "In plain words; quote it.",
      }),
      ...askFlags,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("hlq.ask"), ...answerFields }),
  async run(input, call) {
    const { question, sources, maxBytes, dryRun, asOf, top } = input;
    const answer = await answering(
      {
        question,
        coins: coinsIn(input.coins),
        ...(sources === undefined ? {} : { sources }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
        ...(dryRun === undefined ? {} : { dryRun }),
        ...(asOf === undefined ? {} : { asOf }),
        ...(top === undefined ? {} : { top }),
      },
      call,
    );
    return isRefusal(answer)
      ? answer
      : ({ action: "hlq.ask" as const, ...(answer as never as object) } as never);
  },
  present: (answer, paint) => present(answer as unknown as Answer, paint),
});
