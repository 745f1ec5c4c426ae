/** A policy of one's own by its file, and a pack as an environment; both as the examples have them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Call } from "@bridle/operation";
import { sha256Hex } from "@bridle/record";
import { describe, expect, it, vi } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { sampleEpisodes, samplePack } from "../../../../test/support/search-pack.js";
import { bytesOf, never, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { environmentOf } from "../environment.js";
import { runOperation } from "../operations/run.js";
import { openPack } from "../pack/open.js";
import { driveEpisode } from "../run/drive.js";
import { GatheredRows } from "../run/gathered.js";
import { replayRun } from "../run/replay.js";
import { EpisodeRegistry } from "../episode/registry.js";
import type { Proposal } from "../types.js";
import { ownPolicy } from "./own.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const example = join(root, "examples/search/own-policy.mjs");

async function desk() {
  const cwd = newFolder();
  const { folder } = await samplePack(join(cwd, "packs"), { episodes: sampleEpisodes(4) });
  const call: Call = { ports, signal: never, cwd, env: {}, warn: () => {}, progress: () => {} };
  return { cwd, folder, run: (input: object) => runOperation.run({ pack: folder, ...input } as never, call) };
}

describe("a policy of one's own", () => {
  it("is run by the name of its file, whose digest stands in run.json, and its run replays", async () => {
    const { cwd, folder, run } = await desk();
    await run({ policy: example, out: "runs/own" });
    const manifest = JSON.parse(readFileSync(join(cwd, "runs/own/run.json"), "utf8")) as Record<
      string,
      unknown
    >;
    expect(manifest["policy_params"]).toEqual({
      file: "own-policy.mjs",
      sha256: sha256Hex(readFileSync(example, "utf8")),
    });
    const pack = await openPack(folder, ports);
    expect(await replayRun({ folder: join(cwd, "runs/own"), pack, ports, signal: never })).toMatchObject({
      status: "complete",
      refusals: 0,
    });
    await pack.close();
  });

  it("is not started by a record that names it, and is refused when it is none", async () => {
    const { cwd, run } = await desk();
    await run({ policy: example, out: "runs/own" });
    expect((await failureOf(run({ out: "runs/own", resume: true }) as Promise<unknown>)).failureClass).toBe(
      "policy_unknown",
    );
    writeFileSync(join(cwd, "none.mjs"), "export const decide = 1;\n");
    writeFileSync(join(cwd, "broken.mjs"), "export function {\n");
    for (const [policy, says] of [
      ["./none.mjs", "exports no function propose"],
      ["./broken.mjs", "cannot be loaded"],
      ["./gone.mjs", "gone.mjs"],
    ] as const)
      expect(
        (await failureOf(run({ policy, out: `runs/${policy.slice(2)}` }) as Promise<unknown>)).message,
      ).toContain(says);
  });

  it("that throws, or proposes what is none, ends its episode in a recorded abstention", async () => {
    const { cwd, folder } = await desk();
    writeFileSync(join(cwd, "throws.mjs"), "export function propose() { throw new Error('no idea'); }\n");
    const pack = await openPack(folder, ports);
    const policy = await ownPolicy(join(cwd, "throws.mjs"), { ports });
    const { ends } = await runIn({ pack, policy, out: join(cwd, "run") });
    expect(ends).toEqual({ abstain: 4, finalize_low_signal: 0, finalize_signal: 0 });
    await pack.close();
  });
});

describe("a pack as an environment", () => {
  it("takes the steps that a run takes", async () => {
    const { folder } = await desk();
    const pack = await openPack(folder);
    const registry = new EpisodeRegistry(pack.manifest.pack_id, await pack.episode("ep-00001"));
    const policy = await policyOf("random", { seed: 5 });
    const proposals: Proposal[] = [];
    const sink = new GatheredRows();
    await driveEpisode({
      registry,
      sink,
      signal: never,
      policy: {
        ...policy,
        begin(brief, options) {
          const mind = policy.begin(brief, options);
          return {
            async propose(observation) {
              const proposal = await mind.propose(observation);
              proposals.push(proposal);
              return proposal;
            },
          };
        },
      },
    });
    const environment = environmentOf(pack, policy.policyId);
    let seen = await environment.reset("ep-00001");
    expect(() => environmentOf(pack).step(proposals[0] as Proposal)).toThrow(/reset opens one/);
    for (const proposal of proposals) seen = environment.step(proposal);
    expect(JSON.stringify(seen.terminal)).toBe(sink.texts["terminals.jsonl"][0]);
    expect(environment.step(proposals[0] as Proposal).refusal?.class).toBe("episode_ended");
    expect((await failureOf(environment.reset("ep-none"))).failureClass).toBe("episode_missing");
    await pack.close();
  });

  it("is ten lines in the example, which says what the policy's run says", async () => {
    const { cwd, folder, run } = await desk();
    await run({ policy: example, out: "runs/own" });
    // Imported here rather than run by itself, so that it runs on the sources as every test does.
    const said: string[] = [];
    const [log, argv] = [vi.spyOn(process.stdout, "write"), process.argv];
    log.mockImplementation((text) => said.push(String(text).trimEnd()) > 0);
    process.argv = [process.execPath, "environment.mjs", folder];
    try {
      await import(/* @vite-ignore */ join(root, "examples/search/environment.mjs"));
    } finally {
      process.argv = argv;
      log.mockRestore();
    }
    const ends = bytesOf(join(cwd, "runs/own"))["terminals.jsonl"]?.trim().split("\n") ?? [];
    const expected = ends.map((line) => {
      const { episode_id, decision_class, step_count } = JSON.parse(line) as Record<string, unknown>;
      return `${String(episode_id)} ${String(decision_class ?? "abstained")} ${String(step_count)}`;
    });
    expect(said).toEqual(expected);
  });
});
