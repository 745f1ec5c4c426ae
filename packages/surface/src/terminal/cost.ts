/** What a session has cost, from its log and those of its children; also of before it was gone on with. */
import { join } from "node:path";
import { stateFolder, readRows } from "@bridle/agent";
import type { Usage } from "@bridle/model";
import type { Ports } from "@bridle/record";
import type { OpenedAgent } from "../agent/open.js";

export interface Cost {
  readonly usage: Usage;
  readonly asks: number;
  readonly children: number;
}

export async function costOf({ agent, workspace }: OpenedAgent, ports: Ports): Promise<Cost> {
  const folder = join(stateFolder(workspace), "sessions");
  const names = (await ports.files.list(folder)).filter(
    (name) => name === `${agent.id}.jsonl` || (name.startsWith(`${agent.id}.`) && name.endsWith(".jsonl")),
  );
  let asks = 0;
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };
  for (const name of names) {
    for (const row of await readRows(join(folder, name), ports)) {
      if (row.type === "send" && name === `${agent.id}.jsonl`) asks++;
      if ((row.type === "assistant" || row.type === "reflexion") && row.usage !== undefined)
        usage = added(usage, row.usage);
    }
  }
  return { usage, asks, children: names.length - 1 };
}

function added(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}
