/**
 * Whether commands can be held on this machine. Where they cannot, tests of the
 * wall are not registered, and a line says so.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCommands } from "@bridle/host";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bridle-wall-")));
const state = await openCommands({ workspace: folder, env: process.env }).wall();
rmSync(folder, { recursive: true });

export const wallStands = state.stands;
export const wallLayers = state.stands && state.layer;
if (!state.stands) {
  process.stdout.write(`tests of the wall are not registered: ${state.because}. ${state.remedy}\n`);
}
