/** Evaluation and exports on run folders as `hlq run` leaves them. */
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, perform } from "@bridle/operation";
import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { truthCanary } from "../../../../test/support/search-episode.js";
import { bytesOf, never, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import type { Evaluation } from "../eval/types.js";
import { fromAtif, type ImportedEpisode } from "../export/from-atif.js";
import { sidecarPath } from "../run/sidecar.js";
import { evalOperation } from "./eval.js";
import { exportOperation } from "./export.js";
import { openRun } from "./open-run.js";

const operations = [evalOperation(openRun), exportOperation(openRun)];

async function ground(episodes = 12) {
  const cwd = newFolder();
  const pack = await packIn(cwd, episodes);
  for (const seed of [1, 2, 3])
    await runIn({ pack, policy: await policyOf("random", { seed }), out: join(cwd, `random-${seed}`) });
  await runIn({ pack, policy: await policyOf("always-low"), out: join(cwd, "low") });
  const call: Call = { ports, signal: never, cwd, env: {}, warn: () => {}, progress: () => {} };
  const perform_ = (action: string, input: JsonObject) => {
    const operation = operations.find(({ names }) => names.action === action);
    if (operation === undefined) throw new Error(`no ${action}`);
    return perform(operation, input, { call, authority: { surface: "cli" }, gates: [] });
  };
  return { cwd, pack, perform: perform_ };
}

describe("run folders", () => {
  it("are evaluated together; seeds of one policy are repeats, and bills are read from beside them", async () => {
    const { perform: does, pack, cwd } = await ground();
    const runs = ["random-1", "random-2", "random-3", "low"];
    const { payload, resultClass } = await does("hlq.eval", { runs, pack: pack.folder, part: "all" });
    expect(resultClass, JSON.stringify(payload)).toBe("accepted");
    const { evaluation } = payload as unknown as { evaluation: Evaluation };
    expect(evaluation.policies.map(({ kind, runs: named }) => [kind, named])).toEqual([
      ["run", ["random-1", "random-2", "random-3"]],
      ["run", ["low"]],
      ["baseline", []],
      ["baseline", []],
      ["baseline", []],
    ]);
    expect(evaluation.policies[0]?.pass).toHaveLength(3);
    expect(evaluation.policies[1]?.accuracy.value).toBe(
      evaluation.policies.find(({ label }) => label === "always-low")?.accuracy.value,
    );
    expect(evaluation.policies[1]?.cost).toEqual({ per_episode_usd: 0, total_usd: 0 });
    writeFileSync(sidecarPath(join(cwd, "low")), "{ torn");
    const again = (await does("hlq.eval", { runs: ["low"], pack: pack.folder, part: "all" }))
      .payload as unknown as {
      evaluation: Evaluation;
    };
    expect(again.evaluation.policies[0]?.cost).toBeNull();
    expect(JSON.stringify(payload)).not.toContain(truthCanary);
  });

  it("come back from ATIF as the very rows that stand in them", async () => {
    const { perform: does, cwd } = await ground();
    const before = bytesOf(join(cwd, "random-1"));
    await does("hlq.export", { run: "random-1", to: "atif", out: "a.jsonl" });
    const lines = readFileSync(join(cwd, "a.jsonl"), "utf8").trimEnd().split("\n");
    const back = lines.map((line) => fromAtif(JSON.parse(line)));
    expect(back.filter(isRefusal)).toEqual([]);
    const rows = (of: (one: ImportedEpisode["episode"]) => readonly unknown[]) =>
      (back as ImportedEpisode[])
        .flatMap(({ episode }) => of(episode))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join("");
    const held = (name: string) => Buffer.from(before[name] ?? "", "latin1").toString("utf8");
    expect(rows(({ start }) => [start])).toBe(held("starts.jsonl"));
    expect(rows(({ steps }) => steps)).toBe(held("steps.jsonl"));
    expect(rows(({ refusals }) => refusals)).toBe(held("refusals.jsonl"));
    expect(rows(({ terminal }) => [terminal])).toBe(held("terminals.jsonl"));
    expect(bytesOf(join(cwd, "random-1"))).toEqual(before);
  });

  it("that were cut off are evaluated as far as they ended, and the rest is counted", async () => {
    const { perform: does, pack, cwd } = await ground(4);
    const folder = join(cwd, "low");
    for (const name of ["terminals.jsonl", "episodes.jsonl"]) {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      truncateSync(join(folder, name), Buffer.byteLength(`${lines.slice(0, 3).join("\n")}\n`));
    }
    const { payload } = await does("hlq.eval", { runs: ["low"], pack: pack.folder, part: "all" });
    const { evaluation } = payload as unknown as { evaluation: Evaluation };
    expect(evaluation.policies[0]).toMatchObject({ episode_count: 3, missing_count: 1 });
  });

  it("in which a byte was changed are refused, and so is a folder that is no run", async () => {
    const { perform: does, pack, cwd } = await ground(3);
    const path = join(cwd, "low", "steps.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("evidence_missing", "evidence_missinG"));
    expect((await does("hlq.eval", { runs: ["low"], pack: pack.folder, part: "all" })).resultClass).toBe(
      "run_damaged",
    );
    expect((await does("hlq.export", { run: "low", to: "otel", out: "x" })).resultClass).toBe("run_damaged");
    expect((await does("hlq.eval", { runs: ["packs"], pack: pack.folder })).resultClass).toBe("run_missing");
  });
});
