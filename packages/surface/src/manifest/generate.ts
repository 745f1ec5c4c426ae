/**
 * Writes down the manifest: every room's operations as plain JSON.
 *
 * Run by the build. The result is committed, so that a change of a name, a flag
 * or a help line is seen in review; a test fails when it is out of date.
 */
import { type Manifest, type ManifestEntry, manifestEntry, OperationTable } from "@bridle/operation";
import { rooms } from "./rooms.js";

export async function generateManifest(version: string): Promise<Manifest> {
  const table = new OperationTable();
  const operations: ManifestEntry[] = [];
  for (const [room, load] of Object.entries(rooms)) {
    for (const operation of (await load()).operations ?? []) {
      table.add(operation);
      operations.push(manifestEntry(operation, room));
    }
  }
  return { manifestKind: "bridle.manifest.v1", version, operations };
}

export function manifestFileText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
