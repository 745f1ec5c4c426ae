/**
 * The four named tools, also commands: the same answers for callers that know what
 * they want, without a sentence to be understood first.
 */
import { defineOperation, type Operation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import type { Answer } from "../answer/types.js";
import type { FamilyName } from "../families.js";
import { answerFields } from "./answer-schema.js";
import { answering, present } from "./answering.js";
import { askFlags, coinsIn } from "./flags.js";

interface Tool {
  readonly tool: string;
  readonly command: string;
  readonly family: FamilyName;
  readonly summary: string;
  readonly example: string;
  /** Whether an account must be named. */
  readonly account: "required" | "optional";
  /** The sentence that the call stands for; it is what the log and the answer show. */
  readonly question: (address: string | undefined, lag: number | undefined) => string;
}

const tools: readonly Tool[] = [
  {
    tool: "find_similar_traders",
    command: "similar",
    family: "similarity",
    summary: "Accounts whose profile lies nearest to one account's.",
    example: "hlq similar 0x3f9a --top 5",
    account: "required",
    question: (address) => `who trades like ${address}`,
  },
  {
    tool: "explain_trader",
    command: "explain",
    family: "screening",
    summary: "One account's results: profit, win rate, trades, volume, drawdown.",
    example: "hlq explain 0x3f9a",
    account: "required",
    question: (address) => `stats for ${address}`,
  },
  {
    tool: "detect_copytrade",
    command: "copytrade",
    family: "copy_lag",
    summary: "Who repeats whose trades some days later.",
    example: "hlq copytrade --lag-days 1",
    account: "optional",
    question: (address, lag) =>
      `who copies ${address ?? "whom"}${lag === undefined ? "" : ` with a ${lag} day lag`}`,
  },
  {
    tool: "screen_risk",
    command: "risk",
    family: "risk_regime",
    summary: "Accounts under stress, or how risky one account is.",
    example: "hlq risk --top 5",
    account: "optional",
    question: (address) => (address === undefined ? "most stressed accounts" : `risk score of ${address}`),
  },
];

const address = {
  minLength: 4,
  maxLength: 42,
  pattern: "^0[xX][0-9a-fA-F]{2,40}$",
  "x-position": 0,
  "x-placeholder": "address",
};

export const toolOperations: readonly Operation[] = tools.map((each) => {
  const action = `hlq.${each.command}`;
  return defineOperation({
    names: { id: `op/hlq.${each.command}`, action, command: [each.command], tool: each.tool },
    family: "hlq",
    effect: "read",
    surfaces: ["cli", "mcp"],
    summary: each.summary,
    examples: [
      { command: each.example, says: "from the source that HLQ_SOURCE names, or the synthetic market" },
    ],
    input: Type.Object(
      {
        address:
          each.account === "required"
            ? Type.String({
                ...address,
                description: "The account: its address, or a beginning that no other has.",
              })
            : Type.Optional(Type.String({ ...address, description: "Only about this account." })),
        window: Type.Optional(Type.String({ maxLength: 64, description: 'When, in words: "last 30 days".' })),
        ...(each.family === "copy_lag"
          ? {
              lagDays: Type.Optional(
                Type.Integer({ minimum: 1, maximum: 30, description: "Only this lag; 1 and 3 without it." }),
              ),
            }
          : {}),
        ...askFlags,
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ action: Type.Literal(action), ...answerFields }),
    async run(given, call) {
      const input = given as {
        readonly address?: string;
        readonly window?: string;
        readonly lagDays?: number;
        readonly coins?: string;
        readonly sources?: readonly string[];
        readonly maxBytes?: number;
        readonly dryRun?: boolean;
        readonly asOf?: string;
        readonly top?: number;
      };
      const question = `${each.question(input.address?.toLowerCase(), input.lagDays)}${input.window === undefined ? "" : ` ${input.window}`}`;
      const answer = await answering(
        {
          question,
          family: each.family,
          coins: coinsIn(input.coins),
          ...(input.address === undefined ? {} : { addresses: [input.address] }),
          ...(input.sources === undefined ? {} : { sources: input.sources }),
          ...(input.maxBytes === undefined ? {} : { maxBytes: input.maxBytes }),
          ...(input.dryRun === undefined ? {} : { dryRun: input.dryRun }),
          ...(input.asOf === undefined ? {} : { asOf: input.asOf }),
          ...(input.top === undefined ? {} : { top: input.top }),
        },
        call,
      );
      return isRefusal(answer) ? answer : ({ action, ...(answer as unknown as object) } as never);
    },
    present: (answer, paint) => present(answer as unknown as Answer, paint),
  }) as unknown as Operation;
});
