/**
 * Writes down the manifest: every room's operations and failure classes as plain JSON.
 *
 * Run by the build. The result is committed, so that a change of a name, a flag
 * or a help line is seen in review; a test fails when it is out of date.
 */
import {
  type FailuresByRoom,
  type Manifest,
  type ManifestEntry,
  manifestEntry,
  OperationTable,
} from "@bridle/operation";
import { rooms } from "./rooms.js";

export interface Generating {
  readonly version: string;
  /** What each room's `failures.ts` declares. */
  readonly failures: FailuresByRoom;
}

export async function generateManifest({ version, failures }: Generating): Promise<Manifest> {
  refuseTwice(failures);
  const table = new OperationTable();
  const operations: ManifestEntry[] = [];
  for (const [room, load] of Object.entries(rooms)) {
    for (const operation of (await load()).operations ?? []) {
      table.add(operation);
      operations.push(manifestEntry(operation, room));
    }
  }
  return { manifestKind: "bridle.manifest.v1", version, failures, operations };
}

/** A class means one thing, so one room declares it. */
function refuseTwice(failures: FailuresByRoom): void {
  const declaredIn = new Map<string, string>();
  for (const [room, classes] of Object.entries(failures)) {
    for (const name of Object.keys(classes)) {
      const other = declaredIn.get(name);
      if (other !== undefined)
        throw new Error(`the failure class ${name} is declared in ${other} and in ${room}`);
      declaredIn.set(name, room);
    }
  }
}

export function manifestFileText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
