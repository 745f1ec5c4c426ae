/**
 * What the harness costs a turn: one send of a thousand tool rounds, every rule and
 * guard on and its log written, against pi's agent alone with the same scripted
 * model; and whether the ten-thousandth round costs what the second thousand did.
 *
 * The loops of others are in the same table: the AI SDK and OpenAI's agents library,
 * each with a model that answers at once. They are installed by run.mjs when this
 * benchmark is asked for by name.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { judge, type Line } from "./measure.js";

const rounds = 1_000;
const pairs = 5;

export async function benchAgent(folder: string, root: string): Promise<Line[]> {
  const ratios: number[] = [];
  let [ours, theirs] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    theirs = inProcess<number>("pi", folder);
    ours = inProcess<number>("ours", folder);
    ratios.push(ours / theirs);
  }
  const long = Array.from({ length: 3 }, () => {
    const thousands = inProcess<number[]>("long", folder);
    return (thousands[9] as number) / (thousands[1] as number);
  });
  const perRound = (ms: number) => `${Math.round((ms / rounds) * 1000)} µs a round`;
  const send = `a send of ${rounds.toLocaleString("en-US")} rounds`;
  return [
    judge(
      {
        name: `${send}, rules, guards and log`,
        against: "pi-agent-core alone",
        ratio: middle(ratios),
        note: `${perRound(ours)}, pi ${perRound(theirs)}`,
      },
      { atMost: 2.8 },
    ),
    judge(
      { name: "rounds 9,001–10,000 of one send", against: "rounds 1,001–2,000", ratio: middle(long) },
      { atMost: 1.3 },
    ),
    ...peers(root).map(({ against, ms }): Line => ({
      name: send,
      against,
      ratio: ms === undefined ? undefined : ours / rounds / ms,
      promise: "–",
      kept: "not judged",
      note:
        ms === undefined ? "it is not installed; `npm run bench -- agent` tries to" : perRound(ms * rounds),
    })),
  ];
}

function inProcess<Answer>(which: string, folder: string): Answer {
  const program = join(dirname(fileURLToPath(import.meta.url)), "agent-turn.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, which, folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the turns of ${which} failed: ${stderr}`);
  return JSON.parse(stdout) as Answer;
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
