/** `premath harness-session write`: makes the session, or updates it in place. */
import { type Call, defineOperation } from "@bridle/operation";
import { failureAt, formatSeconds } from "@bridle/record";
import * as Type from "typebox";
import { snapshotRefIn, warnOf } from "../store/snapshot.js";
import { mergeSession, openSession } from "../projection/session.js";
import { optionalText } from "../text.js";
import { Session } from "../types.js";
import { issuesPlace, withMemory } from "../calls/issues.js";
import { mutationInput } from "./mutation-input.js";
import { issuesDefault, pathInput, rootInput, sessionDefault, sessionPlace } from "../calls/place.js";
import { presentSession } from "./present-session.js";
import { refsInput } from "./refs-input.js";

const optional = (placeholder: string, description: string) =>
  Type.Optional(
    Type.String({ "x-placeholder": placeholder, description: `${description}; blank removes it.` }),
  );

export const sessionWrite = defineOperation({
  names: {
    id: "op/harness.session_write",
    action: "harness.session.write",
    command: ["harness-session", "write"],
    tool: "harness_session_write",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Write the harness session, or update it in place.",
  description:
    "What is not named stays as it was, what is named blank is removed, and a list that is named replaces the old " +
    "one. The session id and the start are kept. Moving to another issue leaves the old issue's refs behind, unless " +
    "they are named again. The file is replaced atomically under a lock; members that this version does not know " +
    "are kept as they are.",
  examples: [
    {
      command:
        "premath harness-session write --state active --issue-id bd-14 --instruction-ref instr://plan-7",
      says: "starts work on an issue",
    },
    {
      command: 'premath harness-session write --summary "parser done" --next-step "wire it up"',
      says: "stops, and leaves a handoff",
    },
  ],
  input: Type.Object(
    {
      path: pathInput("The session file", sessionDefault),
      sessionId: Type.Optional(
        Type.String({
          "x-placeholder": "id",
          description: "A new id; the old one, or a fresh one, when left out.",
        }),
      ),
      state: Type.Optional(
        Type.Enum(["active", "stopped"], {
          default: "stopped",
          description: "Whether somebody is at work; stopped when left out.",
        }),
      ),
      issueId: optional("id", "The issue that is worked on"),
      summary: optional("text", "Where the work stands"),
      nextStep: optional("text", "What to do next"),
      ...refsInput,
      issues: Type.Optional(
        Type.String({
          "x-placeholder": "path",
          "x-path": true,
          description: `Issue memory, ${issuesDefault} when left out.`,
        }),
      ),
      root: rootInput,
      instructionId: mutationInput.instructionId,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("harness-session.write"),
    path: Type.String(),
    session: Session,
  }),
  async run(input, call) {
    const { ports } = call;
    const place = await sessionPlace(input, call);
    const given = optionalText(input.issues) ?? optionalText(call.env["PREMATH_ISSUES_PATH"]);
    const snapshotRef = await snapshotRefOfIssues(given, input.root, call);
    const document = await openSession({ ...place, ports, signal: call.signal });
    call.signal.throwIfAborted();
    const session = await document.change(async (current) =>
      mergeSession(current, input, {
        // Asked under the lock, so that the session which was written last is also the latest.
        now: formatSeconds(await ports.clock.now()),
        issuesPath: given ?? issuesDefault,
        issuesSnapshotRef: snapshotRef,
      }),
    );
    return { action: "harness-session.write" as const, path: place.shown, session };
  },
  present: ({ session, path }, paint) => presentSession(session, path, paint),
});

/** Memory that cannot be read is no reason to lose the handoff. */
async function snapshotRefOfIssues(
  issuesPath: string | undefined,
  root: string | undefined,
  call: Call,
): Promise<string | undefined> {
  const issues = {
    ...(issuesPath === undefined ? {} : { issuesPath }),
    ...(root === undefined ? {} : { root }),
  };
  const warn = (sentence: string) => call.warn(sentence);
  const { path } = await issuesPlace(issues, call);
  try {
    return await withMemory(issues, call, (memory, { shown }) => snapshotRefIn(memory, shown, warn));
  } catch (error) {
    call.signal.throwIfAborted();
    return warnOf(failureAt(path, error).message, warn);
  }
}
