/**
 * `bridle init` on the kinds of repository that people have: done, done again, taken back to the byte;
 * init and undo killed at every step, and gone on with.
 *
 * At full size every command is typed at the launcher, in a process of its own; in `npm test` only those that are
 * to be killed are.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { surfacePorts } from "../../packages/surface/src/ports.js";
import { commandHere } from "../support/command-here.js";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { Premath } from "../support/premath.js";
import { full, seed } from "../support/scale.js";

let program: Premath;
let home = "";
let folder = "";
beforeAll(async () => {
  program = await Premath.build();
}, 120_000);
beforeEach(() => {
  home = newFolder();
  folder = join(home, "work", "a project");
  mkdirSync(folder, { recursive: true });
});

function put(name: string, text: string, where = folder): void {
  mkdirSync(dirname(join(where, name)), { recursive: true });
  writeFileSync(join(where, name), text);
}

function bridle(words: readonly string[], { cwd = folder }: { cwd?: string } = {}) {
  if (full) return typed(words, {}, cwd);
  return commandHere(words, {
    cwd,
    env: { HOME: home, PATH: process.env["PATH"] ?? "" },
    launcher: "bridle",
  });
}

let processes = 0;

/** At the launcher, in a process of its own. */
function typed(words: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  processes += 1;
  return program.bridle(words, { cwd, env: { HOME: home, PATH: process.env["PATH"] ?? "", ...env } }).ended;
}

async function done(...words: string[]) {
  const ended = await bridle(words);
  expect(ended.stderr).toBe("");
  expect(ended.code).toBe(0);
  return ended;
}

/** Every file, link and folder below, with its mode and content. */
function everything(below = join(home, "work")): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(below, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = lstatSync(path);
    const content = entry.isSymbolicLink()
      ? readlinkSync(path)
      : entry.isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
    found.set(relative(below, path), `${(mode & 0o777).toString(8)} ${content}`);
  }
  return found;
}

function repository(where = folder): void {
  mkdirSync(where, { recursive: true });
  git(where, "init", "--quiet", "--initial-branch=main");
  put("package.json", '{"scripts": {"test": "true", "lint": "true"}}\n', where);
  git(where, "add", "--all");
  git(where, "commit", "--quiet", "--message=first");
}

/** Each makes a kind of repository in `folder`, and says where one stands in it. */
const kinds: Readonly<Record<string, () => string | void>> = {
  "an empty repository": () => void git(folder, "init", "--quiet"),
  "no git": () => put("notes.txt", "a folder\n"),
  "a repository with submodules"() {
    repository(join(home, "work/part"));
    repository();
    git(folder, "submodule", "--quiet", "add", join(home, "work/part"), "part");
    git(folder, "commit", "--quiet", "--message=with a part");
  },
  "inside a submodule"() {
    repository(join(home, "work/part"));
    repository();
    git(folder, "submodule", "--quiet", "add", join(home, "work/part"), "part");
    return join(folder, "part");
  },
  "a worktree"() {
    repository();
    const tree = join(home, "work", "tree");
    git(folder, "worktree", "add", "--quiet", "-b", "other", tree);
    return tree;
  },
  "a folder of a monorepo"() {
    repository();
    put("packages/a/package.json", '{"scripts": {"test": "true"}}\n');
    return join(folder, "packages/a");
  },
  "an existing .mcp.json"() {
    repository();
    put(".mcp.json", '{\n\t"mcpServers": {"other": {"command": "other"}},\n\t"more": 1}');
  },
  "existing beads"() {
    repository();
    put(
      ".beads/issues.jsonl",
      '{"id":"x-1","title":"Of beads","status":"open","priority":1,"issue_type":"bug"}\n',
    );
  },
  "an existing AGENTS.md and .gitignore, with carriage returns"() {
    repository();
    put("AGENTS.md", "# Agents\r\n\r\nBe kind.");
    put(".gitignore", "dist/\r\n.premath/*\r\n");
    chmodSync(join(folder, "AGENTS.md"), 0o600);
  },
  "a dirty tree"() {
    repository();
    put("package.json", '{"scripts": {"test": "false"}}\n');
    put("new.txt", "not committed\n");
  },
  "a detached head"() {
    repository();
    git(folder, "checkout", "--quiet", "--detach");
  },
  "settings of git that somebody laid out by hand"() {
    repository();
    const config = join(folder, ".git/config");
    writeFileSync(config, `${readFileSync(config, "utf8")}# mine\n[alias]\n  st = status # short`);
  },
};

describe("init, again and back", () => {
  const names = Object.keys(kinds);
  const tried = full ? names : names.filter((_, i) => i % 3 === seed % 3);

  test.each(tried)("in %s", async (kind) => {
    folder = kinds[kind]?.() ?? folder;
    const before = everything();
    const planned = (await done("init", "--json")).json();
    expect(planned["did"]).toBe("planned");
    expect(everything()).toEqual(before);

    const first = (await done("init", "--yes", "--json")).json() as { did: string; commit: string[] };
    expect(first.did).toBe("done");
    const after = everything();
    expect(after).not.toEqual(before);
    expect((await done("init", "--yes", "--json")).json()["did"]).toBe("nothing");
    expect(everything()).toEqual(after);
    if (kind !== "no git" && kind !== "an empty repository") meantToBeCommitted(first.commit, before);

    expect((await done("init", "--undo", "--json")).json()["did"]).toBe("undone");
    expect(everything()).toEqual(before);
    expect((await bridle(["init", "--undo"])).stderr).toContain("there is no record of an init");
  });

  test("what was tried", () => {
    expect(names.length).toBe(12);
    process.stdout.write(
      `proof: init, again and undone to the byte in ${tried.length} of ${names.length} kinds of repository, ` +
        `${processes} commands in processes of their own\n`,
    );
  });

  /** What git sees besides what it saw before is what the last line says. */
  function meantToBeCommitted(commit: readonly string[], before: ReadonlyMap<string, string>): void {
    const top = git(folder, "rev-parse", "--show-toplevel").trim();
    const seen = git(top, "status", "--porcelain", "-uall", "-z")
      .split("\0")
      .filter((line) => line !== "");
    const paths = seen
      .map((line) => line.slice(3))
      .filter((path) => {
        const was = before.get(relative(join(home, "work"), join(top, path)));
        return was === undefined || commit.includes(path);
      });
    expect(paths.toSorted()).toEqual([...commit].toSorted());
  }

  test("a bare and a read-only repository are refused, and nothing is changed", async () => {
    const bare = join(home, "work", "bare.git");
    git(home, "init", "--quiet", "--bare", bare);
    repository();
    chmodSync(folder, 0o555);
    const before = everything();
    expect((await bridle(["init", "--yes"], { cwd: bare })).stderr).toContain("is a bare repository");
    expect(await bridle(["init", "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is read-only"),
    });
    expect(everything()).toEqual(before);
    chmodSync(folder, 0o755);
    put(".mcp.json", "{ half");
    const half = everything();
    expect((await bridle(["init", "--yes"])).stderr).toContain(".mcp.json is not JSON");
    expect(everything()).toEqual(half);
  });
});

describe("a place that is somebody else's", () => {
  test("is refused in a sentence that names the file, and so are settings that may not be read", async () => {
    repository();
    chmodSync(home, 0o755);
    chmodSync(join(folder, ".git"), 0o555);
    const before = everything();
    const somebody = (words: readonly string[]) =>
      program.bridle(words, { cwd: folder, env: { HOME: home }, unprivileged: true }).ended;
    expect(await somebody(["init", "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /\.git\/\S+ may not be opened or changed by this user.*\(file_unwritable\)/,
      ),
    });
    expect(everything()).toEqual(before);
    put(".config/bridle/settings.json", "{}\n", home);
    chmodSync(join(home, ".config/bridle/settings.json"), 0o000);
    expect(await somebody(["ready"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/settings\.json may not be read by this user.*\(file_unreadable\)/),
    });
    chmodSync(join(folder, ".git"), 0o755);
  });
});

describe("a clone", () => {
  test("brings no record that an undo believes, and no link that init follows out of the folder", async () => {
    repository();
    const record = {
      recordKind: "bridle.init.v1",
      changes: [
        {
          path: ".git/config",
          before: btoa("[core]\n\tfsmonitor = evil\n"),
          after: btoa(readFileSync(join(folder, ".git/config"), "utf8")),
        },
      ],
      folders: [],
      lane: null,
    };
    put(".bridle/agent/init.json", JSON.stringify(record));
    const before = everything();
    expect((await bridle(["init", "--undo"])).stderr).toContain("there is no record of an init");
    expect(everything()).toEqual(before);
    rmSync(join(folder, ".git"), { recursive: true });
    put("../victim", "mine\n");
    put(
      ".bridle/agent/init.json",
      JSON.stringify({
        ...record,
        changes: [{ path: "../victim", before: btoa("theirs\n"), after: btoa("mine\n") }],
      }),
    );
    expect((await bridle(["init", "--undo"])).stderr).toContain("which init never changes");
    symlinkSync(join(home, "work/victim"), join(folder, "AGENTS.md"));
    rmSync(join(folder, ".bridle"), { recursive: true });
    const half = everything();
    expect((await bridle(["init", "--yes"])).stderr).toMatch(/AGENTS\.md leads to .*victim/);
    expect(everything()).toEqual(half);
  });
});

describe("after init", () => {
  test("an issue is added and committed; undo leaves it and says so, and closes the lane", async () => {
    repository();
    await done("init", "--yes");
    expect((await done("lane", "list")).stdout).toContain("mcp");
    await done("add", "Retry the flaky upload once", "-p", "1");
    expect((await done("ready")).stdout).toContain("Retry the flaky upload once");
    put("AGENTS.md", `${readFileSync(join(folder, "AGENTS.md"), "utf8")}\nAnd a word of mine.\n`);
    const issues = readFileSync(join(folder, ".premath/issues.jsonl"), "utf8");
    const undone = (await done("init", "--undo")).stdout;
    expect(undone).toMatch(/left +\.premath\/issues\.jsonl +changed since/);
    expect(undone).toMatch(/left +AGENTS\.md/);
    expect(readFileSync(join(folder, ".premath/issues.jsonl"), "utf8")).toBe(issues);
    expect((await done("lane", "list")).stdout).toContain("No lane is open");
  });

  test("a client starts the project's own Bridle, the one on the PATH, or this one; never one of npx's cache", async () => {
    repository();
    const program = (where: string) => put("premath", "#!/bin/sh\n", join(home, where));
    const starts = async (path: string) => {
      const options = { cwd: folder, env: { HOME: home, PATH: path }, launcher: "bridle" as const };
      expect(
        (await commandHere(["init", "--yes"], { ...options, ports: surfacePorts(process.env) })).code,
      ).toBe(0);
      const { mcpServers } = JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8")) as {
        mcpServers: { bridle: { command: string; args: string[] } };
      };
      await done("init", "--undo");
      return [mcpServers.bridle.command, ...mcpServers.bridle.args].join(" ");
    };
    program("_npx/1/node_modules/.bin");
    expect(await starts(join(home, "_npx/1/node_modules/.bin"))).toBe(
      `${process.argv[1]} mcp-serve --lane mcp`,
    );
    program("bin");
    expect(await starts(join(home, "bin"))).toBe("premath mcp-serve --lane mcp");
    put("node_modules/.bin/premath", "#!/bin/sh\n");
    expect(await starts(join(home, "bin"))).toBe("npx --no-install premath mcp-serve --lane mcp");
  });

  test("what git ignored before is named, and the line to commit adds it all the same", async () => {
    repository();
    put(".gitignore", ".bridle/\n.premath/\n");
    const { ignored, commit } = (await done("init", "--yes", "--json")).json() as Record<string, string[]>;
    expect(ignored).toEqual([".premath/issues.jsonl", ".bridle/settings.json"]);
    await done("init", "--undo");
    expect((await done("init", "--yes")).stdout).toContain(`git add -f ${commit?.join(" ")} && git commit`);
  });

  test("the merge driver is sound and the checks are sealed, as the commands that know them say", async () => {
    repository();
    const { stdout } = await done("init", "--yes");
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
      /^ {2}Commit these.*git add .*required-checks-v1\.json/,
    );
    const status = (await done("issue", "backend-status", "--json")).json() as {
      canonicalMemory: { mergeDriver: string; issueCount: number };
    };
    expect(status.canonicalMemory).toMatchObject({ mergeDriver: "sound", issueCount: 0 });
    expect((await done("required-checks", "explain", "src/a.ts", "--json")).stdout).toMatch(
      /"lint",\s+"test"/,
    );
    expect((await done("issue", "merge", "--install")).stdout).toContain("nothing to do");
  });
});

/** Every test here makes a process that is killed right before a change on the disk, and the next one finishes. */
const preload = fileURLToPath(new URL("../support/killed-at.cjs", import.meta.url));
/** At full size every step, in `npm test` each ninth. */
const firstStep = full ? 1 : 1 + (seed % 9);
const stride = full ? 1 : 9;

function killedAt(n: number, words: readonly string[]) {
  return typed(words, { NODE_OPTIONS: `--require ${preload}`, KILLED_AT: `${n}` });
}

/** As a kept copy has it. */
function again(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** What is told is done: git's own lock is removed by hand. */
async function finished(...words: string[]) {
  const ended = await typed(words);
  const lock = /^error: (.*config\.lock) is there/.exec(ended.stderr)?.[1];
  if (lock === undefined) return ended;
  expect(existsSync(lock), ended.stderr).toBe(true);
  rmSync(lock);
  return typed(words);
}

/** Each file as it was or as it will be; what never took a place is not meant. */
function oldOrNew(old: ReadonlyMap<string, string>, fresh: ReadonlyMap<string, string>, at: number): void {
  const besides = /\.draft$|config\.lock$|bridle-init|\.premath\/\.local/;
  for (const [path, state] of everything())
    if (!besides.test(path)) expect([old.get(path), fresh.get(path)], `${at}: ${path}`).toContain(state);
}

describe("an init that is killed", () => {
  const withoutRecord = (all: Map<string, string>) =>
    new Map([...all].filter(([path]) => !path.endsWith("bridle-init.json")));

  test("leaves each file old or new; a second init finishes, and undo knows the bytes", async () => {
    repository();
    put("AGENTS.md", "# Agents\n");
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message=agents");
    const before = everything();
    const saved = join(newFolder(), "saved");
    again(home, saved);
    expect((await typed(["init", "--yes"])).code).toBe(0);
    const after = everything();
    let steps = 0;
    for (let n = firstStep; ; n += stride) {
      again(saved, home);
      if ((await killedAt(n, ["init", "--yes"])).signal === null) break;
      steps += 1;
      oldOrNew(before, after, n);
      expect(await finished("init", "--yes")).toMatchObject({ code: 0, stderr: "" });
      expect(withoutRecord(everything()), `after ${n}`).toEqual(withoutRecord(after));
      await done("init", "--undo");
      expect(everything(), `undone after ${n}`).toEqual(before);
    }
    process.stdout.write(
      `proof: init killed at ${steps} steps, finished by a second one and undone to the byte\n`,
    );
    expect(steps).toBeGreaterThan(full ? 20 : 2);
  }, 600_000);
});

describe("an undo that is killed", () => {
  /** Each makes a place that init was run in, and what people did there since. */
  const places: Readonly<Record<string, () => Promise<void>>> = {
    async "a repository"() {
      repository();
      put("AGENTS.md", "# Agents\n");
      await done("init", "--yes");
    },
    async "a repository that was worked in since"() {
      repository();
      put("AGENTS.md", "# Agents\n");
      await done("init", "--yes");
      await done("add", "Retry the flaky upload once");
      put("AGENTS.md", `${readFileSync(join(folder, "AGENTS.md"), "utf8")}\nAnd a word of mine.\n`);
    },
    async "a folder without git"() {
      put("notes.txt", "a folder\n");
      await done("init", "--yes");
    },
  };

  test.each(Object.keys(places))(
    "in %s is finished by the next one, as if nothing had happened",
    async (name) => {
      await places[name]?.();
      const saved = join(newFolder(), "saved");
      again(home, saved);
      const start = everything();
      await done("init", "--undo");
      const end = everything();
      let steps = 0;
      for (let n = firstStep; ; n += stride) {
        again(saved, home);
        if ((await killedAt(n, ["init", "--undo"])).signal === null) break;
        steps += 1;
        oldOrNew(start, end, n);
        const { code, stderr } = await finished("init", "--undo");
        // One that had come to its end has left nothing to do.
        if (code !== 0) expect(stderr).toContain("there is no record of an init");
        expect(everything(), `after ${n}`).toEqual(end);
        expect((await done("lane", "list")).stdout).toContain("No lane is open");
      }
      process.stdout.write(
        `proof: an undo in ${name} killed at ${steps} steps, and finished by the next one\n`,
      );
      expect(steps).toBeGreaterThan(full ? 15 : 1);
    },
    600_000,
  );
});
