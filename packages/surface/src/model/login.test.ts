import { statSync } from "node:fs";
import { join } from "node:path";
import { codexEndpoints } from "@bridle/model";
import { commandLineAuthority, type Operation, perform } from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { TokenServer } from "../../../../test/support/token-server.js";
import { type LoginTerminal, loginCodexOperation } from "./login.js";

async function login(input: { paste?: boolean }, terminal: Partial<LoginTerminal>) {
  const server = await TokenServer.start();
  const folder = newFolder();
  const said: string[] = [];
  const opened: string[] = [];
  const operation = loginCodexOperation(async () => ({
    // Port 0 takes any that is free; the browser of this test never comes.
    endpoints: { ...codexEndpoints, tokenUrl: server.url, callbackPort: 0 },
    say: (line) => void said.push(line),
    open: (url) => void opened.push(url),
    interactive: false,
    line: async () => undefined,
    ...terminal,
  })) as unknown as Operation;
  const envelope = await perform(operation, input, {
    call: {
      ports: nodePorts(),
      signal: new AbortController().signal,
      cwd: folder,
      env: { XDG_CONFIG_HOME: folder },
      warn: () => {},
      progress: () => {},
    },
    authority: commandLineAuthority(),
    gates: [],
    onBug: (error) => {
      throw error;
    },
  });
  return { envelope, said: said.join("\n"), opened, path: join(folder, "bridle", "credentials.json") };
}

describe("bridle login codex", () => {
  it("shows the page, takes what is pasted, keeps the credentials, and shows no token", async () => {
    const { envelope, said, opened, path } = await login({ paste: true }, { line: async () => "a-code" });
    expect(envelope).toMatchObject({
      resultClass: "accepted",
      payload: { provider: "openai-codex", path, accountId: "acct-1" },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(said).toContain("https://auth.openai.com/oauth/authorize?");
    expect(opened).toEqual([]);
    expect(`${JSON.stringify(envelope)}${said}`).not.toMatch(/refresh-token|eyJ/);
  });

  it("opens the page for somebody at a terminal, who may paste all the same", async () => {
    const { envelope, opened } = await login({}, { interactive: true, line: async () => "a-code" });
    expect(envelope.resultClass).toBe("accepted");
    expect(opened).toHaveLength(1);
  });

  it("nothing pasted is a login that failed, with a word about what to paste", async () => {
    const { envelope } = await login({ paste: true }, {});
    expect(envelope).toMatchObject({
      resultClass: "login_failed",
      payload: { hint: expect.stringContaining("Paste the whole address") },
    });
  });
});
