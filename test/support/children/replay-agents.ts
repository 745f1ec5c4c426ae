/**
 * Carries out recorded sessions again, each from its log and its tape, with no
 * model, no person and no tool that runs.
 *
 * Says `same` or `other` with what differed after each, and `done`.
 */
import { readFileSync } from "node:fs";
import { agentDefaults, replayAgent, sessionPath, type SessionRow } from "@bridle/agent";
import { TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { story } from "../../agent/stories.js";
import { args, done, say } from "../child-kit.js";

export interface TapedRun {
  readonly folder: string;
  readonly tape: string;
  readonly session: string;
  readonly story: number;
}

const { list } = args<{ list: string }>();
const runs = JSON.parse(readFileSync(list, "utf8")) as readonly TapedRun[];
const ports = nodePorts();
for (const run of runs) {
  const told = story(run.story);
  const config = { ...agentDefaults, reflexionSemantic: false, ...told.config };
  const { tools } = await standardTools({ env: {}, root: run.folder, session: run.session, ports, config });
  const replay = await TapeReplay.open({ path: run.tape, ports });
  const lines = readFileSync(sessionPath(run.folder, run.session), "utf8").trimEnd().split("\n");
  const { rows, difference } = await replayAgent({
    ports,
    workspace: run.folder,
    main: { call: replay.call, model: "script/one", contextTokens: 200_000 },
    tools: [...tools, ...told.tools()],
    config,
    world: {
      ...{ osUser: "ada", workspace: run.folder, os: "test" },
      harness: { name: "Bridle", version: "0.0.0" },
    },
    rows: lines.map((line) => JSON.parse(line) as SessionRow),
  });
  // Throws when it asked for less than the tape has.
  replay.finish(run.session);
  say(difference === undefined ? `same ${rows}` : `other ${run.story} ${JSON.stringify(difference)}`);
}
done();
