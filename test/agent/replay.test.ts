/**
 * Taped runs with real files, carried out again in a fresh process from their log
 * and their tape: every row the same, nothing on the disk touched.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentDefaults, replayAgent } from "@bridle/agent";
import { scriptedModel, type ScriptedStep, TapeRecorder, TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { useChildren } from "../support/children.js";
import type { TapedRun } from "../support/children/replay-agents.js";
import { rejectsWith } from "../support/failure.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { fileAgent, quickAgent, rowsOf, stillPorts, thinkingModel } from "./kit.js";
import { story } from "./stories.js";

const children = useChildren();

async function recorded(folder: string, which: number): Promise<TapedRun> {
  const told = story(which);
  const session = `s-${which}`;
  const tape = join(folder, "tape.jsonl");
  const work = join(folder, "work");
  mkdirSync(work);
  // Half of them find counts of an agent before, so that rules are recalled in another order.
  if (which % 2 === 0) writeFileSync(join(work, ".agent_rule_stats.json"), statsBefore);
  const ports = stillPorts();
  const recorder = await TapeRecorder.open({ path: tape, ports });
  const { agent } = await fileAgent({
    call: recorder.record(thinkingModel((_request, index) => told.answer(index))),
    folder: work,
    ports,
    newSession: session,
    config: told.config,
    approver: told.approver,
    tools: told.tools(),
  });
  for (const [at, ask] of told.asks.entries()) {
    if (at === 1) agent.steer("and look at c.txt as well");
    await agent.send(ask);
  }
  await agent.close();
  await recorder.finish(session);
  await recorder.close();
  return { folder: work, tape, session, story: which };
}

const statsBefore = JSON.stringify({
  version: 1,
  rules: { "R-CITE-PATHS": { hitCount: 9, violations: 9 }, "R-DEDUP-TOOLS": { hitCount: 4, violations: 4 } },
});

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\n`);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

describe("a taped run", () => {
  it("comes out row by row the same in a fresh process, and touches nothing", async () => {
    const count = share(1_000, 30);
    const root = newFastFolder();
    const runs: TapedRun[] = [];
    for (let i = 0; i < count; i++) {
      const folder = join(root, String(i));
      mkdirSync(folder);
      runs.push(await recorded(folder, seed * 50_000 + i));
    }
    const before = digestOf(root);
    // A thousand do not fit on a command line.
    const list = join(newFastFolder(), "runs.json");
    writeFileSync(list, JSON.stringify(runs));
    const child = children.start("replay-agents", { list });
    await child.ended;
    expect(child.lines.filter((line) => line.startsWith("other"))).toEqual([]);
    expect(child.lines.at(-1), child.complaint).toBe("done");
    expect(digestOf(root)).toBe(before);
    const rows = child.lines.reduce((sum, line) => sum + Number(/^same (\d+)$/.exec(line)?.[1] ?? 0), 0);
    console.log(
      `proof: replay: ${count} taped runs, ${rows} rows, the same in a fresh process (seed ${seed})`,
    );
  }, 3_600_000);

  const script: readonly ScriptedStep[] = [
    { toolCalls: [{ name: "look", id: "c-1", arguments: { n: 1 } }] },
    { toolCalls: [{ name: "look", id: "c-2", arguments: { n: 2 } }] },
    { text: "Seen." },
  ];
  const look = testTool("look", ({ n }) => `saw ${String(n)}`);

  async function taped() {
    const folder = newFastFolder();
    const tape = join(newFastFolder(), "tape.jsonl");
    const recorder = await TapeRecorder.open({ path: tape, ports: nodePorts() });
    const { agent } = await quickAgent({
      script: recorder.record(scriptedModel(script).call),
      workspace: folder,
      tools: [look],
    });
    await agent.send("look twice");
    await agent.close();
    await recorder.finish(agent.id);
    await recorder.close();
    const replay = await TapeReplay.open({ path: tape, ports: nodePorts() });
    const options = (change: object = {}) => ({
      ports: nodePorts(),
      workspace: folder,
      main: { call: replay.call, model: "script/one", contextTokens: 200_000 },
      tools: [look],
      config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false },
      world: {
        ...{ osUser: "ada", workspace: folder, os: "test" },
        harness: { name: "Bridle", version: "0.0.0" },
      },
      rows: rowsOf(folder, agent.id),
      ...change,
    });
    return options;
  }

  it("whose answer changed is named by its first row and field that differ", async () => {
    const options = await taped();
    const said = [...script.slice(0, 2), { text: "Not seen." }];
    const main = { call: scriptedModel(said).call, model: "script/one", contextTokens: 200_000 };
    const { difference } = await replayAgent(options({ main }));
    const rows = options().rows;
    expect(difference).toMatchObject({
      path: "message.content.0.text",
      recorded: "Seen.",
      again: "Not seen.",
    });
    expect(rows[(difference?.row ?? 0) - 1]).toMatchObject({ type: "assistant", round: 3 });
  });

  it("is not carried out with other tools, settings or instructions: the first difference is named", async () => {
    for (const [change, field] of [
      [{ tools: [look, testTool("more", () => "")] }, "system"],
      [{ tools: [{ ...look, description: "Looks." }] }, "tools"],
      [{ persona: "You are somebody else." }, "system"],
      [
        { config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false, ruleRecall: false } },
        "system",
      ],
    ] as const) {
      const options = await taped();
      const failure = await rejectsWith("tape_miss", replayAgent(options(change)));
      expect(failure.message, field).toContain(field);
    }
  });

  it("whose bound changed differs in the row of the request", async () => {
    const options = await taped();
    const config = { ...agentDefaults, toolLazy: false, reflexionSemantic: false, roundsMax: 1 };
    const main = { call: scriptedModel(script).call, model: "script/one", contextTokens: 200_000 };
    const { difference } = await replayAgent(options({ config, main }));
    expect(difference?.path).toMatch(/^(?:reducedDigest|closing|notes)/);
  });
});
