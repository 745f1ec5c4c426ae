/**
 * Turns of a thousand rounds in a process of its own, ours or pi's: both run through
 * pi's loop, and what one taught the compiler about it would cost the other.
 *
 *     agent-turn ours|pi|long <folder>     prints JSON
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { agentDefaults, type AgentTool, openAgent } from "@bridle/agent";
import { type ScriptedStep, scriptedModel } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { piTurn } from "./pi-turn.js";

const rounds = 1_000;
const longRounds = 10_000;
/** Until it is compiled, one times the compiler. */
const practice = 8;
const repeats = 9;

async function piMs(): Promise<number> {
  const script = scriptOf(rounds);
  const from = performance.now();
  await piTurn(script, rounds);
  return performance.now() - from;
}

async function turn(workspace: string, count: number) {
  const ports = nodePorts();
  await ports.files.makeDirectory(workspace);
  const marks: number[] = [];
  const agent = await openAgent({
    ports,
    workspace,
    durability: "written",
    main: {
      call: scriptedModel(scriptOf(count), { forgetful: true }).call,
      model: "script/one",
      contextTokens: 200_000,
    },
    config: { ...agentDefaults, roundsMax: longRounds + 10, sendTimeoutMs: 0 },
    world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "bench" }, os: "bench" },
    tools: [look],
    onEvent: (event) => {
      if (event.type === "round_start" && event.round % 1_000 === 1) marks.push(performance.now());
    },
  });
  const from = performance.now();
  const { rounds: made } = await agent.send("go");
  const totalMs = performance.now() - from;
  await agent.close();
  rmSync(workspace, { recursive: true, force: true });
  if (made !== count + 1) throw new Error(`the send made ${made} rounds`);
  return { totalMs, thousandsMs: marks.slice(1).map((mark, i) => mark - (marks[i] as number)) };
}

const look: AgentTool = {
  name: "look",
  description: "Looks.",
  family: "core",
  parameters: { type: "object", properties: { at: { type: "number" } }, additionalProperties: false },
  intent: ({ at }) => ({
    key: `look ${String(at)}`,
    repeat: "run",
    risk: "safe",
    says: "look",
    reads: [`f${String(at)}`],
  }),
  // Something new each time: a turn that learns nothing new is ended.
  run: async ({ at }) => ({ ok: true, text: `saw ${String(at)}` }),
};

function scriptOf(count: number): ScriptedStep[] {
  // Said, so that the script does not count the whole conversation at every answer.
  const usage = { inputTokens: 1, outputTokens: 1 };
  return Array.from({ length: count + 1 }, (_, i) =>
    i < count
      ? { text: "go on", toolCalls: [{ name: "look", arguments: { at: i } }], usage }
      : { text: "done", usage },
  );
}

const [which = "ours", folder = "."] = process.argv.slice(2);
if (which === "long") console.log(JSON.stringify((await turn(join(folder, "long"), longRounds)).thousandsMs));
else {
  const times: number[] = [];
  for (let i = 0; i < practice + repeats; i++) {
    const ms = which === "pi" ? await piMs() : (await turn(join(folder, `turn-${i}`), rounds)).totalMs;
    if (i >= practice) times.push(ms);
  }
  console.log(JSON.stringify(times.sort((a, b) => a - b)[repeats >> 1]));
}
