/** Where the event stream and the replay cache are. */
import { dirname, join } from "node:path";
import type { Call } from "@bridle/operation";
import { type IssuesInput, issuesInput } from "../calls/issues.js";
import { mutationInput } from "./mutation-input.js";
import { pathInput, type LocatedFile, locateFile } from "../calls/place.js";

export const eventsDefault = ".premath/memory/events.jsonl";
export const replayCacheName = "replay-cache.json";

export const eventsInput = {
  eventsPath: pathInput("The event stream", eventsDefault, "events"),
  instructionId: mutationInput.instructionId,
  ...issuesInput,
} as const;

export function eventsPlace(
  input: IssuesInput & { readonly eventsPath?: string },
  call: Call,
): Promise<LocatedFile> {
  return locateFile({ flag: input.eventsPath, root: input.root, fallback: eventsDefault }, call);
}

/** Beside the issues when it is not named. */
export async function replayCachePlace(
  input: IssuesInput & { readonly cachePath?: string },
  issues: LocatedFile,
  call: Call,
): Promise<LocatedFile> {
  const { cachePath, root } = input;
  if (cachePath !== undefined) {
    return locateFile({ flag: cachePath, root, fallback: replayCacheName }, call);
  }
  const beside = (path: string) => join(dirname(path), replayCacheName);
  return { path: beside(issues.path), shown: beside(issues.shown), ofMainTree: false };
}
