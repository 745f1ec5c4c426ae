/**
 * The guided run, told in eight scenes, every one of them real: the commands are
 * the built ones, in processes of their own, and what they print is shown as it
 * came. At the end the files are compared with what was acknowledged.
 */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";
import { bundleFromSources } from "../from-sources.mjs";
import { paint } from "../terminal.mjs";
import { agentScene } from "./agent-scene.mjs";
import { searchEvidence } from "./search.mjs";

const trajectory = ".premath/harness_trajectory.jsonl";
const setAside = ".premath/.local/set-aside";

/** A person's environment, without what our own scripts tell each other. */
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(BRIDLE|PREMATH)_/.test(key)),
);

/** Resolves with what is wrong, if anything; an empty list is a run that kept its promises. */
export async function tell({ folder, shownFolder, say }) {
  const run = (launcher, ...words) => command({ folder, say, launcher }, ...words);
  const session = (...args) => run("premath", "harness-session", ...args);
  const append = (step, action, result) =>
    run(
      "premath",
      ...["harness-trajectory", "append", "--step-id", step, "--issue-id", "bd-14"],
      ...["--action", action, "--result-class", result],
    );

  say(`  Bridle runs agents in steps that survive a crash and replay exactly.
  This guided run needs no key and no network. It works in ${shownFolder}.`);

  scene(say, "Issues say what is to be done; of all who claim one, one gets it, under a lease.");
  run("premath", "issue", "add", "Retry the upload once", "--id", "bd-14", "--priority", "1");
  run("premath", "issue", "claim-next", "--assignee", "ada");
  run("premath", "issue", "ready");

  scene(say, "A session says what is being worked on, so that anybody can pick it up.");
  session("write", "--state", "active", "--issue-id", "bd-14", "--next-step", "Retry the upload once");

  scene(say, "Each step of the work leaves one row in the trajectory.");
  append("s-1", "reproduce", "accepted");
  append("s-2", "upload", "network_timeout");

  scene(say, "A worker dies half way through writing the next row.");
  const torn = await killHalfWay({ folder, step: "s-3" });
  say(`       worker   process ${torn.pid} appended s-3 and was ended by ${torn.signal} inside the write`);
  say(`       on disk  ${torn.whole} whole rows, then ${torn.fragment.length} bytes of the third:`);
  say(`                ${torn.fragment}`);

  scene(say, "The next one to write finds the fragment, sets it aside and goes on.");
  append("s-3", "retry", "accepted");
  run("premath", "harness-trajectory", "query");

  scene(say, "A fresh process knows where to pick up.");
  session(
    "write",
    "--state",
    "stopped",
    "--summary",
    "The upload is retried once",
    "--next-step",
    "Open a review",
  );
  session("bootstrap");

  const broken = judge({ folder, torn, say });

  scene(
    say,
    "A policy searches made-up market evidence in bounded steps. A fresh process replays every byte; one question has one answer.",
  );
  broken.push(...searchEvidence({ folder, run }));

  scene(
    say,
    "An agent that repeats itself is stopped, and a write that was cut off is completed, not redone.",
  );
  return [...broken, ...(await agentAtWork({ folder, say }))];
}

function scene(say, title) {
  say(`\n  ${paint("strong", title)}\n`);
}

// --- Commands, as a person would type them ---------------------------------------------------------

function command({ folder, say, launcher }, ...args) {
  say(`     ${paint("dim", "$")} ${launcher} ${args.map(quoted).join(" ")}`);
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, "bin", launcher), ...args],
    {
      cwd: folder,
      env: { ...plainEnv, PREMATH_ROOT: folder },
      encoding: "utf8",
    },
  );
  say(indented(stderr + stdout));
  if (status !== 0) throw new Error(`${launcher} ${args.join(" ")} ended with ${signal ?? status}`);
}

function quoted(word) {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}

function indented(text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `     ${line}`.trimEnd())
    .join("\n");
}

// --- The kill --------------------------------------------------------------------------------------

async function killHalfWay({ folder, step }) {
  const file = path.join(folder, trajectory);
  const before = readFileSync(file, "utf8");
  const program = path.join(folder, "torn-writer.mjs");
  await bundleFromSources({ entry: "scripts/start/torn-writer.mjs", outfile: program });
  const row = {
    ...{ schema: 1, stepKind: "premath.harness.step.v1", stepId: step, issueId: "bd-14" },
    ...{ action: "retry", resultClass: "accepted", finishedAt: "2026-01-01T00:00:00Z" },
  };
  const { pid, signal } = await new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [program, file, JSON.stringify(row)], { stdio: "inherit" });
    worker.on("error", reject);
    worker.on("exit", (_, by) => resolve({ pid: worker.pid, signal: by }));
  });
  rmSync(program);
  const after = readFileSync(file, "utf8");
  return {
    ...{ pid, signal, before },
    whole: before.trimEnd().split("\n").length,
    fragment: after.slice(before.length),
  };
}

// --- The agent, with a scripted model --------------------------------------------------------------

async function agentAtWork({ folder, say }) {
  const { lines, broken } = await agentScene({ folder, env: plainEnv });
  say(indented(lines.join("\n")));
  return broken;
}

// --- Whether it all held ---------------------------------------------------------------------------

function judge({ folder, torn, say }) {
  const text = readFileSync(path.join(folder, trajectory), "utf8");
  const rows = text.split("\n").filter(Boolean);
  const kept = readdirSync(path.join(folder, setAside)).map((name) =>
    readFileSync(path.join(folder, setAside, name), "utf8"),
  );
  const problems = [
    [torn.signal === "SIGKILL", `the worker ended with ${torn.signal}`],
    [torn.fragment.length > 0 && !torn.fragment.includes("\n"), "the kill left no fragment"],
    [text.startsWith(torn.before), "rows from before the kill have changed"],
    [rows.map((row) => JSON.parse(row).stepId).join(" ") === "s-1 s-2 s-3", "the rows are not s-1, s-2, s-3"],
    [kept.some((bytes) => bytes.includes(torn.fragment)), "the fragment was not set aside verbatim"],
  ];
  const broken = problems.filter(([holds]) => !holds).map(([, what]) => what);
  if (broken.length === 0) {
    say(`
  3 rows were acknowledged and 3 are there; the ${torn.fragment.length} bytes of the unfinished one were set aside, none was lost.`);
  }
  return broken;
}
