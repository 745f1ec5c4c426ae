/** A file read in one go. What the disk says is thrown as it came: whoever asks knows what the file was for. */
import type { Files } from "./ports/types.js";

/** From its beginning, and no more bytes than that. */
export async function readStart(path: string, files: Files, bytesMax: number): Promise<Uint8Array> {
  const file = await files.open(path, "read");
  try {
    const { size } = await file.stat();
    return await file.read(0, Math.min(size, bytesMax));
  } finally {
    await file.close();
  }
}
