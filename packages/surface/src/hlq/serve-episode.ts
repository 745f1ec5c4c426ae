/** From a pack and an episode to a server that has ended. */
import { type Call, KeptThings, standardGates } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { openPack, runPack, RunReader, verifyPack } from "@bridle/search";
import { loadManifest } from "../manifest/load.js";
import { Calls } from "../mcp/calls.js";
import { mcpLimits } from "../mcp/limits.js";
import { startStdio } from "../mcp/stdio.js";
import { episodeTools } from "./episode-tools.js";
import { OutsidePolicy } from "./outside-policy.js";

export interface ServeEpisodeOptions {
  readonly pack: string;
  readonly episode: string;
  readonly out: string;
  readonly call: Call;
}

/** Whether the episode has ended. */
export async function serveEpisode({
  pack: folder,
  episode,
  out,
  call,
}: ServeEpisodeOptions): Promise<boolean> {
  const { ports } = call;
  await verifyPack(folder, ports);
  const pack = await openPack(folder, ports);
  const policy = new OutsidePolicy();
  const left = new AbortController();
  const kept = new KeptThings();
  const calls = new Calls();
  try {
    await pack.episode(episode);
    const run = runPack({
      pack,
      policy,
      out,
      ports,
      episodeIds: [episode],
      codeRevision: await ports.revision.current(),
      signal: AbortSignal.any([call.signal, left.signal]),
      notice: (sentence) => call.warn(sentence),
    }).finally(() => policy.end());
    // It is awaited below; until then a failure must not end the process.
    run.catch(() => {});
    const tools = episodeTools(policy, async () => {
      await run;
      return terminalOf(out, episode, call);
    });
    const server = startStdio(
      {
        table: { ...tools, gates: standardGates },
        ports,
        mutationPolicy: "open",
        cwd: call.cwd,
        env: {},
        serverName: "hlq-mcp",
        serverVersion: loadManifest().version,
        kept,
        log: (line) => void process.stderr.write(`hlq-mcp: ${line}\n`),
      },
      calls,
    );
    await Promise.race([server.ended, aborted(call.signal)]);
    await server.close();
    const ended = policy.ended;
    left.abort("the client left");
    await calls.stop({ clock: ports.clock, withinMs: mcpLimits.shutdownMsMax });
    await run.catch((error: unknown) => {
      // An episode that nobody ended is what a client that leaves leaves behind.
      if (ended) throw error;
    });
    return ended;
  } finally {
    await kept.close();
    await pack.close();
  }
}

async function terminalOf(out: string, episode: string, call: Call): Promise<JsonObject> {
  const reader = await RunReader.open(out, call.ports);
  try {
    for await (const recorded of reader.episodes()) {
      if (recorded.start.record.episode_id === episode && recorded.terminal !== undefined) {
        return recorded.terminal.record as unknown as JsonObject;
      }
    }
    return {};
  } finally {
    await reader.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
