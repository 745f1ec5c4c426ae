/**
 * Runs the planner again on many recorded runs, each from its tape and into a
 * folder of its own, with no model anywhere.
 *
 * Says `replayed` after each, and `done`.
 */
import { TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { openPack } from "../../../packages/search/src/pack/open.js";
import { plannerPolicy } from "../../../packages/search/src/policy/planner.js";
import { runPack } from "../../../packages/search/src/run/run.js";
import { args, done, say } from "../child-kit.js";

export interface RecordedRun {
  readonly tape: string;
  readonly out: string;
  readonly episodeIds: readonly string[];
  readonly jobs: number;
}

const { pack, model, runs } = args<{ pack: string; model: string; runs: readonly RecordedRun[] }>();
const ports = nodePorts();
const opened = await openPack(pack, ports);
for (const { tape, out, episodeIds, jobs } of runs) {
  const replay = await TapeReplay.open({ path: tape, ports });
  await runPack({
    pack: opened,
    policy: plannerPolicy({ call: replay.call, model, live: false }),
    out,
    ports,
    jobs,
    episodeIds,
    signal: new AbortController().signal,
    codeRevision: "test",
  });
  // Throws when the run asked for less than the tape has.
  for (const id of episodeIds) replay.finish(id);
  say(`replayed ${out}`);
}
done();
