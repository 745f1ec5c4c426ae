/** `premath harness-join-check`: whether a turn of tool use is closed, and whether it may change issues. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { joinCheck, joinWitnessKind } from "../gate/join-check.js";
import { gateSentences } from "../gate/sentences.js";
import { readJsonFile } from "./json-file.js";

const invalid = "harness_join_check_invalid";
const classes = (description: string) => Type.Array(Type.String(), { description });

const sentences: Readonly<Record<string, string>> = gateSentences;
const unused = "Nothing says what the results of the tools were used for.";

export const harnessJoinCheck = defineOperation({
  names: {
    id: "op/harness.join_check",
    action: "harness.join_check",
    command: ["harness-join-check"],
    tool: "harness_join_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  rejectionIsAnswer: true,
  invalidInput: invalid,
  checker: true,
  summary: "Judge whether a turn of tool use is closed.",
  description:
    "Evidence of one turn is put into its normal form, digested, and judged from that alone: every request has a " +
    "result, every result a use, the context was shown, the handoff is whole. A rejection is an answer and exits " +
    "with 0; evidence that has no normal form exits with 2. Nothing is changed.",
  examples: [
    {
      command: "premath harness-join-check --input turn.json --json",
      says: "the verdict, its digests and why",
    },
  ],
  input: Type.Object(
    {
      input: Type.String({
        minLength: 1,
        "x-placeholder": "path",
        "x-path": true,
        description: "The evidence of the turn, JSON.",
      }),
      policyDigest: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "digest",
          description: "The mutation policy in force; a turn under another one may change nothing.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      action: Type.Literal("harness-join-check"),
      result: Type.Enum(["accepted", "rejected"]),
      failureClasses: classes("Why the turn is not closed, sorted."),
      joinClosed: Type.Boolean({ description: "Whether it was accepted." }),
      mutationReady: Type.Boolean({ description: "Whether the turn may change issues." }),
      mutationFailureClasses: classes("Why it may not, sorted."),
      witness: Type.Object({
        schema: Type.Literal(1),
        witnessKind: Type.Literal(joinWitnessKind),
        digests: Type.Record(Type.String(), Type.String()),
        joinInput: Type.Object({}, { description: "What the verdict was made from." }),
        mutationInput: Type.Object({}, { description: "What a mutation gate needs to know." }),
      }),
      normalized: Type.Object({}, { description: "premath.harness.typestate_normalized.v1" }),
    },
    { description: "The verdict on one turn of tool use." },
  ),
  async run({ input, policyDigest }, call) {
    const given = await readJsonFile(input, call, invalid);
    if (isRefusal(given)) return given;
    const check = joinCheck(given.value, policyDigest);
    if (isRefusal(check)) return check;
    return { action: "harness-join-check" as const, ...check };
  },
  present({ result, failureClasses, mutationReady, mutationFailureClasses }, paint) {
    const verdict = result === "accepted" ? paint.good("closed") : paint.bad("open");
    const may = mutationReady ? "it may change issues" : "it may change no issue";
    const why = [...failureClasses, ...mutationFailureClasses].map(
      (each) => `  ${paint.note(each)}  ${sentences[each] ?? unused}`,
    );
    return [`  the turn is ${verdict}; ${may}`, ...why].join("\n");
  },
});
