/** Runs the scene of the agent with a scripted model in a process of its own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";
import { bundleFromSources } from "../from-sources.mjs";
import { paint } from "../terminal.mjs";

/** What it printed, the facts that it ended with, and what is wrong with them, if anything. */
export async function agentScene({ folder, env }) {
  const workspace = path.join(folder, "agent");
  mkdirSync(workspace);
  // In the repository, where the packages are that a bundle leaves out.
  const program = path.join(root, "dist", `agent-scene-${process.pid}.mjs`);
  await bundleFromSources({ entry: "scripts/start/agent.mjs", outfile: program });
  const colour = paint("strong", "x") === "x" ? "0" : "1";
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, workspace, colour], {
    env,
    encoding: "utf8",
  });
  rmSync(program);
  if (status !== 0) throw new Error(`the agent's scene ended with ${status}: ${stderr}`);
  const lines = stdout.trimEnd().split("\n");
  const facts = JSON.parse(lines.pop());
  const { refusals, resumes, whole } = facts;
  const broken = [
    [refusals.includes("R-ONE-SHOT-RETRY"), "the third identical call was not refused"],
    [resumes === 1, `the cut write took ${resumes} continuations`],
    [whole, "report.md is not what was meant to be written"],
  ]
    .filter(([holds]) => !holds)
    .map(([, what]) => what);
  return { lines, facts, broken };
}
