/**
 * Paths inside the workspace that tools keep away from.
 *
 * What a newcomer gets wrong: a write into `.git` is code that git runs later,
 * and a write into the harness's own state is a forged record; so both are
 * refused at any depth and in any spelling that some disk takes for the same name.
 */
import { Failure, isCredential } from "@bridle/record";
import { shown } from "./place.js";

export const draftPrefix = ".bridle-draft-";

/** `git~1` and `.git:…` are what Windows takes for `.git`. */
const gits = /^(?:\.git(?::.*)?|git~\d+)$/;
const state = /^(?:\.premath|\.bridle|\.agent_.*|\.bridle-draft-.*)$/;

export function requireReadable(parts: readonly string[]): void {
  if (!isCredential(parts.join("/"))) return;
  throw new Failure("path_secret", {
    message: `${shown(parts.join("/"))} holds credentials`,
    hint: "Work without it; a person can look there.",
  });
}

export function requireWritable(parts: readonly string[]): void {
  requireReadable(parts);
  const names = parts.map(folded);
  const git = names.findIndex((name) => gits.test(name));
  if (git >= 0) {
    throw new Failure("path_protected", {
      message: `${shown(parts.join("/"))} belongs to git`,
      hint: "Change the repository with git commands.",
    });
  }
  if (names.some((name) => state.test(name) || name === ".ssh" || name === ".gnupg")) {
    throw new Failure("path_protected", {
      message: `${shown(parts.join("/"))} belongs to the harness or to the user's keys`,
      hint: "Write somewhere else in the workspace; the harness keeps its state with its own commands.",
    });
  }
}

/** Disks that ignore case or compatibility take these for the same name. */
function folded(part: string): string {
  return part.normalize("NFKC").toLowerCase();
}
