/** What a session does with a tool that is not ours: it asks, records, and replays without it. */
import {
  type Approver,
  type Commitment,
  readRows,
  replayLog,
  type SessionRow,
  sessionPath,
} from "@bridle/agent";
import { nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { testAgent, testTool } from "../../../test/support/agent.js";
import { rejectsWith } from "../../../test/support/failure.js";
import { foreignTool, recordedForeignTools } from "./foreign-tool.js";

const parameters = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false };
const echo = foreignTool({
  ...{ name: "mcp_x_echo", family: "mcp:x", description: "Echoes.", parameters },
  run: async ({ n }) => ({ ok: true, text: `echo ${String(n)}` }),
});
const script = [1, 2].map((n) => ({ toolCalls: [{ name: "mcp_x_echo", arguments: { n } }] }));

interface Lived {
  readonly commitment?: Partial<Commitment>;
  readonly config?: object;
  readonly answer?: "approve" | "reject";
}

/** Which calls somebody was asked about, and the rows of the session. */
async function lived({ commitment, config = {}, answer = "approve" }: Lived) {
  const asked: (string | undefined)[] = [];
  const approver: Approver = async ({ because }) => {
    asked.push(because);
    return answer === "approve" ? { decision: "approve" } : { decision: "reject", reason: "no" };
  };
  const tools = [echo, testTool("own", () => "ours")];
  const { agent, workspace } = await testAgent({
    script: [...script, { text: "Done." }],
    tools,
    config,
    approver,
  });
  if (commitment !== undefined) agent.commit(commitment);
  await agent.send("go");
  await agent.close();
  return { asked, rows: await readRows(sessionPath(workspace, agent.id), nodePorts()) };
}

const replayed = (rows: readonly SessionRow[]) =>
  replayLog({
    ...{ ports: nodePorts(), rows },
    toolsFor: ({ defined }) => [...recordedForeignTools(defined), testTool("own", () => "ours")],
  });

describe("a tool that is not ours", () => {
  test.each([
    ["is asked about", {}, 2],
    ["approved in advance, is not", { config: { autoApproveTools: ["mcp_x_echo"] } }, 0],
    ["under yolo, is not", { config: { yolo: true } }, 0],
    [
      "approved in advance, is while paths are kept",
      { config: { autoApproveTools: ["mcp_x_echo"] }, commitment: { paths: ["a"] } },
      2,
    ],
    ["under yolo, is while paths are kept", { config: { yolo: true }, commitment: { paths: ["a"] } }, 2],
    [
      "under yolo, is while a tier is ruled out",
      { config: { yolo: true }, commitment: { needs: ["network"] } },
      2,
    ],
    [
      "under yolo, is not while only another tool is ruled out",
      { config: { yolo: true }, commitment: { tools: ["own"] } },
      0,
    ],
  ] as const)("%s", async (_, given, times) => {
    const { asked, rows } = await lived(given as Lived);
    expect(asked).toHaveLength(times);
    if ("commitment" in given)
      for (const because of asked) expect(because).toMatch(/nothing holds this tool to it/);
    expect(rows.filter((row) => row.type === "tool_result").map(({ text }) => text)).toEqual([
      "echo 1",
      "echo 2",
    ]);
    expect(await replayed(rows)).toEqual({ rows: rows.length });
  });

  test("does not run on a no, and stands in the log with what it was, ours without", async () => {
    const { rows } = await lived({ config: { yolo: true }, commitment: { paths: ["a"] }, answer: "reject" });
    expect(rows.filter((row) => row.type === "tool_result").map(({ ran, code }) => [ran, code])).toEqual([
      [false, "approval_reject"],
      [false, "approval_reject"],
    ]);
    const [session] = rows;
    expect(session).toMatchObject({
      under: {
        tools: ["mcp_x_echo", "own"],
        defined: [{ name: "mcp_x_echo", family: "mcp:x", description: "Echoes.", parameters }],
      },
    });
  });

  test("of which a log says nothing that can be read is missed by name", async () => {
    const { rows } = await lived({});
    const [session, ...rest] = rows;
    if (session?.type !== "session") throw new Error("no session");
    for (const defined of [undefined, 7, [7], [{ name: "mcp_x_echo" }]]) {
      const under = { ...session.under, defined } as never;
      await rejectsWith("session_unreplayable", replayed([{ ...session, under }, ...rest]));
    }
  });
});
