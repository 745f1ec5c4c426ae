/** A server by HTTP: our own, on loopback, with its token in a header that comes from the environment. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, onTestFinished } from "vitest";
import {
  bundleServer,
  killLeftovers,
  startHttpServer,
  stopServer,
} from "../../../../test/mcp-support/launch.js";
import { it } from "../../../../test/support/everyday.js";
import { newFolder } from "../../../../test/support/folder.js";
import type { ServerEntry } from "../types.js";
import { Connection } from "./connect.js";
import { toolsOf } from "./tools.js";

afterAll(killLeftovers);
const { signal } = new AbortController();

const entry = (
  url: string,
  headers: Record<string, string> = { Authorization: "Bearer ${TOKEN}" },
): ServerEntry => ({
  ...{ name: "far", origin: "person", file: "/x/mcp.json", folder: "/" },
  how: { kind: "http", url, headers },
});

async function listening(
  answer: (url: string) => { status: number; headers?: Record<string, string>; body?: string },
) {
  const server = createServer((request, response) => {
    const { status, headers = {}, body = "" } = answer(request.url ?? "");
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a server by HTTP", () => {
  it("lists and runs its tools with the header that its entry names; with a wrong one it is a sentence", async () => {
    const server = await startHttpServer({ program: await bundleServer(), cwd: newFolder() });
    try {
      const connection = await Connection.open(entry(server.url.href), {
        env: { TOKEN: server.token },
        signal,
      });
      const tools = await toolsOf({ name: "far", connection, secrets: [], notice: () => {} });
      const [first] = tools;
      expect(first?.name).toMatch(/^mcp_far_/);
      const run = { callId: "c", round: 1, signal, update: () => {} };
      const list = tools.find(({ name }) => name.endsWith("_list"));
      expect((await list?.run({}, run))?.text).not.toBe("");
      await connection.close();
      const wrong = Connection.open(entry(server.url.href), { env: { TOKEN: "another" }, signal });
      await expect(wrong).rejects.toMatchObject({ failureClass: "mcp_server_failed" });
      await expect(wrong).rejects.not.toThrow(/another/);
    } finally {
      await stopServer(server);
    }
  });

  it("that redirects, is not there, or floods is a sentence, and its header goes nowhere else", async () => {
    const seen: string[] = [];
    const elsewhere = await listening((url) => {
      seen.push(url);
      return { status: 200 };
    });
    const redirecting = await listening(() => ({
      status: 307,
      headers: { location: `${elsewhere}/stolen` },
    }));
    const flooding = await listening(() => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: `"${"x".repeat(30_000_000)}"`,
    }));
    const open = (url: string) =>
      Connection.open(entry(url), { env: { TOKEN: "t" }, signal, connectMs: 5_000 });
    await expect(open(redirecting)).rejects.toMatchObject({ failureClass: "mcp_server_failed" });
    await expect(open("http://127.0.0.1:1/mcp")).rejects.toMatchObject({ failureClass: "mcp_server_failed" });
    await expect(open(flooding)).rejects.toMatchObject({ failureClass: "mcp_server_flooded" });
    expect(seen).toEqual([]);
  });

  it.each(["http://example.com/mcp", "ftp://x", "https://user:pass@example.com/", "nonsense"])(
    "at %s is not asked at all",
    async (url) => {
      const opened = Connection.open(entry(url), { env: { TOKEN: "t" }, signal });
      await expect(opened).rejects.toMatchObject({ failureClass: "mcp_server_invalid" });
    },
  );
});
