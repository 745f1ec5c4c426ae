/** What a stranger sees first: three blocks, each of them real, in under a minute. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";
import { paint } from "../terminal.mjs";
import { agentScene } from "./agent-scene.mjs";
import { workWithWorkers } from "./work.mjs";

/** Resolves with what is wrong, if anything; an empty list is a run that kept its promises. */
export async function showBlocks({ folder, env, say }) {
  say("  Bridle runs agents in steps that survive a crash and replay exactly.");
  say("  This demo uses a scripted model: no key, no network.\n");
  return [
    ...search({ folder, env, say }),
    ...work({ folder, env, say }),
    ...(await agent({ folder, env, say })),
  ];
}

function lines(say, block, rows) {
  rows.forEach(([what, came], at) =>
    say(`  ${paint("strong", (at === 0 ? block : "").padEnd(8))} ${what.padEnd(38)} ${came}`),
  );
}

const question = "top 3 movers last 24h";

function search({ folder, env, say }) {
  const hlq = (...words) => {
    const program = path.join(root, "bin/hlq");
    const options = { cwd: folder, env: { ...env, PREMATH_ROOT: folder }, encoding: "utf8" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, "--json"], options);
    if (status !== 0) throw new Error(`hlq ${words.join(" ")} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  };
  hlq("pack", "build", "--source", "synthetic", "--seed", "7", "--synthetic-markets", "12", "--days", "60");
  const pack = `packs/${readdirSync(path.join(folder, "packs"))[0]}`;
  const run = hlq("run", "--pack", pack, "--policy", "heuristic", "--out", "runs/heuristic");
  const replay = hlq("replay", "runs/heuristic", "--pack", pack);
  const { rows: movers } = hlq("ask", question);
  const moved = movers.map(({ market, change_pct: change }) => `${market} ${change.toFixed(1)} %`);
  const { finalize_signal: signal = 0, finalize_low_signal: low = 0, abstain = 0 } = run.ends;
  lines(say, "search", [
    [
      `${run.episodes} episodes · heuristic policy`,
      `${signal} signal  ${low} low  ${abstain} abstained   ${(run.wallMs / 1000).toFixed(1)} s`,
    ],
    ["replayed in a fresh process", `${replay.complete} of ${run.episodes} identical, ${replay.steps} steps`],
    [`asked: ${question}`, moved.join("  ")],
  ]);
  const same = replay.complete === run.episodes && replay.steps === run.steps && run.episodes > 0;
  return [
    ...(same ? [] : ["the replay is not what was run"]),
    ...(moved.length === 3 ? [] : ["the question was not answered"]),
  ];
}

function work({ folder, env, say }) {
  const { closed, killed, flaky, liar, seconds, broken } = workWithWorkers({ folder, env });
  lines(say, "work", [
    ["12 issues · 3 workers", `${closed} closed with witnesses and merged   ${seconds.toFixed(1)} s`],
    [
      `${killed.worker} was killed at work`,
      `${killed.issue} given back, finished by ${killed.by} (fence ${killed.fence})`,
    ],
    [`a check of ${flaky.issue} was flaky`, `not merged on a doubt; attempt ${flaky.attempts} passed`],
    [`${liar.worker} changed the check of ${liar.issue}`, "refused: check_tampered, blocked"],
  ]);
  return broken;
}

async function agent({ folder, env, say }) {
  const { facts, broken } = await agentScene({ folder, env });
  lines(say, "agent", [
    ["3rd identical failing call", `refused by ${facts.refusals[0]}`],
    [
      `a write cut off at ${facts.cutBytes.toLocaleString("en-US")} bytes`,
      `nothing written; completed after ${facts.resumes === 1 ? "one" : facts.resumes} [CONTINUE]`,
    ],
  ]);
  return broken;
}
