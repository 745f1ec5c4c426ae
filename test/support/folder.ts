/** Folders of a test's own, by their real path, gone when the test is. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** On the disk, where a sync costs what it costs. */
export function newFolder(): string {
  return folderIn(tmpdir());
}

/** In memory where the machine offers it: for proofs that make tens of thousands of files and test no sync. */
export function newFastFolder(): string {
  return folderIn(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
}

function folderIn(parent: string): string {
  const folder = realpathSync(mkdtempSync(join(parent, "bridle-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
