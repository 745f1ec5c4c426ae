/** Real git, kept apart from the settings of whoever runs the tests. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export function git(folder: string, ...args: string[]): string {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.org",
    "-c",
    "protocol.file.allow=always",
  ];
  const { PATH = "", HOME = "/nonexistent" } = process.env;
  return execFileSync("git", ["-C", folder, ...identity, ...args], {
    encoding: "utf8",
    env: { PATH, HOME, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A repository with one commit. */
export function newRepository(folder: string): string {
  git(folder, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(folder, "readme"), "a project\n");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message=first");
  return folder;
}
