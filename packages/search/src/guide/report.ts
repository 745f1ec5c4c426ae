/**
 * What the policies achieve on given data, by part and metric, as a page: the
 * pack is built, the policies are run in memory, a model is trained, and each part
 * is judged. Where nothing can be told, the page says so.
 */
import { basename } from "node:path";
import type { SourceFile } from "@bridle/market";
import { isRefusal, nodePorts } from "@bridle/record";
import { evaluate } from "../eval/evaluate.js";
import type { Estimate, Evaluation, EpisodeTruth } from "../eval/types.js";
import { playEpisodes } from "../eval/walk-forward.js";
import { makePack } from "../pack/build/make.js";
import { openPack } from "../pack/open.js";
import { horizonOf, partOfPack } from "../pack/part-of-pack.js";
import { partNames } from "../pack/parts.js";
import type { Pack } from "../pack/types.js";
import { assistedPolicy } from "../policy/assisted.js";
import { heuristicPolicy } from "../policy/heuristic.js";
import type { RunEpisode } from "../run/types.js";
import { lessonOf } from "../train/examples.js";
import { type Model, modelFailure } from "../train/model.js";
import { endHourOf } from "../window.js";
import { trainModel } from "../train/train.js";

/** `out`: where the pack may be written; whoever asks removes it. */
export async function searchReport(files: readonly SourceFile[], out: string): Promise<string> {
  const ports = nodePorts();
  const made = await makePack({ source: { kind: "files", files }, out, nowMs: 0, ports });
  const pack = await openPack(made.folder, ports);
  try {
    return await pageOf(pack, files);
  } finally {
    await pack.close();
  }
}

async function pageOf(pack: Pack, files: readonly SourceFile[]): Promise<string> {
  const { signal } = new AbortController();
  const truths: EpisodeTruth[] = [];
  for await (const truth of pack.truths()) truths.push(truth);
  const partOf = partOfPack(pack.manifest, truths);
  const thorough = await playEpisodes(pack, heuristicPolicy({ thorough: true }), signal);
  const model = modelFrom(pack, truths, thorough, partOf);
  const runs: Readonly<Record<string, readonly RunEpisode[]>> = {
    heuristic: await playEpisodes(pack, heuristicPolicy(), signal),
    assisted: await playEpisodes(pack, assistedPolicy(model), signal),
  };
  const sections: string[] = [];
  for (const part of partNames) {
    const evaluation = await evaluate({
      packId: pack.manifest.pack_id,
      truths,
      runs: Object.entries(runs).map(([name, episodes]) => ({
        name,
        manifest: {
          episode_count: episodes.length,
          pack_id: pack.manifest.pack_id,
          policy_id: name,
          policy_params: {},
        },
        episodes,
      })),
      part,
      partOf,
      horizonHours: horizonOf(pack.manifest),
    });
    sections.push(
      ...(isRefusal(evaluation) ? [`## Part ${part}`, "", evaluation.message, ""] : partSection(evaluation)),
    );
  }
  return [
    "# What the policies achieve on recorded hours",
    "",
    `Made by \`npm run search:report -- ${files.map(({ path }) => basename(path)).join(" ")}\`; ${pack.manifest.episode_count} episodes.`,
    "Intervals are 95 %, by market and by week or day at once. The test part is the measure; of the other two the policies or",
    "their models may have learnt.",
    "",
    `The model of the assisted policy, on the validation part: ${modelWords(model)}`,
    "",
    ...sections,
  ].join("\n");
}

function modelFrom(
  pack: Pack,
  truths: readonly EpisodeTruth[],
  episodes: readonly RunEpisode[],
  partOf: ReturnType<typeof partOfPack>,
): Model {
  const byId = new Map(truths.map((truth) => [truth.episode_id, truth]));
  const lessons = episodes.flatMap(({ start, artifacts, steps }) => {
    const episode = byId.get(start.episode_id);
    if (episode === undefined) return [];
    const { anchor_market, window_id } = episode;
    const part = partOf({ anchor_market, hour: endHourOf(window_id) });
    return [lessonOf({ packId: pack.manifest.pack_id, part, episode, artifacts, steps })];
  });
  return trainModel(lessons, { embargoHours: pack.manifest.parts?.embargo_hours ?? 24 });
}

function modelWords(model: Model): string {
  const { log_loss, base_log_loss, gain, standard_error } = model.stop.validation;
  const numbers = `log loss ${short(log_loss)}, base rate ${short(base_log_loss)}, gain ${short(gain)} with a standard error of ${standard_error === null ? "–" : short(standard_error)}.`;
  const failed = modelFailure(model);
  return failed === undefined
    ? `it learnt something: ${numbers}`
    : `it learnt nothing that \`hlq train\` would save: ${numbers}`;
}

const short = (text: string) => Number(text).toFixed(4);

function partSection(evaluation: Evaluation): string[] {
  const {
    part,
    policies,
    comparisons,
    episode_count,
    market_count,
    block,
    block_count,
    truths,
    no_interval,
  } = evaluation;
  const rows = policies
    .filter(({ label }) => label !== "always-abstain")
    .map(({ label, accuracy, coverage, probability, risk_at_coverage }) => [
      label,
      withInterval(accuracy, 100, 1, " %"),
      withInterval({ ...coverage, interval: null }, 100, 1, " %"),
      withInterval(probability?.auc, 1, 3),
      withInterval(probability?.log_loss, 1, 3),
      withInterval(probability?.brier_skill, 1, 3),
      probability === null ? "–" : probability.calibration.expected_error.toFixed(3),
      String(risk_at_coverage.find((each) => each.coverage === 0.5)?.risk?.toFixed(3) ?? "–"),
    ]);
  const told = comparisons
    .filter(({ against }) => against !== "always-abstain")
    .map(({ label, against, accuracy, auc, log_loss }) => [
      `${label} against ${against}`,
      accuracy === null ? "–" : `${signed(accuracy.value * 100, 1)} points: ${accuracy.verdict}`,
      auc === null ? "–" : `${signed(auc.value, 3)}: ${auc.verdict}`,
      log_loss === null ? "–" : `${signed(log_loss.value, 3)}: ${log_loss.verdict}`,
    ]);
  return [
    `## Part ${part}`,
    "",
    `${episode_count} episodes of ${market_count} markets and ${block_count} ${block}s: ${truths.finalize_signal} signals, ` +
      `${truths.finalize_low_signal} low, ${truths.abstain} without history, which are counted apart.` +
      (no_interval === null ? "" : ` No intervals: ${no_interval}.`),
    "",
    "| policy | accuracy | coverage | AUC | log loss | Brier skill | calibration error | risk at half coverage |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    "| on the same episodes | accuracy | AUC | log loss |",
    "| --- | --- | --- | --- |",
    ...told.map((row) => `| ${row.join(" | ")} |`),
    "",
  ];
}

function withInterval(estimate: Estimate | undefined, scale: number, digits: number, unit = ""): string {
  if (estimate === undefined || estimate.value === null) return "–";
  const { value, interval } = estimate;
  const between =
    interval === null
      ? ""
      : ` [${(interval.low * scale).toFixed(digits)} ${(interval.high * scale).toFixed(digits)}]`;
  return `${(value * scale).toFixed(digits)}${unit}${between}`;
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
