/**
 * The first row in which two run folders differ, line by line, for a folder that
 * is damaged: it cannot be read as a run, but where it was changed can be said.
 */
import { join } from "node:path";
import { codeOf, failureAt, type JsonObject, type OpenFile, type Ports, scanBatches } from "@bridle/record";
import { type FieldDifference, firstDifference } from "./first-difference.js";
import type { RunFile } from "./types.js";

export interface RawDifference extends FieldDifference {
  readonly episode_id: string;
  readonly file: RunFile;
  readonly line: number;
  readonly step_index: number | undefined;
}

/** Steps first: they are what a reader asks for. */
const order: readonly RunFile[] = [
  "starts.jsonl",
  "steps.jsonl",
  "artifacts.jsonl",
  "refusals.jsonl",
  "terminals.jsonl",
  "episodes.jsonl",
];

export async function firstRawDifference(
  left: string,
  right: string,
  { ports, ignored }: { readonly ports: Ports; readonly ignored: readonly string[] },
): Promise<RawDifference | undefined> {
  for (const chosen of [ignored, []]) {
    for (const file of order) {
      const found = await inFile(file, { left, right, ports, ignored: chosen });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

interface Sides {
  readonly left: string;
  readonly right: string;
  readonly ports: Ports;
  readonly ignored: readonly string[];
}

async function inFile(
  file: RunFile,
  { left, right, ports, ignored }: Sides,
): Promise<RawDifference | undefined> {
  const [ones, others] = [rows(join(left, file), ports), rows(join(right, file), ports)];
  try {
    for (let line = 1; ; line++) {
      const [one, other] = [(await ones.next()).value, (await others.next()).value];
      if (one === undefined && other === undefined) return undefined;
      const found = firstDifference(one ?? undefined, other ?? undefined, { ignored });
      if (found === undefined) continue;
      const row = (one ?? other) as JsonObject;
      const index = row["step_index"];
      const step_index = typeof index === "number" ? index : file === "starts.jsonl" ? 0 : undefined;
      return { ...found, episode_id: String(row["episode_id"] ?? ""), file, line, step_index };
    }
  } finally {
    await ones.return();
    await others.return();
  }
}

/** A line that is no row is an empty one. */
async function* rows(path: string, { files }: Ports): AsyncGenerator<JsonObject, void, undefined> {
  let file: OpenFile;
  try {
    file = await files.open(path, "read");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw failureAt(path, error);
  }
  try {
    for await (const { entries } of scanBatches(file))
      for (const entry of entries) yield entry.kind === "row" ? entry.row : {};
  } finally {
    await file.close();
  }
}
