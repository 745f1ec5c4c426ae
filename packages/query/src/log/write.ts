/**
 * Appending to the log, as well as can be: a folder that is missing, full or not
 * ours to write changes nothing about an answer, so every error ends here. Only
 * plain files are appended to: whoever opens a pipe waits for its reader.
 */
import type { Files, Ports } from "@bridle/record";
import { join } from "node:path";
import { type LogInput, logRowsOf } from "./rows.js";

export interface Logging extends Omit<LogInput, "id"> {
  readonly folder: string;
  readonly ports: Pick<Ports, "files" | "ids">;
}

export async function logQuestion({ folder, ports, ...input }: Logging): Promise<void> {
  try {
    const stem = await ports.ids.next();
    let count = 0;
    const { episodes, steps, artifacts } = logRowsOf({ ...input, id: () => `${stem}${count++}` });
    await ports.files.makeDirectory(folder);
    // The episode last: whoever finds it finds all of its rows.
    await append(ports.files, join(folder, "artifacts.jsonl"), artifacts);
    await append(ports.files, join(folder, "steps.jsonl"), steps);
    await append(ports.files, join(folder, "episodes.jsonl"), episodes);
  } catch {
    // Best effort: the answer was given and stays what it is.
  }
}

async function append(files: Files, path: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const kind = (await files.stat(path))?.kind ?? "file";
  if (kind !== "file") throw new Error(`${path} is no plain file`);
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""), "utf8");
  const file = await files.open(path, "append");
  try {
    for (let done = 0; done < bytes.length;) {
      const taken = await file.append(bytes.subarray(done));
      if (taken === 0) throw new Error(`${path} takes nothing more`);
      done += taken;
    }
  } finally {
    await file.close();
  }
}
