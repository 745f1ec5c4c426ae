/** Files suite: being told of changes. A case fails by taking longer than it may. */
import assert from "node:assert/strict";
import type { Files, Watcher } from "@bridle/record";
import type { FilesSubject } from "./files-suite-subject.js";
import { writeFile } from "./suite-help.js";
import type { SuiteCase } from "./types.js";

const longMs = 600_000;

/** Waits until `seen`, woken by the watcher alone: its timeout is longer than any test may take. */
async function watchUntil(watcher: Watcher, seen: () => Promise<boolean>): Promise<void> {
  while (!(await seen())) await watcher.changed(longMs);
}

async function has(files: Files, path: string): Promise<boolean> {
  return (await files.stat(path)) !== undefined;
}

export const fileWatchCases: readonly SuiteCase<FilesSubject>[] = [
  {
    name: "a change between the start of the watch and the wait is not missed",
    async run({ files, root }) {
      const watcher = await files.watch(root);
      await writeFile(files, `${root}/log`, "abc");
      await watcher.changed(longMs);
      await watcher.close();
    },
  },
  {
    name: "a waiter is woken when a name comes, goes or is renamed",
    async run({ files, root }) {
      const watcher = await files.watch(root);
      const made = watchUntil(watcher, () => has(files, `${root}/one`));
      await files.symlink("x", `${root}/other`);
      await writeFile(files, `${root}/one`, "");
      await made;
      const renamed = watchUntil(watcher, () => has(files, `${root}/two`));
      await files.rename(`${root}/one`, `${root}/two`);
      await renamed;
      const gone = watchUntil(watcher, async () => !(await has(files, `${root}/two`)));
      await files.remove(`${root}/two`);
      await gone;
      await watcher.close();
    },
  },
  {
    name: "a waiter is woken when a file in the folder grows",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      const watcher = await files.watch(root);
      const grown = watchUntil(watcher, async () => ((await files.stat(`${root}/log`))?.size ?? 0) > 3);
      await writeFile(files, `${root}/log`, "def");
      await grown;
      await watcher.close();
    },
  },
  {
    name: "a wait ends by its timeout, and at once when its signal is or becomes aborted",
    async run({ files, root }) {
      const watcher = await files.watch(root);
      await watcher.changed(1);
      const controller = new AbortController();
      const waiting = watcher.changed(longMs, controller.signal);
      controller.abort();
      await waiting;
      await watcher.changed(longMs, controller.signal);
      await watcher.close();
      assert.ok(controller.signal.aborted);
    },
  },
];
