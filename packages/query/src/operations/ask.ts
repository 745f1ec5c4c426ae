/** `hlq ask`: one question in plain words, answered once. */
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { answerFields } from "./answer-schema.js";
import { answering, present } from "./answering.js";
import { askFlags, coinsIn } from "./flags.js";
import { specOf, type SourceSpec } from "../source/spec.js";
import type { Answer } from "../answer/types.js";

/** What the search harness made of one market: put together by whoever knows both rooms. */
export interface HarnessEnd {
  readonly packFolder: string;
  readonly runFolder: string;
  readonly episodeId: string;
  readonly terminalAction: string;
  readonly decisionClass: string | null;
  readonly stopReason: string;
}
export type HarnessBridge = (
  about: { readonly market: string; readonly spec: SourceSpec; readonly asOfHour: number },
  call: Call,
) => Promise<HarnessEnd | Refusal>;

/** With a bridge, `--harness` hands what one question cannot tell to the search harness. */
export function makeAsk(bridge?: HarnessBridge) {
  return defineOperation({
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
      {
        command: 'hlq ask "btc and eth whales" --dry-run',
        says: "what would be executed; nothing is opened",
      },
    ],
    input: Type.Object(
      {
        question: Type.String({
          "x-position": 0,
          "x-placeholder": "question",
          description: "In plain words; quote it.",
        }),
        harness: Type.Optional(
          Type.Boolean({
            "x-cli-only": true,
            description:
              "Also make a pack of the first market from the same source and run the heuristic on its latest episode.",
          }),
        ),
        ...askFlags,
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("hlq.ask"),
      ...answerFields,
      harness: Type.Optional(
        Type.Object({
          packFolder: Type.String(),
          runFolder: Type.String(),
          episodeId: Type.String(),
          terminalAction: Type.String(),
          decisionClass: Type.Union([Type.String(), Type.Null()]),
          stopReason: Type.String(),
        }),
      ),
    }),
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
      if (isRefusal(answer)) return answer;
      const whole = { action: "hlq.ask" as const, ...answer };
      if (input.harness !== true || dryRun === true || bridge === undefined || answer.hours === null)
        return whole as never;
      const market = answer.rows[0]?.["market"];
      const spec = specOf(sources ?? [], call.env["HLQ_SOURCE"]);
      if (typeof market !== "string" || isRefusal(spec)) {
        call.warn("--harness needs an answer about a market; there is none to make a pack of");
        return whole as never;
      }
      const end = await bridge({ market, spec, asOfHour: answer.hours.to_hour }, call);
      return (isRefusal(end) ? end : { ...whole, harness: end }) as never;
    },
    present: (answer, paint) => {
      const text = present(answer as unknown as Answer, paint);
      const { harness } = answer as { readonly harness?: HarnessEnd };
      if (harness === undefined) return text;
      const decision = harness.decisionClass === null ? "" : `, ${harness.decisionClass}`;
      return `${text}\n\n${paint.strong("harness")}  ${harness.episodeId}: ${harness.terminalAction}${decision} (${harness.stopReason})\n  ${paint.dim(harness.runFolder)}`;
    },
  });
}
