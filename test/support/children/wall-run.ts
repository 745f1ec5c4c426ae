/**
 * Runs hostile commands of the corpus in one tier, as whoever this program runs as,
 * and says what each reached. `bare` is bash itself, with nothing around it.
 */
import { spawnSync } from "node:child_process";
import { args, done, say } from "../child-kit.js";
import { shellTool } from "../shell-tool.js";
import { corpus } from "../wall/corpus.js";
import { canary, WallWorld } from "../wall/world.js";

const { base, needs, wanted } = args<{ base: string; needs: string; wanted: readonly number[] }>();
const world = await WallWorld.make(base);
const { work, home } = world.places;
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, API_KEY: canary };
const tool = shellTool({
  ...{ workspace: work, env },
  limits: { memoryBytes: 512 * 1024 ** 2, processes: 300 },
});
const { signal } = new AbortController();

async function behindTheWall(command: string, timeout_ms: number): Promise<string> {
  const run = { callId: "c", round: 1, signal, update: () => {} };
  return (await tool.run({ command, needs, timeout_ms }, run)).text;
}

function withoutIt(command: string): string {
  const { stdout, stderr } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", command], {
    ...{ cwd: work, env, timeout: 30_000, encoding: "utf8", maxBuffer: 1 << 26 },
  });
  return `${stdout}${stderr}`;
}

// Without a wall these commands do what they say, some of them to the machine.
if (needs !== "bare" && (await tool.asks?.({ command: "true" })) !== undefined)
  throw new Error("there is no wall");
for (const at of wanted) {
  const hostile = corpus[at];
  if (hostile === undefined || (hostile.bomb && needs === "bare")) continue;
  const marker = `began-${at}`;
  const command = `echo ${marker}; ${hostile.command(world.places, at)}`;
  const text =
    needs === "bare" ? withoutIt(command) : await behindTheWall(command, hostile.bomb ? 8_000 : 30_000);
  // Whoever was called hears of it on the next turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const effects = world.effects(needs, at, text);
  say(`done ${JSON.stringify({ at, ran: text.includes(marker), effects, text: text.slice(0, 300) })}`);
  if (effects.length > 0 || needs === "bare") await world.restore();
}
world.close();
done();
