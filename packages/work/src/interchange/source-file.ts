/**
 * Files that come from elsewhere, read strictly: every line is a row, a comment
 * or blank, or the whole file is refused and the line named.
 *
 * Unlike issue memory itself, such a file may end without a newline and may have
 * CRLF line ends or a byte order mark, because other programs write those.
 */
import {
  isJsonObject,
  type JsonObject,
  limits,
  type Ports,
  type Refusal,
  refuse,
  grouped,
} from "@bridle/record";
import { Failure, failureAt } from "@bridle/record";
import { workLimits } from "../limits.js";

export interface SourceRow {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly row: JsonObject;
}

export interface SourceLines {
  readonly rows: readonly SourceRow[];
  /** Lines that start with `#` and rows without an id, in the order of the file. */
  readonly head: readonly string[];
  /** The rows among them, with their lines. */
  readonly nameless: readonly SourceRow[];
}

/** The bytes of a file of at most the size that issue memory may have. */
export async function readSource(path: string, shown: string, ports: Ports): Promise<Uint8Array> {
  const { files } = ports;
  try {
    const stat = await files.stat(path);
    if (stat !== undefined && stat.kind !== "file") {
      throw new Failure("file_not_regular", {
        message: `${shown} is ${stat.kind === "directory" ? "a folder" : "no regular file"}`,
        hint: "Name a file instead.",
      });
    }
    if (stat !== undefined && stat.size > workLimits.issuesBytesMax) {
      throw new Failure("issue_memory_too_large", {
        message: `${shown} has ${grouped(stat.size)} bytes; at most ${grouped(workLimits.issuesBytesMax)} are read`,
        hint: "Is this the file that you mean?",
      });
    }
    const file = await files.open(path, "read");
    try {
      return await file.read(0, workLimits.issuesBytesMax);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureAt(shown, error);
  }
}

/** `shown` is how the file is called in a refusal. */
export function readText(bytes: Uint8Array, shown: string): string | Refusal {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return unfitSource(shown, undefined, "it is not UTF-8");
  }
}

export function readSourceLines(bytes: Uint8Array, shown: string): SourceLines | Refusal {
  const text = readText(bytes, shown);
  if (typeof text !== "string") return text;
  const rows: SourceRow[] = [];
  const head: string[] = [];
  const nameless: SourceRow[] = [];
  for (const [at, ended] of text.split("\n").entries()) {
    const source = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
    if (source.trim() === "") continue;
    if (source.startsWith("#")) {
      head.push(source);
      continue;
    }
    const row = readRow(source);
    if (typeof row === "string") return unfitSource(shown, at + 1, row);
    const { id } = row;
    if (typeof id === "string" && id !== "") rows.push({ line: at + 1, text: source, row });
    else {
      head.push(source);
      nameless.push({ line: at + 1, text: source, row });
    }
  }
  return { rows, head, nameless };
}

/** The row, or what is wrong with it. */
function readRow(source: string): JsonObject | string {
  if (/^(<{7}|={7}|>{7}|\|{7})( |$)/.test(source)) return "it is a merge-conflict marker";
  if (source.includes("\0")) return "it has NUL bytes";
  if (Buffer.byteLength(source) > limits.rowBytesMax) return "it is longer than a row may be";
  if (nestsTooDeep(source)) return `it nests deeper than ${limits.jsonDepthMax} levels`;
  try {
    const row: unknown = JSON.parse(source);
    return isJsonObject(row) ? row : "it is no JSON object";
  } catch {
    return "it is not JSON";
  }
}

/** Whether what recurses into the value would have to go too far. */
export function nestsTooDeep(source: string): boolean {
  if (source.length <= limits.jsonDepthMax * 2) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      if (++depth > limits.jsonDepthMax) return true;
    } else if (char === "}" || char === "]") depth--;
  }
  return false;
}

export function unfitSource(shown: string, line: number | undefined, problem: string): Refusal {
  const where = line === undefined ? shown : `${shown} line ${grouped(line)}`;
  return refuse("issue_source_invalid", {
    message: `${where}: ${problem}`,
    hint: "Nothing was changed. Correct the file, or name the one that you mean.",
    ...(line === undefined ? {} : { detail: { line } }),
  });
}
