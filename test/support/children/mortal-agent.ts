/**
 * An agent whose process may die at any write of its session log, and before or
 * after any effect of its tool. Started again, it takes up its session.
 *
 * The tool leaves a line in `effects` for each time that it ran.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { agentDefaults, type AgentTool, openAgent, sessionPath, type SessionRow } from "@bridle/agent";
import { scriptedModel, type ScriptedAnswer } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { args, done, say } from "../child-kit.js";
import { mortalFiles } from "../mortal.js";

const { folder, seed, life, rounds } = args<{ folder: string; seed: number; life: number; rounds: number }>();
const random = new Random(seed * 1_000 + life);
const real = nodePorts();
/** Later lives are safer, so that there is an end. */
const danger = 0.1 / (1 + life / 2);
const ports = {
  ...real,
  files: mortalFiles(real.files, random, (_deed, path) => (path.endsWith(".jsonl") ? danger : 0)),
};
const die = (when: string) => {
  say(`dies ${when}`);
  process.kill(process.pid, "SIGKILL");
};

const effect: AgentTool = {
  ...{ name: "effect", description: "Leaves a line.", family: "core", parameters: { type: "object" } },
  intent: ({ n }) => ({
    ...{ key: `effect ${String(n)}`, repeat: "run", risk: "safe", says: "leave a line" },
    changes: ["effects"],
  }),
  async run({ n }) {
    if (random.chance(danger)) die("before an effect");
    fs.appendFileSync(join(folder, "effects"), `${String(n)}\n`);
    if (random.chance(danger)) die("after an effect");
    return { ok: true, text: `left ${String(n)}` };
  },
};

/** By how many answers there are already, so that who is asked again says the same. */
function answer(index: number): ScriptedAnswer {
  if (index >= rounds) return { text: "All lines are there." };
  const toolCalls = Array.from({ length: 1 + (index % 3) }, (_, place) => ({
    ...{ name: "effect", id: `c-${index}-${place}`, arguments: { n: `${index}-${place}` } },
  }));
  return { toolCalls };
}

const path = sessionPath(folder, "s-1");
const begun = fs.existsSync(path) && fs.readFileSync(path, "utf8").includes("\n");
const asked = begun
  ? fs
      .readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"type":"assistant"') && isWhole(line)).length
  : 0;
function isWhole(line: string): boolean {
  try {
    return (JSON.parse(line) as SessionRow).type === "assistant";
  } catch {
    return false;
  }
}

let index = asked;
const agent = await openAgent({
  ports,
  workspace: folder,
  main: {
    call: (request, options) => scriptedModel([answer(index++)]).call(request, options),
    model: "script/one",
    contextTokens: 200_000,
  },
  tools: [effect],
  config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false },
  world: { osUser: "ada", workspace: folder, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
  ...(begun ? { session: "s-1" } : { newSession: "s-1" }),
});
const result = agent.isInterrupted
  ? await agent.resume()
  : agent.conversation.lastSend === 0
    ? await agent.send("leave the lines")
    : undefined;
await agent.close();
say(`ended ${result?.reason ?? "before"}`);
done();
