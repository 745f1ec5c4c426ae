import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolReport } from "@bridle/agent";
import { type JsonValue, nodePorts } from "@bridle/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { runShellTool } from "./run-shell.js";

let base = "";
let root = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "bridle-shell-")));
  root = path.join(base, "work");
  mkdirSync(path.join(root, "src"), { recursive: true });
  symlinkSync("/tmp", path.join(root, "out"));
  writeFileSync(path.join(root, "a"), "one\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Extra {
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly env?: Record<string, string>;
  readonly updates?: JsonValue[];
}

function run(command: string, { signal, env, updates, ...args }: Extra = {}): Promise<ToolReport> {
  const tool = runShellTool({ ports: nodePorts(), workspaceRoot: root, env: { ...process.env, ...env } });
  return tool.run(
    { command, ...args },
    {
      callId: "call",
      round: 1,
      signal: signal ?? new AbortController().signal,
      update: (details) => updates?.push(details),
    },
  );
}

/** How many live processes have this among their arguments. */
function alive(marker: string): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const state = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1] ?? "Z";
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(marker) && !"ZX".includes(state);
      } catch {
        return false;
      }
    }).length;
}

let markers = 0;
/** A number of seconds that nobody else sleeps. */
function marker(): string {
  markers += 1;
  return `4${process.pid}.${markers}71`;
}

describe("a command", () => {
  it("gives its exit code and what it printed, both outputs in their order", async () => {
    const report = await run("echo one; echo two >&2; echo three; exit 3");
    expect(report).toEqual({
      ok: false,
      text: "exit=3\none\ntwo\nthree\n",
      facts: { how: "exit", exit: 3, bytes: 14 },
    });
    expect(await run("true")).toEqual({
      ok: true,
      text: "exit=0",
      facts: { how: "exit", exit: 0, bytes: 0 },
    });
  });

  it("runs in the folder it names, has no input, and may begin with a dash", async () => {
    expect((await run("pwd", { cwd: "src" })).text).toBe(`exit=0\n${root}/src\n`);
    expect((await run("cat; echo end")).text).toBe("exit=0\nend\n");
    expect((await run("--version")).text).toMatch(/^exit=127\n.*--version: command not found/);
  });

  it("ended by a signal says which", async () => {
    const report = await run("kill -SEGV $$");
    expect([report.ok, report.text, report.facts]).toEqual([
      false,
      "signal=SIGSEGV",
      { how: "signal", signal: "SIGSEGV", bytes: 0 },
    ]);
  });

  it("keeps the beginning and the end of a long output and says what is missing", async () => {
    const { text, facts } = await run("echo first; seq 1 100000; echo last");
    expect(text).toMatch(/^exit=0\nfirst\n1\n2\n/);
    expect(text).toMatch(/\[… \d+ of \d+ bytes left out …\]/);
    expect(text.endsWith("100000\nlast\n")).toBe(true);
    expect(text.length).toBeLessThan(140_000);
    expect(facts).toMatchObject({ bytes: 588_895 + 11 });
  });

  it("that never stops printing is ended", async () => {
    const { text, facts } = await run("yes");
    expect(text).toMatch(/^ended, because it printed more than \d+ bytes/);
    expect(facts).toMatchObject({ how: "flooded" });
  });

  it("is not run when it is forbidden, whoever said yes", async () => {
    const report = await run("rm -rf . # all of it");
    expect(report.refusal?.code).toBe("shell_removes_everything");
    expect(readdirSync(root)).toContain("a");
  });

  it.each(["..", "/", "out", "missing", "a", "src/../.."])("does not run in %s", async (cwd) => {
    await expect(run("touch x", { cwd })).rejects.toMatchObject({ failureClass: "shell_folder_invalid" });
  });

  it("removes a file of a workspace in memory, once somebody said yes", async () => {
    const workspaceRoot = newFastFolder();
    writeFileSync(path.join(workspaceRoot, "a"), "");
    const tool = runShellTool({ ports: nodePorts(), workspaceRoot, env: process.env });
    const { signal } = new AbortController();
    expect(tool.intent({ command: "rm a" })).toMatchObject({ risk: "destructive", removes: ["a"] });
    await tool.run({ command: "rm a" }, { callId: "call", round: 1, signal, update: () => {} });
    expect(readdirSync(workspaceRoot)).toEqual([]);
  });

  it("with a NUL is refused", async () => {
    await expect(run("echo a\0b")).rejects.toMatchObject({ failureClass: "input_invalid" });
  });

  it("has the limits that the guide names, and can build with them", async () => {
    const { text } = await run("ulimit -c; ulimit -f; ulimit -t; ulimit -u");
    const [, core, file, cpu, processes] = text.split("\n");
    expect(core).toBe("0");
    expect(Number(file)).toBeGreaterThan(64 * 1024 * 1024);
    expect(Number(cpu)).toBeGreaterThanOrEqual(126);
    expect(Number(processes)).toBeGreaterThan(4_096);
    expect(
      (
        await run(
          `${process.execPath} -e 'console.log(new WebAssembly.Memory({initial: 100}).buffer.byteLength)'`,
        )
      ).text,
    ).toBe("exit=0\n6553600\n");
  });
});

describe("the environment", () => {
  const canary = "canary-7f3a9c";
  const secrets = Object.fromEntries(
    [
      "OPENAI_API_KEY",
      "GITHUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "LC_SECRET",
      "LC_ALL",
      "MY_PASSWORD",
      "DATABASE_URL",
      "SSH_AUTH_SOCK",
    ]
      .concat(
        ...[
          "NODE_OPTIONS",
          "npm_config_token",
          "AGENT_X",
          "BASH_ENV",
          "GIT_ASKPASS",
          "USER",
          "LANG",
          "http_proxy",
          "XDG_CONFIG_HOME",
          "BASH_FUNC_ls%%",
        ],
      )
      .map((name) => [name, `${canary} ${name}`]),
  );

  it("holds nothing but the names that it should, and no secret", async () => {
    const { text } = await run("env; cat /proc/self/environ | tr '\\0' '\\n'; export -p; set", {
      env: secrets,
    });
    expect(text).not.toContain(canary);
    const names = (await run("env -0 | tr '\\0\\n' '\\n '", { env: secrets })).text
      .split("\n")
      .slice(1)
      .map((line) => line.split("=")[0]);
    const known =
      /^(?:|_|BRIDLE_RUN|CI|GIT_CONFIG_(?:COUNT|KEY_[01]|VALUE_[01])|GIT_PAGER|GIT_TERMINAL_PROMPT|HOME|LANG|LC_[A-Z]+|LOGNAME|NO_COLOR|OLDPWD|PAGER|PATH|PWD|SHELL|SHLVL|TERM|TMPDIR|USER)$/;
    expect(names.filter((name) => !known.test(name ?? ""))).toEqual([]);
  });

  it("searches no folder of the workspace for programs", async () => {
    writeFileSync(path.join(root, "src", "ls"), "#!/bin/sh\necho fake\n", { mode: 0o755 });
    const PATH = `${root}/src::.:src:${process.env["PATH"]}`;
    expect((await run("ls src/ls; echo $PATH", { env: { PATH } })).text).toBe(
      `exit=0\nsrc/ls\n${process.env["PATH"]}\n`,
    );
  });
});

/** Ways to outlive a shell; `S` is what is left running. */
const escapes: readonly (readonly [string, string])[] = [
  ["a child in the background", "S &"],
  ["nohup", "nohup S >/dev/null 2>&1 &"],
  ["a session of its own", "setsid S >/dev/null 2>&1 &"],
  ["a double fork", "(S >/dev/null 2>&1 &)"],
  ["a double fork in a session of its own", "(setsid setsid -f S >/dev/null 2>&1 &)"],
  ["an empty environment", "(env -i setsid -f S >/dev/null 2>&1 </dev/null)"],
  [
    "ignored signals",
    "(trap '' TERM HUP INT; setsid bash -c 'trap \"\" TERM; while :; do S; done' >/dev/null 2>&1 &)",
  ],
  ["a stopped process", "S & W; kill -STOP $!"],
  ["a process that disowns", "S & disown"],
];

describe("nothing survives", () => {
  it.concurrent.each(escapes)("%s, when the command ends", async (_, command) => {
    const seconds = marker();
    const report = await run(filled(command, seconds));
    expect([report.text, report.ok]).toEqual([
      expect.stringMatching(/^exit=0\nwhat it left running was ended\n(?:.*\n)*ran\n$/),
      true,
    ]);
    expect(alive(seconds)).toBe(0);
  });

  it.concurrent.each(escapes)("%s, when the time is over", async (_, command) => {
    const seconds = marker();
    const report = await run(`${filled(command, seconds)}; sleep ${seconds}`, { timeout_ms: 700 });
    expect(report.text).toMatch(/^timeout after 700 ms/);
    expect(alive(seconds)).toBe(0);
  });

  it("when it is aborted, and nothing happens after that", async () => {
    const seconds = marker();
    const stop = new AbortController();
    const updates: JsonValue[] = [];
    const running = run(
      `setsid -f sleep ${seconds} >/dev/null 2>&1; trap '' TERM; ${waitFor(seconds)}; echo > begun; sleep ${seconds}; touch late`,
      { signal: stop.signal, updates },
    );
    while (!readdirSync(root).includes("begun")) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    const report = await running;
    expect([report.ok, report.text.split(";")[0]]).toEqual([false, "aborted"]);
    expect(alive(seconds)).toBe(0);
    expect(readdirSync(root)).not.toContain("late");
    expect((await run("touch x", { signal: stop.signal })).facts).toMatchObject({ how: "aborted" });
    expect(readdirSync(root)).not.toContain("x");
  });

  it("of a storm of processes, and nobody else's is touched", async () => {
    const seconds = marker();
    const other = marker();
    const bystander = spawn("sleep", [other], { stdio: "ignore", detached: true });
    const report = await run(
      `for i in $(seq 100); do (setsid sleep ${seconds} >/dev/null 2>&1 &); done; ${waitFor(seconds)}`,
    );
    expect(report.ok).toBe(true);
    expect([alive(seconds), alive(other)]).toEqual([0, 1]);
    bystander.kill("SIGKILL");
  });

  it("of a run within a run", async () => {
    const seconds = marker();
    const { text } = await run(
      `echo $BRIDLE_RUN; (env -i BRIDLE_RUN=$BRIDLE_RUN,inner setsid -f bash -c 'ulimit -f 1000; exec sleep ${seconds}' >/dev/null 2>&1); ${waitFor(seconds)}`,
      {
        env: { BRIDLE_RUN: "outer" },
      },
    );
    expect(text).toMatch(/^exit=0\n.*\nouter,[0-9a-z]+\n$/);
    expect(alive(seconds)).toBe(0);
  });
});

function filled(command: string, seconds: string): string {
  const run = command
    .replaceAll(/\bS(?=[ ;])/g, `sleep ${seconds}`)
    .replaceAll("W;", () => `${waitFor(seconds)};`);
  return `${run}\n${waitFor(seconds)}; echo ran`;
}

/** In the command: until the process that sleeps so long is there. */
function waitFor(seconds: string): string {
  return `until grep -qz '^${seconds}$' /proc/[0-9]*/cmdline 2>/dev/null; do sleep 0.01; done`;
}
