/** Reading a folder of the log, of this version or an earlier one: rows as they are, with everything that they carry. */
import type { Files } from "@bridle/record";
import { join } from "node:path";
import type { LogRows, Row } from "./types.js";

export interface ReadLog extends LogRows {
  /** Lines that are no JSON object: a tail that was cut off, or damage. They are counted, never dropped silently. */
  readonly unreadable: number;
}

export async function readOneShotLog(files: Files, folder: string): Promise<ReadLog> {
  let unreadable = 0;
  const rowsOf = async (name: string): Promise<Row[]> => {
    const path = join(folder, name);
    const found = await files.stat(path);
    if (found === undefined) return [];
    // Whoever opens a pipe waits for its writer.
    if (found.kind !== "file") throw new Error(`${path} is no plain file`);
    const file = await files.open(path, "read");
    try {
      const { size } = await file.stat();
      const text = Buffer.from(await file.read(0, size)).toString("utf8");
      return text.split("\n").flatMap((line): Row[] => {
        if (line === "") return [];
        try {
          const row: unknown = JSON.parse(line);
          if (typeof row === "object" && row !== null && !Array.isArray(row)) return [row as Row];
        } catch {
          // Counted below.
        }
        unreadable++;
        return [];
      });
    } finally {
      await file.close();
    }
  };
  const [episodes, steps, artifacts] = [
    await rowsOf("episodes.jsonl"),
    await rowsOf("steps.jsonl"),
    await rowsOf("artifacts.jsonl"),
  ];
  return { episodes, steps, artifacts, unreadable };
}
