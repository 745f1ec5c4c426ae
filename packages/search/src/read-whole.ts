/** A small file whole, as text. What the disk says is thrown as it came: whoever asks knows what the file was for. */
import { type Files, limits } from "@bridle/record";

export async function readWhole(path: string, files: Files): Promise<string> {
  const file = await files.open(path, "read");
  try {
    const { size } = await file.stat();
    return Buffer.from(await file.read(0, Math.min(size, limits.documentBytesMax))).toString("utf8");
  } finally {
    await file.close();
  }
}
