import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { accessToken } from "../../../../test/support/model-server.js";
import { TokenServer } from "../../../../test/support/token-server.js";
import { sha256Hex } from "@bridle/record";
import { Secrets } from "../secrets.js";
import { accountOf, codeIn, codexEndpoints, type CodexEndpoints } from "./codex.js";
import { Credentials } from "./credentials.js";
import { type LoginOptions, loginCodex } from "./login.js";

interface Login {
  readonly server: TokenServer;
  readonly endpoints: CodexEndpoints;
  readonly credentials: Credentials;
  login(options: Partial<LoginOptions>): ReturnType<typeof loginCodex>;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}

async function setup(): Promise<Login> {
  const server = await TokenServer.start();
  const endpoints = { ...codexEndpoints, tokenUrl: server.url, callbackPort: await freePort() };
  const ports = nodePorts();
  const credentials = new Credentials({
    path: join(newFolder(), "credentials.json"),
    ports,
    secrets: new Secrets(),
    endpoints,
  });
  return {
    server,
    endpoints,
    credentials,
    login: (options) => loginCodex({ ports, credentials, endpoints, show: () => {}, ...options }),
  };
}

/** What a browser does after the person agreed. */
async function comeBack(url: string, { callbackPort }: CodexEndpoints, change: Record<string, string> = {}) {
  const asked = new URL(url).searchParams;
  const query = new URLSearchParams({ code: "good", state: asked.get("state") ?? "", ...change });
  const response = await fetch(`http://127.0.0.1:${callbackPort}/auth/callback?${query.toString()}`);
  return { status: response.status, text: await response.text() };
}

describe("logging in with Codex", () => {
  it("through the browser: the page asks for what the provider wants, and the tokens are kept", async () => {
    const { login, endpoints, credentials, server } = await setup();
    let page = "";
    let answer: Promise<{ status: number }> | undefined;
    const done = await login({
      show({ url, waiting }) {
        expect(waiting).toBe(true);
        page = url;
        answer = comeBack(url, endpoints);
      },
    });
    expect((await answer)?.status).toBe(200);
    const query = Object.fromEntries(new URL(page).searchParams);
    expect(query).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `http://localhost:${endpoints.callbackPort}/auth/callback`,
    });
    const [form] = server.forms;
    expect(form?.get("grant_type")).toBe("authorization_code");
    const verifier = form?.get("code_verifier") ?? "";
    expect(Buffer.from(query["code_challenge"] ?? "", "base64url").toString("hex")).toBe(sha256Hex(verifier));
    expect(done.accountId).toBe("acct-1");
    expect(await credentials.accessToken()).toBe(accessToken("access-1"));
  });

  it("a page of another login, and one that was refused, do not end the wait", async () => {
    const { login, endpoints } = await setup();
    const seen: number[] = [];
    await login({
      show({ url }) {
        void (async () => {
          seen.push((await comeBack(url, endpoints, { state: "another" })).status);
          seen.push((await comeBack(url, endpoints, { code: "", error: "access_denied" })).status);
          seen.push((await comeBack(url, endpoints)).status);
        })();
      },
    });
    expect(seen.slice(0, 2)).toEqual([400, 400]);
  });

  it("by pasting, without a door: the address, the query, the code with its state, or the code", async () => {
    for (const form of [
      (code: string, state: string) => `http://localhost:1455/auth/callback?code=${code}&state=${state}`,
      (code: string, state: string) => `code=${code}&state=${state}`,
      (code: string, state: string) => `${code}#${state}`,
      (code: string) => `  ${code}\n`,
    ]) {
      const { login, server } = await setup();
      let state = "";
      await login({
        browser: false,
        show: ({ url, waiting }) => {
          expect(waiting).toBe(false);
          state = new URL(url).searchParams.get("state") ?? "";
        },
        paste: async () => form("good-code", state),
      });
      expect(server.forms[0]?.get("code")).toBe("good-code");
    }
  });

  it("what was pasted for another login, or holds no code, or is refused, is said so and stores nothing", async () => {
    const { login, credentials } = await setup();
    const paste = (text: string) => login({ browser: false, paste: async () => text });
    expect((await rejectsWith("login_failed", paste("code=a&state=another"))).message).toContain(
      "another login",
    );
    expect((await rejectsWith("login_failed", paste("  "))).message).toContain("no code");
    const refused = await rejectsWith("login_failed", paste("bad"));
    expect(refused.message).toContain("(400)");
    expect(await credentials.state()).toBeUndefined();
  });

  it("a port that is taken leaves pasting, and without that it is said so", async () => {
    const { login, endpoints } = await setup();
    const other = createServer();
    await new Promise<void>((done) => other.listen(endpoints.callbackPort, "127.0.0.1", done));
    try {
      expect((await rejectsWith("login_failed", login({}))).hint).toContain("--paste");
      expect((await login({ paste: async () => "good" })).accountId).toBe("acct-1");
    } finally {
      await new Promise((done) => other.close(done));
    }
  });

  it("an abort ends the wait and closes the door", async () => {
    const { login, endpoints } = await setup();
    const gaveUp = new AbortController();
    await rejectsWith(
      "aborted",
      login({ signal: gaveUp.signal, show: () => void setImmediate(() => gaveUp.abort()) }),
    );
    await expect(fetch(`http://127.0.0.1:${endpoints.callbackPort}/`)).rejects.toThrow();
  });
});

describe("small parts", () => {
  it("a code is found in what people paste", () => {
    expect(codeIn("https://x/auth/callback?state=s&code=c")).toEqual({ code: "c", state: "s" });
    expect(codeIn("?code=c%20d")).toEqual({ code: "c d" });
    expect(codeIn("c#s")).toEqual({ code: "c", state: "s" });
    expect(codeIn("")).toEqual({});
    expect(codeIn("https://x/auth/callback?error=denied&code=")).toEqual({});
  });

  it("a token that is no JWT names no account", () => {
    for (const token of ["", "a", "a.b.c", `a.${Buffer.from("[]").toString("base64url")}.c`])
      expect(accountOf(token)).toBeUndefined();
    expect(accountOf(accessToken("x", "me"))).toBe("me");
  });
});
