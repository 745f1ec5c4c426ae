/** `bridle agent run`: an agent as a worker's command, on one issue and with nobody to ask. */
import { type Call, defineOperation } from "@bridle/operation";
import { putFile } from "@bridle/record";
import * as Type from "typebox";
import type { ProcessStreams } from "./process-streams.js";
import { refusalOf } from "./ended.js";
import { agentInput } from "./input.js";
import type { OpenedAgent } from "./open.js";

const input = Type.Object(
  {
    issue: Type.String({ minLength: 1, "x-placeholder": "id", description: "The issue to work on." }),
    ...agentInput,
    workspace: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description:
          "The folder that the agent works in; AGENT_WORKSPACE_ROOT or where you stand without it.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  action: Type.Literal("agent.run"),
  issueId: Type.String(),
  session: Type.String(),
});

export function agentRunOperation(openStreams: () => Promise<ProcessStreams>) {
  return defineOperation({
    names: { id: "op/agent.run", action: "agent.run", command: ["agent", "run"], tool: "agent_run" },
    family: "bridle",
    effect: "mutate",
    needs: "nothing",
    surfaces: ["cli"],
    ownsStdout: true,
    summary: "Let an agent work on an issue, as the command of a worker.",
    description:
      "The agent reads the issue, its acceptance criteria and the handoff of the last session, works in the folder and " +
      "says what it did. Nobody is asked: calls that are safe run, those of AGENT_AUTO_APPROVE_TOOLS as well, and every " +
      "other is refused with a reason, unless --yolo. The issue is neither claimed nor closed; PREMATH_WORKER_ID says " +
      "whose lease is yours. The exit code is 0 only when the turn ended well.",
    examples: [
      { command: "bridle agent run --issue bd-14", says: "works on bd-14 in the folder that you stand in" },
      {
        command: "bridle agent run --issue bd-14 --max-rounds 40 --max-cost 1.50 --json",
        says: "within bounds, every event as a line of JSON",
      },
    ],
    input,
    output,
    async run(given, call) {
      const { askOfIssue } = await import("./issue-ask.js");
      const { sessionOperations } = await import("./operations.js");
      const operations = sessionOperations(call);
      const { id, fence, ask, ...rest } = await askOfIssue(given.issue, call, operations);
      const streams = await openStreams();
      const { issue: _, ...flags } = given;
      const options = { call, flags, operations, ...rest, issue: { id, fence } };
      const { sendOnce } = await import("./one-send.js");
      const { opened, result } = await sendOnce(ask, streams, options);
      const session = opened.agent.id;
      await tellEvidence(opened, call);
      const { reason, refusal } = result;
      if (reason !== "ok")
        return refusalOf({ session, reason, ...(refusal === undefined ? {} : { refusal }) });
      return { action: "agent.run" as const, issueId: id, session };
    },
  });
}

/** Whoever runs us as a work command is told which tools were called and what became of each answer. */
async function tellEvidence({ agent, workspace }: OpenedAgent, { env, ports }: Call): Promise<void> {
  const path = env["BRIDLE_TURN_EVIDENCE"] ?? "";
  if (path === "") return;
  const { readRows, sessionPath, turnEvidence } = await import("@bridle/agent");
  const evidence = turnEvidence(await readRows(sessionPath(workspace, agent.id), ports));
  if (evidence !== undefined) await putFile(path, Buffer.from(`${JSON.stringify(evidence)}\n`), ports);
}
