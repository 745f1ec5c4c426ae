/**
 * The environment of a command: a short list of names, and nothing else.
 *
 * What a newcomer gets wrong: there is no list of secrets to leave out. What is
 * not named here does not get in, whatever it is called; and what is named gets
 * in only with a value of the shape that it should have.
 */
import { posix } from "node:path";
import type { Environment, Needs } from "./types.js";
import { isWithin } from "./paths.js";

const locale = /^(?:C|POSIX|[A-Za-z_]+\.(?:utf-?8))(?:@[a-z]+)?$|^C\.utf-?8$/i;
const name = /^[A-Za-z0-9._@-]{1,64}$/;
const folder = /^\/[^\n\0:]*$/;

/** What may pass, and how its value looks. */
const passing: Readonly<Record<string, RegExp>> = {
  HOME: folder,
  USER: name,
  LOGNAME: name,
  // Which run the command is a part of; see work's gate/standing-lane.ts.
  BRIDLE_RUN: /^[A-Za-z0-9,._-]{1,400}$/,
  TZ: /^[A-Za-z0-9_+/:-]{1,64}$/,
  ...Object.fromEntries(
    [
      "LANG",
      ...["ALL", "CTYPE", "COLLATE", "MESSAGES", "NUMERIC", "TIME", "MONETARY"].map((part) => `LC_${part}`),
    ].map((key) => [key, locale]),
  ),
};

const proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((key) => [
  key,
  key.toUpperCase(),
]);
/** Files and folders with certificates. */
export const certificateNames = [
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
  ...["GIT_SSL_CAINFO", "PIP_CERT", "CARGO_HTTP_CAINFO"],
] as const;

export interface EnvironmentOptions {
  readonly shell: string;
  readonly workspace: string;
  readonly needs: Needs;
  /** Whether the command runs behind the wall. */
  readonly walled: boolean;
  /** Who commits: the user's name and address, as git knows them. */
  readonly author?: { readonly name?: string; readonly email?: string };
}

export function commandEnvironment(from: Environment, options: EnvironmentOptions): Record<string, string> {
  const { needs, walled, author = {} } = options;
  const env: Record<string, string> = {};
  const pass = (key: string, shape: RegExp) => {
    const value = from[key];
    if (value !== undefined && shape.test(value)) env[key] = value;
  };
  for (const [key, shape] of Object.entries(passing)) pass(key, shape);
  if (!walled) pass("TMPDIR", folder);
  if (needs === "network" || needs === "host") {
    for (const key of proxies) pass(key, /^[^\n\0]{1,2048}$/);
    for (const key of certificateNames) pass(key, folder);
  }
  return {
    ...env,
    PATH: searchPath(from["PATH"], options.workspace),
    SHELL: options.shell,
    TERM: "dumb",
    CI: "1",
    NO_COLOR: "1",
    // Nothing may wait for a person, and nothing pages.
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    // `git status` writes the index only to be quicker next time; here there is no next time.
    ...(needs === "read" ? { GIT_OPTIONAL_LOCKS: "0" } : {}),
    ...gitSettings([
      // A folder that a command wrote cannot pose as a repository whose settings run programs.
      ["core.fsmonitor", "false"],
      ["safe.bareRepository", "explicit"],
      ...(author.name === undefined ? [] : [["user.name", author.name] as const]),
      ...(author.email === undefined ? [] : [["user.email", author.email] as const]),
    ]),
  };
}

function gitSettings(settings: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ]) as Record<string, string>;
}

/** Without relative folders and without those of the workspace: there `ls` could be anything. */
export function searchPath(path: string | undefined, workspace: string): string {
  const entries = (path ?? "")
    .split(":")
    .filter((entry) => entry.startsWith("/") && !isWithin(posix.normalize(entry), workspace));
  return entries.length === 0 ? "/usr/local/bin:/usr/bin:/bin" : entries.join(":");
}
