/**
 * The real command line in real processes: built once, started from any folder,
 * as this user or as one who owns nothing; and the same commands without a process.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { buildOnce, madeOnce, repository } from "./built.js";
import { commandHere, type Ended, type HereOptions } from "./command-here.js";

export type { Ended } from "./command-here.js";

/** A copy of the built program that everybody may read, so that no later build changes what is tested. */
export class Premath {
  readonly program: string;
  private turn = 0;

  private constructor(private readonly folder: string) {
    this.program = join(this.folder, "bin", "premath");
  }

  static async build(): Promise<Premath> {
    await buildOnce();
    return new Premath(await madeOnce("premath", copyProgram));
  }

  run(words: readonly string[], options: RunOptions): Promise<Ended> {
    return this.start(words, options).ended;
  }

  /** See command-here.ts. */
  here(words: readonly string[], options: HereOptions): Promise<Ended> {
    return commandHere(words, options);
  }

  /** One of many of a kind: every fifth in a process of its own, the others here. */
  oneOfMany(words: readonly string[], options: HereOptions): Promise<Ended> {
    if (this.turn++ % 5 !== 0) return this.here(words, options);
    return options.launcher === "bridle" ? this.bridle(words, options).ended : this.run(words, options);
  }

  start(words: readonly string[], options: RunOptions): Started {
    return start(process.execPath, [this.program, ...words], options);
  }

  /** The launcher that has every command. */
  bridle(words: readonly string[], options: RunOptions): Started {
    const { node = process.execPath } = options;
    return start(node, [join(this.folder, "bin", "bridle"), ...words], options);
  }

  /** A bash script in which `$NODE` and `$PREMATH` run the program. */
  script(text: string, options: RunOptions): Promise<Ended> {
    const env = { NODE: process.execPath, PREMATH: this.program, ...options.env };
    return start("bash", ["-c", text], { ...options, env }).ended;
  }
}

async function copyProgram(folder: string): Promise<void> {
  for (const part of ["bin/premath", "bin/bridle", "dist/cli", "dist/packages", "package.json"]) {
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  }
  execFileSync("chmod", ["-R", "a+rX", folder]);
}

export interface RunOptions extends HereOptions {
  /** As a user who owns nothing; the same user as now where there is no right to change it. */
  readonly unprivileged?: boolean;
  /** The Node that runs `bridle`; this process's own without it. */
  readonly node?: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

function start(program: string, words: readonly string[], { cwd, env, unprivileged }: RunOptions): Started {
  const child = spawn(program, words, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: dirname(cwd), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(unprivileged === true && isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve({ code, signal, stdout, stderr, json: () => JSON.parse(stdout) as JsonObject }),
    );
  });
  return { child, ended };
}
