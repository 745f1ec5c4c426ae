/**
 * How well the detectors do on the labelled transcripts.
 *
 * What a newcomer gets wrong: the score is that of the held-out third, which
 * nobody reads while writing a detector. So wrong ones are named for the tuning
 * part only; naming the others would make them part of it.
 */
import { rules as table } from "../../../packages/rules/src/table.js";
import type { Held, Rule } from "../../../packages/rules/src/types.js";
import { stageDetectors } from "./stage-detectors.js";
import { findsViolation, type Transcript } from "./transcript.js";

/** All of the table; those that a stage of dispatch holds with what stands for it here. */
const allRules: readonly Rule[] = table.map((rule) => {
  const detector = stageDetectors[rule.id] ?? rule.detector;
  return detector === undefined ? rule : { ...rule, detector };
});

export interface Labelled {
  readonly tuning: readonly Transcript[];
  readonly heldOut: readonly Transcript[];
}

/** Nothing was measured where a number is null. */
export interface Measured {
  readonly precision: number | null;
  readonly recall: number | null;
}

export interface RuleScore {
  readonly id: string;
  readonly held: Held;
  readonly hasDetector: boolean;
  readonly transcripts: number;
  readonly looks: number;
  readonly tuning: Measured;
  readonly heldOut: Measured;
  /** Ids of the tuning part. */
  readonly missed: readonly string[];
  readonly falseAlarms: readonly string[];
}

/** What a detector must reach to refuse something; how much it misses is printed beside it. */
export const scoreBar = { transcriptsMin: 20, looksMin: 8, precisionMin: 0.95 } as const;

/** The harness rules in their order, each on the transcripts of its own. */
export function scoreRules(
  labelled: ReadonlyMap<string, Labelled>,
  rules: readonly Rule[] = allRules,
): RuleScore[] {
  return rules
    .filter(({ layer }) => layer === "harness")
    .map((rule) => scoreRule(rule, labelled.get(rule.id) ?? { tuning: [], heldOut: [] }));
}

export function scoreRule(rule: Rule, { tuning, heldOut }: Labelled): RuleScore {
  const all = [...tuning, ...heldOut];
  const tuned = judged(rule, tuning);
  const wrong = (label: Transcript["label"]) =>
    tuned
      .filter(({ transcript, found }) => transcript.label === label && found === (label === "pass"))
      .map(({ transcript }) => transcript.id);
  return {
    id: rule.id,
    held: rule.held,
    hasDetector: rule.detector !== undefined,
    transcripts: all.length,
    looks: all.filter(({ looks }) => looks).length,
    tuning: measured(tuned),
    heldOut: measured(judged(rule, heldOut)),
    missed: wrong("violation"),
    falseAlarms: wrong("pass"),
  };
}

/** What keeps a detector from refusing; nothing where it refuses nothing. */
export function shortfallsOf({ id, held, hasDetector, transcripts, looks, heldOut }: RuleScore): string[] {
  if (!hasDetector || held !== "refused") return [];
  const { transcriptsMin, looksMin, precisionMin } = scoreBar;
  const below = (what: string, is: number | null, min: number) =>
    is !== null && is >= min ? [] : [`${id}: ${what} is ${is ?? "not measured"}, at least ${min} is needed`];
  return [
    ...below("number of transcripts", transcripts, transcriptsMin),
    ...below("number of passes that look like violations", looks, looksMin),
    ...below("held-out precision", heldOut.precision, precisionMin),
  ];
}

/** For programs. */
export function scoreJson(scores: readonly RuleScore[]): string {
  const rules = scores.map(({ id, held, transcripts, heldOut }) => ({ id, held, transcripts, ...heldOut }));
  return `${JSON.stringify({ rules }, null, 2)}\n`;
}

/** For people. */
export function scoreTable(scores: readonly RuleScore[]): string {
  const head = ["rule", "held", "transcripts", "looks", "tuning p", "r", "held-out p", "r"];
  const rows = scores.map((score) => [
    ...[score.id, score.held],
    ...[String(score.transcripts), String(score.looks)],
    ...[score.tuning, score.heldOut].flatMap(({ precision, recall }) => [shown(precision), shown(recall)]),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const table = [head, ...rows].map((row) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
  );
  const wrong = scores.flatMap(({ missed, falseAlarms }) => [
    ...missed.map((id) => `missed in tuning: ${id}`),
    ...falseAlarms.map((id) => `false alarm in tuning: ${id}`),
  ]);
  const below = scores.flatMap(shortfallsOf).map((each) => `below the bar: ${each}`);
  return `${[...table, ...gap(wrong), ...gap(below), "", summary(scores)].join("\n")}\n`;
}

function gap(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function summary(scores: readonly RuleScore[]): string {
  const detected = scores.filter(({ hasDetector }) => hasDetector);
  const refusing = detected.filter(({ held }) => held === "refused").length;
  return `${scores.length} rules, ${detected.length} with a detector, ${refusing} of which refuse`;
}

// --- Counting --------------------------------------------------------------------------------------

interface Judged {
  readonly transcript: Transcript;
  readonly found: boolean;
}

/** Nothing where nobody looks. */
function judged({ detector }: Rule, transcripts: readonly Transcript[]): Judged[] {
  if (detector === undefined) return [];
  return transcripts.map((transcript) => ({ transcript, found: findsViolation(detector, transcript) }));
}

function measured(all: readonly Judged[]): Measured {
  const broken = all.filter(({ transcript }) => transcript.label === "violation");
  const found = all.filter((each) => each.found).length;
  const right = broken.filter((each) => each.found).length;
  if (broken.length === 0) return { precision: null, recall: null };
  // A detector that finds nothing where something is to be found is not precise, it is silent.
  return { precision: found === 0 ? 0 : rounded(right / found), recall: rounded(right / broken.length) };
}

function rounded(ratio: number): number {
  return Math.round(ratio * 10_000) / 10_000;
}

function shown(ratio: number | null): string {
  return ratio === null ? "–" : ratio.toFixed(3);
}
