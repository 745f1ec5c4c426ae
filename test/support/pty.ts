/** A program at a real terminal, made by util-linux `script`; a test waits for what it sees there. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class Pty {
  /** Everything, as the terminal got it. */
  raw = "";
  readonly ended: Promise<number | null>;
  private readonly waiting = new Set<() => void>();
  private over = false;
  private seen = 0;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.raw += text;
      for (const wake of this.waiting) wake();
    });
    child.stdin?.on("error", () => {});
    this.ended = new Promise((done) =>
      child.on("close", (code) => {
        this.over = true;
        for (const wake of this.waiting) wake();
        done(code);
      }),
    );
  }

  static start(words: readonly string[], { cwd, env }: PtyOptions): Pty {
    const { error } = spawnSync("script", ["--version"]);
    if (error !== undefined)
      throw new Error(
        `these tests need \`script\` of util-linux for a terminal, and it is not here: ${error.message}`,
      );
    const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const child = spawn(
      "script",
      ["-qfec", `stty cols 200 rows 50; echo "pid $$"; exec ${quoted}`, "/dev/null"],
      {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", SHELL: "/bin/sh", ...env },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const pty = new Pty(child);
    onTestFinished(async () => {
      if (!pty.over) pty.kill();
      child.kill("SIGKILL");
      await pty.ended;
    });
    return pty;
  }

  /** Without our colours and the movements of the cursor. */
  get text(): string {
    // oxlint-disable-next-line no-control-regex
    return this.raw.replace(/\u001b\[[?>]?[0-9;]*[A-Za-z]|\r/g, "");
  }

  /** Resolves when it stands there, behind what was seen before; fails when the program ends without it. */
  async sees(what: string | RegExp, msMax = 20_000): Promise<void> {
    const late = AbortSignal.timeout(msMax);
    late.addEventListener("abort", () => this.waiting.forEach((wake) => wake()));
    for (;;) {
      const rest = this.text.slice(this.seen);
      const found = typeof what === "string" ? rest.indexOf(what) : rest.search(what);
      if (found >= 0) {
        const length = typeof what === "string" ? what.length : (what.exec(rest)?.[0].length ?? 0);
        this.seen += found + length;
        return;
      }
      if (this.over) throw new Error(`the program ended without showing ${what}:\n${this.text}`);
      if (late.aborted)
        throw new Error(`waited ${msMax / 1000} s in vain for ${what}; there is:\n${this.text}`);
      await new Promise<void>((wake) => {
        this.waiting.add(wake);
        void this.ended.then(() => wake());
      }).finally(() => this.waiting.clear());
    }
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  get pid(): number {
    return Number(/pid (\d+)/.exec(this.text)?.[1]);
  }

  kill(): void {
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}
