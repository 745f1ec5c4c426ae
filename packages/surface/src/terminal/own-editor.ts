/** A text in the person's own editor, as `VISUAL` or `EDITOR` names it. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@bridle/record";

type Env = Readonly<Record<string, string | undefined>>;

export function editorOf(env: Env): ((text: string, signal: AbortSignal) => Promise<string>) | undefined {
  const editor = [env["VISUAL"], env["EDITOR"]].find((each) => each !== undefined && each.trim() !== "");
  return editor === undefined ? undefined : (text, signal) => edit(editor, text, signal);
}

async function edit(editor: string, text: string, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-edit-"));
  const file = join(folder, "arguments.json");
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    await new Promise<void>((done, failed) => {
      // The setting is a command line, such as `code --wait`; the file is handed to it as a word.
      const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", signal });
      child.on("error", failed);
      child.on("exit", (code) =>
        code === 0
          ? done()
          : failed(new Failure("input_invalid", { message: `the editor ended with ${code ?? "a signal"}` })),
      );
    });
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
