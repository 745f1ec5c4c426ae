/** What a server finds in its environment: where it is and in which language, and what its entry names. No key of anybody. */
import type { Env, Stdio } from "../types.js";

const passing = [
  ...["HOME", "USER", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

export function serverEnvironment({ env: named }: Stdio, env: Env): Record<string, string> {
  const passed = passing.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), TERM: "dumb", NO_COLOR: "1", ...named };
}
