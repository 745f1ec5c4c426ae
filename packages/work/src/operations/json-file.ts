/**
 * A JSON file that a caller names, for the commands that judge one: whatever is wrong with it, from
 * its absence to its last brace, is of the class that their contract names.
 */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { type FailureClass, grouped, type JsonValue, refuse, type Refusal } from "@bridle/record";

export interface JsonFileOptions {
  readonly invalid: FailureClass;
  readonly bytesMax: number;
}

/** Relative to the caller's folder. */
export async function readJsonFile(
  shown: string,
  call: Call,
  { invalid, bytesMax }: JsonFileOptions,
): Promise<JsonValue | Refusal> {
  const no = (message: string) => refuse(invalid, { message: `${shown} ${message}` });
  const path = resolve(call.cwd, shown);
  const { files } = call.ports;
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return no("is not there");
    if (stat.kind !== "file") return no("is no regular file");
    if (stat.size > bytesMax)
      return no(`has ${grouped(stat.size)} bytes, and at most ${grouped(bytesMax)} are read`);
    const file = await files.open(path, "read");
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.read(0, stat.size));
      return JSON.parse(text) as JsonValue;
    } finally {
      await file.close();
    }
  } catch (error) {
    return no(`cannot be read: ${(error as Error).message}`);
  }
}
