/**
 * Carries out recorded sessions again, each from its log and its tape, with no
 * model, no person and no tool that runs.
 *
 * Says `same` or `other` with what differed after each, and `done`.
 */
import { readFileSync } from "node:fs";
import { replayAgent } from "@bridle/agent";
import { TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { stormConfig, type StormPlace, stormRows, stormTools, stormWorld } from "../../agent/storms.js";
import { args, done, say } from "../child-kit.js";

const { list } = args<{ list: string }>();
const runs = JSON.parse(readFileSync(list, "utf8")) as readonly StormPlace[];
const ports = nodePorts();
for (const run of runs) {
  const { folder, tape, session, which } = run;
  const replay = await TapeReplay.open({ path: tape, ports });
  try {
    const { rows, difference } = await replayAgent({
      ports,
      workspace: folder,
      main: { call: replay.call, model: "script/one", contextTokens: 200_000 },
      tools: await stormTools(run, ports),
      config: stormConfig(which),
      world: stormWorld(folder),
      rows: stormRows(run),
    });
    // Throws when it asked for less than the tape has.
    if (difference === undefined) replay.finish(session);
    say(difference === undefined ? `same ${rows}` : `other ${which} ${JSON.stringify(difference)}`);
  } catch (error) {
    say(`other ${which} ${String(error)}`);
  }
}
done();
