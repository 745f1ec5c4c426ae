/**
 * What the harness costs a turn: one send of a thousand tool rounds, every rule and
 * guard on and its log written, against pi's loop alone with the same scripted
 * model; and whether the ten-thousandth round costs what the second thousand did.
 *
 * The loops of others are in the same table: the AI SDK and OpenAI's agents library,
 * each with a model that answers at once. They are installed by run.mjs when this
 * benchmark is asked for by name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentDefaults, type AgentTool, openAgent } from "@bridle/agent";
import { type ScriptedStep, scriptedModel } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { judge, type Line, timed } from "./measure.js";
import { piTurn } from "./pi-turn.js";

const rounds = 1_000;
const longRounds = 10_000;
const practice = 6;
const repeats = 9;

export async function benchAgent(folder: string, root: string): Promise<Line[]> {
  const ratios: number[] = [];
  let [ours, theirs] = [0, 0];
  for (let i = 0; i < practice + repeats; i++) {
    theirs = await timed(() => piTurn(scriptOf(rounds), rounds));
    ours = (await turn(join(folder, `turn-${i}`), rounds)).totalMs;
    // The first ones are practice: until both are compiled, one times the compiler.
    if (i >= practice) ratios.push(ours / theirs);
  }
  const perRound = (ms: number) => `${Math.round((ms / rounds) * 1000)} µs a round`;
  const long: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { thousandsMs } = await turn(join(folder, `long-${i}`), longRounds);
    long.push((thousandsMs[9] as number) / (thousandsMs[1] as number));
  }
  return [
    judge(
      {
        name: `a send of ${rounds.toLocaleString("en-US")} rounds, rules, guards and log`,
        against: "pi-agent-core alone",
        ratio: middle(ratios),
        note: `${perRound(ours)}, pi ${perRound(theirs)}`,
      },
      { atMost: 3 },
    ),
    judge(
      { name: "rounds 9,001–10,000 of one send", against: "rounds 1,001–2,000", ratio: middle(long) },
      { atMost: 1.3 },
    ),
    ...peers(root).map(({ against, ms }): Line => ({
      name: `a send of ${rounds.toLocaleString("en-US")} rounds`,
      against,
      ratio: ms === undefined ? undefined : ours / rounds / ms,
      promise: "–",
      kept: "not judged",
      note:
        ms === undefined ? "it is not installed; `npm run bench -- agent` tries to" : perRound(ms * rounds),
    })),
  ];
}

interface Turn {
  readonly totalMs: number;
  readonly thousandsMs: readonly number[];
}

async function turn(workspace: string, count: number): Promise<Turn> {
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
  run: async () => ({ ok: true, text: "saw it" }),
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

function peers(root: string): { readonly against: string; readonly ms: number | undefined }[] {
  const folder = join(root, "bench/peers");
  const installed = existsSync(join(folder, "node_modules/ai"));
  return (
    [
      ["AI SDK 6.0.326", "ai"],
      ["OpenAI agents 0.20.0", "openai"],
    ] as const
  ).map(([against, which]) => ({ against, ms: installed ? peerMs(folder, which) : undefined }));
}

function peerMs(cwd: string, which: string): number {
  const args = ["agents.mjs", which, String(rounds), "1"];
  const env = { PATH: process.env["PATH"] ?? "", OPENAI_AGENTS_DISABLE_TRACING: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8", env });
  if (status !== 0) throw new Error(`the loop of ${which} failed: ${stderr}`);
  return Number(stdout);
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number;
}
