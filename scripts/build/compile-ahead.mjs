/**
 * Keeps what V8 made of the chunks that common commands load.
 *
 * The commands are run once, in a process and a folder of their own, so that the
 * functions they need are compiled too and not only the outermost ones.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The files that were made, beside the chunks in `folder`. */
export async function compileAhead(folder) {
  const elsewhere = await mkdtemp(path.join(tmpdir(), "bridle-compile-"));
  try {
    const program = fileURLToPath(new URL("run-commands.cjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program, path.join(folder, "main.js")], {
      cwd: elsewhere,
      // Options of the one who builds, such as coverage, would make V8 refuse it for everybody else; and
      // a key of theirs, in the environment or in their files, would let a build talk to a model.
      env: { PATH: process.env.PATH, HOME: elsewhere, NO_COLOR: "1" },
      maxBuffer: 1 << 24,
    });
    const compiled = JSON.parse(stdout.slice(stdout.lastIndexOf("\ncompiled: ") + "\ncompiled: ".length));
    if (compiled.length === 0) throw new Error("nothing was compiled ahead");
    return compiled;
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
}
