/**
 * The guided run's scene about an agent, for real but for the model, whose words
 * are a script: a loop that is stopped, and a write that is cut off and completed.
 *
 * Called with the folder to work in; prints what happens and, last, one line of
 * JSON with what a judge needs.
 */
import { agentDefaults, openAgent } from "@bridle/agent";
import { scriptedModel } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { paintFor } from "../../packages/surface/src/cli/paint.js";
import { endText, EventLines } from "../../packages/surface/src/agent/event-lines.js";
import { visibleLine } from "../../packages/surface/src/agent/visible.js";

const [folder = "", colour = "0"] = process.argv.slice(2);
const paint = paintFor(colour === "1");
const ports = nodePorts();
const session = "s-demo";
const config = { ...agentDefaults, reflexionSemantic: false };
const call = (id, name, args) => ({ id, name, arguments: args });

// --- What the model says ---------------------------------------------------------------------------

const report = Array.from(
  { length: 240 },
  (_, i) => `${i + 1}. The upload of part ${i + 1} was tried once more.\n`,
).join("");
const written = { path: "report.md", mode: "create", content: report };
const text = JSON.stringify(written);
const cutAt = text.indexOf("part 200 ");
/** What arrived of the content; the model goes on right behind it. */
const arrived = JSON.parse(`${text.slice(0, cutAt)}"}`).content;
const rest = report.slice(arrived.length);

const test = { path: "upload.test.ts" };
const script = [
  { toolCalls: [call("c1", "read_file", test)] },
  { toolCalls: [call("c2", "read_file", test)] },
  { toolCalls: [call("c3", "read_file", test)] },
  {
    text: "There is no upload.test.ts here; I looked twice and will not look again. What remains unknown is where it went.",
  },
  { toolCalls: [call("c4", "write_file", text)], cutAfterChars: cutAt },
  { toolCalls: [call("c5", "write_file", { path: "report.md", mode: "append", content: rest })] },
  { text: "report.md has all 240 lines." },
];

// --- What happens ----------------------------------------------------------------------------------

const say = (line) => process.stdout.write(`${line}\n`);
const { tools, workspace } = await standardTools({ root: folder, session, ports, env: process.env, config });
const refusals = [];
let resumes = 0;
const lines = new EventLines({ paint, tools: () => agent.toolbox.all });
const agent = await openAgent({
  ports,
  workspace: workspace.root,
  newSession: session,
  main: {
    call: scriptedModel(script, { clock: ports.clock }).call,
    model: "script/demo",
    contextTokens: 200_000,
  },
  tools,
  config,
  world: {
    osUser: "demo",
    workspace: workspace.root,
    harness: { name: "Bridle", version: "demo" },
    os: process.platform,
  },
  // The person of this demo says yes to writes.
  approver: async () => ({ decision: "approve" }),
  onEvent(event) {
    for (const line of lines.of(event)) say(line);
    if (event.type === "tool_result" && event.report.refusal?.rule) refusals.push(event.report.refusal.rule);
    if (event.type === "length_resume") resumes++;
    if (event.type === "turn_end") {
      say(`  ${visibleLine(event.result.text)}`);
      say(paint.dim(`  ${endText(event.result)}`));
    }
  },
});

for (const ask of ["Why does upload.test.ts fail?", "Write report.md"]) {
  say(`  ${paint.strong("›")} ${ask}`);
  await agent.send(ask);
}
await agent.close();
const file = await ports.files.open(`${workspace.root}/report.md`, "read");
const whole = Buffer.from(await file.read(0, report.length + 1)).toString() === report;
await file.close();
process.stdout.write(
  `${JSON.stringify({ refusals, resumes, whole, cutBytes: Buffer.byteLength(arrived) })}\n`,
);
