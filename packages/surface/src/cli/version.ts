/** `--version`: the name that was typed and the version of the whole. */
import type { JsonObject } from "@bridle/record";
import type { Launcher } from "./commands.js";

export function versionText(launcher: Launcher, version: string): string {
  return `${launcher} ${version}\n`;
}

export function versionJson(launcher: Launcher, version: string): JsonObject {
  return { action: "version", name: launcher, version, node: process.versions.node };
}
