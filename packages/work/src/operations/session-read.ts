/** `premath harness-session read`: the session as it stands. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { openSession } from "../projection/session.js";
import { Session } from "../types.js";
import { pathInput, rootInput, sessionDefault, sessionPlace } from "../calls/place.js";
import { presentSession } from "./present-session.js";
import { sessionMissing } from "./session-missing.js";

export const sessionRead = defineOperation({
  names: {
    id: "op/harness.session_read",
    action: "harness.session.read",
    command: ["harness-session", "read"],
    tool: "harness_session_read",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Show the harness session.",
  description:
    "Reads the handoff that the last session left: its state, issue, summary, next step and refs. " +
    "A file of another kind, schema or state is refused by member; nothing is changed.",
  examples: [
    { command: "premath harness-session read", says: "the session of the project that you stand in" },
    {
      command: "premath harness-session read --path handoff/session.json --json",
      says: "a session elsewhere, as JSON",
    },
  ],
  input: Type.Object(
    { path: pathInput("The session file", sessionDefault), root: rootInput },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-session.read"),
    path: Type.String(),
    session: Session,
  }),
  async run(input, call) {
    const place = await sessionPlace(input, call);
    const document = await openSession({ ...place, ports: call.ports });
    const session = await document.read();
    if (session === undefined) return sessionMissing(place);
    return { action: "harness-session.read" as const, path: place.shown, session };
  },
  present: ({ session, path }, paint) => presentSession(session, path, paint),
});
