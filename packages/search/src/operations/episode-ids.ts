/** Episode ids as they are given: several in one with commas between, or `@` and a file with one on each line. */
import type { Call } from "@bridle/operation";
import { failureAt } from "@bridle/record";
import { readWhole } from "../read-whole.js";
import { pathOf } from "./pack-input.js";

export async function episodeIdsFrom(given: readonly string[], call: Call): Promise<string[]> {
  const ids: string[] = [];
  for (const text of given) {
    const list = text.startsWith("@") ? await readFile(text.slice(1), call) : text;
    ids.push(
      ...list
        .split(/[,\n]/)
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    );
  }
  return ids;
}

async function readFile(name: string, call: Call): Promise<string> {
  const path = pathOf(call, name);
  try {
    return await readWhole(path, call.ports.files);
  } catch (error) {
    throw failureAt(path, error);
  }
}
