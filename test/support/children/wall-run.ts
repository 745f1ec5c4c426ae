/** Runs hostile commands of the corpus in one tier, as whoever this program runs as, and says what each reached. */
import { nodePorts } from "@bridle/record";
import { runShellTool } from "@bridle/tools";
import { args, done, say } from "../child-kit.js";
import { corpus } from "../wall/corpus.js";
import { canary, WallWorld } from "../wall/world.js";

const { base, needs, wanted } = args<{ base: string; needs: string; wanted: readonly number[] }>();
const world = await WallWorld.make(base);
const { signal } = new AbortController();
const tool = runShellTool({
  ports: nodePorts(),
  workspaceRoot: world.places.work,
  env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: world.places.home, API_KEY: canary },
  limits: { memoryBytes: 512 * 1024 ** 2, processes: 300 },
});
// Without a wall these commands would do what they say, some of them to the machine.
const isHeld = (await tool.asks?.({ command: "true" })) === undefined;
if (needs !== "host" && !isHeld) throw new Error("there is no wall");
for (const at of wanted) {
  const hostile = corpus[at];
  if (hostile === undefined || (hostile.bomb && needs === "host")) continue;
  const marker = `began-${at}`;
  const command = `echo ${marker}; ${hostile.command(world.places, at)}`;
  const began = performance.now();
  const report = await tool.run(
    { command, needs, timeout_ms: hostile.bomb ? 8_000 : 30_000 },
    { callId: String(at), round: 1, signal, update: () => {} },
  );
  const effects = world.effects(needs, at, report.text);
  const ran = report.text.includes(marker);
  const ms = Math.round(performance.now() - began);
  say(`done ${JSON.stringify({ at, ran, effects, ms, text: report.text.slice(0, 300) })}`);
  if (effects.length > 0 || needs === "host") await world.restore();
}
world.close();
done();
