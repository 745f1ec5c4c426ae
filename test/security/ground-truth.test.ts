/**
 * What can be known only afterwards stays in the pack: a canary in the ground
 * truth of every episode is in nothing that a run writes or a command prints.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TapeRecorder } from "@bridle/model";
import { type EpisodeRecord, openPack, type Pack, plannerPolicy } from "@bridle/search";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";
import { full, seed, share } from "../support/scale.js";
import { plannerModelName, scriptedPlanner } from "../support/scripted-planner.js";
import { sampleEpisodes, samplePack } from "../support/search-pack.js";
import { ports, runIn } from "../support/search-run.js";

const canary = "canary-e7b1-known-only-afterwards";
const episodes = share(60, 6);
/** Short for every episode, so that it can be shown after each of its first steps. */
const steps = share(6, 3);

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});
afterAll(() => premath.remove());

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
      const lines = readFileSync(join(folder, "episodes.jsonl"), "utf8").trimEnd().split("\n");
      expect(lines.filter((line) => line.includes(canary))).toHaveLength(episodes);

      let printed = 0;
      const hlq = async (words: readonly string[], allowed = [0]) => {
        const { code, stdout, stderr } = await premath.bridle(words, { cwd }).ended;
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
      await both("eval", "runs/random", "runs/heuristic", "--pack", folder);
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
});

function marked(episode: EpisodeRecord): EpisodeRecord {
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
