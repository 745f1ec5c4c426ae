import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import type { ApprovalRequest, Needs } from "../types.js";
import { AllowList, allowRulesFor, withAllowList } from "./allow.js";

const { signal } = new AbortController();

function asking(command: string, needs: Needs = "write", because?: string): ApprovalRequest {
  const intent = { key: command, repeat: "run", risk: "cautious", says: command, needs } as const;
  const request = { callId: "c", tool: "run_shell", args: { command, needs }, intent, timeoutMs: 1 };
  return { ...request, ...(because === undefined ? {} : { because }) };
}

function settings() {
  const folder = realpathSync(newFolder());
  const path = join(folder, "bridle", "allow.json");
  mkdirSync(join(folder, "bridle"));
  const open = (workspace: string) => AllowList.open({ ports: nodePorts(), path, workspace });
  return { path, open };
}

describe("what a person always allows", () => {
  it("is not asked for again in that folder, and is asked for in every other", async () => {
    const { open, path } = settings();
    const asked: string[] = [];
    const person =
      (always?: true | "wide") =>
      async ({ args }: ApprovalRequest) => {
        asked.push(String(args["command"]));
        return { decision: "approve", ...(always === undefined ? {} : { always }) } as const;
      };
    const here = await open("/srv/here");
    await withAllowList(person(true), here)(asking("npm test -- a"), signal);
    const again = withAllowList(person(), await open("/srv/here"));
    expect(await again(asking("npm test -- a"), signal)).toEqual({ decision: "approve" });
    expect(asked).toEqual(["npm test -- a"]);
    await again(asking("npm test -- b"), signal);
    await again(asking("npm test -- a", "network"), signal);
    await withAllowList(person(), await open("/srv/there"))(asking("npm test -- a"), signal);
    expect(asked).toEqual(["npm test -- a", "npm test -- b", "npm test -- a", "npm test -- a"]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      allowKind: "bridle.allow.v1",
      folders: [{ folder: "/srv/here", rules: [{ needs: "write", command: "npm test -- a" }] }],
    });
  });

  it("is, of a plain command, its first two words with whatever follows that is as plain", async () => {
    const { open } = settings();
    const list = await open("/w");
    const wide = allowRulesFor(asking("npm run build -- --fast"))[1];
    expect(wide).toEqual({ needs: "write", command: "npm run *" });
    await list.add(wide!);
    const allowed = ["npm run build", "npm run", "npm run lint -- src/a.ts"];
    const asked = [
      ...[
        "npm run x; rm -rf .",
        "npm run x && y",
        "npm run $(x)",
        "npm run `x`",
        "npm run x > y",
        "npm run x\ny",
      ],
      ...[
        "npm test",
        "npm  install x",
        "A=1 npm run x",
        "npm run 'x'",
        "npm run x | y",
        "npm run ~",
        "npm run *",
      ],
    ];
    for (const command of allowed) expect(await list.allows(asking(command)), command).toBe(true);
    for (const command of asked) expect(await list.allows(asking(command)), command).toBe(false);
    await list.remove(wide!);
    expect(await list.rules()).toEqual([]);
  });

  it.each([
    ["what runs without a wall", asking("npm test", "host")],
    ["what its tool has a reason to ask about", asking("npm test", "write", "nothing holds it back")],
  ])("is never %s", async (_, request) => {
    const { open, path } = settings();
    const folders = [{ folder: "/w", rules: [{ needs: "write", command: "npm test" }] }];
    writeFileSync(path, JSON.stringify({ allowKind: "bridle.allow.v1", folders }));
    const list = await open("/w");
    expect(await list.allows(asking("npm test"))).toBe(true);
    expect([await list.allows(request), allowRulesFor(request)]).toEqual([false, []]);
    expect(await withAllowList(undefined, list)(request, signal)).toMatchObject({ decision: "reject" });
  });

  it("that cannot be read allows nothing and says which file", async () => {
    const { open, path } = settings();
    writeFileSync(
      path,
      '{"allowKind":"bridle.allow.v1","folders":[{"folder":"/w","rules":[{"needs":"host","command":"x"}]}]}',
    );
    const list = await open("/w");
    await expect(list.allows(asking("x"))).rejects.toThrow(path);
  });
});
