/**
 * Real processes for the tests: programs from test/support/children, bundled
 * from the TypeScript sources, that say in lines on stdout how far they are.
 *
 * A test waits for such a line, never for a time.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, onTestFinished } from "vitest";
import { madeOnce, packedPackages } from "./built.js";

const sources = fileURLToPath(new URL("./children", import.meta.url));
const rooms = fileURLToPath(new URL("../../packages", import.meta.url));
const room = (name: string) => join(rooms, name, "src/index.ts");

/** To be called at the top of a test file. */
export function useChildren(): { readonly start: typeof Child.start } {
  let folder = "";
  beforeAll(async () => {
    folder = await madeOnce("children", bundleChildren);
  });
  return {
    start: (program, args, options) => Child.start(join(folder, `${program}.mjs`), args, options),
  };
}

async function bundleChildren(folder: string): Promise<void> {
  const packed = await packedPackages();
  await build({
    entryPoints: readdirSync(sources).map((name) => join(sources, name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    // Every room by its source: by its name it would be what was last built, if anything was.
    alias: Object.fromEntries(readdirSync(rooms).map((name) => [`@bridle/${name}`, room(name)])),
    plugins: [
      {
        name: "packed-packages",
        setup(esbuild) {
          // Large, and loaded by those only that run an agent.
          esbuild.onResolve({ filter: /^@earendil-works\// }, ({ path }) => ({
            path: packed.get(path) ?? path,
            external: true,
          }));
        },
      },
    ],
  });
}

export interface ChildOptions {
  readonly uid?: number;
  readonly gid?: number;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** A command that takes the program and its arguments as its own last words, to run it under other conditions. */
  readonly within?: readonly string[];
}

export class Child {
  /** Every line so far. */
  readonly lines: string[] = [];
  /** Called after each. */
  onLine: (line: string) => void = () => {};
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  private readonly waiting = new Set<() => void>();
  private over = false;
  private errors = "";

  private constructor(
    private readonly process: ChildProcess,
    private readonly name: string,
  ) {
    if (process.stdout === null || process.stderr === null) throw new Error("a child has pipes");
    createInterface({ input: process.stdout }).on("line", (line) => {
      this.lines.push(line);
      this.onLine(line);
      for (const wake of this.waiting) wake();
    });
    process.stderr.on("data", (text: Buffer) => (this.errors += text.toString()));
    process.stdin?.on("error", () => {});
    this.ended = new Promise((done) =>
      process.on("close", (code, signal) => {
        this.over = true;
        for (const wake of this.waiting) wake();
        done({ code, signal });
      }),
    );
  }

  static start(
    program: string,
    args: object,
    { nodeArgs = [], within = [], ...options }: ChildOptions = {},
  ): Child {
    const words = [...within, process.execPath, ...nodeArgs, program, JSON.stringify(args)];
    const child = new Child(
      spawn(words[0] ?? process.execPath, words.slice(1), {
        stdio: ["pipe", "pipe", "pipe"],
        ...options,
      }),
      program,
    );
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await child.ended;
    });
    return child;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** What it wrote on stderr. */
  get complaint(): string {
    return this.errors;
  }

  /** The first line that begins so, from line number `from` on; fails when the process ends without it. */
  async says(start: string, from = 0): Promise<string> {
    for (;;) {
      const line = this.lines.slice(from).find((each) => each.startsWith(start));
      if (line !== undefined) return line;
      if (this.over)
        throw new Error(
          `${this.name} ended without saying "${start}": ${this.lines.join(" | ")} ${this.errors}`,
        );
      await new Promise<void>((wake) => {
        this.waiting.add(wake);
        void this.ended.then(() => wake());
      }).finally(() => this.waiting.clear());
    }
  }

  /** Asserts that it went well. */
  async finish(): Promise<void> {
    const { code, signal } = await this.ended;
    if (code !== 0) throw new Error(`${this.name} ended with ${code ?? signal}: ${this.errors}`);
  }

  tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }
}
