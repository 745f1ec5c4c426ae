/**
 * Whether git ignores a path of the workspace: what is written there shows in no
 * diff, so a person is asked even where writing is approved in advance.
 *
 * What a newcomer gets wrong: git runs programs that a repository's own settings
 * name. So it runs behind the wall, like a command that only reads, and with those
 * settings overruled for where there is none. Where it cannot answer for a
 * repository that is there, a person is asked.
 */
import { dirname, join } from "node:path";
import type { Commands } from "@bridle/host";
import type { Files, JsonObject } from "@bridle/record";
import type { Workspace } from "../types.js";
import { judgePath } from "../workspace/judge-path.js";

/** Why a person must be asked about a write there; undefined when nobody must. Contract: never throws. */
export type AskAbout = (path: string) => Promise<string | undefined>;

const question = "git -c core.fsmonitor=false -c core.hooksPath=/dev/null check-ignore --quiet --";
const timeoutMs = 10_000;

/** The repository may be above the workspace; git is walled in there. */
export function askAboutIgnored(
  root: string,
  files: Files,
  commandsIn: (folder: string) => Commands,
): AskAbout {
  return async (path) => {
    const top = await repositoryOf(root, files);
    if (top === undefined) return undefined;
    const { how, code } = await commandsIn(top).run({
      needs: "read",
      command: `${question} './${path.replaceAll("'", `'\\''`)}'`,
      cwd: root,
      timeoutMs,
      outputBytesMax: 100_000,
      signal: new AbortController().signal,
      onOutput() {},
    });
    if (how === "exit" && code === 1) return undefined;
    return how === "exit" && code === 0
      ? `git ignores ${path}, so no diff will show the change`
      : `git cannot say whether it ignores ${path}`;
  };
}

/** Of a write to the path in its arguments; a path that cannot be one is refused anyway. */
export async function asksAbout(
  { workspace, askAbout }: { readonly workspace: Workspace; readonly askAbout?: AskAbout },
  args: JsonObject,
): Promise<string | undefined> {
  const { path } = judgePath(workspace, String(args["path"]));
  return path === undefined ? undefined : askAbout?.(path);
}

/** The folder with `.git` that the workspace is, or lies in, whether or not git could read it. */
async function repositoryOf(root: string, files: Files): Promise<string | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    if ((await files.stat(join(folder, ".git"))) !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
