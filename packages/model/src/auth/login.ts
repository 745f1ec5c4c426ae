/**
 * Logging in with Codex: a page is opened, somebody agrees, a code comes back.
 *
 * The browser brings the code to a door on loopback; where there is no browser on
 * this machine, a person pastes the address that it ended at. Both are waited for
 * at once. A code that carries another login's state is refused: it would log us
 * in as somebody else.
 */
import { Failure, type Ports } from "@bridle/record";
import { modelLimits } from "../limits.js";
import { nodeHttp, type Http } from "../outside/http.js";
import { within } from "../within.js";
import {
  codeIn,
  codexEndpoints,
  exchangeCode,
  newChallenge,
  type Challenge,
  type CodexEndpoints,
} from "./codex.js";
import type { Credentials } from "./credentials.js";

export interface LoginOptions {
  readonly ports: Ports;
  readonly credentials: Credentials;
  /** Contract: shows the address to the person, or opens it; must not wait for them. `waiting` says whether the browser can come back by itself. */
  readonly show: (page: { readonly url: string; readonly waiting: boolean }) => void | Promise<void>;
  /** What the person pastes; undefined when there will be nothing. */
  readonly paste?: (signal: AbortSignal) => Promise<string | undefined>;
  /** False opens no door: paste only. */
  readonly browser?: boolean;
  readonly http?: Http;
  readonly endpoints?: CodexEndpoints;
  readonly signal?: AbortSignal | undefined;
}

export interface LoggedIn {
  readonly accountId: string;
  readonly expiresAt: number;
}

export async function loginCodex(options: LoginOptions): Promise<LoggedIn> {
  const { ports, credentials, http = nodeHttp, endpoints = codexEndpoints, signal } = options;
  const challenge = await newChallenge(endpoints, ports.randomness);
  const code = await codeFor(challenge, { ...options, http, endpoints });
  const tokens = await exchangeCode(code, challenge, { endpoints, http, ports, signal });
  await credentials.store(tokens);
  return { accountId: tokens.accountId, expiresAt: tokens.expiresAt };
}

type Waiting = LoginOptions & { readonly http: Http; readonly endpoints: CodexEndpoints };

async function codeFor(challenge: Challenge, options: Waiting): Promise<string> {
  const { http, endpoints, ports, show, paste, signal, browser = true } = options;
  const { callbackHost: host, callbackPort: port, callbackPath: path } = endpoints;
  const door = browser
    ? await http.listen({ host, port, path, judge: (query) => judged(query, challenge) })
    : undefined;
  const over = new AbortController();
  try {
    if (door === undefined && paste === undefined) throw noWay(port);
    await show({ url: challenge.url, waiting: door !== undefined });
    const ways: Promise<string>[] = [];
    if (door !== undefined) ways.push(door.came);
    if (paste !== undefined) ways.push(pasted(paste(over.signal), challenge, door !== undefined));
    const came = await within(Promise.race(ways), {
      clock: ports.clock,
      msMax: modelLimits.loginWaitMsMax,
      signal,
    });
    if (came.kind === "value") return came.value;
    if (came.kind === "aborted") throw new Failure("aborted", { message: "the login was given up" });
    throw new Failure("login_failed", {
      message: `nobody came back from the browser within ${modelLimits.loginWaitMsMax / 60_000} minutes`,
      hint: "Begin the login again.",
    });
  } finally {
    over.abort();
    await door?.close();
  }
}

function judged(query: URLSearchParams, { state }: Challenge) {
  if (query.get("state") !== state) return { refused: "This page belongs to another login." };
  const code = query.get("code");
  if (code !== null && code !== "") return { finished: code };
  return {
    refused: `The login was not granted: ${query.get("error_description") ?? query.get("error") ?? "no reason given"}`,
  };
}

/** Never settles when nothing was pasted and the browser may still come. */
async function pasted(
  text: Promise<string | undefined>,
  { state }: Challenge,
  orBrowser: boolean,
): Promise<string> {
  const given = await text;
  if (given === undefined && orBrowser) return new Promise(() => {});
  const found = codeIn(given ?? "");
  if (found.state !== undefined && found.state !== state) {
    throw new Failure("login_failed", {
      message: "what was pasted belongs to another login",
      hint: "Begin again, and paste the address that the last page ended at.",
    });
  }
  if (found.code !== undefined) return found.code;
  throw new Failure("login_failed", {
    message: "there is no code in what was pasted",
    hint: "Paste the whole address that the browser ended at, or the code.",
  });
}

function noWay(port: number): Failure {
  return new Failure("login_failed", {
    message: `port ${port} is taken, so the browser cannot come back`,
    hint: "End the program that uses it, or paste the code: bridle login codex --paste",
  });
}
