/** README.md of a pack: for the one who finds the folder. */
import type { PackManifest } from "../types.js";

export function packReadme(manifest: PackManifest): string {
  const { pack_id, episode_count, synthetic, source_dataset_refs: sources, generated_at_utc } = manifest;
  const origin = synthetic
    ? "**Synthetic.** These markets were made up by a program from a seed. Nothing in here happened."
    : "From recorded market data. What a source does not have is left out of the views.";
  return [
    `# Replay pack ${pack_id}`,
    "",
    `${episode_count} episodes, made ${generated_at_utc}. ${origin}`,
    "",
    "Each episode asks whether a stress of the funding rate will last, and holds what was known when it began: the",
    "state of the market and of its peers, worked-out metrics, how earlier stresses went, and episodes that resemble it.",
    "What came after stands in `truths.jsonl`, which only judging and training open; the pack can be given away without it.",
    "",
    "A pack is never edited. `hlq pack verify` checks it to the byte, `hlq pack show` lists it, `hlq run --pack` runs a",
    "policy on it.",
    "",
    "| source | rows | sha256 |",
    "| --- | --- | --- |",
    ...sources.map(
      ({ name, rows, sha256 }) => `| ${name.replaceAll("|", "\\|")} | ${rows} | \`${sha256}\` |`,
    ),
    "",
  ].join("\n");
}
