/** A tool that looks at the outside may want a person asked, even where it is approved in advance. */
import type { AgentTool, ApprovalRequest } from "@bridle/agent";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { call } from "../support/agent-rules.js";
import { newFastFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { fileAgent, quickAgent, rowsOf, thinkingModel } from "./kit.js";

const paint = (asks: AgentTool["asks"], risk: "safe" | "cautious" = "cautious") =>
  testTool("paint", () => "painted", {
    intent: () => ({ key: "paint", repeat: "run", risk, says: "paint the wall" }),
    ...(asks === undefined ? {} : { asks }),
  });

async function told(tool: AgentTool, config: { yolo?: boolean; autoApproveTools?: string[] } = {}) {
  const requests: ApprovalRequest[] = [];
  const { agent, workspace } = await quickAgent({
    script: [call("paint", {}), { text: "Done." }],
    tools: [tool],
    config: { autoApproveTools: ["paint"], ...config },
    approver: async (request) => {
      requests.push(request);
      return { decision: "reject", reason: "not that colour" };
    },
    more: { newSession: "s-1" },
  });
  await agent.send("Paint the wall.");
  await agent.close();
  const row = rowsOf(workspace, "s-1").find(({ type }) => type === "tool_result");
  return { requests, ok: (row as { readonly ok: boolean }).ok };
}

describe("a tool that says why a person must be asked", () => {
  it("is asked about although it is approved in advance, and the question says why", async () => {
    for (const risk of ["safe", "cautious"] as const) {
      const { requests, ok } = await told(paint(async () => "the paint is wet", risk));
      expect(requests.map(({ intent }) => intent.says)).toEqual(["paint the wall; the paint is wet"]);
      expect(ok).toBe(false);
    }
  });

  it("is not asked about where it has nothing to say", async () => {
    expect(await told(paint(async () => undefined))).toEqual({ requests: [], ok: true });
  });

  it("says why beside a question that is asked anyway", async () => {
    const { requests } = await told(
      paint(async () => "the paint is wet"),
      { autoApproveTools: [] },
    );
    expect(requests.map(({ intent }) => intent.says)).toEqual(["paint the wall; the paint is wet"]);
    const plain = await told(
      paint(async () => undefined),
      { autoApproveTools: [] },
    );
    expect(plain.requests.map(({ intent }) => intent.says)).toEqual(["paint the wall"]);
  });

  it("is not asked at all by who approved everything", async () => {
    const tool = paint(() => Promise.reject(new Error("nobody may call this")));
    expect(await told(tool, { yolo: true })).toEqual({ requests: [], ok: true });
  });
});

describe("a path that git ignores", () => {
  it("is written only after a yes, although writing and editing are approved in advance", async () => {
    const folder = newFastFolder();
    git(folder, "init", "-q");
    writeFileSync(join(folder, ".gitignore"), "node_modules/\n*.log\n");
    writeFileSync(join(folder, "old.log"), "as it was\n");
    const asked: string[] = [];
    const edit = { replacements: [{ search: "as it was", replace: "otherwise" }] };
    const calls = [
      call("write_file", { path: "node_modules/.bin/ls", content: "#!/bin/sh\n" }),
      call("write_file", { path: "src/a.ts", content: "export const a = 1;\n" }),
      call("edit_file", { path: "old.log", ...edit }),
      call("edit_file", { path: "old.log", ...edit, preview: true }),
    ];
    const { agent } = await fileAgent({
      call: thinkingModel((_request, index) => calls[index] ?? { text: "Done." }),
      folder,
      config: { autoApproveTools: ["write_file", "edit_file"] },
      approver: async ({ intent }) => {
        asked.push(intent.says);
        return { decision: "reject", reason: "no" };
      },
    });
    await agent.send("Write them.");
    await agent.close();
    expect(asked).toEqual([
      "Create node_modules/.bin/ls (10 bytes); git ignores node_modules/.bin/ls, so no diff will show the change",
      "Edit old.log; git ignores old.log, so no diff will show the change",
    ]);
    expect(existsSync(join(folder, "node_modules"))).toBe(false);
    expect(readFileSync(join(folder, "old.log"), "utf8")).toBe("as it was\n");
    expect(existsSync(join(folder, "src/a.ts"))).toBe(true);
  });
});
