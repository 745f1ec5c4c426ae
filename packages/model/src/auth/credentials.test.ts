import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { useChildren } from "../../../../test/support/children.js";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { accessToken } from "../../../../test/support/model-server.js";
import { TokenServer } from "../../../../test/support/token-server.js";
import { until } from "../../../../test/support/until.js";
import { Secrets } from "../secrets.js";
import { codexEndpoints, type CodexTokens } from "./codex.js";
import { Credentials } from "./credentials.js";

const children = useChildren();

const tokens = (expiresAt: number): CodexTokens => ({
  access: accessToken("access-0"),
  refresh: "refresh-token-0",
  expiresAt,
  accountId: "acct-1",
});
const long = Date.UTC(2100, 0, 1);

function credentialsAt(path: string, tokenUrl = "http://127.0.0.1:9/"): Credentials {
  return new Credentials({
    path,
    ports: nodePorts(),
    secrets: new Secrets(),
    endpoints: { ...codexEndpoints, tokenUrl },
  });
}

describe("the file of credentials", () => {
  it("is readable by its owner only, whatever the umask, and leaves nothing beside it", async () => {
    const path = join(newFolder(), "config", "credentials.json");
    const old = process.umask(0);
    try {
      await credentialsAt(path).store(tokens(long));
    } finally {
      process.umask(old);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, "..")).filter((name) => name.endsWith(".draft"))).toEqual([]);
    expect(await credentialsAt(path).accessToken()).toBe(tokens(long).access);
    expect(await credentialsAt(path).state()).toEqual({ accountId: "acct-1", expiresAt: long });
  });

  it("keeps what a newer version put into it", async () => {
    const path = join(newFolder(), "credentials.json");
    await credentialsAt(path).store(tokens(long));
    writeFileSync(
      path,
      JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), other: { a: 1 } }),
    );
    await credentialsAt(path).store(tokens(long));
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ other: { a: 1 } });
  });

  it("is not used when others can read it, when it is broken, and when it is not there", async () => {
    const path = join(newFolder(), "credentials.json");
    const credentials = credentialsAt(path);
    const missing = await rejectsWith("login_required", credentials.accessToken());
    expect(missing.hint).toBe("Log in: bridle login codex");
    await credentials.store(tokens(long));
    chmodSync(path, 0o640);
    expect((await rejectsWith("credentials_invalid", credentials.accessToken())).hint).toContain("chmod 600");
    for (const text of [
      "",
      "{",
      "[]",
      "{}",
      '{"credentialsKind":"bridle.credentials.v1","openai-codex":{"access":1}}',
    ]) {
      writeFileSync(path, text, { mode: 0o600 });
      chmodSync(path, 0o600);
      await rejectsWith("credentials_invalid", credentials.accessToken());
    }
  });
});

describe("a refresh", () => {
  it("happens a little before the token ends, and for a token that was rejected, and otherwise not", async () => {
    const server = await TokenServer.start();
    const path = join(newFolder(), "credentials.json");
    const credentials = credentialsAt(path, server.url);
    const soon = Date.now() + 30_000;
    await credentials.store(tokens(soon));
    const first = await credentials.accessToken();
    expect(first).toBe(accessToken("access-1"));
    expect(await credentials.accessToken()).toBe(first);
    expect(await credentials.accessToken("some older token")).toBe(first);
    expect(server.refreshes).toBe(1);
    expect(await credentials.accessToken(first)).toBe(accessToken("access-2"));
    expect(server.refreshes).toBe(2);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("that is refused asks for a login and changes nothing", async () => {
    const server = await TokenServer.start("another");
    const path = join(newFolder(), "credentials.json");
    const credentials = credentialsAt(path, server.url);
    await credentials.store(tokens(0));
    const before = readFileSync(path);
    const failure = await rejectsWith("login_required", credentials.accessToken());
    expect(failure.message).toContain("[secret] was used before");
    expect(failure.message).not.toContain("refresh-token-0");
    expect(readFileSync(path)).toEqual(before);
    await rejectsWith("model_unavailable", credentialsAt(path).accessToken());
    expect(readFileSync(path)).toEqual(before);
  });

  it("that has begun is finished although its caller gives up: the new refresh token is not lost", async () => {
    const server = await TokenServer.start();
    const path = join(newFolder(), "credentials.json");
    await credentialsAt(path).store(tokens(0));
    const gaveUp = new AbortController();
    server.before = async () => gaveUp.abort();
    const endpoints = { ...codexEndpoints, tokenUrl: server.url };
    const { signal } = gaveUp;
    await new Credentials({
      path,
      ports: nodePorts(),
      secrets: new Secrets(),
      endpoints,
      signal,
    }).accessToken();
    server.before = async () => {};
    expect(await credentialsAt(path, server.url).accessToken(accessToken("access-1"))).toBe(
      accessToken("access-2"),
    );
    expect(server.reused).toBe(0);
  });

  it("of several real processes at once happens once, and all of them get the new token", async () => {
    const server = await TokenServer.start();
    const folder = newFolder();
    const path = join(folder, "credentials.json");
    await credentialsAt(path).store(tokens(0));
    const count = 3;
    const line = join(folder, ".credentials.lock.line");
    // The server answers once all the others stand in line for the lock.
    server.before = () =>
      until("the others wait", () => {
        try {
          return readdirSync(line).length >= count - 1;
        } catch {
          return false;
        }
      });
    const processes = Array.from({ length: count }, () =>
      children.start("refresh", { path, tokenUrl: server.url }),
    );
    for (const child of processes) await child.says("ready");
    for (const child of processes) child.tell("go");
    const said = await Promise.all(processes.map((child) => child.says("token ")));
    expect(new Set(said)).toEqual(new Set([`token ${accessToken("access-1")}`]));
    expect([server.refreshes, server.reused]).toEqual([1, 0]);
    console.log(`proof: ${count} processes wanted a new token at once, ${server.refreshes} refresh was made`);
  });
});
