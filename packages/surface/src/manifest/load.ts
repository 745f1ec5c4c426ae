/**
 * The manifest as it was built.
 *
 * The bundle carries it as text, because parsing JSON is faster than running
 * the same thing as code; from the sources it is read from beside this file.
 */
import { readFileSync } from "node:fs";
import type { Manifest } from "@bridle/operation";

/** Put there by scripts/build.mjs. */
declare const BRIDLE_MANIFEST: string | undefined;

let loaded: Manifest | undefined;

export function loadManifest(): Manifest {
  return (loaded ??= JSON.parse(manifestText()) as Manifest);
}

function manifestText(): string {
  if (typeof BRIDLE_MANIFEST === "string") return BRIDLE_MANIFEST;
  return readFileSync(new URL("./manifest.generated.json", import.meta.url), "utf8");
}
