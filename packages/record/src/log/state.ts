/** A log's file as it stands at one moment; damage that is met on the way leaves the marker. */
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { FileStat, OpenFile } from "../ports/types.js";
import { leaveMarker } from "./marker.js";
import { scanBatches, type Batch, type ScanOptions } from "./scan.js";
import type { Damage, Entry, LogOptions, LogState, ScanEnd } from "./types.js";

export async function stateOf(local: Local, options: LogOptions, file: OpenFile): Promise<LogState> {
  const stat = await file.stat();
  return {
    file: fileId(stat),
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    async holds({ byte, text }) {
      const line = Buffer.from(`${text}\n`);
      const bytes = await file.read(byte, line.length);
      return line.equals(bytes);
    },
    hold: () => holdSame(local, options, stat),
    read: (from) =>
      markedBatches(local, options, file, {
        ...(from === undefined ? {} : { from }),
        chunkBytes: chunkFor(stat.size - (from?.byte ?? 0)),
      }),
  };
}

async function holdSame(local: Local, options: LogOptions, stat: FileStat): Promise<OpenFile | undefined> {
  const held = await options.ports.files.open(local.path, "read");
  let same = false;
  try {
    same = fileId(await held.stat()) === fileId(stat);
    return same ? held : undefined;
  } finally {
    if (!same) await held.close();
  }
}

/** Whoever looks for the few rows that were added since need not make room for many. */
function chunkFor(bytesLeft: number): number {
  return Math.max(limits.smallReadBytes, Math.min(bytesLeft + 1, limits.readChunkBytes));
}

/** Disks give out the inode of a removed file again, so the time of birth belongs to it. */
function fileId({ inode, bornMs }: FileStat): string {
  return bornMs === undefined ? inode : `${inode}@${bornMs}`;
}

function leavesMarker(entry: Entry, { conflicts }: LogOptions): entry is Damage {
  return entry.kind === "damage" && !(conflicts === "sides" && entry.damage === "merge_marker");
}

/** Whoever stops half way has still seen the damage so far, and the marker says so. */
export async function* markedBatches(
  local: Local,
  options: LogOptions,
  file: OpenFile,
  scan: ScanOptions,
): AsyncGenerator<Batch, ScanEnd, undefined> {
  const damage: Damage[] = [];
  let damageCount = 0;
  try {
    const batches = scanBatches(file, { comments: options.comments === true, ...scan });
    for (;;) {
      const next = await batches.next();
      if (next.done === true) return next.value;
      for (const entry of next.value.entries) {
        if (!leavesMarker(entry, options)) continue;
        if (damageCount++ < limits.damageListMax) damage.push(entry);
      }
      yield next.value;
    }
  } finally {
    if (damageCount > 0) await leaveMarker(local, options.ports, { damage, damageCount, file });
  }
}
