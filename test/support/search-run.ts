/** Runs on a real disk, for tests. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { nodePorts } from "@bridle/record";
import {
  makePolicy,
  openPack,
  type Pack,
  type Policy,
  type PolicySurroundings,
  type RunOptions,
  runPack,
} from "@bridle/search";
import { sampleEpisodes, samplePack } from "./search-pack.js";

export const ports = nodePorts();
export const never: AbortSignal = new AbortController().signal;
export const surroundings: PolicySurroundings = { ports, cwd: "/", env: {}, signal: never };

export function policyOf(name: string, params: JsonObject = {}): Promise<Policy> {
  return makePolicy(name, params, surroundings);
}

/** A pack of so many episodes in a folder of its own under `base`. */
export async function packIn(base: string, episodes: number): Promise<Pack> {
  const out = join(base, "packs");
  mkdirSync(out, { recursive: true });
  const { folder } = await samplePack(out, { episodes: sampleEpisodes(episodes) });
  return openPack(folder, ports);
}

export function runIn(options: Pick<RunOptions, "pack" | "policy" | "out"> & Partial<RunOptions>) {
  return runPack({ ports, signal: never, codeRevision: "test", ...options });
}

/** Everything in the folder, by name. */
export function bytesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );
}
