/** A small file whole, as text. What the disk says is thrown as it came: whoever asks knows what the file was for. */
import { type Files, limits, readStart } from "@bridle/record";

export async function readWhole(path: string, files: Files): Promise<string> {
  return Buffer.from(await readStart(path, files, limits.documentBytesMax)).toString("utf8");
}
