import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { editEpisodes } from "../../../../test/support/edited-pack.js";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { full, seed, share } from "../../../../test/support/scale.js";
import { sampleEpisodes, samplePack } from "../../../../test/support/search-pack.js";
import { packIdOf } from "./id.js";
import { openPack, readManifest } from "./open.js";
import { verifyPack } from "./verify.js";

const ports = nodePorts();

describe("a pack", () => {
  it("[SEARCH-9.0.1] [SEARCH-9.0.3] is a folder with three files and one of truths, [SEARCH-9.1.1] its manifest has every member", async () => {
    const { folder, manifest } = await samplePack(newFolder());
    expect(readdirSync(folder).sort()).toEqual([
      "README.md",
      "episodes.jsonl",
      "manifest.json",
      "truths.jsonl",
    ]);
    expect(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))).toEqual(manifest);
    expect(Object.keys(manifest)).toEqual(
      expect.arrayContaining([
        "schema_version",
        "pack_id",
        "generated_at_utc",
        "generator_script",
        "generator_repo_relpath",
        "generator_git_sha",
        "source_dataset_refs",
        "episode_count",
        "nondeterministic_components",
      ]),
    );
  });

  it("[SEARCH-9.0.2] [SEARCH-9.2.6] is made anew beside the old one, which stays as it was", async () => {
    const out = newFolder();
    const first = await samplePack(out);
    const before = statSync(join(first.folder, "manifest.json")).mtimeMs;
    const second = await samplePack(out);
    expect(second.folder).not.toBe(first.folder);
    expect(second.manifest.pack_id).toBe(first.manifest.pack_id);
    expect(statSync(join(first.folder, "manifest.json")).mtimeMs).toBe(before);
    expect(readdirSync(out).sort()).toEqual(
      [first.folder, second.folder].map((path) => basename(path)).sort(),
    );
  });

  it("differs in nothing but its time when it is made at another one", async () => {
    const [one, two] = [
      await samplePack(newFolder()),
      await samplePack(newFolder(), { nowMs: Date.UTC(2026, 5, 1) }),
    ];
    expect({ ...two.manifest, generated_at_utc: "" }).toEqual({ ...one.manifest, generated_at_utc: "" });
    expect(readFileSync(join(two.folder, "episodes.jsonl"))).toEqual(
      readFileSync(join(one.folder, "episodes.jsonl")),
    );
  });

  it("gives every episode by its id, and all of them in order", async () => {
    const episodes = sampleEpisodes(40);
    const { folder } = await samplePack(newFolder(), { episodes });
    const pack = await openPack(folder, ports);
    for (const episode of episodes)
      expect(await pack.episode(episode.episode_id)).toEqual({
        ...episode,
        ground_truth_reference: { file: "truths.jsonl" },
      });
    expect(await pack.episodeIds()).toEqual(episodes.map(({ episode_id }) => episode_id));
    for (const missing of ["", "ep-0", "ep-00001x", "zzz"]) {
      expect((await failureOf(pack.episode(missing))).failureClass).toBe("episode_missing");
    }
    await pack.close();
  });

  it("leaves no file behind when it cannot be finished", async () => {
    const out = newFolder();
    const [first, second] = sampleEpisodes(2);
    await expect(samplePack(out, { episodes: [second, first] as never })).rejects.toThrow(
      /order of their ids/,
    );
    for (const draft of readdirSync(out)) expect(readdirSync(join(out, draft))).toEqual([]);
  });
});

describe("verifying a pack", () => {
  it("finds every single byte that was changed", async () => {
    const { folder } = await samplePack(newFastFolder(), { episodes: sampleEpisodes(full ? 3 : 1) });
    await verifyPack(folder, ports);
    let flips = 0;
    for (const name of ["manifest.json", "episodes.jsonl", "truths.jsonl"]) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      // When and by which revision it was made differs from machine to machine.
      const free = name === "manifest.json" ? freeSpans(bytes.toString("utf8")) : [];
      // In a share, every so many; which ones is up to the seed.
      const stride = share(1, 4);
      for (let i = seed % stride; i < bytes.length; i += stride) {
        if (free.some(([from, to]) => i >= from && i < to)) continue;
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] as number) ^ 1;
        if (isSameJson(changed, bytes)) continue;
        writeFileSync(path, changed);
        const { failureClass } = await failureOf(verifyPack(folder, ports));
        expect(["pack_damaged", "pack_version_unknown", "pack_missing", "truths_mismatch"]).toContain(
          failureClass,
        );
        flips++;
      }
      writeFileSync(path, bytes);
    }
    await verifyPack(folder, ports);
    console.log(`proof: pack: ${flips} flipped bytes, each found`);
  });

  it("names the line that is no episode, and a file that is missing", async () => {
    const { folder } = await samplePack(newFolder());
    const path = join(folder, "episodes.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, [lines[0], '{"episode_id":"ep-00001"}', ...lines.slice(2)].join("\n"));
    expect((await failureOf(verifyPack(folder, ports))).message).toMatch(
      /episodes\.jsonl: line 2: .*missing/,
    );
    rmSync(path);
    expect((await failureOf(verifyPack(folder, ports))).failureClass).toBe("pack_damaged");
    rmSync(join(folder, "manifest.json"));
    expect((await failureOf(openPack(folder, ports))).failureClass).toBe("pack_missing");
  });

  it("names the line of an episode that stands there twice", async () => {
    const { folder } = await samplePack(newFolder(), { episodes: sampleEpisodes(2) });
    editEpisodes(folder, (text) => `${text.split("\n")[0]}\n${text}`);
    const manifest = await readManifest(folder, ports);
    writeFileSync(
      join(folder, "manifest.json"),
      JSON.stringify({ ...manifest, episode_count: 3, pack_id: packIdOf({ ...manifest, episode_count: 3 }) }),
    );
    expect((await failureOf(verifyPack(folder, ports))).message).toMatch(
      /line 2: episode ep-00000 stands after ep-00000/,
    );
  });

  it.each([
    ["another first episode", { first_episode_id: "ep-00001" }],
    ["another number of episodes", { episodes: 2 }],
  ])("finds a block of which the manifest says %s", async (_, wrong) => {
    const { folder, manifest } = await samplePack(newFolder());
    const { pack_id: _id, ...rest } = manifest;
    const blocks = manifest.blocks?.map((block) => ({ ...block, ...wrong })) ?? [];
    const told = { ...rest, blocks };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ pack_id: packIdOf(told), ...told }));
    expect((await failureOf(verifyPack(folder, ports))).message).toMatch(
      /block 1 has 3 episodes from ep-00000 on/,
    );
  });

  it.each([
    ["digest", { episodes_sha256: "0".repeat(64) }],
    ["episodes", { episode_count: 4 }],
  ])("finds that the manifest says other %s", async (what, wrong) => {
    const { folder, manifest } = await samplePack(newFolder());
    const { pack_id: _id, ...rest } = manifest;
    const told = { ...rest, ...wrong };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ pack_id: packIdOf(told), ...told }));
    expect((await failureOf(verifyPack(folder, ports))).message).toContain(what);
    const readme = await samplePack(newFolder());
    rmSync(join(readme.folder, "README.md"));
    expect((await failureOf(verifyPack(readme.folder, ports))).message).toContain("README.md");
  });

  it("says which version a pack from elsewhere has", async () => {
    const { folder, manifest } = await samplePack(newFolder());
    writeFileSync(
      join(folder, "manifest.json"),
      JSON.stringify({ ...manifest, schema_version: "hlq.replay_pack.v9" }),
    );
    expect((await failureOf(openPack(folder, ports))).message).toContain('"hlq.replay_pack.v9"');
  });
});

function freeSpans(text: string): [number, number][] {
  return ["generated_at_utc", "generator_git_sha"].map((member) => {
    const from = text.indexOf(`"${member}"`);
    const next = /\n {2}["}]|\n}/g;
    next.lastIndex = from;
    return [from, next.exec(text)?.index ?? text.length];
  });
}

/** White space of the manifest carries nothing. */
function isSameJson(left: Buffer, right: Buffer): boolean {
  try {
    return JSON.stringify(JSON.parse(left.toString())) === JSON.stringify(JSON.parse(right.toString()));
  } catch {
    return false;
  }
}
