/** Asks a tool whether somebody is logged in, before an issue is claimed for it. */
import { openCommands } from "@bridle/host";
import { refuse, type Refusal } from "@bridle/record";
import type { Preset } from "./presets.js";
import { quoted } from "./run-work.js";

const timeoutMs = 30_000;

export async function checkLogin(
  { name, words, login }: Preset,
  { folder, env, signal }: { readonly folder: string; readonly env: Env; readonly signal: AbortSignal },
): Promise<Refusal | undefined> {
  if (login === undefined) return undefined;
  let said = "";
  const { how, code } = await openCommands({ workspace: folder, env }).run({
    ...{
      needs: "host",
      compares: false,
      command: login.map(quoted).join(" "),
      cwd: folder,
      stdin: "",
      timeoutMs,
      signal,
    },
    env: definedOf(env),
    outputBytesMax: 1024 * 1024,
    onOutput: (chunk) => void (said = (said + Buffer.from(chunk).toString("utf8")).slice(-500)),
  });
  if (how === "exit" && code === 0) return undefined;
  if (how === "exit" && code === 127)
    return refuse("work_command_missing", {
      message: `${words[0]} is not on the PATH`,
      hint: `Install ${name}, or name another with --preset or --work-cmd.`,
    });
  return refuse("login_missing", {
    message: `\`${login.join(" ")}\` says that nobody is logged in${said.trim() === "" ? "" : `: ${said.trim()}`}`,
    hint: `Log in to ${name} and start again; nothing was claimed.`,
  });
}

type Env = Readonly<Record<string, string | undefined>>;

function definedOf(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
