/** `premath harness-join-check`: whether the evidence of a turn is closed, and whether it may change issues. */
import { defineOperation } from "@bridle/operation";
import { isRefusal, type JsonValue, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { joinCheck as check, joinWitnessKind } from "../gate/join-check.js";
import { readTextFile } from "./text-file.js";

const evidenceLimit = {
  bytesMax: 8 * 1024 * 1024,
  holder: "the evidence of a turn",
  hint: "Give digests of what the tools returned, not the results themselves.",
};
const texts = Type.Array(Type.String());

export const joinCheck = defineOperation({
  names: {
    id: "op/harness.join_check",
    action: "harness.join_check",
    command: ["harness-join-check"],
    tool: "harness_join_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Say whether a turn of tool use is closed.",
  description:
    "Puts the evidence into its normal form, digests it and names every reason why the join is open, and why issue " +
    "memory may not be changed on it. Both verdicts are answers; evidence that has no normal form is exit code 2.",
  examples: [
    { command: "premath harness-join-check --input turn.json --json", says: "is this turn closed?" },
  ],
  invalidInput: "harness_join_check_invalid",
  rejectionIsAnswer: true,
  input: Type.Object(
    {
      input: Type.String({
        minLength: 1,
        "x-placeholder": "path",
        description: "The file with the evidence.",
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-join-check"),
    result: Type.Union([Type.Literal("accepted"), Type.Literal("rejected")]),
    failureClasses: texts,
    joinClosed: Type.Boolean(),
    mutationReady: Type.Boolean(),
    mutationFailureClasses: texts,
    witness: Type.Object({
      schema: Type.Literal(1),
      witnessKind: Type.Literal(joinWitnessKind),
      digests: Type.Record(Type.String(), Type.String()),
      joinInput: Type.Record(Type.String(), Type.Unknown()),
      mutationInput: Type.Record(Type.String(), Type.Unknown()),
    }),
    normalized: Type.Record(Type.String(), Type.Unknown()),
  }),
  async run({ input }, call) {
    const given = await readTextFile(input, call, evidenceLimit);
    if (isRefusal(given)) return unreadable(given);
    const parsed = parse(given);
    if (isRefusal(parsed)) return parsed;
    const answer = check(parsed.value);
    return isRefusal(answer) ? answer : ({ action: "harness-join-check", ...answer } as never);
  },
  present(answer, paint) {
    const verdict = answer.joinClosed ? paint.good("closed") : paint.bad("open");
    const ready = answer.mutationReady ? paint.good("may change issues") : "may not change issues";
    const why = [...answer.failureClasses, ...answer.mutationFailureClasses];
    return [`  ${verdict} · ${ready}`, ...why.map((each) => `  ${paint.bad(each)}`)].join("\n");
  },
});

function parse(text: string): { readonly value: JsonValue } | Refusal {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return unreadable(refuse("json_invalid", { message: (error as Error).message }));
  }
}

function unreadable({ message, hint }: Refusal): Refusal {
  return refuse("harness_join_check_invalid", {
    message: message ?? "the input cannot be read",
    ...(hint === undefined ? {} : { hint }),
  });
}
