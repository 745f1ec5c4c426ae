/** Opening an agent and letting go of it: nothing is held by one that is not there. */
import { symlinkSync, unlinkSync } from "node:fs";
import { nodePorts } from "@bridle/record";
import { expect, it, vi } from "vitest";
import { testAgent, testTool } from "../../../test/support/agent.js";
import { newFolder } from "../../../test/support/folder.js";
import { makeStateFolder, sessionPath } from "./state-paths.js";
import { readRows } from "./session/sessions.js";

const script = [{ text: "Yes." }];
const more = { newSession: "s-1" };
const twice = [testTool("look", () => "seen"), testTool("look", () => "seen")];

it("an agent that cannot be made leaves its session to whoever opens it next", async () => {
  const workspace = newFolder();
  await expect(testAgent({ script, workspace, more, tools: twice })).rejects.toThrow("two tools");
  const { agent } = await testAgent({ script, workspace, more });
  expect((await agent.send("Hello?")).text).toBe("Yes.");
  await agent.close();
  const again = { script, workspace, session: "s-1" };
  await expect(testAgent({ ...again, tools: twice })).rejects.toThrow("two tools");
  const { agent: resumed } = await testAgent(again);
  expect(resumed.conversation.lastSend).toBe(1);
  await resumed.close();
});

it("a session whose log cannot be opened is not held", async () => {
  const workspace = newFolder();
  await makeStateFolder(workspace, nodePorts().files);
  const path = sessionPath(workspace, "s-1");
  symlinkSync(path, path);
  await expect(testAgent({ script, workspace, more })).rejects.toThrow("loop of links");
  unlinkSync(path);
  const { agent } = await testAgent({ script, workspace, more });
  await agent.close();
});

it("who closes an agent that works stops it, and the log has the end of its send", async () => {
  let running = false;
  const waits = testTool("wait", () => "", {
    run: (_, { signal }) =>
      new Promise((resolve) => {
        running = true;
        // It takes a while to stop, as a program does.
        signal.addEventListener("abort", () => setTimeout(resolve, 50, { ok: false, text: "Stopped." }));
      }),
  });
  const { agent, workspace } = await testAgent({
    ...{ script: [{ toolCalls: [{ name: "wait", arguments: {} }] }, ...script], tools: [waits], more },
  });
  const sent = agent.send("Wait.");
  await vi.waitFor(() => expect(running).toBe(true));
  await agent.close();
  expect((await sent).reason).toBe("cancelled");
  const rows = await readRows(sessionPath(workspace, "s-1"), nodePorts());
  expect(rows.at(-1)).toMatchObject({ type: "end", reason: "cancelled" });
});
