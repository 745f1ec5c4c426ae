/**
 * A JSON file that a caller names, for the commands that judge one: whatever is wrong with it, from
 * its absence to its last brace, is of the class that their contract names.
 */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import {
  type FailureClass,
  isJsonObject,
  isRefusal,
  type JsonObject,
  type JsonValue,
  refuse,
  type Refusal,
} from "@bridle/record";
import { readSmallText, Unreadable } from "../small-file.js";

/** Relative to the caller's folder. What it holds is in a member of its own: a file may look like a refusal. */
export async function readJsonFile(
  shown: string,
  call: Call,
  invalid: FailureClass,
): Promise<{ readonly value: JsonValue } | Refusal> {
  const no = (why: string) => refuse(invalid, { message: `${shown} ${why}` });
  const text = await readSmallText(resolve(call.cwd, shown), call.ports.files);
  if (text === undefined) return no("is not there");
  if (text instanceof Unreadable) return no(text.why);
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return no(`is not JSON: ${(error as Error).message}`);
  }
}

export async function readJsonObject(
  shown: string,
  call: Call,
  invalid: FailureClass,
): Promise<{ readonly value: JsonObject } | Refusal> {
  const read = await readJsonFile(shown, call, invalid);
  if (isRefusal(read)) return read;
  if (isJsonObject(read.value)) return { value: read.value };
  return refuse(invalid, { message: `${shown} holds no JSON object` });
}
