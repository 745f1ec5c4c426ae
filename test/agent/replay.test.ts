/**
 * Taped runs with real files, carried out again in a fresh process from their log
 * and their tape, and from their log alone: every row the same, nothing on the disk
 * touched.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentDefaults, replayAgent, sessionPath } from "@bridle/agent";
import { scriptedModel, type ScriptedStep, TapeRecorder, TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { Random, VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { useChildren } from "../support/children.js";
import { rejectsWith } from "../support/failure.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { quickAgent, rowsOf } from "./kit.js";
import { live, stormCounts, type StormPlace, stormRows } from "./storms.js";

const children = useChildren();

function placeOf(root: string, which: number): StormPlace {
  const folder = join(root, String(which));
  mkdirSync(join(folder, "work"), { recursive: true });
  const place = {
    folder: join(folder, "work"),
    tape: join(folder, "tape.jsonl"),
    session: `s-${which}`,
    which,
  };
  // Half of them find counts of an agent before, so that rules are recalled in another order.
  if (which % 2 === 0) writeFileSync(join(place.folder, ".agent_rule_stats.json"), statsBefore);
  return place;
}

/** Some of them in several lives: what the log has behind a place in the last of them is lost, as if it had been killed there. */
async function recorded(root: string, which: number): Promise<StormPlace> {
  const place = placeOf(root, which);
  const random = new Random(which);
  const lives = random.chance(0.5) ? 1 : random.between(2, 4);
  const ports = { ...nodePorts(), clock: new VirtualClock() };
  for (let life = 0; life < lives; life++) {
    const kept = stormRows(place).length;
    const last = life === lives - 1;
    await live(place, life, ports, { last });
    if (!last) lose(place, kept, random);
  }
  return place;
}

function lose({ folder, session }: StormPlace, kept: number, random: Random): void {
  const path = sessionPath(folder, session);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const least = Math.max(kept, 1);
  const begun = lines.flatMap((line, at) =>
    at >= least && line.includes('"tool_call","send"') ? [at + 1] : [],
  );
  const within = begun.length > 0 && random.chance(0.4);
  const end = within ? random.pick(begun) : random.between(least, lines.length);
  // Sometimes within a row.
  const torn = random.chance(0.3) ? (lines[end] ?? "").slice(0, 40) : "";
  writeFileSync(path, `${lines.slice(0, end).join("\n")}\n${torn}`);
}

/** With real processes that die at real writes. */
async function killed(root: string, which: number): Promise<StormPlace> {
  const place = placeOf(root, which);
  for (let life = 0; ; life++) {
    const child = children.start("mortal-storm", { place, life });
    const { code, signal } = await child.ended;
    if (code === 0) return place;
    if (signal !== "SIGKILL") throw new Error(`storm ${which}, life ${life}: ${child.complaint}`);
  }
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
    const count = share(1_000, 12);
    const deaths = share(50, 1);
    const root = newFastFolder();
    const runs: StormPlace[] = [];
    for (let i = 0; i < count; i++) {
      const which = seed * 50_000 + i;
      try {
        runs.push(await (i < deaths ? killed(root, which) : recorded(root, which)));
      } catch (error) {
        throw new Error(`storm ${which}: ${(error as Error).message}`, { cause: error });
      }
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
    const total = stormCounts(runs.flatMap(stormRows));
    for (const name of ["stopped", "timedOut", "resumed", "inDoubt", "steered", "failed"] as const)
      expect(total[name], name).toBeGreaterThan(0);
    const { stopped, timedOut, late, broken, resumed, inDoubt, steered, failed } = total;
    console.log(
      `proof: replay: ${count} taped runs, ${rows} rows, the same in a fresh process with the tape and without it; ${stopped} sends stopped, ${timedOut} out of time (${late} too late to answer), ${broken} broken by a bug, ${failed} ended in an error, ${resumed} taken up after a kill (${deaths} runs with kill -9), ${inDoubt} calls in doubt, ${steered} words of the user (seed ${seed})`,
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
