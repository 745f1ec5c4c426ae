/**
 * OpenAI's OAuth as Codex uses it: which addresses, what is sent, what comes back.
 *
 * pi has the same flow with its addresses built in and no lock around a refresh.
 * Here the addresses are handed in, so that tests log in at a loopback server.
 * The client id names the public Codex client; it is no secret.
 */
import { createHash } from "node:crypto";
import { Failure, isJsonObject, type Ports, type Randomness } from "@bridle/record";
import { modelLimits } from "../limits.js";
import type { Http, HttpAnswer } from "../outside/http.js";
import { Secrets } from "../secrets.js";

export interface CodexEndpoints {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly callbackHost: string;
  readonly callbackPort: number;
  readonly callbackPath: string;
}

export const codexEndpoints: CodexEndpoints = {
  authorizeUrl: "https://auth.openai.com/oauth/authorize",
  tokenUrl: "https://auth.openai.com/oauth/token",
  clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
  callbackHost: "127.0.0.1",
  callbackPort: 1455,
  callbackPath: "/auth/callback",
};

export interface CodexTokens {
  readonly access: string;
  readonly refresh: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly accountId: string;
}

/** What is made for one login and forgotten after it. */
export interface Challenge {
  readonly verifier: string;
  readonly state: string;
  readonly url: string;
  readonly redirectUri: string;
}

export async function newChallenge(endpoints: CodexEndpoints, randomness: Randomness): Promise<Challenge> {
  const verifier = base64Url(await randomness.bytes(32));
  const state = base64Url(await randomness.bytes(16));
  // The provider knows this address by the name localhost, and no other.
  const redirectUri = `http://localhost:${endpoints.callbackPort}${endpoints.callbackPath}`;
  const url = new URL(endpoints.authorizeUrl);
  const query = {
    response_type: "code",
    client_id: endpoints.clientId,
    redirect_uri: redirectUri,
    scope: "openid profile email offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state,
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    originator: "pi",
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return { verifier, state, url: url.href, redirectUri };
}

/** From what a person pastes: the address that the browser ended at, its query, `code#state`, or the code alone. */
export function codeIn(pasted: string): { readonly code?: string; readonly state?: string } {
  const text = pasted.trim();
  const query = /[?&]?\bcode=/.test(text)
    ? new URLSearchParams(text.replace(/^[^?]*\?/, "").replace(/#.*$/, ""))
    : undefined;
  const [code, state] =
    query === undefined ? text.split("#", 2) : [query.get("code") ?? "", query.get("state") ?? undefined];
  return { ...(code ? { code } : {}), ...(state ? { state } : {}) };
}

export interface TokenServer {
  readonly endpoints: CodexEndpoints;
  readonly http: Http;
  readonly ports: Ports;
  readonly signal?: AbortSignal | undefined;
}

export async function exchangeCode(
  code: string,
  challenge: Challenge,
  server: TokenServer,
): Promise<CodexTokens> {
  const { verifier, redirectUri } = challenge;
  const form = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri };
  const answer = await post(form, server, [code, verifier]);
  if (answer.status >= 400) {
    throw new Failure("login_failed", {
      message: `the login was refused (${answer.status}): ${complaint(answer, [code, verifier])}`,
      hint: "Begin the login again; a code is good once, and for a few minutes.",
    });
  }
  return tokensIn(answer, server);
}

export async function refreshTokens(refresh: string, server: TokenServer): Promise<CodexTokens> {
  const answer = await post({ grant_type: "refresh_token", refresh_token: refresh }, server, [refresh]);
  if (answer.status === 429 || answer.status >= 500) {
    throw new Failure("model_unavailable", {
      message: `the token server answered ${answer.status}: ${complaint(answer, [refresh])}`,
      hint: "Try again later; the credentials are unchanged.",
    });
  }
  if (answer.status >= 400) {
    throw new Failure("login_required", {
      message: `the credentials for Codex are no longer accepted (${answer.status}): ${complaint(answer, [refresh])}`,
      hint: "Log in again: bridle login codex",
    });
  }
  return tokensIn(answer, server);
}

async function post(
  form: Record<string, string>,
  server: TokenServer,
  hidden: readonly string[],
): Promise<HttpAnswer> {
  const { endpoints, http, signal } = server;
  const body = { ...form, client_id: endpoints.clientId };
  try {
    return await http.postForm(endpoints.tokenUrl, body, { msMax: modelLimits.tokenRequestMsMax, signal });
  } catch (error) {
    if (signal?.aborted === true) throw new Failure("aborted", { message: "the login was given up" });
    const why = error instanceof Error ? error.message : String(error);
    // Without a cause: what the client of the network throws may carry what was sent.
    throw new Failure("model_unavailable", {
      message: `the token server cannot be reached: ${new Secrets(hidden).hideInComplaint(why)}`,
      hint: "Check the connection and try again; the credentials are unchanged.",
    });
  }
}

async function tokensIn({ text }: HttpAnswer, { ports }: TokenServer): Promise<CodexTokens> {
  const value = parsed(text);
  const {
    access_token: access,
    refresh_token: refresh,
    expires_in: seconds,
  } = isJsonObject(value) ? value : {};
  if (typeof access !== "string" || typeof refresh !== "string" || typeof seconds !== "number") {
    throw new Failure("login_failed", {
      message: "the token server's answer has no access token, refresh token or lifetime",
    });
  }
  const accountId = accountOf(access);
  if (accountId === undefined) {
    throw new Failure("login_failed", {
      message: "the access token names no ChatGPT account",
      hint: "Log in with an account that has a ChatGPT plan.",
    });
  }
  return { access, refresh, expiresAt: (await ports.clock.now()) + seconds * 1000, accountId };
}

/** The token is a JWT; its signature is the provider's business. */
export function accountOf(token: string): string | undefined {
  const claims = parsed(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  const auth = isJsonObject(claims) ? claims["https://api.openai.com/auth"] : undefined;
  const id = isJsonObject(auth) ? auth["chatgpt_account_id"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

function complaint({ text }: HttpAnswer, hidden: readonly string[]): string {
  const value = parsed(text);
  const { error, error_description: described } = isJsonObject(value) ? value : {};
  const nested = isJsonObject(error) ? error["message"] : error;
  const said = [described, nested, text].find((each) => typeof each === "string" && each !== "");
  const line = new Secrets(hidden).hideInComplaint(String(said ?? "no reason given")).replace(/\s+/g, " ");
  return line.slice(0, modelLimits.errorShownCharsMax);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
