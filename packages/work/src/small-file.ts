/**
 * A small file of a project, read whole or not at all: witnesses, policies, evidence.
 *
 * What a newcomer gets wrong: a file that is not there and one that cannot be read are two answers.
 * Nobody takes the second for the first, because a broken policy would count as none.
 */
import { failureAt, type Files, grouped, type JsonValue, readStart } from "@bridle/record";
import { workLimits } from "./limits.js";

/** Words that follow the name of the file. */
export class Unreadable {
  constructor(readonly why: string) {}
}

/** Undefined where there is none. Contract: never throws. */
export async function readSmallText(
  path: string,
  files: Files,
  bytesMax: number = workLimits.evidenceBytesMax,
): Promise<string | Unreadable | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return undefined;
    if (stat.kind !== "file") return new Unreadable("is no regular file");
    if (stat.size > bytesMax)
      return new Unreadable(`has ${grouped(stat.size)} bytes, and at most ${grouped(bytesMax)} are read`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await readStart(path, files, stat.size));
  } catch (error) {
    if (error instanceof TypeError) return new Unreadable("is not UTF-8 text");
    return new Unreadable(`cannot be read: ${failureAt(path, error).message}`);
  }
}

/** Undefined where there is none; null where it cannot be read, is no JSON or is too large. */
export async function readSmallJson(path: string, files: Files): Promise<JsonValue | undefined> {
  const text = await readSmallText(path, files);
  if (text === undefined) return undefined;
  return text instanceof Unreadable ? null : (jsonIn(text) ?? null);
}

/** Undefined where it is no JSON. */
export function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
