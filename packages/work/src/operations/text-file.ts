/** The text of a file that a caller names, so that long text need not stand on a command line. */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { failureAt, limits, type Refusal, refuse, grouped } from "@bridle/record";

/** Relative to the caller's folder; no longer than a row may be. */
export async function readTextFile(shown: string, call: Call): Promise<string | Refusal> {
  if (shown === "-") {
    return refuse("input_invalid", {
      message: "the standard input is not read here",
      hint: 'Name a file, or hand the text over with "$(cat)".',
    });
  }
  const path = resolve(call.cwd, shown);
  const { files } = call.ports;
  try {
    const stat = await files.stat(path);
    if (stat === undefined) {
      return refuse("file_missing", {
        message: `there is no file ${shown}`,
        hint: `It was looked for at ${path}.`,
      });
    }
    if (stat.kind !== "file") {
      return refuse("file_not_regular", {
        message: `${shown} is ${stat.kind === "directory" ? "a folder" : "no regular file"}`,
        hint: "Name a file with text in it.",
      });
    }
    if (stat.size > limits.rowBytesMax) {
      return refuse("document_too_large", {
        message: `${shown} has ${grouped(stat.size)} bytes; an issue holds at most ${grouped(limits.rowBytesMax)}`,
        hint: "Shorten it, or name the file in the notes instead.",
      });
    }
    const file = await files.open(path, "read");
    try {
      return textOf(await file.read(0, stat.size), shown);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureAt(path, error);
  }
}

function textOf(bytes: Uint8Array, shown: string): string | Refusal {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("document_invalid", {
      message: `${shown} is not UTF-8 text`,
      hint: "Save it as UTF-8.",
    });
  }
}
