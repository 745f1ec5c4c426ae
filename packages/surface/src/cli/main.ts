/** The entry of the built command line; bin/* call `main` with their own name. */
import { loadManifest } from "../manifest/load.js";
import { loadOperation } from "../manifest/rooms.js";
import type { Launcher } from "./commands.js";
import { runProcess } from "./process.js";

export function main(launcher: Launcher): Promise<void> {
  return runProcess(() => ({ launcher, manifest: loadManifest(), load: loadOperation }));
}
