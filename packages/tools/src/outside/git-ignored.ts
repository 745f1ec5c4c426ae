/**
 * Whether git ignores a path of the workspace: what is written there shows in no
 * diff, so a person is asked even where writing is approved in advance.
 *
 * What a newcomer gets wrong: git runs programs that a repository's own settings
 * name. So it is started with those settings overruled and with a short environment,
 * and where it cannot answer for a repository that is there, a person is asked.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Why a person must be asked about a write there; undefined when nobody must. Contract: never throws. */
export type AskAbout = (path: string) => Promise<string | undefined>;

const waitMsMax = 10_000;
const overruled = ["core.fsmonitor=false", "core.untrackedCache=false", "core.hooksPath=/dev/null"];
const passedOn = ["PATH", "HOME", "XDG_CONFIG_HOME"];

export function askAboutIgnored(root: string, env: Readonly<Record<string, string | undefined>>): AskAbout {
  const some = Object.fromEntries(passedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  return async (path) => {
    if (!isRepository(root)) return undefined;
    const code = await checkIgnore(root, path, { ...some, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" });
    if (code === 1) return undefined;
    return code === 0
      ? `git ignores ${path}, so no diff will show the change`
      : `git cannot say whether it ignores ${path}`;
  };
}

function isRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** 0 when it is ignored, 1 when not; undefined when git did not say. */
function checkIgnore(root: string, path: string, env: Record<string, string>): Promise<number | undefined> {
  const settings = overruled.flatMap((each) => ["-c", each]);
  const args = ["-C", root, ...settings, "check-ignore", "--quiet", "--", `./${path}`];
  return new Promise((resolve) => {
    execFile("git", args, { env, timeout: waitMsMax }, (error) => {
      if (error === null) resolve(0);
      else resolve(error.code === 1 ? 1 : undefined);
    });
  });
}
