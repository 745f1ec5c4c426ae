/** The lane that a call stands on: the one of its server, or the one of the run that it is a part of. */
import type { Call, Standing } from "@bridle/operation";
import { type Refusal, refuse } from "@bridle/record";
import { type Lane, type Lanes, withLanes } from "./lanes.js";

type Linked = Extract<Standing, { kind: "lane" | "run" }>;

export async function standingLane(standing: Linked, call: Call): Promise<Lane | Refusal> {
  const nowMs = await call.ports.clock.now();
  return withLanes(call, (lanes) =>
    standing.kind === "run" ? ofRun(standing.id, lanes, nowMs) : ofServer(standing.name, lanes, nowMs),
  );
}

/** BRIDLE_RUN names the outermost run first; marks of single commands follow. */
async function ofRun(id: string, lanes: Lanes, nowMs: number): Promise<Lane | Refusal> {
  const names = id.split(",").map((each) => each.trim());
  const living = (await lanes.living(nowMs)).filter(({ process }) => process !== undefined);
  const lane = names
    .map((name) => living.find((each) => each.name === name))
    .find((each) => each !== undefined);
  if (lane !== undefined) return lane;
  return refuse("mutation.run_unknown", {
    message: `BRIDLE_RUN is ${JSON.stringify(id.slice(0, 80))}, which names no living run of ${lanes.folder}`,
    hint: "Inside a run only that run's instructions allow changes. At your own terminal: `unset BRIDLE_RUN`.",
  });
}

async function ofServer(name: string | undefined, lanes: Lanes, nowMs: number): Promise<Lane | Refusal> {
  const ofPersons = (await lanes.all()).filter(({ process }) => process === undefined);
  const open: Lane[] = [];
  for (const lane of ofPersons) if (await lanes.lives(lane, nowMs)) open.push(lane);
  const named = name === undefined ? open : open.filter((lane) => lane.name === name);
  const [lane, ...more] = named;
  if (lane !== undefined && more.length === 0) return lane;
  if (lane !== undefined)
    return refuse("mutation.lane_ambiguous", {
      message: `several lanes are open for this folder: ${named.map((each) => each.name).join(", ")}`,
      hint: "Name the one that is meant where the server is started: `premath mcp-serve --lane <name>`.",
    });
  const ended = ofPersons.find((each) => name === undefined || each.name === name);
  const again = `A person opens it with \`premath lane open ${name ?? ended?.name ?? "<name>"}\` in ${lanes.folder}; docs/guides/how-a-change-becomes-done.md tells more.`;
  if (ended !== undefined)
    return refuse("mutation.lane_ended", {
      message: `the lane ${ended.name} ended at ${ended.expiresAt}`,
      hint: again,
    });
  return refuse("mutation.use_evidence_missing", {
    message:
      name === undefined ? "no lane is open for this folder" : `no lane ${name} is open for this folder`,
    hint: again,
  });
}
