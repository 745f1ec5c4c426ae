/** What a line of a tape looks like: the schema that rows are checked with, and that is published. */
import * as Type from "typebox";
import { stopReasons } from "../types.js";

const signature = Type.Optional(Type.String());

const Part = Type.Union([
  Type.Object({ kind: Type.Literal("text"), text: Type.String(), signature }),
  Type.Object({
    kind: Type.Literal("thinking"),
    text: Type.String(),
    signature,
    redacted: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({
    kind: Type.Literal("tool_call"),
    id: Type.String(),
    name: Type.String(),
    argumentsText: Type.String({ description: "As the model wrote it; cut off where the model was." }),
    signature,
  }),
]);

const tokens = Type.Number({ minimum: 0 });

const Response = Type.Object({
  content: Type.Array(Part),
  stop: Type.Enum([...stopReasons]),
  usage: Type.Object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    costUsd: Type.Number({ minimum: 0 }),
  }),
  responseId: Type.Optional(Type.String()),
});

const Refused = Type.Object({
  refused: Type.String({ description: "The failure class." }),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
  detail: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const head = {
  tape: Type.Literal("bridle.tape.v1"),
  session: Type.String(),
  previous: Type.Union([Type.String(), Type.Null()], {
    description: "Digest of the session's row before it.",
  }),
  digest: Type.String({ description: "tape1_ and the SHA-256 of the rest of the row." }),
};

export const TapeRowSchema = Type.Union(
  [
    Type.Object({
      ...head,
      row: Type.Literal("call"),
      call: Type.Integer({ minimum: 1 }),
      place: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            "Of the request in its session. It was asked again after a crash where a call before has this place or a later one; those are void.",
        }),
      ),
      requestDigest: Type.String({ description: "Chained over the session's requests." }),
      shared: Type.Integer({ minimum: 0, description: "How many messages of the call before come first." }),
      messages: Type.Array(Type.Object({ role: Type.String() }), {
        description: "Those behind the shared ones.",
      }),
      settings: Type.Optional(
        Type.Object(
          { model: Type.String() },
          { description: "Left out when they are those of the call before." },
        ),
      ),
      outcome: Type.Union([Type.Object({ response: Response }), Type.Object({ refusal: Refused })]),
    }),
    Type.Object({
      ...head,
      row: Type.Literal("end"),
      calls: Type.Integer({ minimum: 0 }),
      place: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "Of the last request that counts; calls with a later one are void.",
        }),
      ),
    }),
  ],
  { title: "A row of a tape of model calls" },
);
