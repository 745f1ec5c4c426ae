/** A file of ours or of the project as text; undefined where there is none. */
import { codeOf, type Ports } from "@bridle/record";

export async function readText(
  path: string,
  { files }: Ports,
  bytesMax = Infinity,
): Promise<string | undefined> {
  try {
    const file = await files.open(path, "read");
    try {
      const { size } = await file.stat();
      return Buffer.from(await file.read(0, Math.min(size, bytesMax))).toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
