/** A first map of required checks for a folder, from the files at its top, and as it is written. */
import { join } from "node:path";
import type { Files, JsonObject } from "@bridle/record";
import { sealedText } from "../../seal.js";
import { readSmallText } from "../../small-file.js";
import { draftMap, draftSources } from "./draft-map.js";

/** Undefined where nothing there says how the project is checked. */
export async function draftChecks(top: string, files: Files) {
  const found = new Map<string, string>();
  for (const name of draftSources) {
    const text = await readSmallText(join(top, name), files);
    if (typeof text === "string") found.set(name, text);
  }
  const draft = draftMap(found);
  return draft && { draft, text: sealedText(draft as unknown as JsonObject) };
}
