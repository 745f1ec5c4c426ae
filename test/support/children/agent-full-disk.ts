/** An agent whose edit makes a file larger than this process may make one; says what the call came to, and the answer. */
import * as fs from "node:fs";
import { join } from "node:path";
import { agentDefaults, openAgent } from "@bridle/agent";
import { scriptedModel } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { args, done, say } from "../child-kit.js";

// Without it the kernel ends a process that writes too much.
process.on("SIGXFSZ", () => {});

const { folder, text } = args<{ folder: string; text: string }>();
fs.writeFileSync(join(folder, "a.txt"), text);
const ports = nodePorts();
const config = { ...agentDefaults, reflexionSemantic: false, autoApproveTools: ["edit_file"] };
const { tools } = await standardTools({ root: folder, session: "s-1", env: {}, ports, config });
const grow = [{ search: "x", replace: "y".repeat(300), all: true }];
const agent = await openAgent({
  ports,
  workspace: folder,
  main: {
    call: scriptedModel([
      { toolCalls: [{ name: "edit_file", arguments: { path: "a.txt", replacements: grow } }] },
      { text: "a.txt is as it was." },
    ]).call,
    model: "script/one",
    contextTokens: 200_000,
  },
  tools,
  config,
  world: { osUser: "ada", workspace: folder, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
  newSession: "s-1",
  onEvent: (event) => {
    if (event.type === "tool_result") say(`result ${event.report.refusal?.code ?? "ok"}`);
  },
});
const { reason, text: answer } = await agent.send("make it larger");
await agent.close();
say(`answer ${reason} ${answer}`);
done();
