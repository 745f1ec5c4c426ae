/**
 * Paths inside the workspace that tools keep away from.
 *
 * What a newcomer gets wrong: a write into `.git` is code that git runs later,
 * and a write into the harness's own state is a forged record; so both are
 * refused at any depth and in any spelling that some disk takes for the same name.
 */
import { Failure } from "@bridle/record";
import { shown } from "./place.js";

export const draftPrefix = ".bridle-draft-";

/** `git~1` and `.git:…` are what Windows takes for `.git`. */
const gits = /^(?:\.git(?::.*)?|git~\d+)$/;
const state = /^(?:\.premath|\.bridle|\.agent_.*|\.bridle-draft-.*)$/;
const secretNames = /^(?:\.git-credentials|[._]netrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519))$/;
const secretWords = /credential|secret|token|^auth\.json$/;
const secretFolders = new Map([
  [".ssh", /^(?!.*\.pub$|known_hosts|config$)/],
  [".aws", /^credentials/],
  [".gnupg", /^/],
  [".git", secretWords],
  [".bridle", secretWords],
  [".premath", secretWords],
]);

export function requireReadable(parts: readonly string[]): void {
  const names = parts.map(folded);
  const isSecret = names.some(
    (name, i) =>
      secretNames.test(name) ||
      names.slice(0, i).some((folder) => secretFolders.get(folder)?.test(name) === true),
  );
  if (!isSecret) return;
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
