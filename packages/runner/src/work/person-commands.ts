/**
 * Two commands beside the work that run as the person would run them, without a wall: the one by which a tool says
 * whether somebody is logged in, asked before an issue is claimed for it; and the one that a person named for what needs
 * them, which gets the event as JSON on its standard input.
 */
import { openCommands } from "@bridle/host";
import { type JsonObject, refuse, type Refusal } from "@bridle/record";
import type { Preset } from "./presets.js";
import { definedOf, type Env, quoted } from "./run-work.js";

interface Where {
  readonly folder: string;
  readonly env: Env;
  readonly signal?: AbortSignal;
}

const [tellMsMax, loginMsMax] = [60_000, 30_000];
const outputBytesMax = 1024 * 1024;

/** How it ended, and the end of what it said. */
async function runPlainly(
  { command, stdin, timeoutMs }: { command: string; stdin: string; timeoutMs: number },
  { folder, env, signal }: Where,
) {
  let said = "";
  const { how, code } = await openCommands({ workspace: folder, env }).run({
    ...{ needs: "host", compares: false, command, cwd: folder, stdin, timeoutMs, outputBytesMax },
    env: definedOf(env),
    signal: signal ?? new AbortController().signal,
    onOutput: (chunk) => void (said = (said + Buffer.from(chunk).toString("utf8")).slice(-500)),
  });
  return { code: how === "exit" ? code : undefined, said: said.trim() };
}

export async function tellPerson(command: string, event: JsonObject, where: Where): Promise<void> {
  await runPlainly({ command, stdin: `${JSON.stringify(event)}\n`, timeoutMs: tellMsMax }, where);
}

export async function checkLogin({ name, words, login }: Preset, where: Where): Promise<Refusal | undefined> {
  if (login === undefined) return undefined;
  const command = login.map(quoted).join(" ");
  const { code, said } = await runPlainly({ command, stdin: "", timeoutMs: loginMsMax }, where);
  if (code === 0) return undefined;
  if (code === 127)
    return refuse("work_command_missing", {
      message: `${words[0]} is not on the PATH`,
      hint: `Install ${name}, or name another with --preset or --work-cmd.`,
    });
  return refuse("login_missing", {
    message: `\`${login.join(" ")}\` says that nobody is logged in${said === "" ? "" : `: ${said}`}`,
    hint: `Log in to ${name} and start again; nothing was claimed.`,
  });
}
