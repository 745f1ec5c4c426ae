/**
 * Twelve steps in a loop, against LangGraph with its memory saver.
 *
 * The peer is installed by run.mjs, and only when this benchmark is asked for by
 * name; where it is not there, nothing is judged.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beginEpisode, EpisodeRegistry, type Proposal, step } from "@bridle/search";
import { judge, type Line, timed } from "./measure.js";
import { benchEpisode, benchWindows } from "./search-pack.js";

const rounds = 5;
/** Loops that are timed, after as many for practice; ours are short, so it takes more of them to time them. */
const loops = { ours: 5_000, theirs: 200 };
const stepsInALoop = 12;
const name = `a loop of ${stepsInALoop} steps`;
const against = "LangGraph 1.4.18, memory saver";

export async function benchLanggraph(_folder: string, root: string): Promise<Line[]> {
  const peers = join(root, "bench/peers");
  if (!existsSync(join(peers, "node_modules/@langchain/langgraph"))) {
    const note = "it is not installed; `npm run bench -- langgraph` tries to";
    return [{ name, against, ratio: undefined, promise: "≥ 50", kept: "not judged", note }];
  }
  const ratios: number[] = [];
  let [ours, theirs] = [0, 0];
  for (let round = 0; round <= rounds; round++) {
    ours = (await timed(playAll)) / (loops.ours * stepsInALoop);
    // The first is practice; the peer practises in its own process.
    if (round === 0) continue;
    theirs = peerMsPerStep(peers);
    ratios.push(theirs / ours);
  }
  const perSecond = (ms: number) => Math.round(1000 / ms).toLocaleString("en-US");
  return [
    judge(
      {
        name,
        against,
        ratio: ratios.sort((a, b) => a - b)[ratios.length >> 1] as number,
        note: `${perSecond(ours)} steps a second, theirs ${perSecond(theirs)}`,
      },
      { atLeast: 50 },
    ),
  ];
}

function peerMsPerStep(peers: string): number {
  const args = ["langgraph.mjs", String(loops.theirs), String(stepsInALoop)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: peers,
    encoding: "utf8",
    // Nothing is sent to anybody.
    env: { PATH: process.env["PATH"] ?? "", LANGSMITH_TRACING: "false", LANGCHAIN_TRACING_V2: "false" },
  });
  if (status !== 0) throw new Error(`LangGraph's loop failed: ${stderr}`);
  return Number(stdout);
}

/** Fresh episodes, each with eleven steps and its end, every one checked, written as a row and chained. */
function playAll(): void {
  for (let i = 0; i < loops.ours; i++) {
    const record = benchEpisode(i);
    let state = beginEpisode(new EpisodeRegistry("pack_bench", record), record.episode_id);
    let kept = "";
    let steps = 0;
    for (let n = 0; n < stepsInALoop; n++) {
      const outcome = step(state, proposal(n, kept));
      if (outcome.refusal !== undefined) throw new Error(outcome.refusal.message);
      kept = outcome.artifacts[0]?.artifact.artifact_id ?? kept;
      steps += outcome.steps.length;
      state = outcome.state;
    }
    if (steps !== stepsInALoop || state.terminal === undefined) throw new Error(`${steps} steps were made`);
  }
}

const reads = ["read_derived_metrics", "read_market_state", "read_persistence"] as const;

/** A read, its keep, a drop, a leaning; and so on until the end. */
function proposal(n: number, kept: string): Proposal {
  if (n === stepsInALoop - 1) {
    const action_args = { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" };
    return { action_args, action_name: "abstain" };
  }
  if (n % 4 === 0) {
    const action_args = { anchor_market: "BTC", window_id: benchWindows[1] };
    return { action_args, action_name: reads[n / 4] as string };
  }
  if (n % 4 === 1) return { action_args: { artifact_id: kept }, action_name: "keep_artifact" };
  if (n % 4 === 2) return { action_args: { artifact_id: kept }, action_name: "drop_artifact" };
  const stop_candidate = { confidence: 0.7, leaning: "finalize_signal" };
  return { action_args: { stop_candidate }, action_name: "decision_update" };
}
