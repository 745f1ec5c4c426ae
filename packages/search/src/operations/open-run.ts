/** Run folders for the operations that work on whole runs: those of their episodes that ended. */
import type { Call } from "@bridle/operation";
import { Failure } from "@bridle/record";
import { RunReader } from "../run/read.js";
import { readSidecar } from "../run/sidecar.js";
import type { RunEpisode } from "../run/types.js";
import type { OpenRun } from "./run-source.js";

export const openRun: OpenRun = async (folder, call) => {
  const reader = await RunReader.open(folder, call.ports);
  const { manifest } = reader;
  await reader.close();
  if (manifest === undefined) {
    throw new Failure("run_missing", {
      message: `${folder}: there is no run here, or it was killed before it began`,
      hint: "Name the folder that holds run.json.",
    });
  }
  const sidecar = await readSidecar(folder, call.ports);
  return {
    manifest,
    ...(sidecar === undefined ? {} : { sidecar }),
    episodes: () => endedEpisodes(folder, call),
  };
};

async function* endedEpisodes(folder: string, call: Call): AsyncGenerator<RunEpisode> {
  const reader = await RunReader.open(folder, call.ports);
  try {
    for await (const { start, artifacts, steps, refusals, terminal } of reader.episodes()) {
      if (terminal === undefined) continue;
      yield {
        artifacts: artifacts.map(({ record }) => record),
        refusals: refusals.map(({ record }) => record),
        start: start.record,
        steps: steps.map(({ record }) => record),
        terminal: terminal.record,
      };
    }
  } finally {
    await reader.close();
  }
}
