/** The snippets of docs/guides/mcp.md, each started by the official client as the program would start it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect } from "vitest";
import { repository } from "../support/built.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

interface Snippet {
  readonly command: string;
  readonly args: readonly string[];
}

const guide = readFileSync(join(repository, "docs/guides/mcp.md"), "utf8");

function snippet(client: string): Snippet {
  const text = new RegExp("```\\w+ client=" + client + "\\n([\\s\\S]*?)```").exec(guide)?.[1] ?? "";
  if (client !== "codex") {
    const { mcpServers, servers } = JSON.parse(text) as Record<
      "mcpServers" | "servers",
      Record<string, Snippet>
    >;
    return (mcpServers ?? servers)["premath"] as Snippet;
  }
  const value = (name: string) =>
    JSON.parse(new RegExp(`^${name} = (.*)$`, "m").exec(text)?.[1] ?? "") as unknown;
  return { command: value("command") as string, args: value("args") as string[] };
}

async function started({ command, args }: Snippet, folder: string): Promise<Client> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(premath.program, join(bin, "premath"));
  const client = new Client({ name: "bridle-test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map((word) => word.replaceAll("${workspaceFolder}", folder)),
      cwd: folder,
      env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder },
      stderr: "ignore",
    }),
  );
  return client;
}

/** As the guide tells a person to. */
function openLane(folder: string): void {
  const [, words = ""] = /`premath (lane open \w+)`/.exec(guide) ?? [];
  const env = { PATH: process.env["PATH"], HOME: folder };
  execFileSync(process.execPath, [premath.program, ...words.split(" ")], { cwd: folder, env });
}

describe("the snippet for", () => {
  test.each(["claude-code", "codex", "vscode", "cursor"])(
    "%s starts a server that adds and lists",
    async (name) => {
      const folder = newFolder();
      openLane(folder);
      const client = await started(snippet(name), folder);
      try {
        const added = await client.callTool({ name: "issue_add", arguments: { title: "from a client" } });
        expect(added.isError ?? false).toBe(false);
        const listed = await client.callTool({ name: "issue_list", arguments: {} });
        expect(JSON.stringify(listed.structuredContent)).toContain("from a client");
      } finally {
        await client.close();
      }
    },
  );

  test("the original's server starts ours, and --issues is the memory of calls that name none", async () => {
    const folder = newFolder();
    const text = /```sh\npremath (mcp-serve[\s\S]*?)```/.exec(guide)?.[1] ?? "";
    const args = text
      .replaceAll("\\\n", " ")
      .trim()
      .split(/\s+/)
      .map((word) =>
        word === "instruction-linked"
          ? "open"
          : word === ".premath/issues.jsonl"
            ? "work/issues.jsonl"
            : word,
      );
    const client = await started({ command: "premath", args }, folder);
    const observed = async (given: Record<string, string> = {}) =>
      JSON.stringify(await client.callTool({ name: "observe_latest", arguments: given }));
    try {
      await client.callTool({ name: "issue_add", arguments: { title: "elsewhere" } });
      // --surface names a file, so nothing is made up where it is not there.
      expect(await observed()).toContain("latest.json is not there");
      expect(await observed({ root: "." })).not.toContain("failureClass=");
      mkdirSync(join(folder, "artifacts/observation"), { recursive: true });
      writeFileSync(join(folder, "artifacts/observation/latest.json"), "{}");
      expect(await observed()).toContain("latest.json is no ");
    } finally {
      await client.close();
    }
    expect(readFileSync(join(folder, "work/issues.jsonl"), "utf8")).toContain("elsewhere");
  });
});
