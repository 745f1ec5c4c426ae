/**
 * A live view of a log: what is there, then what comes, until the signal.
 *
 * A file that was rewritten or replaced begins again: the view says `restarted`
 * and delivers the new file from its start.
 */
import { dirname } from "node:path";
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { OpenFile } from "../ports/types.js";
import { leaveMarker } from "./marker.js";
import { scanBatches } from "./scan.js";
import type { Entry, LogOptions, Position } from "./types.js";

export interface Restarted {
  readonly kind: "restarted";
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** `end` delivers only what is added from now on. */
  readonly from?: "start" | "end";
}

export async function* followFile(
  local: Local,
  options: LogOptions,
  follow: FollowOptions,
): AsyncGenerator<Entry | Restarted, void, undefined> {
  const { files } = options.ports;
  const { signal } = follow;
  const comments = options.comments === true;
  const watcher = await files.watch(dirname(local.path));
  let file: OpenFile | undefined;
  let position: Position = { byte: 0, line: 1 };
  let skipping = follow.from === "end";
  const mark = async (entries: readonly Entry[], seenIn: OpenFile) => {
    const damage = entries.filter((entry) => entry.kind === "damage");
    if (damage.length === 0) return;
    await leaveMarker(local, options.ports, { damage, damageCount: damage.length, file: seenIn });
  };
  try {
    while (!signal.aborted) {
      const named = await files.stat(local.path);
      const opened = await file?.stat();
      if (file !== undefined && (named?.inode !== opened?.inode || (opened?.size ?? 0) < position.byte)) {
        await file.close();
        file = undefined;
        position = { byte: 0, line: 1 };
        yield { kind: "restarted" };
      }
      if (file === undefined && named !== undefined) file = await files.open(local.path, "read");
      if (file !== undefined) {
        const batches = scanBatches(file, { from: position, comments });
        for (;;) {
          const next = await batches.next();
          if (next.done === true) {
            position = { byte: next.value.byte, line: next.value.line };
            break;
          }
          await mark(next.value.entries, file);
          if (!skipping) yield* next.value.entries;
          if (signal.aborted) return;
        }
      }
      skipping = false;
      await watcher.changed(limits.followPollMs, signal);
    }
  } finally {
    await watcher.close();
    await file?.close();
  }
}
