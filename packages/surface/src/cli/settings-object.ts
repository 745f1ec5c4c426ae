/** A settings file is one JSON object, a person's own or the project's: read, and changed as a whole. */
import { dirname } from "node:path";
import {
  type Files,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Ports,
  putFile,
  readFailureAt,
} from "@bridle/record";
import { requireInside } from "./inside.js";

const bytesMax = 256 * 1024;
const othersMayRead = 0o077;
const ownerOnly = 0o600;

/** The object, or words about why there is none; undefined where there is no file. */
export async function readObject(
  path: string,
  files: Files,
): Promise<{ readonly value: JsonObject | string; readonly shared: boolean } | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return undefined;
    const shared = (stat.mode & othersMayRead) !== 0;
    if (stat.kind !== "file" || stat.size > bytesMax)
      return { value: `${path} is no file of settings`, shared };
    return { value: objectIn(await textOf(path, stat.size, files), path), shared };
  } catch (error) {
    throw readFailureAt(path, error);
  }
}

async function textOf(path: string, size: number, files: Files): Promise<string> {
  const file = await files.open(path, "read");
  try {
    return new TextDecoder().decode(await file.read(0, size));
  } finally {
    await file.close();
  }
}

function objectIn(text: string, path: string): JsonObject | string {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : `${path} is not a JSON object`;
  } catch (error) {
    return `${path} is not JSON: ${(error as SyntaxError).message}`;
  }
}

/** One's own is for nobody else to read; the project's may not lead out of the project. */
export interface SettingsFile {
  readonly path: string;
  readonly of: "own" | "project";
}

/** Whether it changed anything, or words about why the file cannot be changed. */
export async function changeObject(
  { path, of }: SettingsFile,
  change: (object: JsonObject) => JsonObject,
  ports: Ports,
): Promise<boolean | string> {
  const { files } = ports;
  if (of === "project") await requireInside(path, { top: dirname(dirname(path)), files });
  const before = (await readObject(path, files))?.value ?? {};
  if (typeof before === "string") return before;
  const after = change(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return false;
  await files.makeDirectory(dirname(path));
  const bytes = Buffer.from(`${JSON.stringify(after, null, 2)}\n`);
  await putFile(path, bytes, ports, of === "own" ? { permissions: ownerOnly } : {});
  return true;
}
