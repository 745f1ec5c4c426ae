/**
 * The witnesses of `artifacts/ciwitness`, as an observation needs them.
 *
 * A file that is no witness, or that cannot be read, is named and left out: one broken file must not
 * keep anybody from seeing the rest.
 */
import { join } from "node:path";
import { codeOf, type Files, isJsonObject, type JsonObject } from "@bridle/record";
import { workLimits } from "../limits.js";
import { jsonIn, readSmallText, Unreadable } from "../small-file.js";
import type { Witnesses } from "./observation.js";

export const witnessFolder = "artifacts/ciwitness";

export interface FoundWitnesses {
  readonly witnesses: Witnesses;
  /** A sentence a file. */
  readonly broken: readonly string[];
}

export async function readWitnesses(root: string, files: Files): Promise<FoundWitnesses> {
  const folder = join(root, witnessFolder);
  const broken: string[] = [];
  const read = async (name: string): Promise<JsonObject | undefined> => {
    const found = await readJson(join(folder, name), files);
    if (typeof found === "string") broken.push(`${witnessFolder}/${name} ${found}; it is left out`);
    return typeof found === "string" ? undefined : found;
  };
  const names = await files.list(folder).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") broken.push(`${witnessFolder} cannot be listed`);
    return [];
  });
  const [delta, required, decision] = [
    await read("latest-delta.json"),
    await read("latest-required.json"),
    await read("latest-decision.json"),
  ];
  const instructions: JsonObject[] = [];
  const own = names.filter((name) => name.endsWith(".json") && !/^(latest-|proj1_)/.test(name));
  for (const name of own.slice(-workLimits.observedWitnessesMax)) {
    const row = await read(name);
    if (row?.["witnessKind"] === "ci.instruction.v1") instructions.push(row);
  }
  return {
    witnesses: {
      ...(delta === undefined ? {} : { delta }),
      ...(required === undefined ? {} : { required }),
      ...(decision === undefined ? {} : { decision }),
      instructions,
    },
    broken,
  };
}

/** What is wrong with it as a text; undefined when it is not there. */
async function readJson(path: string, files: Files): Promise<JsonObject | string | undefined> {
  const text = await readSmallText(path, files);
  if (text === undefined) return undefined;
  if (text instanceof Unreadable) return text.why;
  const value = jsonIn(text);
  if (value === undefined) return "is not JSON";
  return isJsonObject(value) ? value : "is no JSON object";
}
