/**
 * Carries out recorded sessions again, each from its log and its tape, and once
 * more from its log alone with tools that never saw its folder: with no model, no
 * person and no tool that runs.
 *
 * Says `same` or `other` with what differed after each, and `done`.
 */
import { readFileSync } from "node:fs";
import { replayAgent, type Replayed, replayLog } from "@bridle/agent";
import { TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import {
  stormConfig,
  type StormPlace,
  stormRows,
  stormTools,
  stormWorld,
  toolsAgain,
} from "../../agent/storms.js";
import { args, done, say } from "../child-kit.js";

const { list } = args<{ list: string }>();
const runs = JSON.parse(readFileSync(list, "utf8")) as readonly StormPlace[];
const ports = nodePorts();

async function fromTape(run: StormPlace): Promise<Replayed> {
  const { folder, tape, session, which } = run;
  const replay = await TapeReplay.open({ path: tape, ports });
  const replayed = await replayAgent({
    ports,
    workspace: folder,
    main: { call: replay.call, model: "script/one", contextTokens: 200_000 },
    tools: await stormTools(run, ports),
    config: stormConfig(which),
    world: stormWorld(folder),
    rows: stormRows(run),
  });
  // Throws when it asked for less than the tape has.
  if (replayed.difference === undefined) replay.finish(session);
  return replayed;
}

function fromLog(run: StormPlace): Promise<Replayed> {
  const toolsFor = ({ workspace }: { readonly workspace: string }) => toolsAgain(run, workspace, ports);
  return replayLog({ ports, rows: stormRows(run), toolsFor });
}

for (const run of runs) {
  try {
    const { rows, difference } = await fromTape(run);
    const alone = difference === undefined ? (await fromLog(run)).difference : undefined;
    const other = difference ?? (alone === undefined ? undefined : { alone });
    say(other === undefined ? `same ${rows}` : `other ${run.which} ${JSON.stringify(other)}`);
  } catch (error) {
    say(`other ${run.which} ${String(error)}`);
  }
}
done();
