/**
 * From a question to the search harness: a pack of one market from the source that
 * answered, the heuristic on its latest episode, and how that ended.
 *
 * A single question sees a level; whether it lasts takes several looks, and those
 * are the harness's. Nothing of this goes into the one-shot log.
 */
import { join } from "node:path";
import { type HarnessBridge, type HarnessEnd, syntheticDefault } from "@bridle/query";
import { refuse, type Refusal } from "@bridle/record";
import { openPack, readEpisodeOf } from "@bridle/search";
import { formatHour } from "@bridle/market";
import { callOperation } from "../call-operation.js";

/** Hours of history that a pack from the exchange is made of. */
const historyHours = 30 * 24;

export const harnessEnd: HarnessBridge = async (
  { market, spec, asOfHour },
  call,
): Promise<HarnessEnd | Refusal> => {
  if (spec.kind === "bigquery") {
    return refuse("query_source_invalid", {
      message: "--harness makes a pack from files, the exchange or the synthetic market, not from BigQuery",
      hint: "Ask again with another --source.",
    });
  }
  const { seed, markets, days } = syntheticDefault;
  const source =
    spec.kind === "synthetic"
      ? { sources: ["synthetic"], seed, syntheticMarkets: markets, days }
      : spec.kind === "files"
        ? { sources: [...spec.paths] }
        : {
            sources: [`info:${spec.url}`],
            from: rfc(asOfHour - historyHours),
            to: rfc(asOfHour - 1),
          };
  const built = await callOperation("op/hlq.pack_build", { ...source, markets: [market] }, call);
  const { folder } = built as { readonly folder: string };
  const pack = await openPack(join(call.cwd, folder), call.ports);
  let latest: { readonly id: string; readonly window: string } | undefined;
  try {
    for await (const { episode_id, window_id } of pack.episodes())
      if (latest === undefined || window_id >= latest.window) latest = { id: episode_id, window: window_id };
  } finally {
    await pack.close();
  }
  if (latest === undefined) {
    return refuse("run_incomplete", {
      message: `no stress of ${market}'s funding was found in this source, so there is no episode to run`,
      hint: "Ask about another market, or a longer time.",
    });
  }
  const runFolder = join("runs", `ask-${latest.id}-${await call.ports.ids.next()}`);
  const run = { pack: folder, policy: "heuristic", episodes: [latest.id], out: runFolder };
  await callOperation("op/hlq.run", run, call);
  const terminal = (await readEpisodeOf(join(call.cwd, runFolder), latest.id, call.ports)).terminal?.record;
  if (terminal === undefined) {
    return refuse("run_incomplete", {
      message: `${runFolder}: the episode has no end`,
      hint: `See \`hlq show ${runFolder}\`.`,
    });
  }
  return {
    packFolder: folder,
    runFolder,
    episodeId: latest.id,
    terminalAction: terminal.terminal_action,
    decisionClass: terminal.decision_class,
    stopReason: terminal.stop_reason,
  };
};

function rfc(hour: number): string {
  return formatHour(hour).replace("Z", ":00Z");
}
