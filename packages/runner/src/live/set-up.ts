/** Makes a worktree ready to work in: files that git ignores are copied, and set-up runs when its lockfiles changed. */
import { join } from "node:path";
import { type Ports, putFile, sha256Hex } from "@bridle/record";
import { readText } from "../read-text.js";
import { copyIgnored } from "../repository/worktrees.js";
import type { Claimed, Outcome, StepState } from "../types.js";
import type { WorkerContext } from "./context.js";
import { failed } from "./failed.js";

/** Ignored by git, because it lies in the worktree's own git folder. */
const doneFile = "bridle-set-up";

export async function setUp(
  _step: StepState & { readonly claimed: Claimed },
  context: WorkerContext,
): Promise<Outcome> {
  const { settings, worktree, repository, ports, env, signal } = context;
  const missing = await copyIgnored(settings.copy, repository.mainTree, worktree.folder, ports);
  const { setup } = settings;
  const told = missing.length === 0 ? {} : { missing };
  if (setup === undefined) return { ran: false, ...told };
  const key = await keyOf(setup.command, setup.lockfiles, worktree.folder, ports);
  const gitFolder = await worktree.git.say("rev-parse", "--absolute-git-dir");
  if ((await readText(join(gitFolder, doneFile), ports)) === key) return { ran: false, ...told };
  if (ports.commands === undefined) return failed("executor_unavailable", "no command can be run here");
  const before = await sharedSettings(context);
  let said = "";
  const beganMs = await ports.clock.monotonic();
  const { how, code } = await ports.commands.run({
    folder: worktree.folder,
    command: setup.command,
    wall: settings.wall.setup,
    network: true,
    env: { ...passed(settings.env, env), HUSKY: "0", LEFTHOOK: "0", CI: "1" },
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
  for (const path of lockfiles) parts.push(path, (await readText(join(folder, path), ports)) ?? "");
  return sha256Hex(JSON.stringify(parts));
}

async function sharedSettings({
  repository: { commonDir },
  ports,
}: WorkerContext): Promise<string | undefined> {
  return readText(join(commonDir, "config"), ports);
}

function passed(names: readonly string[], env: WorkerContext["env"]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
