/**
 * The environment of a command: a short list of names, and nothing else.
 *
 * What a newcomer gets wrong: there is no list of secrets to leave out. What is
 * not named here does not get in, whatever it is called; and what is named gets
 * in only with a value of the shape that it should have.
 */
import { posix } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const locale = /^(?:C|POSIX|[A-Za-z_]+\.(?:utf-?8))(?:@[a-z]+)?$|^C\.utf-?8$/i;
const name = /^[A-Za-z0-9._@-]{1,64}$/;
const folder = /^\/[^\n\0:]*$/;

/** What may pass, and how its value looks. */
const passing: Readonly<Record<string, RegExp>> = {
  HOME: folder,
  TMPDIR: folder,
  USER: name,
  LOGNAME: name,
  ...Object.fromEntries(
    [
      "LANG",
      ...["ALL", "CTYPE", "COLLATE", "MESSAGES", "NUMERIC", "TIME", "MONETARY"].map((part) => `LC_${part}`),
    ].map((key) => [key, locale]),
  ),
};

export interface EnvironmentOptions {
  readonly shell: string;
  readonly workspaceRoot: string;
  /** Name and value by which everything that a run started is found. */
  readonly mark: readonly [variable: string, token: string];
}

export function commandEnvironment(from: Environment, options: EnvironmentOptions): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, shape] of Object.entries(passing)) {
    const value = from[key];
    if (value !== undefined && shape.test(value)) env[key] = value;
  }
  const [variable, token] = options.mark;
  const outer = from[variable];
  return {
    ...env,
    PATH: searchPath(from["PATH"], options.workspaceRoot),
    SHELL: options.shell,
    TERM: "dumb",
    CI: "1",
    NO_COLOR: "1",
    // Nothing may wait for a person, and nothing pages.
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    // A folder that a command wrote cannot pose as a repository whose settings run programs.
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "false",
    GIT_CONFIG_KEY_1: "safe.bareRepository",
    GIT_CONFIG_VALUE_1: "explicit",
    [variable]: outer === undefined || !/^[0-9a-z,]{1,400}$/.test(outer) ? token : `${outer},${token}`,
  };
}

/** Without relative folders and without those of the workspace: there `ls` could be anything. */
function searchPath(path: string | undefined, workspaceRoot: string): string {
  const inside = (entry: string) => {
    const relative = posix.relative(workspaceRoot, posix.normalize(entry));
    return relative !== ".." && !relative.startsWith("../");
  };
  const entries = (path ?? "").split(":").filter((entry) => entry.startsWith("/") && !inside(entry));
  return entries.length === 0 ? "/usr/local/bin:/usr/bin:/bin" : entries.join(":");
}
