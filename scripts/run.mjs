/**
 * The one way in: `npm run <task>` comes here, and here what the task needs is
 * installed before it starts.
 *
 *     node scripts/run.mjs <task> [arguments]
 *
 * A task ends as its last step ends, with the same exit code or signal. With
 * BRIDLE_DRY_RUN=1 the steps are printed and nothing is installed or run.
 */
import { spawn } from "node:child_process";
import { ensure, root } from "./ensure.mjs";
import { tasks } from "./tasks.mjs";

const [name, ...args] = process.argv.slice(2);
const task = name !== undefined && Object.hasOwn(tasks, name) ? tasks[name] : undefined;

if (task === undefined) {
  const wanted = name === undefined || name === "--help" || name === "-h";
  const out = wanted && name !== undefined ? process.stdout : process.stderr;
  if (!wanted) out.write(`error: there is no task ${name}\n\n`);
  out.write(listing());
  process.exitCode = wanted && name !== undefined ? 0 : 2;
} else {
  await runTask(task, args);
}

function listing() {
  const width = Math.max(...Object.keys(tasks).map((key) => key.length));
  const lines = Object.entries(tasks).map(([key, { says }]) => `  npm run ${key.padEnd(width)}   ${says}`);
  return `${lines.join("\n")}\n\nArguments of a task go behind \`--\`: npm run prove -- --minutes 2\n`;
}

async function runTask({ steps }, rest) {
  try {
    const planned = steps(rest);
    if (isDryRun()) {
      for (const step of planned) process.stdout.write(`would run: ${shown(step)}\n`);
      return;
    }
    await ensure();
    for (const step of planned) {
      const ending = await runStep(step);
      if (ending !== 0) return endAs(ending);
    }
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = error.exitCode ?? 1;
  }
}

function isDryRun() {
  return (process.env.BRIDLE_DRY_RUN ?? "") !== "" && process.env.BRIDLE_DRY_RUN !== "0";
}

function shown({ args: words, env = {} }) {
  const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return [...settings, "node", ...words].join(" ");
}

/** Resolves with the exit code, or with the name of the signal that ended it. */
function runStep({ args: words, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    const pass = (signal) => {
      // Ctrl-C at a terminal reaches the child by itself; a second one would make it give up its cleaning up.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, pass);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      for (const each of signals) process.off(each, pass);
      resolve(signal ?? code);
    });
  });
}

function endAs(ending) {
  if (typeof ending === "string") process.kill(process.pid, ending);
  else process.exitCode = ending;
}
