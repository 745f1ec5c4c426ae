/**
 * A worker around any program: what `bridle work start` runs for each issue.
 *
 *     bridle work start --work-cmd "node worker.mjs ./fix.sh"
 *
 * It stands in a git worktree of its own, changes files and ends; the harness
 * commits, runs the project's checks and merges what passed. A worker's word counts
 * for nothing, so there is nothing to report but what it cost.
 */
// @ts-check
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";

const [program, ...args] = process.argv.slice(2);
const {
  BRIDLE_STEP_FILE: stepFile,
  BRIDLE_USAGE_FILE: usageFile,
  BRIDLE_PROPOSALS: proposalsFile,
} = process.env;
if (program === undefined || stepFile === undefined || usageFile === undefined || proposalsFile === undefined)
  throw new Error(
    'give a program, and let `bridle work start --work-cmd "node worker.mjs <program>"` start this',
  );

// The issue, what would make it done, how the last attempt failed, what may be spent.
const { issue, attempt } = JSON.parse(await readFile(stepFile, "utf8"));

const started = performance.now();
const child = spawn(program, [...args, issue.title], { stdio: ["pipe", "inherit", "inherit"] });
child.stdin.on("error", () => {
  // A program that reads nothing.
});
child.stdin.end(`${issue.title}\n\n${issue.description ?? ""}\n`);
const code = await new Promise((ended, failed) => child.on("error", failed).on("close", ended));

await writeFile(usageFile, JSON.stringify({ costUsd: 0 }));
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(`${issue.id}, attempt ${attempt}: ${program} ended with ${code} after ${seconds} s\n`);
if (code !== 0) {
  const text = `${program} ended with ${code}; what does it need?`;
  await writeFile(proposalsFile, JSON.stringify({ kind: "question", text }));
}
process.exitCode = code;
