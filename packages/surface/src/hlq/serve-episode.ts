/** From a pack and some of its episodes to a server that has ended. */
import { type Call, KeptThings } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { endedByHarness, openPack, runPack, RunReader, verifyPack } from "@bridle/search";
import { loadManifest } from "../manifest/load.js";
import { Calls } from "../mcp/calls.js";
import { mcpLimits } from "../mcp/limits.js";
import { startStdio } from "../mcp/stdio.js";
import { type Ending, episodeTools } from "./episode-tools.js";
import { OutsidePolicy } from "./outside-policy.js";

export interface ServeEpisodesOptions {
  readonly pack: string;
  /** All of the pack when left out. */
  readonly episodes?: readonly string[];
  readonly out: string;
  /** Go on with the session that is there. */
  readonly resume: boolean;
  readonly call: Call;
}

/** Whether every episode has ended. */
export async function serveEpisodes(options: ServeEpisodesOptions): Promise<boolean> {
  const { pack: folder, episodes, out, resume, call } = options;
  const { ports } = call;
  const pack = await openPack(folder, ports);
  const policy = new OutsidePolicy();
  const left = new AbortController();
  const kept = new KeptThings();
  const calls = new Calls();
  try {
    // Of a pack with blocks, those that the named episodes stand in are checked when they are read.
    if (episodes === undefined || pack.manifest.blocks === undefined) await verifyPack(folder, ports);
    for (const id of episodes ?? []) await pack.episode(id);
    const run = runPack({
      pack,
      policy,
      out,
      ports,
      resume,
      ...(episodes === undefined ? {} : { episodeIds: episodes }),
      codeRevision: await ports.revision.current(),
      signal: AbortSignal.any([call.signal, left.signal]),
      notice: (sentence) => call.warn(sentence),
    }).finally(() => policy.end());
    // It is awaited below; until then a failure must not end the process.
    run.catch(() => {});
    const tools = episodeTools(policy, (id) => endingOf(out, id, call));
    const server = startStdio(
      {
        table: { ...tools, gates: [] },
        ports,
        mutation: { policy: "open" },
        cwd: call.cwd,
        env: {},
        serverName: "hlq-mcp",
        serverVersion: loadManifest().version,
        kept,
        // A read costs a step and is recorded, and nothing that was recorded is ever lost.
        annotations: ({ effect }) => ({
          readOnlyHint: effect === "read",
          destructiveHint: false,
          idempotentHint: effect === "read",
          openWorldHint: false,
        }),
        log: (line) => void process.stderr.write(`hlq-mcp: ${line}\n`),
      },
      calls,
    );
    await Promise.race([server.ended, aborted(call.signal), failed(run)]);
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

/** Settles only when the run breaks: one that is over still answers questions about its end. */
function failed(run: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    run.catch(() => resolve());
  });
}

async function endingOf(out: string, episode: string, call: Call): Promise<Ending> {
  const reader = await RunReader.open(out, call.ports);
  try {
    for await (const { start, steps, terminal, refusals } of reader.episodes()) {
      if (start.record.episode_id !== episode || terminal === undefined) continue;
      const { record } = terminal;
      const [last, refusal] = [steps.at(-1)?.record, refusals.at(-1)?.record];
      const byHarness = last?.notes === endedByHarness && refusal?.step_index === last.step_index;
      return {
        terminal: record as unknown as JsonObject,
        refusedLast: byHarness ? refusal.class : undefined,
      };
    }
    return { terminal: {}, refusedLast: undefined };
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
