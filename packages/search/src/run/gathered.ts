/** The rows of one episode in memory: what was worked out ahead of its turn, or again. */
import { runFiles, type RunFile } from "./types.js";
import type { RowSink } from "./drive.js";
import type { RecordedEpisode } from "./read.js";

export type EpisodeTexts = { readonly [File in RunFile]: readonly string[] };

export class GatheredRows implements RowSink {
  readonly texts: { readonly [File in RunFile]: string[] } = {
    "starts.jsonl": [],
    "artifacts.jsonl": [],
    "refusals.jsonl": [],
    "steps.jsonl": [],
    "terminals.jsonl": [],
    "episodes.jsonl": [],
  };

  add(file: RunFile, text: string): void {
    this.texts[file].push(text);
  }

  pourInto(sink: RowSink): void {
    for (const file of runFiles) for (const text of this.texts[file]) sink.add(file, text);
  }
}

export function textsOf(recorded: RecordedEpisode): EpisodeTexts {
  const texts = (rows: readonly ({ readonly text: string } | undefined)[]) =>
    rows.flatMap((row) => (row === undefined ? [] : [row.text]));
  return {
    "starts.jsonl": texts([recorded.start]),
    "artifacts.jsonl": texts(recorded.artifacts),
    "refusals.jsonl": texts(recorded.refusals),
    "steps.jsonl": texts(recorded.steps),
    "terminals.jsonl": texts([recorded.terminal]),
    "episodes.jsonl": texts([recorded.episode]),
  };
}
