/** A JSON file that a gate looks at: small, or not looked at. */
import { type JsonValue, type Ports } from "@bridle/record";

const bytesMax = 8 * 1024 * 1024;

/** Undefined where there is none; null where it cannot be read, is no JSON or is too large. */
export async function readBounded(path: string, { files }: Ports): Promise<JsonValue | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== "file" || stat.size > bytesMax) return null;
  try {
    const file = await files.open(path, "read");
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.read(0, stat.size));
      return JSON.parse(text) as JsonValue;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
