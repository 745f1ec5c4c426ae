/** Rules stand outside of the history: no number of compactions changes them. */
import { blockHeadings } from "@bridle/agent";
import { PROTOCOL_CORE, PROTOCOL_NAMED_RULES } from "@bridle/rules";
import type { ModelRequest } from "@bridle/model";
import { expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { quickAgent, stillPorts, thinkingModel } from "./kit.js";
import { findDisorder } from "../support/disorder.js";

it("[D14] after 100 compactions of one session the rules in the system prompt are byte for byte the same", async () => {
  const long = testTool("long", ({ n }) => `part ${String(n)} ${"数据 and words ".repeat(200)}`);
  const requests: ModelRequest[] = [];
  let n = 0;
  const { agent, events } = await quickAgent({
    script: thinkingModel((request) => {
      if (findDisorder(request.messages) !== undefined) throw new Error("disorder");
      n++;
      return n % 7 === 0
        ? { text: "That part is done." }
        : { toolCalls: [{ name: "long", arguments: { n } }] };
    }, requests),
    tools: [long],
    ports: stillPorts(),
    config: { contextTokensMax: 9_000, compressAtPercent: 70, hotRounds: 1 },
  });
  const compactions = () => events.filter(({ type }) => type === "context_compressed").length;
  for (let send = 0; compactions() < 100 && send < 60; send++) await agent.send(`go on with part ${send}`);
  await agent.close();
  const count = compactions();
  expect(count).toBeGreaterThanOrEqual(100);
  const blocks = requests.map(({ system = "" }) => {
    const start = system.indexOf(blockHeadings.protocol);
    return system.slice(start, system.indexOf(blockHeadings.world, start));
  });
  expect(new Set(blocks).size).toBe(1);
  expect(blocks[0]).toContain(PROTOCOL_CORE);
  expect(blocks[0]).toContain(PROTOCOL_NAMED_RULES);
  // It is kept: the next request begins with what the compaction left.
  const first = JSON.stringify(requests.at(-1)?.messages[1]);
  expect(first).toContain("[CONTEXT SUMMARY]");
  console.log(
    `proof: rules: the same in ${requests.length} requests over ${count} compactions of one session`,
  );
});
