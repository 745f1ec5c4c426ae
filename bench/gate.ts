/**
 * What the gate costs: an update of an issue on a lane against the same under the open policy, as a
 * living server makes them; and the join check of many calls.
 */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, KeptThings, perform, type Standing, type TurnSoFar } from "@bridle/operation";
import { canonicalJson, type JsonValue, nodePorts, sha256Hex } from "@bridle/record";
import { allOperations, Lanes, workGate } from "@bridle/work";
import { joinCheck } from "../packages/work/src/gate/join-check.js";
import { evidenceOf } from "../packages/work/src/gate/turn-evidence.js";
import { judge, type Line, timed } from "./measure.js";

const updatesAtATime = 20;

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** A turn as long as one gets between two changes. */
const turnOf = (count: number): TurnSoFar => ({
  turnId: "bench/turn-1",
  caller: "mcp-client://bench",
  calls: Array.from({ length: count }, (_, i) => ({
    callId: `call-${i}`,
    tool: "issue_show",
    answer: { digest: `sha256:${sha256Hex(String(i))}` },
  })),
});

export async function benchGate(folder: string): Promise<Line[]> {
  return [await benchUpdate(realpathSync(folder)), ...(await benchJoin())];
}

async function benchUpdate(folder: string): Promise<Line> {
  const operation = (await allOperations()).find(({ names }) => names.action === "issue.update");
  if (operation === undefined) throw new Error("there is no issue.update");
  const { mutationGate } = await workGate();
  const root = join(folder, "gate");
  mkdirSync(join(root, ".premath"), { recursive: true });
  const rows = Array.from({ length: 1_000 }, (_, i) =>
    JSON.stringify({ id: `bd-${i}`, title: `issue ${i}` }),
  );
  writeFileSync(join(root, ".premath/issues.jsonl"), `${rows.join("\n")}\n`);
  const kept = new KeptThings();
  const call: Call = {
    ...{ ports: nodePorts(), signal: new AbortController().signal, cwd: root, kept },
    ...{ env: { XDG_CONFIG_HOME: join(folder, "settings") }, warn() {}, progress() {} },
  };
  const lanes = await Lanes.open(call);
  await lanes.add({ name: "bench", openedAt: "2026-01-31T09:00:00Z", expiresAt: "2999-01-31T09:00:00Z" });
  let count = 0;
  const update = async (standing: Standing) => {
    const input = { id: `bd-${count % 1_000}`, notes: `note ${(count += 1)}` };
    const { resultClass } = await perform(operation, input, {
      ...{ call, gates: [mutationGate], authority: { surface: "mcp", standing } },
    });
    if (resultClass !== "accepted") throw new Error(resultClass);
  };
  const lane: Standing = { kind: "lane", turn: turnOf(4) };
  // Some at a time, as a server has them, and in turn, so that whatever else the machine does befalls both alike.
  const several = async (standing: Standing) => {
    for (let i = 0; i < updatesAtATime; i++) await update(standing);
  };
  const took = { open: [] as number[], lane: [] as number[] };
  for (let round = 0; round < 120; round++) {
    const openMs = await timed(() => several({ kind: "person" }));
    const laneMs = await timed(() => several(lane));
    if (round < 60) continue;
    took.open.push(openMs / updatesAtATime);
    took.lane.push(laneMs / updatesAtATime);
  }
  await kept.close();
  return judge(
    {
      name: "issue update on a lane, in a living server",
      against: "the same under the open policy",
      ratio: middle(took.lane) / middle(took.open),
      note: `${middle(took.lane).toFixed(2)} ms`,
    },
    { atMost: 1.5 },
  );
}

async function benchJoin(): Promise<Line[]> {
  const policies = {
    ...{ mutationPolicyDigest: "m", governancePolicyDigest: "g", decompositionPolicyDigest: "d" },
  };
  const refs = { sessionRef: "session://bench", trajectoryRef: "trajectory://bench" };
  const input = (count: number): JsonValue => ({ evidence: evidenceOf(turnOf(count), refs, policies) });
  const [few, many] = [input(1_000), input(10_000)];
  const check = (given: JsonValue) => {
    if (!("joinClosed" in joinCheck(given, "m"))) throw new Error("no verdict");
  };
  const grows: number[] = [];
  const costs: number[] = [];
  let fewMs = 0;
  for (let round = 0; round < 40; round++) {
    fewMs = await timed(() => check(few));
    const manyMs = await timed(() => check(many));
    const hashMs = await timed(() => sha256Hex(canonicalJson(few)));
    if (round < 10) continue;
    grows.push(manyMs / fewMs);
    costs.push(fewMs / hashMs);
  }
  return [
    judge({ name: "join check, 10,000 calls", against: "1,000 calls", ratio: middle(grows) }, { atMost: 12 }),
    judge(
      {
        name: "join check, 1,000 calls",
        against: "canonicalising and hashing its input",
        ratio: middle(costs),
        note: `${fewMs.toFixed(2)} ms`,
      },
      { atMost: 4 },
    ),
  ];
}
