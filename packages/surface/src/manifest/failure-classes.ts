/** Failure classes as the manifest has them: which there are, and what each means. */
import type { FailureClass } from "@bridle/record";
import { loadManifest } from "./load.js";

export function isFailureClass(name: string): name is FailureClass {
  return sentenceOf(name) !== undefined;
}

export function sentenceOf(failureClass: string): string | undefined {
  for (const classes of Object.values(loadManifest().failures)) {
    if (Object.hasOwn(classes, failureClass)) return classes[failureClass];
  }
  return undefined;
}
