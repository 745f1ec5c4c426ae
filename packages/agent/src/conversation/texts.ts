/** What a prompt is made of beside what is asked: files of the project, and the agent's voice. */
import { join, resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { codeOf, Failure, readStart } from "@bridle/record";

const textBytesMax = 1_000_000;

/** Where a project speaks to agents; the first that is there counts. */
const projectFiles = ["AGENTS.md", "CLAUDE.md"];

/** What the project says to agents; undefined where it says nothing. */
export async function projectText(workspace: string, call: Pick<Call, "ports">) {
  for (const from of projectFiles) {
    const text = await textAt(join(workspace, from), call);
    if (text !== undefined) return { from, text };
  }
  return undefined;
}

/** A file where there is one of that name, and the words themselves otherwise. */
export async function personaOf(given: string, call: Pick<Call, "ports" | "cwd">): Promise<string> {
  if (/\n/.test(given) || given.length > 1000) return given;
  return (await textAt(resolve(call.cwd, given), call)) ?? given;
}

/** Undefined where there is no such file. */
async function textAt(path: string, { ports: { files } }: Pick<Call, "ports">): Promise<string | undefined> {
  try {
    if ((await files.stat(path))?.kind !== "file") return undefined;
    return Buffer.from(await readStart(path, files, textBytesMax)).toString("utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return undefined;
    throw new Failure("file_unreadable", {
      message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}
