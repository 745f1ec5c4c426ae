/** Makes a worktree ready to work in: files that git ignores are copied, and set-up runs when its lockfiles changed. */
import { join } from "node:path";
import { type Git, isRefusal, type Ports, putFile, sha256Hex } from "@bridle/record";
import { mapAtCommit, readSmallText, Unreadable } from "@bridle/work";
import { copyIgnored } from "../repository/worktrees.js";
import type { RunnerSettings } from "../settings/runner-file.js";
import type { Begun, Outcome } from "../types.js";
import { definedOf } from "../work/run-work.js";
import type { WorkerContext } from "./context.js";
import { failed } from "./failed.js";

/** Ignored by git, because it lies in the worktree's own git folder. */
const doneFile = "bridle-set-up";
const lockfileBytesMax = 64 * 1024 * 1024;

/** As the project's settings say; else that of the commit's map of checks. */
export async function setupOf(
  settings: RunnerSettings,
  top: string,
  commit: string,
  git: Git,
): Promise<RunnerSettings["setup"]> {
  if (settings.setup !== undefined) return settings.setup;
  const map = await mapAtCommit(top, commit, git);
  if (isRefusal(map) || map.setup === undefined) return undefined;
  const { command, lockfiles, timeoutSeconds = 600 } = map.setup;
  return { command, lockfiles, timeoutMs: timeoutSeconds * 1_000 };
}

export async function setUp(step: Begun, context: WorkerContext): Promise<Outcome> {
  const { settings, worktree, repository, ports, env, signal } = context;
  const missing = await copyIgnored(settings.copy, repository.mainTree, worktree.folder, ports);
  const base = String(step.done.get("branch")?.["base"]);
  const setup = await setupOf(settings, worktree.folder, base, ports.git!);
  const told = missing.length === 0 ? {} : { missing };
  if (setup === undefined) return { ran: false, ...told };
  const key = await keyOf(setup.command, setup.lockfiles, worktree.folder, ports);
  const gitFolder = await worktree.git.say("rev-parse", "--absolute-git-dir");
  if ((await readSmallText(join(gitFolder, doneFile), ports.files)) === key) return { ran: false, ...told };
  if (ports.commands === undefined) return failed("executor_unavailable", "no command can be run here");
  // Until it has ended well, what it left counts for no lockfiles, also not for those of the last time.
  await ports.files.remove(join(gitFolder, doneFile));
  const before = await sharedSettings(context);
  const passed = definedOf(Object.fromEntries(settings.env.map((name) => [name, env[name]])));
  let said = "";
  const beganMs = await ports.clock.monotonic();
  const { how, code } = await ports.commands.run({
    folder: worktree.folder,
    command: setup.command,
    wall: settings.wall.setup,
    network: true,
    env: { ...passed, HUSKY: "0", LEFTHOOK: "0", CI: "1" },
    timeoutMs: setup.timeoutMs,
    outputBytesMax: 64 * 1024 * 1024,
    keep: [],
    signal,
    onOutput: (chunk) => void (said = (said + Buffer.from(chunk).toString("utf8")).slice(-4_000)),
  });
  const ms = Math.round((await ports.clock.monotonic()) - beganMs);
  if (how !== "exit" || code !== 0) {
    return failed(
      "setup_failed",
      `${setup.command} ${how === "exit" ? `ended with ${code}` : `was ended (${how})`}\n${said.trimEnd()}`,
    );
  }
  // What set-up plants into the settings that all worktrees share is told, and blamed on nobody.
  const planted = before === (await sharedSettings(context)) ? {} : { changedSettings: true };
  await putFile(join(gitFolder, doneFile), Buffer.from(key), ports);
  return { ran: true, ms, ...told, ...planted };
}

async function keyOf(
  command: string,
  lockfiles: readonly string[],
  folder: string,
  ports: Ports,
): Promise<string> {
  const parts = [command];
  for (const path of lockfiles) {
    const text = await readSmallText(join(folder, path), ports.files, lockfileBytesMax);
    parts.push(path, text instanceof Unreadable ? text.why : (text ?? ""));
  }
  return sha256Hex(JSON.stringify(parts));
}

async function sharedSettings({
  repository: { commonDir },
  ports,
}: WorkerContext): Promise<string | undefined> {
  const text = await readSmallText(join(commonDir, "config"), ports.files);
  return text instanceof Unreadable ? text.why : text;
}
