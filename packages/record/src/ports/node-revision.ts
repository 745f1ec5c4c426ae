/**
 * Which revision of Bridle's own sources is running, asked of git.
 *
 * Only where the program runs from its own repository: inside somebody else's,
 * git would answer for that one.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Revision } from "./types.js";

let known: string | undefined;

export const nodeRevision: Revision = {
  async current() {
    known ??= ask() ?? "unknown";
    return known;
  },
};

function ask(): string | undefined {
  try {
    const folder = dirname(realpathSync.native(process.argv[1] ?? "."));
    const root = git(folder, ["rev-parse", "--show-toplevel"]);
    const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly name?: string;
    };
    if (name !== "bridle") return undefined;
    const dirty = git(root, ["status", "--porcelain", "--untracked-files=no"]) !== "";
    return `${git(root, ["rev-parse", "HEAD"])}${dirty ? "-dirty" : ""}`;
  } catch {
    return undefined;
  }
}

function git(folder: string, args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
