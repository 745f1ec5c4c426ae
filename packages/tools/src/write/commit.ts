/**
 * One write in one of three modes, through the one commit of the workspace.
 *
 * What a newcomer gets wrong: looking first and writing then is two acts. So
 * what was seen travels along as what is expected; where somebody else wrote in
 * between, an append looks again, and everything else is refused.
 */
import { markupKindOf, markupState } from "@bridle/agent";
import { Failure, sha256Hex } from "@bridle/record";
import type { Committed, Workspace, WorkspacePath } from "../types.js";
import type { WriteMode } from "./modes.js";

/** Files up to this are replaced without confirmation. */
const trivialLinesMax = 8;
const trivialBytesMax = 400;
/** How often an append or an edit looks again when somebody else was quicker. */
export const attemptsMax = 5;

export interface Write {
  readonly path: WorkspacePath;
  readonly mode: WriteMode;
  readonly text: string;
  readonly confirmed: boolean;
}

export interface Written extends Committed {
  readonly verb: "Created" | "Replaced" | "Appended to";
  /** The whole content as it is now. */
  readonly content: Uint8Array;
}

export async function commitWrite(workspace: Workspace, write: Write): Promise<Written> {
  switch (write.mode) {
    case "create":
      return create(workspace, write);
    case "overwrite":
      return overwrite(workspace, write);
    case "append":
      return append(workspace, write);
  }
}

async function create(workspace: Workspace, { path, text }: Write): Promise<Written> {
  if ((await workspace.facts(path)) !== undefined) throw exists(path);
  const content = Buffer.from(text);
  try {
    const committed = await workspace.commit({ path, content, expected: { is: "absent" } });
    return { ...committed, content, verb: "Created" };
  } catch (error) {
    throw isClass(error, "file_exists") ? exists(path) : error;
  }
}

async function overwrite(workspace: Workspace, { path, text, confirmed }: Write): Promise<Written> {
  const content = Buffer.from(text);
  const facts = await workspace.facts(path);
  const expected =
    confirmed || facts?.kind !== "file"
      ? ({ is: facts === undefined && !confirmed ? "absent" : "any" } as const)
      : ({ is: "content", sha256: await trivialContent(workspace, path, facts.bytes) } as const);
  const committed = await workspace.commit({ path, content, expected });
  return { ...committed, content, verb: committed.replaced ? "Replaced" : "Created" };
}

/** The digest of a file that is small enough to be replaced without a word. */
async function trivialContent(workspace: Workspace, path: WorkspacePath, bytes: number): Promise<string> {
  const content = bytes > trivialBytesMax ? undefined : await workspace.read(path);
  if (content !== undefined && content.length <= trivialBytesMax && linesOf(content) <= trivialLinesMax) {
    return sha256Hex(content);
  }
  throw new Failure("overwrite_unconfirmed", {
    message: `${path} holds ${content === undefined ? `${bytes} bytes` : `${linesOf(content)} lines`}, and mode overwrite would replace all of it`,
    hint: "Change parts of it with edit_file; to replace it whole, say confirm_overwrite: true.",
  });
}

async function append(workspace: Workspace, write: Write): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await appendOnce(workspace, write);
    } catch (error) {
      if (!isOvertaken(error) || attempt === attemptsMax) throw error;
    }
  }
}

async function appendOnce(workspace: Workspace, { path, text }: Write): Promise<Written> {
  const added = Buffer.from(text);
  if ((await workspace.facts(path)) === undefined) {
    const committed = await workspace.commit({ path, content: added, expected: { is: "absent" } });
    return { ...committed, content: added, verb: "Created" };
  }
  const before = await workspace.read(path);
  requireOpenDocument(path, before);
  const content = Buffer.concat([before, Buffer.from(separator(before, text)), added]);
  const expected = { is: "content", sha256: sha256Hex(before) } as const;
  return { ...(await workspace.commit({ path, content, expected })), content, verb: "Appended to" };
}

/** One newline, of the file's own kind, where neither side has it. */
export function separator(before: Uint8Array, text: string): string {
  const newline = 0x0a;
  if (before.length === 0 || before.at(-1) === newline || /^\r?\n/.test(text)) return "";
  const last = before.lastIndexOf(newline);
  return last > 0 && before[last - 1] === 0x0d ? "\r\n" : "\n";
}

function requireOpenDocument(path: WorkspacePath, before: Uint8Array): void {
  const kind = markupKindOf(path);
  if (kind === undefined) return;
  const state = markupState(Buffer.from(before).toString(), kind);
  if (!state.ended || state.open.length > 0 || state.inside !== undefined) return;
  throw new Failure("document_closed", {
    message: `${path} ends with ${kind === "html" ? "</html>" : "the end tag of its root"}; what is appended would stand outside the document`,
    hint: "Put the new content where it belongs with edit_file.",
  });
}

function exists(path: WorkspacePath): Failure {
  return new Failure("file_exists", {
    message: `${path} is there already, and mode create only makes new files`,
    hint: "Change it with edit_file, add to its end with mode: append, or replace it with mode: overwrite and confirm_overwrite: true.",
  });
}

/** Somebody else was quicker. */
export function isOvertaken(error: unknown): boolean {
  return ["file_changed", "file_exists", "file_missing"].some((name) => isClass(error, name));
}

export function isClass(error: unknown, name: string): boolean {
  return error instanceof Failure && error.failureClass === name;
}

/** Lines as people count them: the last one needs no newline. */
export function linesOf(content: Uint8Array): number {
  let lines = 0;
  for (let at = content.indexOf(0x0a); at >= 0; at = content.indexOf(0x0a, at + 1)) lines++;
  return content.length === 0 || content.at(-1) === 0x0a ? lines : lines + 1;
}
