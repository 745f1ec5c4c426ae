/**
 * The same pack and the same scripted policy in many processes that differ in all
 * that should not matter: time zone, locale, number of jobs, folder, and at full
 * size the version of Node. Each makes the pack anew as well.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EpisodeRecord, openPack, type Proposal } from "@bridle/search";
import { beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { everyNode, type NodeProgram, thisNode } from "../support/other-nodes.js";
import { Premath } from "../support/premath.js";
import { full, share } from "../support/scale.js";
import { bytesOf, ports } from "../support/search-run.js";

const runs = share(100, 3);
// No two of these lists have lengths with a common factor, so every combination has its turn.
const zones = ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Chatham", "Africa/Casablanca"];
const locales = [
  "C",
  "de_DE.UTF-8",
  "tr_TR.UTF-8",
  "ar_EG.UTF-8",
  "th_TH.UTF-8",
  "sv_SE.UTF-8",
  "hi_IN.UTF-8",
];
const jobs = [1, 2, 3, 8];
const build = ["pack", "build", "--source", "synthetic", "--seed", "7"];
const size = ["--days", "24", "--synthetic-markets", "5"];

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

describe("a pack and a run", () => {
  it(
    "are the same to the byte in every process, time zone, locale and number of jobs, and on every Node",
    async () => {
      const base = newFastFolder();
      const nodes = full ? everyNode() : [thisNode];
      const script = join(base, "script.json");
      const digests = new Set<string>();
      const surroundings = new Set<string>();
      let steps = 0;
      for (let run = 0; run < runs; run++) {
        const cwd = join(base, "x".repeat(1 + (run % 7)), String(run));
        mkdirSync(cwd, { recursive: true });
        const node = nodes[run % nodes.length] as NodeProgram;
        const env = { TZ: pick(zones, run), LANG: pick(locales, run), LC_ALL: pick(locales, run) };
        const bridle = async (words: readonly string[]) => {
          const ended = await premath.bridle([...words, "--json"], { cwd, env, node: node.program }).ended;
          expect(ended.code, `run ${run} on Node ${node.version}: ${ended.stderr}`).toBe(0);
          return ended.json();
        };
        const { packId, folder } = await bridle([...build, ...size, "--out", "packs"]);
        const pack = join(cwd, String(folder));
        if (run === 0) writeFileSync(script, JSON.stringify(await scriptFor(pack)));
        const words = ["run", "--pack", String(folder), "--script", script, "--out", "run"];
        ({ steps } = (await bridle([...words, "--jobs", String(pick(jobs, run))])) as { steps: number });
        digests.add(
          digestOf({
            packId: String(packId),
            episodes: readFileSync(join(pack, "episodes.jsonl"), "latin1"),
            ...bytesOf(join(cwd, "run")),
          }),
        );
        surroundings.add(heardBy(node, env, cwd));
      }
      expect([...digests]).toHaveLength(1);
      expect(steps).toBeGreaterThan(50);
      // What is varied reaches the processes.
      expect(surroundings.size).toBe(Math.min(runs, zones.length * locales.length * nodes.length));
      console.log(
        `proof: search determinism: ${runs} runs of ${steps} steps, each with a pack of its own, in ${2 * runs} processes, ` +
          `${surroundings.size} combinations of time zone, locale and Node (${nodes.map(({ version }) => version).join(", ")}): ` +
          `${digests.size} hash, ${[...digests][0]?.slice(0, 16)}`,
      );
    },
    share(900_000, 60_000),
  );
});

function pick<T>(choices: readonly T[], run: number): T {
  return choices[run % choices.length] as T;
}

function digestOf(files: Readonly<Record<string, string>>): string {
  const hash = createHash("sha256");
  for (const [name, content] of Object.entries(files)) hash.update(`${name}\0${content.length}\0${content}`);
  return hash.digest("hex");
}

function heardBy(node: NodeProgram, env: Readonly<Record<string, string>>, cwd: string): string {
  const asked =
    "const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions(); [process.version, locale, timeZone].join()";
  return execFileSync(node.program, ["-p", asked], { cwd, env, encoding: "utf8" }).trim();
}

/** Every kind of action, with arguments that fit the episode. */
async function scriptFor(folder: string): Promise<Record<string, Proposal[]>> {
  const pack = await openPack(folder, ports);
  const script: Record<string, Proposal[]> = {};
  for await (const episode of pack.episodes()) script[episode.episode_id] = proposalsFor(episode);
  await pack.close();
  return script;
}

function proposalsFor({ anchor_market, window_id, environment_views: views }: EpisodeRecord): Proposal[] {
  const scope = { anchor_market, window_id };
  const markets = [...new Set(views.market_state.map((view) => view.anchor_market))].slice(0, 3);
  const windows = [...new Set(views.derived_metrics.map((view) => view.window_id))].slice(0, 2);
  const say = (action_name: string, action_args: Proposal["action_args"]): Proposal => ({
    action_args,
    action_name,
  });
  return [
    say("read_derived_metrics", scope),
    say("keep_artifact", { artifact_id: { $artifact: 1 } }),
    say("read_market_state", scope),
    say("read_persistence", scope),
    say("keep_artifact", { artifact_id: { $artifact: -1 } }),
    say("compare_markets", {
      anchor_market,
      peer_markets: markets.filter((name) => name !== anchor_market),
      window_id,
    }),
    say("no_such_action", { text: "Ünïcode, İstanbul, ﷺ" }),
    say("branch_subquery", {
      arguments: { anchor_market, window_ids: windows },
      subquery_type: "derived_metrics",
    }),
    say("drop_artifact", { artifact_id: { $artifact: 1 } }),
    say("decision_update", { stop_candidate: { confidence: 0.1 + 0.2, leaning: "finalize_signal" } }),
    say("finalize", {
      decision_class: "finalize_signal",
      open_risks: ["one view only"],
      retained_artifact_ids: [],
      stop_reason: "evidence_sufficient",
    }),
  ];
}
