/**
 * What can be known only afterwards stays in the pack: a canary in the ground
 * truth of every episode is in nothing that a run writes or a command prints.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TapeRecorder } from "@bridle/model";
import { type EpisodeWithTruth, openPack, type Pack, plannerPolicy, proposalNames } from "@bridle/search";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";
import { full, seed, share } from "../support/scale.js";
import { plannerModelName, scriptedPlanner } from "../support/scripted-planner.js";
import { windowIds } from "../support/search-episode.js";
import { sampleEpisodes, samplePack } from "../support/search-pack.js";
import { ports, runIn } from "../support/search-run.js";
import { habitualEpisodes } from "../support/stress-episode.js";

const canary = "canary-e7b1-known-only-afterwards";
const episodes = share(60, 6);
/** Short for every episode, so that it can be shown after each of its first steps. */
const steps = share(6, 3);

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

describe("the ground truth of a pack", () => {
  it(
    "is in no file of any run, on no tape, and in nothing that is shown or exported",
    async () => {
      const cwd = newFastFolder();
      mkdirSync(join(cwd, "packs"));
      const { folder } = await samplePack(join(cwd, "packs"), {
        episodes: sampleEpisodes(episodes).map(marked),
      });
      const pack = await openPack(folder, ports);
      const ids = await pack.episodeIds();
      const lines = readFileSync(join(folder, "truths.jsonl"), "utf8").trimEnd().split("\n");
      expect(lines.filter((line) => line.includes(canary))).toHaveLength(episodes);
      expect(readFileSync(join(folder, "episodes.jsonl"), "utf8")).not.toContain(canary);

      let printed = 0;
      const hlq = async (words: readonly string[], allowed = [0]) => {
        const { code, stdout, stderr } = await premath.oneOfMany(words, { cwd, launcher: "bridle" });
        expect(allowed, `${words.join(" ")}: ${stderr}`).toContain(code);
        expect(`${stdout}${stderr}`, words.join(" ")).not.toContain(canary);
        printed++;
      };
      const both = async (...words: readonly string[]) => {
        await hlq(words);
        await hlq([...words, "--json"]);
      };

      await recordPlanner(pack, join(cwd, "runs"));
      const script = [{ action_name: "show_ground_truth", action_args: { episode: ids[0] as string } }];
      writeFileSync(join(cwd, "script.json"), JSON.stringify(script));
      const run = (name: string, ...words: readonly string[]) =>
        hlq(["run", "--pack", folder, "--out", `runs/${name}`, ...words]);
      await run("random", "--policy", "random", "--seed", String(seed));
      await run("heuristic", "--policy", "heuristic");
      await run("always", "--policy", "always-signal");
      await run("scripted", "--script", "script.json");
      const model = JSON.stringify({ model: plannerModelName });
      await run(
        "taped",
        "--policy",
        "planner",
        "--params",
        model,
        "--from-tape",
        "--tape",
        "runs/planner.tape.jsonl",
      );

      const names = ["planner", "random", "heuristic", "always", "scripted", "taped"];
      const looked = full ? names : names.slice(0, 2);
      for (const name of looked) {
        const at = `runs/${name}`;
        const id = ids[name.length % ids.length] as string;
        await both("show", at);
        await both("show", at, "--episode", id);
        for (let step = 0; step <= (name === "random" ? steps : 0); step++)
          await hlq(["show", at, "--episode", id, "--at", String(step), "--json"], [0, 1]);
        for (const to of ["atif", "otel", "inspect"]) {
          await hlq(["export", at, "--to", to]);
          // With the pack it says which class was right, and nothing more.
          if (to !== "atif") await hlq(["export", at, "--to", to, "--pack", folder]);
        }
      }
      await hlq(["replay", "runs/random", "--pack", folder]);
      await hlq(["diff", "runs/random", "runs/heuristic", "--json"], [1]);
      const fork = ["fork", "runs/random", "--episode", ids[1] as string, "--at", "0", "--out", "runs/fork"];
      await hlq([...fork, "--pack", folder, "--script", "script.json"]);
      await both("eval", "runs/random", "runs/heuristic", "--pack", folder, "--part", "all");
      await both("pack", "show", folder);
      await both("pack", "show", folder, "--episode", ids[0] as string);
      await hlq(["export", "runs/heuristic", "--to", "atif", "--out", "heuristic.atif.jsonl"]);
      await pack.close();

      const files = filesUnder(cwd).filter((file) => !file.startsWith(folder));
      expect(files.filter((file) => readFileSync(file, "latin1").includes(canary))).toEqual([]);
      const inRuns = files.filter((file) => file.startsWith(join(cwd, "runs")));
      expect(inRuns.filter((file) => file.endsWith("steps.jsonl"))).toHaveLength(names.length + 1);
      expect(inRuns.filter((file) => file.endsWith("tape.jsonl"))).toHaveLength(1);
      console.log(
        `proof: ground truth: a canary in ${episodes} episodes; none in ${files.length} files of ${names.length + 1} runs, ` +
          `a tape and an export, none in what ${printed} commands printed`,
      );
    },
    share(600_000, 60_000),
  );

  it("is learnt from, and is in no model, in no run that the model helps, and in nothing that training prints", async () => {
    const cwd = newFastFolder();
    mkdirSync(join(cwd, "packs"));
    const learnt = habitualEpisodes({ coins: 15, each: share(14, 8), odds: 10 }).map(marked);
    const { folder } = await samplePack(join(cwd, "packs"), { episodes: learnt });
    let printed = "";
    const hlq = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await premath.oneOfMany(words, { cwd, launcher: "bridle" });
      expect(code, `${words.join(" ")}: ${stderr}`).toBe(0);
      printed += stdout + stderr;
    };
    const run = (name: string, ...words: readonly string[]) =>
      hlq("run", "--pack", folder, "--out", `runs/${name}`, ...words);
    await run("thorough", "--policy", "heuristic", "--params", '{"thorough": true}');
    const train = ["train", "--run", "runs/thorough", "--pack", folder, "--save-failed"];
    await hlq(...train, "--out", "model.json");
    await hlq(...train, "--out", "again.json", "--json");
    await run("assisted", "--policy", "assisted", "--model", "model.json");
    const [{ episode_id: id } = { episode_id: "" }] = learnt;
    for (const words of [
      ["show", "runs/assisted"],
      ["show", "runs/assisted", "--episode", id],
    ])
      await hlq(...words);
    for (const to of ["atif", "otel", "inspect"]) await hlq("export", "runs/assisted", "--to", to);
    await hlq("replay", "runs/assisted", "--pack", folder);
    await hlq("eval", "runs/assisted", "--pack", folder, "--part", "all", "--json");
    expect(printed).not.toContain(canary);
    const files = filesUnder(cwd).filter((file) => !file.startsWith(folder));
    expect(files.filter((file) => readFileSync(file, "latin1").includes(canary))).toEqual([]);
    // What was learnt is in a run as well: its parameters hold the whole model.
    expect(readFileSync(join(cwd, "runs/assisted/run.json"), "utf8")).toContain("trained_model_sha256");
    console.log(
      `proof: ground truth: a canary in ${learnt.length} episodes that were learnt from; none in ${files.length} files, ` +
        `2 models among them, nor in ${printed.length} characters that were printed`,
    );
  });

  it("is in nothing that an agent outside is told, whatever it asks for", async () => {
    const cwd = newFastFolder();
    mkdirSync(join(cwd, "packs"));
    const { folder } = await samplePack(join(cwd, "packs"), { episodes: sampleEpisodes(3).map(marked) });
    const heard: string[] = [];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [hlqProgram, "mcp-serve", "--pack", folder, "--episode", "ep-00001", "--out", "run"],
      cwd,
      stderr: "pipe",
    });
    transport.stderr?.on("data", (bytes: Buffer) => heard.push(bytes.toString("utf8")));
    transport.onmessage = (message) => void heard.push(JSON.stringify(message));
    const client = new Client({ name: "outside", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(transport);
    const ask = (name: string, args: object = {}) =>
      client.callTool({ name, arguments: { ...args } }).catch((error: unknown) => heard.push(String(error)));
    const { tools } = await client.listTools();
    const scope = { anchor_market: "BTC", window_id: windowIds[1] };
    await ask("episode");
    for (const name of proposalNames) if (name !== "finalize" && name !== "abstain") await ask(name, scope);
    await ask("read_market_state", { ...scope, window_id: "ground_truth_reference" });
    await ask("compare_markets", { ...scope, peer_markets: ["ETH"] });
    await ask("retrieve_similar_prior_episodes", {
      anchor_market: "BTC",
      pattern_id_or_query: "outcome truth",
    });
    await ask("ground_truth_reference", scope);
    await ask("finalize", { decision_class: "ground_truth_reference" });
    await ask("abstain", { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" });
    await ask("episode");
    await client.close();
    expect(tools.length).toBeGreaterThan(proposalNames.length);
    const said = heard.join("\n");
    expect(said).toContain("evidence_missing");
    expect(said).not.toContain(canary);
    const files = filesUnder(cwd).filter((file) => !file.startsWith(folder));
    expect(files.filter((file) => readFileSync(file, "latin1").includes(canary))).toEqual([]);
    console.log(`proof: ground truth: none in ${heard.length} messages to an agent outside`);
  });
});

const hlqProgram = fileURLToPath(new URL("../../bin/hlq", import.meta.url));

function marked(episode: EpisodeWithTruth): EpisodeWithTruth {
  const { ground_truth_reference: truth } = episode;
  return {
    ...episode,
    ground_truth_reference: {
      ...truth,
      evidence: [...truth.evidence, { view_name: "market_state", window_id: canary }],
      outcome: { deep: [{ [canary]: canary }] },
    },
  };
}

async function recordPlanner(pack: Pack, folder: string): Promise<void> {
  mkdirSync(folder);
  const recorder = await TapeRecorder.open({ path: join(folder, "planner.tape.jsonl"), ports });
  const call = recorder.record(scriptedPlanner(seed).call);
  await runIn({
    pack,
    policy: plannerPolicy({ call, model: plannerModelName, live: false }),
    out: join(folder, "planner"),
  });
  await recorder.close();
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
