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
import type { JsonValue } from "@bridle/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { some } from "../../../../test/support/scale.js";
import { shellTool } from "../../../../test/support/shell-tool.js";
import { wallLayers, wallStands } from "../../../../test/support/wall/stands.js";

/** Where there is no wall every command is one of the host, once somebody has said yes. */
const tiers = ["host", ...(wallStands ? ["read", "write"] : [])] as const;

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
  readonly needs?: string;
  readonly keep?: readonly string[];
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly env?: Record<string, string>;
  readonly updates?: JsonValue[];
}

function run(command: string, { signal, env, updates, keep = [], ...args }: Extra = {}): Promise<ToolReport> {
  const tool = shellTool({ workspace: root, env: { ...process.env, ...env } });
  return tool.run(
    { command, needs: "host", ...args },
    {
      callId: "call",
      round: 1,
      signal: signal ?? new AbortController().signal,
      keep,
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
      facts: { how: "exit", exit: 3, bytes: 14, needs: "host", ...(wallStands ? { changed: [] } : {}) },
    });
    expect(await run("true")).toMatchObject({ ok: true, text: "exit=0" });
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
      expect.objectContaining({ how: "signal", signal: "SIGSEGV", bytes: 0 }),
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
    expect(text).toMatch(/^ended, because it printed more than anybody reads/);
    expect(facts).toMatchObject({ how: "flooded" });
  });

  it("is not run when it is forbidden, whoever said yes", async () => {
    const home = newFastFolder();
    writeFileSync(path.join(home, "mine"), "");
    const report = await run("rm -rf ~", { env: { HOME: home } });
    expect(report.refusal?.code).toBe("shell_removes_everything");
    expect(readdirSync(home)).toEqual(["mine"]);
  });

  it.each(["..", "/", "out", "missing", "a", "src/../..", "src\0"])("does not run in %s", async (cwd) => {
    await expect(run("touch x", { cwd })).rejects.toMatchObject({ failureClass: "shell_folder_invalid" });
  });

  it("removes a file of a workspace in memory, once somebody said yes", async () => {
    const workspaceRoot = newFastFolder();
    writeFileSync(path.join(workspaceRoot, "a"), "");
    const tool = shellTool({ workspace: workspaceRoot, env: process.env });
    const { signal } = new AbortController();
    const args = { command: "rm a", needs: "write" };
    expect(tool.intent(args)).toMatchObject({ risk: "cautious", needs: "write", changes: "anything" });
    await tool.run(args, { callId: "call", round: 1, signal, update: () => {} });
    expect(readdirSync(workspaceRoot)).toEqual([]);
  });

  it("with a NUL is refused", async () => {
    await expect(run("echo a\0b")).rejects.toMatchObject({ failureClass: "input_invalid" });
  });

  it.each(tiers)("has the limits that the guide names, and can build with them: %s", async (needs) => {
    const { text } = await run("ulimit -c; ulimit -f; ulimit -t; ulimit -d", { needs });
    const [, core, file, cpu, memory] = text.split("\n");
    expect(core).toBe("0");
    expect(Number(file)).toBeGreaterThanOrEqual(32 * 1024 * 1024);
    expect(Number(cpu)).toBeGreaterThanOrEqual(126);
    expect(Number(memory)).toBeGreaterThan(256 * 1024);
    const memories = "console.log(new WebAssembly.Memory({initial: 100}).buffer.byteLength)";
    expect((await run(`${process.execPath} -e '${memories}'`, { needs })).text).toBe("exit=0\n6553600\n");
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
          "XDG_CONFIG_HOME",
          "BASH_FUNC_ls%%",
        ],
      )
      .map((name) => [name, `${canary} ${name}`]),
  );

  it.each(tiers)("holds nothing but the names that it should, and no secret: %s", async (needs) => {
    const { text } = await run("env; cat /proc/self/environ | tr '\\0' '\\n'; export -p; set", {
      env: secrets,
      needs,
    });
    expect(text).not.toContain(canary);
    const names = (await run("env -0 | tr '\\0\\n' '\\n '", { env: secrets, needs })).text
      .split("\n")
      .slice(1)
      .map((line) => line.split("=")[0]);
    const known =
      /^(?:|_|BRIDLE_RUN|CI|GIT_CONFIG_(?:COUNT|KEY_[0-3]|VALUE_[0-3])|GIT_OPTIONAL_LOCKS|GIT_PAGER|GIT_TERMINAL_PROMPT|HOME|LANG|(?:SSL|CURL|GIT|NODE|REQUESTS|PIP|CARGO)_[A-Z_]*(?:CERT|CA)[A-Z_]*|PIP_CERT|LC_[A-Z]+|LOGNAME|NO_COLOR|OLDPWD|PAGER|PATH|PWD|SHELL|SHLVL|TERM|TMPDIR|USER)$/;
    expect(names.filter((name) => !known.test(name ?? ""))).toEqual([]);
  });

  it("searches no folder of the workspace for programs", async () => {
    writeFileSync(path.join(root, "src", "ls"), "#!/bin/sh\necho fake\n", { mode: 0o755 });
    const PATH = `${root}/src::.:src:${process.env["PATH"]}`;
    expect((await run("ls src/ls; echo $PATH", { env: { PATH } })).text).toBe(
      `exit=0\nsrc/ls\n${process.env["PATH"]}\n`,
    );
  });

  it("has proxies and certificates where there is a network, and nowhere else", async () => {
    const env = { https_proxy: "http://proxy:3128", SSL_CERT_FILE: "/etc/ssl/cert.pem" };
    for (const needs of wallStands ? ["read", "write", "network", "host"] : ["host"]) {
      const { text } = await run('echo "$https_proxy $SSL_CERT_FILE"', { env, needs });
      const isThere = needs === "network" || needs === "host";
      expect(text.split("\n")[1], needs).toBe(isThere ? "http://proxy:3128 /etc/ssl/cert.pem" : " ");
    }
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
  // Behind the wall they all end the same way, with their pid space.
  const all = tiers.flatMap((needs) =>
    escapes
      .filter((_, i) => needs === "host" || i % 3 === 2)
      .map(([name, command]) => ({ name, needs, command })),
  );
  const each = some(all, 5);
  it.concurrent.each(each)("$name, when the command ends ($needs)", async ({ command, needs }) => {
    const seconds = marker();
    const report = await run(filled(command, seconds), { needs });
    expect([report.text, report.ok]).toEqual([expect.stringMatching(/^exit=0\n(?:.*\n)*ran\n$/), true]);
    if (needs === "host") expect(report.text).toContain("what it left running was ended");
    expect(alive(seconds)).toBe(0);
  });

  it.concurrent.each(each)("$name, when the time is over ($needs)", async ({ command, needs }) => {
    const seconds = marker();
    const report = await run(`${filled(command, seconds)}; sleep ${seconds}`, { timeout_ms: 1500, needs });
    expect(report.text).toMatch(/^timeout after 1500 ms/);
    expect(alive(seconds)).toBe(0);
  });

  it.each(tiers.filter((needs) => needs !== "read"))(
    "when it is aborted, and nothing happens after that: %s",
    async (needs) => {
      rmSync(path.join(root, "begun"), { force: true });
      const seconds = marker();
      const stop = new AbortController();
      const updates: JsonValue[] = [];
      const running = run(
        `setsid -f sleep ${seconds} >/dev/null 2>&1; trap '' TERM; ${waitFor(seconds)}; echo > begun; sleep ${seconds}; touch late`,
        { signal: stop.signal, updates, needs },
      );
      while (!readdirSync(root).includes("begun")) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      const report = await running;
      expect([report.ok, report.text.split(";")[0]]).toEqual([false, "aborted"]);
      expect(alive(seconds)).toBe(0);
      expect(readdirSync(root)).not.toContain("late");
      expect((await run("touch x", { signal: stop.signal })).facts).toMatchObject({ how: "aborted" });
      expect(readdirSync(root)).not.toContain("x");
    },
  );

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

if (wallStands) {
  describe("what a command needs", () => {
    it("is read when it does not say: it runs, and what it writes is named and gone", async () => {
      const { ok, text } = await run("echo new > made; rm a; ls", { needs: "read" });
      if (wallLayers)
        expect([ok, text]).toEqual([
          true,
          expect.stringContaining('not kept, because needs was "read": a, made\n'),
        ]);
      expect(readdirSync(root)).toContain("a");
      expect(readdirSync(root)).not.toContain("made");
    });

    it("is asked for when it is more than the user lets run unasked, and named in the question", () => {
      const tool = shellTool({ workspace: root, env: process.env });
      expect(tool.intent({ command: "ls" })).toMatchObject({ needs: "read", risk: "safe", reads: [""] });
      expect(tool.intent({ command: "a\nb\u202e", needs: "network" })).toMatchObject({
        says: "run (network): a⏎ b\\u{202e}",
        needs: "network",
      });
      expect(tool.intent({ command: "ls", needs: "host" })).toMatchObject({ risk: "destructive" });
    });

    it.each(["read", "write", "network"])(
      "%s: a failed command ends with what its tier lacks, whatever it printed",
      async (needs) => {
        const { text } = await run("echo fine; false", { needs });
        expect(text).toMatch(
          new RegExp(`^exit=1\nfine\nIt ran with needs "${needs}": .*"host" has no wall\\.$`),
        );
        expect((await run("echo fine", { needs })).text).toBe("exit=0\nfine\n");
      },
    );

    it("is no way round a commitment: a path that is kept cannot be changed, and a glob is compared", async () => {
      const keep = ["a", "*.lock", "later.txt"];
      const held = await run("echo x > a; echo fine > b.txt", { needs: "write", keep });
      expect([held.text.includes("Read-only file system"), held.facts]).toMatchObject([
        true,
        { changed: ["b.txt"] },
      ]);
      const broken = await run("echo x > y.lock; echo x > later.txt", { needs: "write", keep });
      expect(broken).toMatchObject({
        ok: false,
        refusal: { code: "commitment_broken", rule: "R-COMMITMENT-CHECK" },
      });
      expect(broken.text).toContain("although it was to stay as it is: later.txt, y.lock");
      await run("rm b.txt y.lock later.txt", { needs: "write" });
    });

    it("is fulfilled by write: changes are kept and named", async () => {
      const report = await run("mkdir -p deep; echo x > deep/kept", { needs: "write" });
      expect(report.text).toBe("exit=0\nchanged: deep/kept");
      expect(report.facts).toMatchObject({ changed: ["deep/kept"] });
      expect(readFileSync(path.join(root, "deep/kept"), "utf8")).toBe("x\n");
      expect((await run("rm -r deep; exit 4", { needs: "write" })).facts).toMatchObject({
        changed: ["deep/kept"],
        exit: 4,
      });
    });
  });
}

describe("where nothing holds a command back", () => {
  it("the first question says why and what to do, and later ones are short", async () => {
    const tool = shellTool({ workspace: root, env: { ...process.env, HOME: root } });
    expect(await tool.asks?.({ command: "ls" })).toMatch(
      /^nothing holds it back, because .*home.* Work in the folder of a project\.$/,
    );
    expect(await tool.asks?.({ command: "ls" })).toBe("nothing holds it back here");
  });
});
