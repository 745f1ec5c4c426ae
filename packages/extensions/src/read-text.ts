/** A small file, whole; undefined where there is none. */
import { Failure, failureAt, type Files, grouped, readStart } from "@bridle/record";

export async function readText(path: string, files: Files, bytesMax: number): Promise<string | undefined> {
  const bytes = await readBytes(path, files, bytesMax);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

export async function readBytes(
  path: string,
  files: Files,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return undefined;
    if (stat.kind !== "file")
      throw new Failure("file_not_regular", { message: `${path} is no regular file`, hint: "Move it away." });
    if (stat.size > bytesMax)
      throw new Failure("document_too_large", {
        message: `${path} has ${grouped(stat.size)} bytes, and at most ${grouped(bytesMax)} are read`,
        hint: "Make it smaller, or move it away.",
      });
    return await readStart(path, files, stat.size);
  } catch (error) {
    throw failureAt(path, error);
  }
}
