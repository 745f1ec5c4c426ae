/**
 * What a model wrote as a path, judged by its text alone.
 *
 * What a newcomer gets wrong: nothing is decoded, expanded, trimmed or merged.
 * `%2e%2e` is a name, two spellings of `é` are two names, and a text that a
 * person could misread (a right-to-left mark, an invisible letter, a space at
 * the end) is refused rather than repaired.
 */
import { Failure } from "@bridle/record";
import type { WorkspacePath } from "../types.js";

export const partBytesMax = 255;
export const pathBytesMax = 4096;

/** Control characters, marks of direction, and whatever is drawn as nothing. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Folders of the machine that look like files and are not. */
const machineFolders = new Set(["proc", "dev", "sys"]);

/** `roots`: the absolute spellings of the workspace, the resolved one first. */
export function placeIn(roots: readonly string[], text: string): WorkspacePath {
  requireReadable(text);
  if (!text.startsWith("/")) return relative(roots, text);
  const parts = absoluteParts(text);
  for (const root of roots) {
    const above = absoluteParts(root);
    if (above.every((part, i) => parts[i] === part)) {
      return relative(roots, parts.slice(above.length).join("/") || ".");
    }
  }
  throw outside(text, `Use a path below the workspace ${roots[0]}, best without the folder itself.`);
}

function relative(roots: readonly string[], text: string): WorkspacePath {
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined) throw outside(text, "The workspace ends at its own folder.");
    } else {
      requirePart(text, part);
      parts.push(part);
    }
  }
  if (parts[0] === "~") throw outside(text, "~ is not expanded; name a path of the workspace.");
  if (roots.includes("/") && machineFolders.has(parts[0] ?? "")) {
    throw outside(text, "Folders of the machine itself are not files to work on.");
  }
  return parts.join("/") as WorkspacePath;
}

/** `.` and `..` are taken away by the text alone, because no link is ever followed. */
function absoluteParts(text: string): readonly string[] {
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

function requireReadable(text: string): void {
  if (text === "") throw invalid(text, "is empty", "Name a file, or `.` for the workspace itself.");
  if (!text.isWellFormed()) throw invalid(text, "is no well-formed Unicode", "Write the name again.");
  const odd = invisible.exec(text)?.[0];
  if (odd !== undefined) {
    const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw invalid(text, `has the invisible or control character U+${code}`, "Write the name without it.");
  }
  if (text.includes("\\")) throw invalid(text, "has a backslash", "Separate folders with `/`.");
  if (/^[A-Za-z]:(?:\/|$)/.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    throw outside(text, "Name a path of the workspace, without a drive or a scheme.");
  }
  if (Buffer.byteLength(text) > pathBytesMax) {
    throw invalid(text, `is longer than ${pathBytesMax} bytes`, "Use a shorter path.");
  }
}

function requirePart(text: string, part: string): void {
  if (/[\s.]$/u.test(part)) {
    throw invalid(text, "has a part that ends with a space or a dot", "Write the name without it.");
  }
  if (Buffer.byteLength(part) > partBytesMax) {
    throw invalid(text, `has a part of more than ${partBytesMax} bytes`, "Use a shorter name.");
  }
}

/** For methods that are handed a path: a cast is no judgement. */
export function partsOf(path: string): readonly string[] {
  if (path === "") return [];
  const parts = path.split("/");
  requireReadable(path);
  for (const part of parts) {
    if (part === "" || part === "." || part === "..") {
      throw invalid(path, "is not what `place` makes", "Take paths from `place`.");
    }
    requirePart(path, part);
  }
  return parts;
}

function invalid(text: string, says: string, hint: string): Failure {
  return new Failure("path_invalid", { message: `the path ${shown(text)} ${says}`, hint });
}

function outside(text: string, hint: string): Failure {
  return new Failure("path_outside", { message: `${shown(text)} leads out of the workspace`, hint });
}

/** For messages: whatever could be misread is spelled out, and it is not endless. */
export function shown(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replaceAll(
    new RegExp(invisible, "gu"),
    (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
