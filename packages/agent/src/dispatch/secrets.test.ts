import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Secrets } from "@bridle/model";
import { expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";

const key = "canary-3b77a0-key";

it("[AGENT-14.5] a secret that a tool prints stands in no row, artifact, event or request", async () => {
  const print = testTool("print_it", () => `${"x".repeat(30_000)} ${key} ${"y".repeat(30_000)} ${key}`);
  const fail = testTool("fail", () => "", {
    run: async (_, run) => {
      run.update({ seen: key });
      return {
        ok: false,
        text: `no: ${key}`,
        facts: { key },
        refusal: { code: "no", message: key, remedy: key },
      };
    },
  });
  const { agent, events, workspace, requests } = await testAgent({
    tools: [print, fail],
    script: [{ toolCalls: [{ name: "print_it" }, { name: "fail" }] }, { text: "done" }],
    more: { secrets: new Secrets([key]) },
  });
  await agent.send("print it");
  await agent.close();
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  expect(files.some((text) => text.includes("[secret]"))).toBe(true);
  expect(
    [...files, JSON.stringify(events), JSON.stringify(requests)].filter((text) => text.includes(key)),
  ).toEqual([]);
});

it("a key that the user types, at first or in between, stands in no row, event or request", async () => {
  const typed = "sk-proj-canary1234567890abcdef";
  const { agent, events, workspace, requests } = await testAgent({
    tools: [
      testTool("look", () => {
        agent.steer(`And the other is ${typed}2, as ${key} is.`);
        return `the file says ${typed}`;
      }),
    ],
    script: [{ toolCalls: [{ name: "look" }] }, { text: "done" }],
    more: { secrets: new Secrets([key]) },
  });
  await agent.send(`My key is ${typed}; use it.`);
  await agent.close();
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  expect(files.join("\n")).toContain("My key is [secret]; use it.");
  expect(files.join("\n")).toContain("And the other is [secret], as [secret] is.");
  expect(files.join("\n")).toContain("the file says [secret]");
  const all = [...files, JSON.stringify(events), JSON.stringify(requests)];
  expect(all.filter((text) => text.includes("canary"))).toEqual([]);
});
