/**
 * Where two accounts of one episode first part, told by step and field.
 *
 * Rows are looked at in the order in which things happened, not file by file:
 * an artifact comes before the step that read it, a refusal before the step that
 * was taken instead.
 */
import { type JsonObject, type JsonValue } from "@bridle/record";
import { firstDifference } from "./first-difference.js";
import type { EpisodeTexts } from "./gathered.js";
import { type RunFile, runFiles } from "./types.js";

export interface EpisodeDifference {
  readonly file: RunFile;
  /** Which row of the episode in that file, from 0. */
  readonly row: number;
  /** Of the step concerned; 0 for the start, undefined for the end. */
  readonly step_index: number | undefined;
  readonly path: string;
  readonly left: JsonValue | undefined;
  readonly right: JsonValue | undefined;
}

export interface CompareOptions {
  /** Members that do not count. */
  readonly ignored?: readonly string[];
  /** The left one may end early: a run that was killed. */
  readonly leftMayEnd?: boolean;
}

export function compareEpisodes(
  left: EpisodeTexts,
  right: EpisodeTexts,
  options: CompareOptions = {},
): EpisodeDifference | undefined {
  const found = runFiles.flatMap((file) => {
    const row = firstRow(left[file], right[file], options);
    return row === undefined ? [] : [differenceAt(file, row, { left, right }, options)];
  });
  const place = ({ step_index }: EpisodeDifference) => step_index ?? Number.POSITIVE_INFINITY;
  return found.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))[0];
}

function firstRow(
  left: readonly string[],
  right: readonly string[],
  { ignored = [], leftMayEnd = false }: CompareOptions,
): number | undefined {
  const rows = leftMayEnd ? left.length : Math.max(left.length, right.length);
  for (let i = 0; i < rows; i++) {
    const [one, other] = [left[i], right[i]];
    if (one === other) continue;
    if (one === undefined || other === undefined || ignored.length === 0) return i;
    if (firstDifference(parse(one), parse(other), { ignored }) !== undefined) return i;
  }
  return undefined;
}

function differenceAt(
  file: RunFile,
  row: number,
  sides: { readonly left: EpisodeTexts; readonly right: EpisodeTexts },
  { ignored = [] }: CompareOptions,
): EpisodeDifference {
  const [left, right] = [parse(sides.left[file][row]), parse(sides.right[file][row])];
  const field = firstDifference(left, right, { ignored }) ?? { path: "", left, right };
  return { file, row, step_index: stepOf(file, row, left ?? right, sides), ...field };
}

function stepOf(
  file: RunFile,
  row: number,
  record: JsonObject | undefined,
  sides: { readonly left: EpisodeTexts; readonly right: EpisodeTexts },
): number | undefined {
  switch (file) {
    case "starts.jsonl":
      return 0;
    case "steps.jsonl":
      return row + 1;
    case "refusals.jsonl":
      return Number(record?.["step_index"]);
    case "artifacts.jsonl":
      return Math.min(...[sides.left, sides.right].map((side) => firstReader(side, row)));
    case "terminals.jsonl":
    case "episodes.jsonl":
      return undefined;
  }
}

/** The step that the artifact in this row was first read by. */
function firstReader(texts: EpisodeTexts, row: number): number {
  const id = parse(texts["artifacts.jsonl"][row])?.["artifact_id"];
  if (id === undefined) return Number.POSITIVE_INFINITY;
  const index = texts["steps.jsonl"].findIndex((text) => {
    const ids = parse(text)?.["artifact_ids_read"];
    return Array.isArray(ids) && ids.includes(id);
  });
  return index === -1 ? Number.POSITIVE_INFINITY : index + 1;
}

function parse(text: string | undefined): JsonObject | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
}
