import type { AgentTool, ApprovalRequest, Needs } from "@bridle/agent";
import type { JsonObject } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { paintFor, plainPaint } from "../cli/paint.js";
import { alwaysOf } from "./always.js";
import { askedOf } from "./asked.js";

function request(args: JsonObject, more: Partial<ApprovalRequest> = {}, needs?: Needs): ApprovalRequest {
  const intent = { key: "k", repeat: "run", risk: "cautious", says: "Edit a.ts" } as const;
  return {
    ...{ callId: "c", tool: "run_shell", args, timeoutMs: 1000 },
    intent: needs === undefined ? intent : { ...intent, needs },
    ...more,
  };
}

describe("a command", () => {
  test.each([
    ["write", "write · no network", "It may change files of this folder, but for .git/config"],
    ["network", "network", "talk to any machine"],
    ["host", "host · no wall", "whatever you may do on this machine"],
  ] as const)("that needs %s says what that lets it do", async (needs, facts, after) => {
    const asked = await askedOf(request({ command: "npx tsc\nls" }, {}, needs), undefined, plainPaint);
    expect(asked.head).toBe("Run this command?");
    expect(asked.facts.join(" · ")).toBe(facts);
    expect(asked.body).toEqual(["npx tsc", "ls"]);
    expect(asked.after.join()).toContain(after);
  });

  test("that nothing holds back promises nothing of its tier", async () => {
    const because = "nothing holds it back, because bubblewrap is not installed.";
    const asked = await askedOf(
      request({ command: "ls", cwd: "src" }, { because }, "read"),
      undefined,
      plainPaint,
    );
    expect(asked.head).toBe("Run this command in src?");
    expect(asked.facts).toEqual(["read", "no wall"]);
    expect(asked.after).toEqual([because]);
  });

  test("shows what it would do to the terminal instead of doing it", async () => {
    const asked = await askedOf(
      request({ command: "echo \u001b[2J\u202e" }, {}, "write"),
      undefined,
      plainPaint,
    );
    expect(asked.body).toEqual(["echo \\u001b[2J\\u202e"]);
  });
});

describe("a change of a file", () => {
  const tool = (preview: AgentTool["preview"]) => ({ preview }) as AgentTool;

  test("is a diff in colour, the whole of it", async () => {
    const before = Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join("");
    const after = before.replaceAll(/line (\d*)5\n/g, `LINE $15 ${"y".repeat(500)}\n`);
    const asked = await askedOf(
      request({ path: "a.ts" }),
      tool(async () => ({ path: "a.ts", before, after })),
      paintFor(true),
    );
    expect(asked.head).toBe("Edit a.ts?");
    expect(asked.facts).toEqual(["\u001b[32m+30\u001b[39m \u001b[31m−30\u001b[39m"]);
    expect(asked.body).toContain("\u001b[31m-line 5\u001b[39m");
    expect(asked.body).toContain(`\u001b[32m+LINE 295 ${"y".repeat(500)}\u001b[39m`);
    expect(asked.body).toContain(" line 4");
    expect(asked.body.join("")).not.toContain("left out");
  });

  test("whose result nobody can say beforehand is shown by its arguments", async () => {
    const asked = await askedOf(
      request({ path: "a.ts", diff: "one\ntwo" }, { tool: "edit_file" }),
      tool(async () => undefined),
      plainPaint,
    );
    expect(asked.head).toBe("edit_file: Edit a.ts?");
    expect(asked.body).toEqual(["path: a.ts", "diff:", "  one", "  two"]);
  });
});

describe("always", () => {
  const offered = (asked: ApprovalRequest) => alwaysOf(asked).map(({ choice }) => choice);

  test("holds for a command in this folder: for what begins so, or for exactly this", () => {
    expect(offered(request({ command: "npx tsc --build" }, {}, "write"))).toEqual([
      "[a]lways here: npx tsc *",
      "e[x]actly this, always",
    ]);
    expect(offered(request({ command: "npx tsc && rm x" }, {}, "write"))).toEqual([
      "[a]lways here: exactly this",
    ]);
  });

  test("holds for another tool in this conversation", () => {
    expect(offered(request({}))).toEqual(["[a]lways run_shell in this conversation"]);
  });

  test("is not offered for what can destroy, what has no wall, and what a tool wants asked", () => {
    expect(offered(request({ command: "ls" }, {}, "host"))).toEqual([]);
    expect(offered(request({ command: "ls" }, { because: "nothing holds it back" }, "write"))).toEqual([]);
    expect(offered(request({}, { because: "git ignores it" }))).toEqual([]);
    const destructive = { ...request({}).intent, risk: "destructive" } as const;
    expect(offered(request({}, { intent: destructive }))).toEqual([]);
  });
});
