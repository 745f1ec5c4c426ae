/**
 * Packs and runs from end to end: made, run, replayed, compared, forked, evaluated,
 * exported, learnt from. Every command runs once as the built program; where it is
 * called again for another case, in this process.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { buildOnce, madeOnce } from "../support/built.js";
import { hlq, hlqHere, hlqJson, hlqJsonHere } from "../support/hlq.js";

let folder: string;
let pack: string;

beforeAll(async () => {
  await buildOnce();
});

const packBuild = [
  ...["pack", "build", "--source", "synthetic", "--seed", "7", "--synthetic-markets", "6", "--days", "60"],
  ...["--now", "2026-01-01T00:00:00Z"],
];

/** A folder of the test's own with a pack that is built once. */
async function withPack(): Promise<void> {
  const made = await madeOnce("hlq pack", async (base) => void (await hlqJson(base, packBuild)));
  folder = newFolder();
  cpSync(made, folder, { recursive: true });
  pack = `packs/${readdirSync(join(folder, "packs"))[0]}`;
}

const filesOf = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "utf8")]));

describe("hlq pack", () => {
  it("builds the same pack twice, into two folders, and verifies, lists and shows it", async () => {
    await withPack();
    const again = await hlqJson(folder, packBuild);
    expect(again["folder"]).not.toBe(pack);
    expect(filesOf(join(folder, String(again["folder"])))).toEqual(filesOf(join(folder, pack)));
    expect((await hlqJson(folder, ["pack", "verify", pack]))["episodeCount"]).toBe(again["episodeCount"]);
    expect((await hlq(folder, ["pack", "ls"])).stdout.trim().split("\n")).toHaveLength(2);
    const shown = await hlqJson(folder, ["pack", "show", pack]);
    const [first] = shown["episodes"] as { episodeId: string }[];
    const one = await hlqHere(folder, ["pack", "show", pack, "--episode", first?.episodeId ?? "", "--json"]);
    expect(one.stdout).toContain('"market_state"');
    expect(one.stdout).not.toContain("ground_truth");
  });

  it("judges data before a pack is built from it, and builds nothing from what would make numbers wrong", async () => {
    const own = newFolder();
    const lines = Array.from({ length: 30 }, (_, i) => {
      const time = new Date(Date.UTC(2025, 0, 1, 4 * i)).toISOString();
      return `${time},BTC,100,100,100,100,5`;
    });
    writeFileSync(join(own, "four.csv"), ["time,coin,open,high,low,close,volume", ...lines, ""].join("\n"));
    const judged = await hlq(own, ["data", "check", "four.csv"]);
    expect([judged.code, judged.stdout]).toEqual([1, expect.stringContaining("four.csv:3")]);
    const built = await hlqHere(own, ["pack", "build", "--source", "four.csv"]);
    expect([built.code, built.stderr]).toEqual([1, expect.stringContaining("interval_unexpected")]);
    expect(readdirSync(own)).toEqual(["four.csv"]);
  });

  it("refuses mixed sources, a file that is none, and a pack that was changed, and makes nothing", async () => {
    const own = newFolder();
    writeFileSync(join(own, "junk.csv"), "what,is,this\n1,2,3\n");
    const mixed = await hlqHere(own, ["pack", "build", "--source", "synthetic", "--source", "junk.csv"]);
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining("pack_sources_mixed")]);
    const junk = await hlqHere(own, ["pack", "build", "--source", "junk.csv"]);
    expect([junk.code, junk.stderr]).toEqual([1, expect.stringContaining("junk.csv")]);
    expect(readdirSync(own)).toEqual(["junk.csv"]);

    await withPack();
    const path = join(folder, pack, "episodes.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("Funding of", "Funding Of"));
    const run = await hlqHere(folder, ["run", "--pack", pack, "--policy", "always-low", "--out", "runs/a"]);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining("pack_damaged")]);
    expect(readdirSync(folder)).toEqual(["packs"]);
  });
});

describe("hlq run", () => {
  it("gives the same bytes whatever the number of jobs, replays, and says where two runs part", async () => {
    await withPack();
    const words = (policy: string, out: string) => ["run", "--pack", pack, "--policy", policy, "--out", out];
    const { episodes } = await hlqJson(folder, words("heuristic", "runs/a"));
    await hlqJsonHere(folder, [...words("heuristic", "runs/b"), "--jobs", "3"]);
    expect(filesOf(join(folder, "runs/b"))).toEqual(filesOf(join(folder, "runs/a")));
    expect((await hlq(folder, ["replay", "runs/a", "--pack", pack])).stdout).toContain("identical");
    expect((await hlqHere(folder, ["diff", "runs/a", "runs/b"])).code).toBe(0);

    await hlqJsonHere(folder, words("always-low", "runs/low"));
    const differs = await hlq(folder, ["diff", "runs/a", "runs/low", "--json"]);
    expect(differs.stdout).toContain("policy_id");

    const first = (await hlqJsonHere(folder, ["pack", "show", pack]))["episodes"] as { episodeId: string }[];
    const id = first.at(-1)?.episodeId ?? "";
    expect((await hlq(folder, ["show", "runs/a", "--episode", id])).stdout).toContain("read_derived_metrics");
    const forked = await hlqJson(folder, [
      ...[
        "fork",
        "runs/a",
        "--episode",
        id,
        "--at",
        "1",
        "--pack",
        pack,
        "--policy",
        "always-low",
        "--out",
        "runs/f",
      ],
    ]);
    expect(JSON.stringify(forked)).toContain("finalize_low_signal");

    const evaluated = await hlqJson(folder, [
      "eval",
      "runs/a",
      "runs/low",
      "--pack",
      pack,
      "--part",
      "all",
      "--plot",
      "e.svg",
    ]);
    expect(JSON.stringify(evaluated)).toContain('"heuristic.v1"');
    expect(readFileSync(join(folder, "e.svg"), "utf8")).toMatch(/^<svg /);
    for (const [format, run] of [
      ["atif", hlq],
      ["otel", hlqHere],
      ["inspect", hlqHere],
    ] as const) {
      const out = `exported-${format}`;
      const { code, stderr } = await run(folder, ["export", "runs/a", "--to", format, "--out", out]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      expect(readFileSync(join(folder, out), "utf8").length).toBeGreaterThan(1000);
    }
    expect(episodes).toBeGreaterThan(20);
  });

  it("walks forward: every window is judged by what lay before it", async () => {
    await withPack();
    const walked = await hlqJson(folder, ["walk-forward", "--pack", pack, "--windows", "3"]);
    const windows = walked["windows"] as { fromUtc: string; toUtc: string; trainedOn: number }[];
    expect(windows).toHaveLength(3);
    expect(windows.map(({ fromUtc }) => fromUtc)).toEqual([...windows.map(({ fromUtc }) => fromUtc)].sort());
    expect(windows.slice(1).map(({ fromUtc }) => fromUtc)).toEqual(
      windows.slice(0, 2).map(({ toUtc }) => toUtc),
    );
    expect(windows[2]?.trainedOn ?? 0).toBeGreaterThan(windows[0]?.trainedOn ?? 0);
  });

  it("learns from runs, and says when there is nothing to learn", async () => {
    await withPack();
    await hlqJsonHere(folder, [
      ...[
        "run",
        "--pack",
        pack,
        "--policy",
        "heuristic",
        "--params",
        '{"thorough": true}',
        "--out",
        "runs/t",
      ],
    ]);
    const trained = await hlq(folder, [
      "train",
      "--run",
      "runs/t",
      "--pack",
      pack,
      "--out",
      "model.json",
      "--save-failed",
      "--json",
    ]);
    expect([0, 1]).toContain(trained.code);
    const answer = JSON.parse(trained.stdout) as { action: string };
    expect(answer.action).toBe("hlq.train");
    const assisted = await hlqHere(folder, [
      ...["run", "--pack", pack, "--policy", "assisted", "--model", "model.json", "--out", "runs/assisted"],
    ]);
    expect([assisted.code, assisted.stderr]).toEqual([0, ""]);
    const none = await hlqHere(folder, ["run", "--pack", pack, "--policy", "assisted", "--out", "runs/none"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("trained_model")]);
  });

  it("refuses an unknown policy, an episode that is not there and a folder that holds something else", async () => {
    await withPack();
    const refused = async (...words: string[]) => {
      const { code, stderr } = await hlqHere(folder, ["run", "--pack", pack, ...words]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused("--policy", "heuristik", "--out", "r1")).toContain("heuristic");
    expect(await refused("--policy", "always-low", "--episodes", "ep-none", "--out", "r2")).toContain(
      "episode_missing",
    );
    mkdirSync(join(folder, "full"));
    writeFileSync(join(folder, "full/note.txt"), "mine");
    expect(await refused("--policy", "always-low", "--out", "full")).toMatch(/run_exists|full/);
    expect(readdirSync(join(folder, "full"))).toEqual(["note.txt"]);
  });

  it("whose model cannot be reached abstains, and the record says why", async () => {
    await withPack();
    const [first] = (await hlqJsonHere(folder, ["pack", "show", pack]))["episodes"] as {
      episodeId: string;
    }[];
    const { code, stderr } = await hlq(
      folder,
      [
        ...["run", "--pack", pack, "--episodes", first?.episodeId ?? "", "--policy", "planner"],
        ...["--params", '{"model": "small"}', "--out", "runs/p"],
      ],
      {
        AGENT_API_BASE_URL: "http://127.0.0.1:9/v1",
        AGENT_API_KEY: "nothing-secret-here",
        AGENT_STREAM_MAX_RETRIES: "0",
        AGENT_TRANSIENT_5XX_MAX_RETRIES: "0",
        HOME: folder,
      },
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
    const terminals = readFileSync(join(folder, "runs/p/terminals.jsonl"), "utf8");
    expect(JSON.parse(terminals)).toMatchObject({
      terminal_action: "abstain",
      stop_reason: expect.stringMatching(/^model_unavailable/) as string,
    });
    expect(readdirSync(join(folder, "runs"))).toContain("p.tape.jsonl");
  });
});
