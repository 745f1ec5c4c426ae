/**
 * The built command line, as people and scripts meet it: real launchers, real
 * processes, real pipes.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Log, nodePorts } from "@bridle/record";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { test } from "../support/everyday.js";
import { full, share } from "../support/scale.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = (launcher: string) => path.join(root, "bin", launcher);
let project: string;

beforeAll(async () => {
  await buildOnce();
  project = mkdtempSync(path.join(tmpdir(), "bridle-cli-"));
  execFileSync(bin("premath"), ["harness-session", "write", "--state", "stopped"], {
    cwd: project,
    env: quietEnv,
  });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Typing {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of the tests, without what would change the answers. */
const quietEnv = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(AGENT|HLQ|PREMATH|BRIDLE)_|^(NO|FORCE)_COLOR$/.test(key)),
);

function type(launcher: string, argv: readonly string[], { cwd = project, env = {} }: Typing = {}) {
  const program = path.isAbsolute(launcher) ? launcher : bin(launcher);
  const { status, stdout, stderr, signal } = spawnSync(program, argv, {
    cwd,
    env: { ...quietEnv, ...env },
    encoding: "utf8",
    timeout: 30_000,
  });
  expect(signal).toBeNull();
  return { code: status, stdout, stderr };
}

function shell(script: string, env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: project, env: { ...quietEnv, PATH: `${root}bin:${process.env["PATH"]}`, ...env } };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    ...options,
    encoding: "utf8",
    timeout: 30_000,
  });
  return { code: status, stdout, stderr };
}

const manifest = JSON.parse(
  readFileSync(path.join(root, "packages/surface/src/manifest/manifest.generated.json"), "utf8"),
) as { version: string; operations: { names: { command: string[] }; family: string; surfaces: string[] }[] };
const commands = manifest.operations.filter(({ surfaces }) => surfaces.includes("cli"));

describe("exit codes", () => {
  test("0 for success, and the answer is on stdout", () => {
    const written = type("premath", [
      "harness-session",
      "write",
      "--state",
      "active",
      "--issue-id",
      "bd-1",
      "--json",
    ]);
    expect(written).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(written.stdout)).toMatchObject({ session: { issueId: "bd-1", state: "active" } });
    expect(written.stdout).toMatch(/^\{\n {2}"/);
    expect(type("bridle", ["harness-session", "read"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("1 for a domain failure: the class and what to do on stderr, with --json the object on stdout", () => {
    const missing = type("premath", ["harness-session", "read", "--path", "none.json", "--json"]);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stdout)).toMatchObject({
      action: "harness.session.read",
      result: "rejected",
      failureClass: "session_missing",
      failureClasses: ["session_missing"],
    });
    expect(missing.stderr).toMatch(/^error: .* \(session_missing\)\.\n {7}\S/);
    const plain = type("premath", ["harness-session", "read", "--path", "none.json"]);
    expect(plain).toMatchObject({ code: 1, stdout: "", stderr: missing.stderr });
  });

  test.each<[string[], RegExp]>([
    [["harness-sesion", "read"], /did you mean "harness-session"\?/],
    [["harness-session", "red"], /did you mean "harness-session read"\?/],
    [["harness-session", "read", "--pth", "x"], /unknown flag --pth; did you mean --path\?/],
    [["harness-session", "write", "--state", "stoped"], /expected active or stopped; did you mean stopped\?/],
    [["harness-trajectory", "append"], /--step-id is missing/],
    [["harness-trajectory", "query", "--limit", "many"], /--limit needs a whole number, got "many"/],
    [["harness-trajectory", "query", "--limit", "-1"], /--limit must be at least 0, got -1/],
  ])("2 for a bad invocation: %j", (argv, says) => {
    const { code, stdout, stderr } = type("premath", argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/_invalid\)/);
    expect(stderr).toContain("--help`.");
  });
});

describe("the environment", () => {
  test("a misspelt setting is an error that names the right one", () => {
    const env = { AGENT_RULE_RECAL: "0" };
    expect(type("premath", ["harness-session", "read"], { env })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: unknown setting AGENT_RULE_RECAL; did you mean AGENT_RULE_RECALL? (`bridle config` lists them)\n",
    });
    expect(type("bridle", ["config"], { env }).code).toBe(0);
    expect(type("bridle", ["--help"], { env }).code).toBe(0);
  });

  test("keys of other programs are left alone", () => {
    const env = { AGENT_TOOLSDIRECTORY: "/opt", AGENT_INFO: "x", PREMATH_OTHER_THING: "1" };
    expect(type("bridle", ["config", "BRIDLE"], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  test("no colour in a pipe; FORCE_COLOR asks for it, NO_COLOR forbids it", () => {
    const help = (env: Record<string, string>) => type("bridle", ["--help"], { env }).stdout;
    expect(help({})).not.toContain("\u001b");
    expect(help({ FORCE_COLOR: "1" })).toContain("\u001b[1m");
    expect(help({ FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain("\u001b");
  });

  test("on a terminal there is colour, and NO_COLOR takes it away", () => {
    const at = (env: string) =>
      shell(`${env} script -qec "bridle --help" /dev/null`, { TERM: "xterm" }).stdout;
    expect(at("")).toContain("\u001b[1mStart");
    expect(at("NO_COLOR=1")).not.toContain("\u001b[1m");
  });
});

describe("pipes and files", () => {
  test("a reader that goes away is no failure and no noise", () => {
    for (const line of ["bridle config", "bridle completion bash", "bridle --help", "bridle --help --json"]) {
      const { stdout, stderr } = shell(`${line} | head -n 1; echo "\${PIPESTATUS[0]}"`);
      expect(stdout.trim().split("\n").at(-1), line).toBe("0");
      expect(stderr, line).toBe("");
    }
    expect(shell("bridle config >&-").stderr).not.toContain("    at ");
  });

  test("a disk that is full is a failure", () => {
    const { code, stderr } = shell("bridle config > /dev/full");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: stdout cannot be written: .*ENOSPC/);
  });

  test("a slow reader gets everything", () => {
    const whole = type("bridle", ["--help", "--json"]).stdout;
    const { stdout } = shell("bridle --help --json | (sleep 0.3; cat)");
    expect(stdout).toBe(whole);
    expect(whole.length).toBeGreaterThan(10_000);
  });

  test("a live view ends when its reader does", () => {
    const rows = Array.from(
      { length: 2000 },
      (_, n) => `${JSON.stringify({ n, pad: "x".repeat(200) })}\n`,
    ).join("");
    writeFileSync(path.join(project, "long.jsonl"), rows);
    const { stdout, stderr } = shell('bridle log follow long.jsonl | head -n 2; echo "${PIPESTATUS[0]}"');
    expect(stdout.trim().split("\n")).toHaveLength(3);
    expect(stdout.trim().split("\n").at(-1)).toBe("0");
    expect(stderr).toBe("");
  });
});

describe("signals", () => {
  test("a live view that is interrupted ends well", async () => {
    writeFileSync(path.join(project, "live.jsonl"), '{"n":1}\n');
    const child = spawn(bin("bridle"), ["log", "follow", "live.jsonl"], { cwd: project, env: quietEnv });
    let stdout = "";
    child.stdout.on("data", (bytes: Buffer) => {
      stdout += bytes.toString();
      child.kill("SIGINT");
    });
    const ended = await new Promise((done) => child.on("exit", (code, signal) => done([code, signal])));
    expect(ended).toEqual([0, null]);
    expect(stdout).toBe('{"n":1}\n');
  });
});

describe("a second interruption", () => {
  test("ends a command that cannot be stopped gently", async () => {
    const file = path.join(project, "held.jsonl");
    writeFileSync(file, '{"n":1}\n');
    const log = await Log.open({ path: file, bearing: "state", ports: nodePorts() });
    let letGo = (): void => {};
    const held = new Promise<void>((done) => (letGo = done));
    let isHeld = (): void => {};
    const holding = new Promise<void>((done) => (isHeld = done));
    const rewriting = log.rewrite(async function* (entries) {
      isHeld();
      await held;
      for await (const entry of entries) yield entry.text;
    });
    await holding;
    // The repair waits for the lock that we hold.
    const child = spawn(bin("bridle"), ["log", "repair", "held.jsonl"], { cwd: project, env: quietEnv });
    const ended = new Promise((done) => child.on("exit", (code, signal) => done([code, signal])));
    await until(() => readdirSync(`${log.local.lock}.line`).length > 0);
    const asking = setInterval(() => child.kill("SIGINT"), 100);
    const ending = await ended;
    clearInterval(asking);
    letGo();
    await rewriting;
    await log.close();
    expect(ending).toEqual([130, null]);
    expect(readFileSync(file, "utf8")).toBe('{"n":1}\n');
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((look) => setTimeout(look, 10));
}

describe("help", () => {
  // Every page of help is held to its rules in process; here a few are seen through real commands.
  const wordsOf = ({ names }: (typeof commands)[number]) => names.command.join(" ");
  // Where two families spell a command alike, `bridle` explains the first.
  const first = (entry: (typeof commands)[number]) =>
    commands.find((other) => wordsOf(other) === wordsOf(entry)) === entry;
  const some = commands.filter((entry, i) => i % (full ? 7 : 14) === 0 && first(entry));
  test.each(some.map(({ names, family }) => [family, names.command.join(" ")] as const))(
    "%s %s --help has an example",
    (family, words) => {
      const { code, stdout, stderr } = type(family, [...words.split(" "), "--help"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(new RegExp(`^  \\$ ${family} ${words}`, "m"));
      // A longer launcher breaks the lines of an example elsewhere.
      const unbroken = (text: string) => text.replaceAll(/ \\\n +/g, " ");
      expect(unbroken(type("bridle", ["help", ...words.split(" ")]).stdout)).toBe(
        unbroken(stdout).replaceAll(new RegExp(`^(  \\$? ?)${family} ${words}`, "gm"), `$1bridle ${words}`),
      );
    },
  );

  test("each launcher has its own commands", () => {
    expect(type("bridle", ["help", "--all"]).stdout).toMatch(/harness-session read[\s\S]*log verify/);
    expect(type("bridle", []).stdout).toMatch(/bridle init[\s\S]*bridle chat/);
    expect(type("premath", ["help"]).stdout).toMatch(/harness-session read/);
    expect(type("premath", ["help"]).stdout).not.toMatch(/log verify/);
    expect(type("hlq", ["--help"]).stdout).toMatch(/pack build[\s\S]*replay <run>[\s\S]*mcp-serve/);
    expect(type("hlq", ["--help"]).stdout).not.toMatch(/harness-session|log verify/);
    expect(type("hlq", ["harness-session", "read"]).code).toBe(2);
  });

  test("each launcher says its version", () => {
    for (const launcher of ["bridle", "premath", "hlq"]) {
      expect(type(launcher, ["--version"]).stdout).toBe(`${launcher} ${manifest.version}\n`);
    }
  });
});

describe("completion", () => {
  test("a real bash that loaded the script completes commands, flags and values", () => {
    const script = `
      source <(premath completion bash)
      press() {
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
        $(complete -p premath | sed 's/.*-F \\([^ ]*\\).*/\\1/') premath
        echo "\${COMPREPLY[*]}"
      }
      press premath har
      press premath harness-session ""
      press premath harness-session write --sta
      press premath harness-session write --state ""
      press premath harness-trajectory query --mode = f
    `;
    const { stdout, stderr } = shell(script);
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual([
      "harness-session harness-feature harness-trajectory harness-kpi harness-join-check harness-retry-policy harness-loop harness-worker harness-coordinator",
      "read write bootstrap --json --help",
      "--state",
      "active stopped",
      "failed",
    ]);
  });

  test("every script is accepted by its shell's parser, where that shell is here", () => {
    for (const name of ["bash", "zsh", "fish"]) {
      if (spawnSync(name, ["--version"]).error) continue;
      const { code, stderr } = shell(`bridle completion ${name} | ${name} -n`);
      expect([name, code, stderr]).toEqual([name, 0, ""]);
    }
  });
});

describe("the launchers", () => {
  test("work through a symbolic link, from another folder", () => {
    const links = path.join(project, "links");
    mkdirSync(links, { recursive: true });
    symlinkSync(bin("premath"), path.join(links, "one"));
    symlinkSync("one", path.join(links, "two"));
    expect(type(path.join(links, "two"), ["--version"], { cwd: tmpdir() })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  test("work as a copy in a folder whose name has blanks, with nothing else there", () => {
    const copy = path.join(project, "a folder, with blanks & more");
    cpSync(path.join(root, "bin"), path.join(copy, "bin"), { recursive: true });
    cpSync(path.join(root, "dist"), path.join(copy, "dist"), { recursive: true });
    const there = path.join(copy, "work here");
    mkdirSync(there);
    const premath = path.join(copy, "bin/premath");
    const written = type(premath, ["harness-session", "write", "--summary", "blank s"], { cwd: there });
    expect(written).toMatchObject({ code: 0, stderr: "" });
    expect(type(premath, ["harness-session", "read", "--json"], { cwd: there }).stdout).toContain(
      '"blank s"',
    );
  });

  test("say which command builds them when they are not built", () => {
    const bare = path.join(project, "bare");
    cpSync(path.join(root, "bin"), path.join(bare, "bin"), { recursive: true });
    const { code, stdout, stderr } = type(path.join(bare, "bin/hlq"), ["--help"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(`error: the command line is not built yet; run \`npm run build\` in ${bare}\n`);
  });

  test("a folder that was removed underneath is said in a sentence", () => {
    const { code, stderr } = shell("mkdir gone && cd gone && rmdir ../gone && premath harness-session read");
    expect(code).toBe(1);
    expect(stderr).not.toContain("    at ");
  });
});

describe("the bundle", () => {
  test("a read opens neither the MCP server nor any other room's heavy parts", () => {
    const opened = filesOpenedBy(["harness-session", "read"]);
    expect(opened.length).toBeGreaterThan(2);
    const read = opened.map((file) => readFileSync(file, "utf8"));
    for (const text of read) expect(text).not.toMatch(/modelcontextprotocol|duckdb|pi-ai/i);
    const bytes = read.reduce((sum, text) => sum + text.length, 0);
    // What all commands say of themselves grows with every command, and is not counted.
    const manifest = path.join(root, "packages/surface/src/manifest/manifest.generated.json");
    const said = JSON.stringify(JSON.stringify(JSON.parse(readFileSync(manifest, "utf8")))).length;
    expect(bytes - said).toBeLessThan(330_000);
    expect(opened.length).toBeLessThanOrEqual(12);
  });

  test("is built once for the same sources, and by two builders at a time (one in the small) without harm to who runs it", async () => {
    const build = () =>
      new Promise<number | null>((done) =>
        spawn(process.execPath, [path.join(root, "scripts/build.mjs"), "--force"], { stdio: "inherit" }).on(
          "exit",
          done,
        ),
      );
    const builders = share(2, 1);
    const building = Promise.all(Array.from({ length: builders }, build));
    for (let i = 0; i < 5; i++) expect(type("bridle", ["help", "log", "verify"]).code).toBe(0);
    expect(await building).toEqual(Array.from({ length: builders }, () => 0));
    const record = readFileSync(path.join(root, "dist/.build.json"), "utf8");
    execFileSync(process.execPath, [path.join(root, "scripts/build.mjs")]);
    expect(readFileSync(path.join(root, "dist/.build.json"), "utf8")).toBe(record);
    expect(type("premath", ["--version"]).code).toBe(0);
  });
});

/** What a command reads below dist/, told by the file system calls of its own process. */
function filesOpenedBy(argv: readonly string[]): string[] {
  const hook = path.join(project, "hook.cjs");
  writeFileSync(
    hook,
    `const fs = require("node:fs");
     const read = fs.readFileSync;
     fs.readFileSync = (file, ...rest) => {
       if (String(file).includes("/dist/")) fs.appendFileSync(process.env.OPENED, file + "\\n");
       return read(file, ...rest);
     };`,
  );
  const log = path.join(project, "opened.txt");
  writeFileSync(log, "");
  execFileSync(process.execPath, ["--require", hook, path.join(root, "bin/premath"), ...argv], {
    cwd: project,
    env: { ...process.env, OPENED: log },
    stdio: "ignore",
  });
  return [...new Set(readFileSync(log, "utf8").trim().split("\n"))].filter((file) => file.endsWith(".js"));
}

test("no words at all bring out a stack trace, and every exit code is one of three", () => {
  // Commands that end by themselves: not a server, and not a login that waits for a person.
  const ending = commands.filter(
    ({ names }) => !["mcp-serve", "follow", "codex"].includes(names.command.at(-1)!),
  );
  const words = [...new Set(ending.flatMap(({ names }) => names.command))];
  const start = fc.oneof(fc.constant([]), fc.constantFrom(...ending.map(({ names }) => names.command)));
  const token = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words, "help", "version", "completion", "bash") },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "--json",
        "--help",
        "--",
        "--path",
        "--state",
        "--limit=3",
        "--mode",
        "-",
        "-x",
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "nothing.json",
        ".",
        "/",
        "/dev/null",
        "",
        "--__proto__=1",
        "--=",
        "\u001b[2J",
      ),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }).filter((text) => !text.includes("\0")) },
  );
  const counts = new Map<number | null, number>();
  const sandbox = path.join(project, "sandbox");
  mkdirSync(sandbox, { recursive: true });
  fc.assert(
    fc.property(
      fc.constantFrom("bridle", "premath", "hlq"),
      start,
      fc.array(token, { maxLength: 3 }),
      (launcher, first, rest) => {
        const { code, stdout, stderr } = type(launcher, [...first, ...rest], { cwd: sandbox });
        expect([0, 1, 2]).toContain(code);
        expect(stdout + stderr).not.toMatch(/^ {4}at |node:internal/m);
        // A checker says its class first, for programs that call it.
        if (code !== 0) expect(stderr).toMatch(/^(error|[a-z][a-z_.]+): /m);
        counts.set(code, (counts.get(code) ?? 0) + 1);
      },
    ),
    { numRuns: full ? 200 : 12 },
  );
  const shown = [...counts].map(([code, count]) => `${count} ended with ${code}`).join(", ");
  console.log(`60 command lines drawn by chance: ${shown}`);
});
