/** `bridle chat`: a conversation with an agent that works in a folder. */
import { type Call, defineOperation } from "@bridle/operation";
import { Failure, formatSeconds, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import type { ProcessStreams } from "./process-streams.js";
import { agentInput } from "./input.js";
import { type Ended, refusalOf } from "./ended.js";

const input = Type.Object(
  {
    message: Type.Optional(
      Type.String({
        "x-position": 0,
        description:
          "What to ask; the answer goes to stdout and the command ends. From stdin where that is no terminal.",
      }),
    ),
    ...agentInput,
    resume: Type.Optional(
      Type.String({
        minLength: 1,
        "x-bare": "last",
        "x-placeholder": "session",
        description:
          "Go on with a session, the last one when none is named; one that was interrupted finishes first.",
      }),
    ),
    sessions: Type.Optional(
      Type.Boolean({
        description: "List the sessions of the folder, with what was asked and how they ended.",
      }),
    ),
    workspace: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description:
          "The folder that the agent works in; AGENT_WORKSPACE_ROOT or where you stand without it.",
      }),
    ),
    persona: Type.Optional(
      Type.String({ minLength: 1, "x-placeholder": "file-or-text", description: "The agent's voice." }),
    ),
    tape: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "file",
        "x-path": true,
        description: "Record there what the model was asked and answered.",
      }),
    ),
    fromTape: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "file",
        "x-path": true,
        description: "Let a tape speak instead of the model; the tools work as ever.",
      }),
    ),
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof input>;

const output = Type.Object({
  action: Type.Literal("agent.chat"),
  session: Type.Union([Type.String(), Type.Null()], { description: "Null where sessions were listed." }),
});

export function chatOperation(openStreams: () => Promise<ProcessStreams>) {
  return defineOperation({
    names: { id: "op/agent.chat", action: "agent.chat", command: ["chat"], tool: "agent_chat" },
    family: "bridle",
    effect: "mutate",
    needs: "nothing",
    surfaces: ["cli"],
    ownsStdout: true,
    summary: "Talk with an agent that works in a folder.",
    description:
      "At a terminal it is a conversation: calls that can do harm are asked for, Ctrl-C stops a turn, /help says what " +
      "there is. Elsewhere one question is answered, and the exit code is 0 only when the turn ended well. With --json " +
      "every event is one line on stdout, and stdin has one message or decision a line; see docs/guides/agent.md.",
    examples: [
      { command: "bridle chat", says: "a conversation in the folder that you stand in" },
      { command: 'bridle chat "Why does the upload test fail?"', says: "one question, one answer" },
      { command: "bridle chat --resume", says: "goes on with the last session, also after a crash" },
      { command: "bridle chat --sessions", says: "lists the sessions of the folder" },
    ],
    input,
    output,
    async run(given, call) {
      const streams = await openStreams();
      if (given.sessions === true) return list(given, call, streams);
      if (given.tape !== undefined && given.fromTape !== undefined) {
        return refuse("input_invalid", {
          message: "--tape and --from-tape cannot both be given",
          hint: "Record a tape, or play one.",
        });
      }
      if (call.wantsJson === true) return inJson(given, call, streams);
      if (given.message === undefined && streams.inputIsTerminal && streams.outputIsTerminal) {
        const { chatAtTerminal } = await import("../terminal/chat.js");
        return answer(await chatAtTerminal({ call, flags: given, streams }));
      }
      return once(given, call, streams);
    },
  });
}

function answer(session: string | null): Type.Static<typeof output> {
  return { action: "agent.chat", session };
}

async function list(given: Input, call: Call, streams: ProcessStreams) {
  const { listSessions, workspaceOf } = await import("@bridle/agent");
  const sessions = await listSessions(await workspaceOf(call, given), call.ports);
  if (call.wantsJson === true) {
    const rows = sessions.map(({ changedMs, ...facts }) => ({
      ...facts,
      changedAt: formatSeconds(changedMs),
    }));
    await streams.out(`${JSON.stringify({ action: "agent.chat", sessions: rows }, null, 2)}\n`);
  } else {
    const { sessionLines } = await import("./session-list.js");
    const { plainPaint } = await import("../cli/paint.js");
    await streams.out(`${sessionLines(sessions, plainPaint).join("\n")}\n`);
  }
  return answer(null);
}

async function inJson(given: Input, call: Call, streams: ProcessStreams) {
  const { chatInJson } = await import("./json-chat.js");
  const { message } = given;
  const ended = await chatInJson({
    call,
    flags: given,
    streams,
    ...(message === undefined ? {} : { message }),
  });
  return ended.reason === "ok" ? answer(ended.session) : refusalOf(ended);
}

async function once(
  given: Input,
  call: Call,
  streams: ProcessStreams,
): Promise<Type.Static<typeof output> | Refusal> {
  const { sendOnce, wholeInput } = await import("./one-send.js");
  const text = given.message ?? (streams.inputIsTerminal ? "" : await wholeInput(streams.input, call));
  if (text.trim() === "") {
    throw new Failure("input_invalid", {
      message: "nothing was asked",
      hint: 'Ask as in `bridle chat "…"`, pipe the question in, or talk at a terminal.',
    });
  }
  const { opened, result } = await sendOnce(text, streams, { call, flags: given });
  const session = opened.agent.id;
  const { reason, refusal } = result;
  return reason === "ok"
    ? answer(session)
    : refusalOf({ session, reason, ...(refusal === undefined ? {} : { refusal }) } satisfies Ended);
}
