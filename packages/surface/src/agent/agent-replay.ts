/** `bridle agent replay`: a session carried out again from its log, with nothing asked and nothing touched. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";

const input = Type.Object(
  {
    session: Type.Optional(
      Type.String({
        minLength: 1,
        "x-position": 0,
        description: "Its name or the beginning of it, also of a child; the last one without it.",
      }),
    ),
    workspace: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description: "The folder that has the log; AGENT_WORKSPACE_ROOT or where you stand without it.",
      }),
    ),
    tape: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "file",
        "x-path": true,
        description: "Let the tape of the session speak, so that what the model was asked is compared too.",
      }),
    ),
    persona: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "file-or-text",
        description: "The agent's voice, as it was given then; only a tape wants to know it.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  action: Type.Literal("agent.replay"),
  session: Type.String(),
  rows: Type.Integer({ description: "All of them came out the same." }),
  asks: Type.Integer(),
  answers: Type.Integer(),
  calls: Type.Integer(),
  unfinished: Type.Boolean({ description: "The log ends in the middle of a turn." }),
  requestsCompared: Type.Boolean({ description: "A tape said what the model was asked." }),
});

export const agentReplayOperation = defineOperation({
  names: {
    ...{ id: "op/agent.replay", action: "agent.replay", tool: "agent_replay" },
    command: ["agent", "replay"],
  },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "Carry out a session again from its log and compare every row.",
  description:
    "The log answers for the model, the tools and the people, and says under which settings the session ran; what lies in " +
    "the folder now does not matter and is not touched. The first row that comes out otherwise is named with both values, " +
    "and the exit code is 1. With --tape the requests to the model are compared as well.",
  examples: [
    { command: "bridle agent replay", says: "whether the last session comes out the same" },
    { command: "bridle agent replay s-3f9a --json", says: "one by the beginning of its name, for a program" },
    { command: "bridle agent replay s-3f9a --tape run.tape", says: "with what the model was asked" },
  ],
  input,
  output,
  async run(given, call) {
    const { replayed } = await import("./replayed.js");
    return replayed(given, call);
  },
  present({ session, rows, asks, answers, calls, unfinished }, paint) {
    const counts = [
      ...[counted(rows, "row"), counted(asks, "ask"), counted(answers, "answer"), counted(calls, "call")],
    ].join(", ");
    const end = unfinished ? paint.note("; the log ends in the middle of a turn") : "";
    return `  ${paint.good("identical")}  ${session}: ${counts}; nothing was run${end}`;
  },
});

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
