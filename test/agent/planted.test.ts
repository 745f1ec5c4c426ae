/** Small mistakes that nobody noticed once: each test states the behaviour that one of them broke. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { call } from "../support/agent-rules.js";
import { newFastFolder } from "../support/folder.js";
import { fileAgent, rowsOf, textOf, thinkingModel } from "./kit.js";

it("arguments that a person edits while approving are held against the commitments too", async () => {
  const folder = newFastFolder();
  writeFileSync(join(folder, "keep.txt"), "as it was\n");
  const calls = [call("write_file", { path: "a.txt", content: "x\n" })];
  const { agent, id } = await fileAgent({
    call: thinkingModel((_request, index) => calls[index] ?? { text: "Done." }),
    folder,
    approver: async () => ({
      decision: "edit",
      args: { path: "keep.txt", content: "x\n", mode: "overwrite", confirm_overwrite: true },
    }),
    more: { commitments: [{ text: "keep.txt stays", paths: ["keep.txt"], tools: [], needs: [] }] },
  });
  await agent.send("Write a.txt.");
  await agent.close();
  expect(readFileSync(join(folder, "keep.txt"), "utf8")).toBe("as it was\n");
  const [result] = rowsOf(folder, id).filter((row) => row.type === "tool_result");
  expect(result).toMatchObject({ ok: false, ran: false, code: "commitment_broken" });
});

it("a tool is not asked about arguments that a person edited until they fit no more", async () => {
  const folder = newFastFolder();
  const turn = testTool("turn", () => "turned", {
    properties: { by: { type: "number" } },
    intent: ({ by }) => ({
      ...{ key: "turn", repeat: "run", risk: "destructive" },
      says: `turn by ${(by as number).toFixed()}`,
    }),
  });
  const { agent, id } = await fileAgent({
    call: thinkingModel(
      (_request, index) => [call("turn", { by: 3 })][index] ?? { text: "It was not turned." },
    ),
    folder,
    tools: [turn],
    approver: async () => ({ decision: "edit", args: { by: "much" } }),
  });
  expect(await agent.send("Turn.")).toMatchObject({ reason: "ok", text: "It was not turned." });
  await agent.close();
  const [result] = rowsOf(folder, id).filter((row) => row.type === "tool_result");
  expect(result).toMatchObject({ ok: false, ran: false, code: "args_invalid" });
});

it("what was read is read again after a command that failed: it may have changed it first", async () => {
  const folder = newFastFolder();
  const breaks = testTool("deploy", () => "", {
    intent: () => ({ key: "deploy", repeat: "run", risk: "safe", says: "deploy", changes: "anything" }),
    run: async () => {
      writeFileSync(join(folder, "a.txt"), "after\n");
      return { ok: false, text: "exit 1" };
    },
  });
  writeFileSync(join(folder, "a.txt"), "before\n");
  const look = call("read_file", { path: "a.txt" });
  const calls = [look, call("deploy"), look];
  const { agent, id } = await fileAgent({
    call: thinkingModel((_request, index) => calls[index] ?? { text: "It failed, and a.txt changed." }),
    folder,
    tools: [breaks],
  });
  await agent.send("Look, deploy, look again.");
  await agent.close();
  const results = rowsOf(folder, id).filter((row) => row.type === "tool_result");
  expect(results.map(({ text, ran }) => [text, ran])).toEqual([
    ["before", true],
    ["exit 1", true],
    ["after", true],
  ]);
});

it("the reason why an answer was cut is held against its last call only", async () => {
  const folder = newFastFolder();
  const looksCut = "export function half() {\n  return [1, 2,\n";
  const second = JSON.stringify({ path: "b.ts", content: "export const b = 1;\n" });
  const told: string[] = [];
  const { agent } = await fileAgent({
    call: thinkingModel((request, index) => {
      if (index === 0) {
        const first = { name: "write_file", arguments: { path: "a.ts", content: looksCut }, id: "c-0" };
        const cut = { name: "write_file", arguments: second.slice(0, 40), id: "c-1" };
        return { toolCalls: [first, cut], stop: "length" };
      }
      told.push(textOf(request.messages.at(-1)));
      return { text: "One is there." };
    }),
    folder,
  });
  await agent.send("Write both.");
  await agent.close();
  expect(readFileSync(join(folder, "a.ts"), "utf8")).toBe(looksCut);
  expect(existsSync(join(folder, "b.ts"))).toBe(false);
  expect(told[0]).toContain("[CONTINUE] Your call of write_file for b.ts was cut off");
});
