/**
 * The real command line in real processes: built once, started from any folder,
 * as this user or as one who owns nothing.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { JsonObject } from "@bridle/record";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the built program that everybody may read, so that no later build changes what is tested. */
export class Premath {
  private readonly folder: string;
  readonly program: string;

  private constructor() {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "bridle premath ")));
    this.program = join(this.folder, "bin", "premath");
    for (const part of ["bin/premath", "bin/bridle", "dist/cli", "package.json"]) {
      cpSync(join(repository, part), join(this.folder, part), { recursive: true });
    }
    execFileSync("chmod", ["-R", "a+rX", this.folder]);
  }

  static async build(): Promise<Premath> {
    const script = pathToFileURL(join(repository, "scripts/build.mjs")).href;
    const { build } = (await import(script)) as { build(): Promise<unknown> };
    await build();
    return new Premath();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  run(words: readonly string[], options: RunOptions): Promise<Ended> {
    return this.start(words, options).ended;
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

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As a user who owns nothing; the same user as now where there is no right to change it. */
  readonly unprivileged?: boolean;
  /** The Node that runs `bridle`; this process's own without it. */
  readonly node?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed, as JSON. */
  json(): JsonObject;
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
