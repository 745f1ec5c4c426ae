/** `hlq` as a person runs it: the built program, in a process and a folder of its own; or the same commands here. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { commandHere } from "./command-here.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function hlq(
  cwd: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program = join(root, "bin/hlq"),
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...words],
      { cwd, env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env }, maxBuffer: 1 << 28 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** Without a process, see command-here.ts. */
export function hlqHere(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return commandHere(words, { cwd, env: { NO_COLOR: "1", ...env }, launcher: "hlq" });
}

/** Its answer as JSON; fails the test when the command does. */
export async function hlqJson(
  cwd: string,
  words: readonly string[],
  run: (cwd: string, words: readonly string[]) => Promise<Ran> = hlq,
): Promise<JsonObject> {
  const { code, stdout, stderr } = await run(cwd, [...words, "--json"]);
  if (code !== 0) throw new Error(`hlq ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as JsonObject;
}

export function hlqJsonHere(cwd: string, words: readonly string[]): Promise<JsonObject> {
  return hlqJson(cwd, words, hlqHere);
}
