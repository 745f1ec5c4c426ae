/**
 * Paths as a model writes them, made comparable.
 *
 * What a newcomer gets wrong: this judges text only. Two paths that come out equal
 * name one file; two that differ may still be one (a link), and nobody here knows
 * where the workspace begins.
 */
import type { JsonObject } from "@bridle/record";
import { plainPath } from "../../plan/paths.js";

/** With `/`, without `.`, `..`, doubled or trailing slashes. The folder itself is `""`. */
export function placed(path: string): string {
  return plainPath(path);
}

/** The path that a file tool was given. */
export function pathOf(args: JsonObject): string | undefined {
  for (const name of ["path", "file_path", "file"]) {
    const value = args[name];
    if (typeof value === "string" && value.trim() !== "") return placed(value);
  }
  return undefined;
}

export function joined(folder: string, path: string): string {
  return plainPath(path, folder);
}

/** Whether both name one file, one of them perhaps from the root of the machine. */
export function samePath(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith("/") === other.startsWith("/")) return false;
  const [absolute, relative] = one.startsWith("/") ? [one, other] : [other, one];
  return relative !== "" && absolute.endsWith(`/${relative}`);
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** In lower case, without the dot; `""` where there is none. */
export function extension(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** Whether a word of running text can only be meant as a path. */
export function looksLikePath(word: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || /\s/.test(word)) return false;
  if (/^(?:e\.g|i\.e|z\.b|p\.ex|etc)\.?$/i.test(word) || /^v?\d+(?:\.\d+)*$/.test(word)) return false;
  if (/^(?:Dockerfile|Makefile|Justfile|Gemfile|Procfile|LICENSE|README|CHANGELOG)$/.test(word)) return true;
  if (/^\.[\w-]+(?:\.[\w-]+)*$/.test(word)) return true;
  if (/[\\/]/.test(word)) return /^[~.]?[\w@.\-/\\+[\]()*]+$/.test(word) && /[a-z]/i.test(word);
  return /^[\w@+-][\w@.+-]*\.[a-z][a-z0-9]{0,7}$/i.test(word);
}
