/** `hlq walk-forward`: a model trained, run and judged on successive windows of a pack. */
import { columns, defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { evaluationTable } from "../eval/table.js";
import { Evaluation } from "../eval/types.js";
import { walkForward } from "../eval/walk-forward.js";
import { openPack } from "../pack/open.js";
import { pathOf } from "./pack-input.js";
import { packFlag } from "./run-input.js";

const windowsMax = 52;

export const walkForwardOperation = defineOperation({
  names: {
    id: "op/hlq.walk_forward",
    action: "hlq.walk_forward",
    command: ["walk-forward"],
    tool: "hlq_walk_forward",
  },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Train, run and judge on successive windows of a pack.",
  description:
    "Cuts the time of the pack into windows. For each a model is trained on what lay before it, with an embargo between, and " +
    "the assisted policy is run with it and judged on the window, beside the heuristic and the baselines. Every window is " +
    "reported, and all of them together. Nothing is written.",
  examples: [
    {
      command: "hlq walk-forward --pack packs/demo --windows 6",
      says: "whether it holds at other times, too",
    },
  ],
  input: Type.Object(
    {
      pack: packFlag,
      windows: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: windowsMax,
          default: 6,
          description: "How many windows are judged; 6 without it.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.walk_forward"),
    windows: Type.Array(
      Type.Object({
        fromUtc: Type.String(),
        toUtc: Type.String({ description: "Not included." }),
        trainedOn: Type.Integer({ description: "Trajectories." }),
        validatedOn: Type.Integer(),
        failed: Type.Union([Type.String(), Type.Null()], {
          description: "Why the model learnt nothing; null where it did.",
        }),
        evaluation: Type.Union([Evaluation, Type.Null()], { description: "Null without an episode." }),
      }),
    ),
    together: Type.Union([Evaluation, Type.Null()]),
  }),
  async run(input, call) {
    const pack = await openPack(pathOf(call, input.pack), call.ports);
    try {
      const { windows, together } = await walkForward({
        pack,
        windows: input.windows ?? 6,
        signal: call.signal,
        progress: (doing, done, total) => call.progress({ doing, done, total }),
      });
      return {
        action: "hlq.walk_forward" as const,
        windows: windows.map(({ fromHour, toHour, ...window }) => ({
          fromUtc: utc(fromHour),
          toUtc: utc(toHour),
          ...window,
        })),
        together,
      };
    } finally {
      await pack.close();
    }
  },
  present({ windows, together }, paint) {
    const number = (value: number | null | undefined, digits: number) =>
      value === null || value === undefined ? "–" : value.toFixed(digits);
    const rows = windows.map(({ fromUtc, trainedOn, failed, evaluation }) => {
      const of = (name: string) => evaluation?.policies.find(({ label }) => label === name);
      const [assisted, base] = [of("assisted"), of("base-rate")];
      const against = evaluation?.comparisons.find(
        (each) => each.label === "assisted" && each.against === "base-rate",
      );
      return [
        fromUtc.slice(0, 10),
        `${trainedOn} learnt from`,
        failed === null ? paint.good("learnt") : paint.note("learnt nothing"),
        `${assisted?.episode_count ?? 0} episodes`,
        `AUC ${number(assisted?.probability?.auc.value, 3)}`,
        `log loss ${number(assisted?.probability?.log_loss.value, 3)}, base rate ${number(base?.probability?.log_loss.value, 3)}`,
        against?.log_loss?.verdict ?? "",
      ];
    });
    return [
      ...columns(rows),
      ...(together === null ? [] : ["", "  all windows together", ...evaluationTable(together, paint)]),
    ].join("\n");
  },
});

function utc(hour: number): string {
  return new Date(hour * 3_600_000).toISOString();
}
