/** Vitest's global setup: a folder for what the tests of one run share, gone when the run is. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    runFolder: string;
  }
}

let folder: string | undefined;

export function setup({ provide }: TestProject): void {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bridle tests ")));
  // So that a program in it may be run by another user.
  chmodSync(folder, 0o755);
  provide("runFolder", folder);
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
