/**
 * What a machine crash leaves: the durable, and of the rest what chance says.
 *
 * Unsynced writes may be kept, lost, torn at any byte, or there in length only
 * with zeros as content. Lengths and names survive as a prefix of their changes
 * (per file, per folder), because journals keep the order of metadata; the
 * content of writes has no order at all, which is what code tends to forget.
 */
import type { FileNode, FolderNode, NameChange } from "./sim-inode.js";
import { syncContent } from "./sim-inode.js";
import type { Random } from "./random.js";

/** Decides the fate of each unsynced change of a file and makes the result its durable content. */
export function settleContent(file: FileNode, random: Random): string {
  const changes = file.unsynced;
  if (changes.length === 0) return "clean";
  const mood = random.below(6);
  if (mood === 0) {
    syncContent(file);
    return "kept";
  }
  file.unsynced = [];
  if (mood === 1) return "lost";
  const lengthsKept = random.chance(0.7) ? changes.length : random.below(changes.length + 1);
  for (const [index, change] of changes.entries()) {
    const lengthKept = index < lengthsKept;
    if (change.kind === "resize") {
      // What followed a shortening that never was went into blocks that were never allocated.
      if (!lengthKept) break;
      file.durable.resize(change.length);
    } else settleWrite(file, change, { lengthKept, random });
  }
  return `mixed, ${lengthsKept} of ${changes.length} lengths`;
}

/** A failed sync: some of it may have been written, none of it is tried again. */
export function dropUnsynced(file: FileNode, random: Random): void {
  const changes = file.unsynced;
  file.unsynced = [];
  for (const change of changes) {
    if (change.kind === "resize") file.durable.resize(change.length);
    else settleWrite(file, change, { lengthKept: random.chance(0.5), random });
  }
}

function settleWrite(
  file: FileNode,
  write: { readonly offset: number; readonly bytes: Uint8Array },
  { lengthKept, random }: { lengthKept: boolean; random: Random },
): void {
  const { durable } = file;
  const { offset } = write;
  const before = durable.length;
  // Without its length, only what overwrote bytes that were there already can survive.
  const bytes = lengthKept ? write.bytes : write.bytes.subarray(0, Math.max(0, before - offset));
  const end = offset + bytes.length;
  switch (random.below(lengthKept ? 5 : 3)) {
    case 0: // Lost. Where its length was kept, zeros stand in the place of what was new.
      if (lengthKept) durable.extendTo(end);
      return;
    case 1: // Torn: a first part, and the length ends with it.
      durable.write(offset, bytes.subarray(0, random.below(bytes.length + 1)));
      return;
    case 2: // Torn, and the length is there.
      durable.write(offset, bytes.subarray(0, random.below(bytes.length + 1)));
      if (lengthKept) durable.extendTo(end);
      return;
    case 3: {
      // A later part without the first.
      const from = random.below(bytes.length + 1);
      durable.extendTo(end);
      durable.write(offset + from, bytes.subarray(from));
      return;
    }
    default:
      durable.write(offset, bytes);
  }
}

/** The name changes that survive: of each folder a prefix, of a change of two folders both sides or none. */
export function survivingNames(journal: readonly NameChange[], random: Random): NameChange[] {
  const mood = random.below(6);
  if (mood === 0) return [...journal];
  if (mood === 1) return [];
  const counts = new Map<FolderNode, number>();
  for (const change of journal) {
    for (const folder of foldersOf(change)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const left = new Map<FolderNode, number>();
  for (const [folder, count] of counts) left.set(folder, random.below(count + 1));
  return journal.filter((change) => {
    const folders = foldersOf(change);
    const survives = folders.every((folder) => (left.get(folder) ?? 0) > 0);
    for (const folder of folders) left.set(folder, survives ? (left.get(folder) ?? 0) - 1 : 0);
    return survives;
  });
}

/**
 * The changes that making one folder durable takes along: all of its own, and
 * whatever came before them in a folder that one of them also changes.
 */
export function changesBehind(folder: FolderNode, journal: readonly NameChange[]): Set<NameChange> {
  const folders = new Set([folder]);
  const behind = new Set<NameChange>();
  for (const change of journal.toReversed()) {
    if (!foldersOf(change).some((other) => folders.has(other))) continue;
    behind.add(change);
    for (const other of foldersOf(change)) folders.add(other);
  }
  return behind;
}

export function applyDurably(change: NameChange): void {
  for (const { folder, name, to } of change.entries) {
    if (to === undefined) folder.durable.delete(name);
    else folder.durable.set(name, to);
  }
}

function foldersOf(change: NameChange): FolderNode[] {
  const [first, second] = change.entries.map((entry) => entry.folder);
  if (first === undefined) return [];
  return second === undefined || second === first ? [first] : [first, second];
}
