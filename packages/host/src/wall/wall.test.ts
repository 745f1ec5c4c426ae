/** Traps of walls, most of them seen elsewhere, each as a command that falls into it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useChildren } from "../../../../test/support/children.js";
import { newFolder } from "../../../../test/support/folder.js";
import { wallLayers, wallStands } from "../../../../test/support/wall/stands.js";
import { openCommands } from "../commands.js";
import { commandLimits } from "../limits.js";
import type { CommandEnd, CommandsOptions, Needs } from "../types.js";
import { noWall, refusalOf, workspaceTooWide } from "./no-wall.js";
import { seccompFilter } from "./seccomp.js";
import { resolverFile } from "./system.js";
import { toolchains } from "./toolchains.js";

const children = useChildren();
const isRoot = process.getuid?.() === 0;
const systemPath = "/usr/local/bin:/usr/bin:/bin";

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function git(folder: string, ...words: string[]): string {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"];
  return execFileSync("git", ["-C", folder, ...who, ...words], { encoding: "utf8", stdio: "pipe" });
}

function machine(options: Partial<CommandsOptions> = {}) {
  const base = realpathSync(newFolder());
  const [work, home, other] = ["home/work", "home", "other"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  put(base, { "home/work/a.txt": "one\n", "other/precious.txt": "precious\n" });
  const env = { PATH: systemPath, HOME: home, OPENAI_API_KEY: "canary-key", ...options.env };
  const commands = () => openCommands({ workspace: work, ...options, env });
  let opened: ReturnType<typeof commands> | undefined;
  const run = async (
    needs: Needs,
    command: string,
    more: { keep?: string[]; seen?: string[]; cwd?: string; timeoutMs?: number } = {},
  ) => {
    opened ??= commands();
    let text = "";
    const end: CommandEnd = await opened.run({
      ...{ needs, command, cwd: work, timeoutMs: 30_000, outputBytesMax: 1e7, ...more },
      signal: new AbortController().signal,
      onOutput: (chunk) => (text += Buffer.from(chunk).toString()),
    });
    return { ...end, text };
  };
  return { base, work, home, other, run };
}

describe("where there is no wall", () => {
  it("says why: another system, no bubblewrap, namespaces refused, a workspace that is too wide", () => {
    expect(noWall.missing).toMatchObject({
      stands: false,
      remedy: expect.stringContaining("apt-get install bubblewrap"),
    });
    const refused = (settings: Record<string, string>) =>
      refusalOf("bwrap: setting up uid map: Permission denied\nmore", (name) => settings[name] ?? "").because;
    expect(refused({ "kernel/apparmor_restrict_unprivileged_userns": "1" })).toMatch(/AppArmor.*uid map/);
    expect(refused({ "user/max_user_namespaces": "0" })).toMatch(/^the system refuses user namespaces/);
    expect(refused({})).toMatch(/^namespaces are refused, as containers do \(bwrap: .*denied\)$/);
    expect(
      ["/", "/home", "/home/ada", "/home/ada/work"].map((each) => workspaceTooWide(each, "/home/ada")),
    ).toEqual([...[true, true, true, false]]);
  });

  it("is found out by running the same flags around true", async () => {
    const { home } = machine();
    const state = (workspace: string, PATH = systemPath) =>
      openCommands({ workspace, env: { PATH, HOME: home } }).wall();
    expect(await state(home)).toMatchObject({ stands: false, because: expect.stringContaining("home") });
    expect((await state(join(home, "work"))).stands).toBe(wallStands);
  });
});

it("a filter exists for the machines that are named, and for no other", () => {
  expect(seccompFilter("x64")?.length).toBeGreaterThan(100);
  expect(seccompFilter("arm64")?.length).toBe(seccompFilter("x64")?.length);
  expect(seccompFilter("riscv64")).toBeUndefined();
});

it("the resolver's file is brought along where it is a link into /run, and only there", () => {
  const folder = realpathSync(newFolder());
  put(folder, { "run/stub.conf": "nameserver 127.0.0.53\n" });
  symlinkSync(join(folder, "run/stub.conf"), join(folder, "resolv.conf"));
  expect(resolverFile(join(folder, "resolv.conf"))).toBe(join(folder, "run/stub.conf"));
  expect(resolverFile("/etc/hostname")).toBeUndefined();
  expect(resolverFile(join(folder, "missing"))).toBeUndefined();
});

describe("a toolchain in a home", () => {
  it("comes with the parent of bin and shims, but never with a home or ~/.local", () => {
    const home = realpathSync(newFolder());
    for (const folder of [
      ".tool/v1/bin",
      ".env/shims",
      "bin",
      ".local/bin",
      ".cargo/bin",
      ".rustup",
      "plain",
    ])
      mkdirSync(join(home, folder), { recursive: true });
    put(home, { ".cargo/credentials.toml": "token", ".tool/v1/.npmrc": "token", ".tool/v1/lib": "" });
    const path = [".tool/v1/bin", ".env/shims", "bin", ".local/bin", ".cargo/bin", "plain", "missing"].map(
      (name) => join(home, name),
    );
    const { folders, covered } = toolchains(["/usr/bin", home, "/", ...path].join(":"), home, []);
    expect(folders.map((folder) => folder.slice(home.length + 1)).toSorted()).toEqual(
      [".cargo", ".env", ".local/bin", ".rustup", ".tool/v1", "bin", "plain"].toSorted(),
    );
    expect(covered.toSorted()).toEqual(
      [join(home, ".cargo/credentials.toml"), join(home, ".tool/v1/.npmrc")].toSorted(),
    );
  });
});

if (wallStands) {
  describe("what is not of the workspace", () => {
    it("is not there: other folders, the home, the caller's environment, other processes", async () => {
      const { run, other, home } = machine();
      put(home, { ".ssh/id_rsa": "canary-ssh", "notes.txt": "canary-notes" });
      const { text } = await run(
        "read",
        `cat ${other}/precious.txt ~/notes.txt ~/.ssh/id_rsa; ls -A ~; tr '\\0' '\\n' < /proc/1/environ; ls -d /proc/[0-9]*`,
      );
      expect(text).not.toMatch(/precious\n|canary/);
      expect(text).toMatch(/^work$/m);
      expect(text.match(/^\/proc\/\d+$/gm)?.length).toBeLessThan(6);
    });

    it("is there where a toolchain or AGENT_SHELL_READ names it, read-only and without credentials", async () => {
      const tools = realpathSync(newFolder());
      put(tools, {
        "bin/hello": "#!/bin/sh\ncat $(dirname $0)/../lib/word\n",
        "lib/word": "hello\n",
        credentials: "canary",
      });
      chmodSync(join(tools, "bin/hello"), 0o755);
      const more = realpathSync(newFolder());
      put(more, { "data.txt": "data\n" });
      const { run } = machine({ env: { PATH: `${tools}/bin:${systemPath}` }, readable: [more] });
      const { text } = await run(
        "write",
        `hello; cat ${tools}/credentials; cat ${more}/data.txt; touch ${tools}/x ${more}/x`,
      );
      expect(text).toMatch(/^hello\n/);
      expect(text).toContain("data\n");
      expect(text).not.toContain("canary");
      expect([...readdirSync(tools), ...readdirSync(more)]).not.toContain("x");
    });

    it("answers no call: sockets in folders that can be read, however they are mounted", async () => {
      const tools = realpathSync(newFolder());
      const { run, work } = machine({ readable: [tools] });
      let calls = 0;
      for (const path of [join(tools, "s"), join(work, "s")]) {
        const server = createServer((socket) => {
          calls += 1;
          socket.destroy();
        });
        await new Promise<void>((resolve) => server.listen(path, resolve));
        onTestFinished(() => void server.close());
      }
      const dial = (path: string) =>
        `perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer=>"${path}") ? "through" : "shut"'`;
      for (const needs of ["read", "write", "network"] as const)
        expect((await run(needs, `${dial(`${tools}/s`)}; ${dial(`${work}/s`)}`)).text).toBe("shutshut");
      expect(calls).toBe(0);
    });

    it("has no keyring, no AF_VSOCK, no io_uring and no further user namespace", async () => {
      const { run } = machine();
      const call = (words: string) => `perl -e '$! = 0; print syscall(${words}) < 0 ? "shut " : "open "'`;
      const numbers =
        process.arch === "x64"
          ? ["250, 1, 0", "41, 40, 1, 0", "425, 4, 0"]
          : ["219, 1, 0", "198, 40, 1, 0", "425, 4, 0"];
      const { text } = await run(
        "read",
        `${numbers.map(call).join("; ")}; unshare -U true 2>/dev/null && echo open`,
      );
      expect(text).toBe("shut shut shut ");
    });

    it("has no network but for the tier that needs one", async () => {
      const { run } = machine();
      const server = createServer((socket) => socket.end("hello\n"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const address = server.address();
      const dial = `cat < /dev/tcp/127.0.0.1/${typeof address === "object" ? address?.port : 0}`;
      expect((await run("read", dial)).text).toContain("Connection refused");
      expect((await run("write", dial)).text).toContain("Connection refused");
      expect((await run("network", dial)).text).toBe("hello\n");
    });

    if (isRoot) {
      it("is not root's: shadow cannot be read, core_pattern cannot be written, and there are no capabilities", async () => {
        const { run } = machine();
        for (const needs of ["read", "write", "network"] as const) {
          const { text } = await run(
            needs,
            "id -u; cat /etc/shadow; echo x > /proc/sys/kernel/core_pattern; grep CapEff /proc/self/status; touch /etc/x",
          );
          expect(text).toMatch(
            /^0\n.*shadow: Permission denied\n.*core_pattern: Read-only file system\nCapEff:\t0{16}\n.*Read-only/,
          );
        }
      });
    }
  });

  describe("what is written", () => {
    it("has a size wherever it may be written, and cannot be written elsewhere", async () => {
      const { run } = machine();
      const { text } = await run(
        "read",
        `touch /x /dev/x /run/x /var/x 2>&1 | grep -c Read-only; df -B1 --output=size,target | tail -n +2`,
      );
      const [refused, ...mounts] = text.trim().split("\n");
      expect(refused).toBe("4");
      const sizes = new Map(mounts.map((line) => line.trim().split(/\s+/).toReversed() as [string, string]));
      for (const place of ["/tmp", "/dev/shm"])
        expect(Number(sizes.get(place))).toBeLessThanOrEqual(commandLimits.tmpBytes);
    });

    it("vanishes under read, and is named; what git keeps is one name", async () => {
      const { run, work } = machine();
      git(work, "init", "-q");
      git(work, "add", ".");
      git(work, "commit", "-qm", "one");
      const before = readFileSync(join(work, ".git/config"), "utf8");
      const end = await run(
        "read",
        "echo 1 > new; mkdir -p d/e; rm a.txt; git config x.y z; git -c user.name=x -c user.email=x commit -qam two; git log --oneline | wc -l",
      );
      if (wallLayers) {
        expect([end.code, end.text.trim()]).toEqual([0, "2"]);
        expect(end.vanished).toEqual([".git", "a.txt", "d/e", "new"]);
      }
      expect(readdirSync(work).toSorted()).toEqual([".git", "a.txt"]);
      expect(readFileSync(join(work, ".git/config"), "utf8")).toBe(before);
      expect((await run("read", "git status --short; cat a.txt")).vanished).toEqual([]);
    });

    it("does not vanish where a folder is mounted inside the workspace: it cannot be written", async () => {
      const { work } = machine();
      mkdirSync(join(work, "inner"));
      const within = [
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        "--tmpfs",
        join(work, "inner"),
        ...(isRoot ? ["--cap-add", "ALL"] : []),
        "--",
      ];
      const harness = children.start(
        "shell-harness",
        { root: work, needs: "read", commands: ["cat a.txt > b.txt || exit 7"] },
        { within },
      );
      expect(await harness.says("ended 0")).toBe("ended 0 exit=7");
      harness.tell("end");
    });
  });

  describe("what is protected under write", () => {
    it("cannot be changed, replaced, or moved with the folder that it is in", async () => {
      const { run, work } = machine();
      put(work, {
        ".bridle/agent/x": "mine\n",
        ".premath/issues.jsonl": "{}\n",
        ".agent_notes": "mine\n",
        "deep/er/kept.txt": "kept\n",
      });
      git(work, "init", "-q");
      const { text, changed, setAside } = await run(
        "write",
        [
          "mv .git x; rm -rf .git/hooks; rm -rf .git/config; echo evil >> .git/config; git config core.pager evil",
          "echo evil > .git/hooks/pre-commit; echo x > .bridle/agent/x; rm -rf .premath; mv .bridle z; ln -sfn /tmp .bridle",
          "rm .agent_notes; mv deep gone; rm -rf deep; echo x > deep/er/kept.txt; echo fine > other.txt",
        ].join("\n"),
        { keep: ["deep/er/kept.txt", "src/**"] },
      );
      expect(readFileSync(join(work, ".git/config"), "utf8")).not.toContain("evil");
      expect(existsSync(join(work, ".git/hooks/pre-commit"))).toBe(false);
      expect(readFileSync(join(work, ".bridle/agent/x"), "utf8")).toBe("mine\n");
      expect(readFileSync(join(work, "deep/er/kept.txt"), "utf8")).toBe("kept\n");
      expect(readFileSync(join(work, ".agent_notes"), "utf8")).toBe("mine\n");
      expect(readdirSync(work).toSorted()).toEqual([
        ".agent_notes",
        ".bridle",
        ".git",
        ".premath",
        "a.txt",
        "deep",
        "other.txt",
      ]);
      expect([changed, setAside, text.match(/busy|Read-only/g)?.length]).toEqual([
        ["other.txt"],
        [],
        expect.any(Number),
      ]);
    });

    it("leaves no stub where it is absent; what appears there is set aside and told", async () => {
      const { run, work } = machine();
      expect((await run("write", "ls -A")).text).toBe("a.txt\n");
      const { setAside, text } = await run(
        "write",
        "git init -q . && echo began; mkdir .bridle; echo x > .bridle/models.json; echo y > .agent_x",
      );
      expect(text).toContain("began");
      expect(setAside).toEqual([
        { path: ".git", to: "set-aside-1.git" },
        { path: ".bridle", to: "set-aside-1.bridle" },
        { path: ".agent_x", to: "set-aside-1.agent_x" },
      ]);
      expect(readdirSync(work).toSorted()).toEqual([
        "a.txt",
        "set-aside-1.agent_x",
        "set-aside-1.bridle",
        "set-aside-1.git",
      ]);
      expect(readFileSync(join(work, "set-aside-1.bridle/models.json"), "utf8")).toBe("x\n");
    });

    it("that is a link stays the link that it was", async () => {
      const { run, work } = machine();
      put(work, { "state/x": "mine\n" });
      symlinkSync("state", join(work, ".bridle"));
      const { setAside } = await run(
        "write",
        "echo evil > .bridle/x; rm .bridle; mkdir .bridle; echo evil > .bridle/x",
      );
      expect(readFileSync(join(work, ".bridle/x"), "utf8")).toBe("mine\n");
      expect(setAside).toEqual([{ path: ".bridle", to: "set-aside-1.bridle" }]);
    });
  });

  describe("credentials and the harness's state", () => {
    it("are covered unless git tracks them, so that git status does not lie", async () => {
      const { run, work } = machine();
      put(work, {
        ".npmrc": "registry=https://tracked\n",
        ".bridle/models.json": "{}\n",
        "sub/.env": "tracked=1\n",
      });
      git(work, "init", "-q");
      git(work, "add", "-f", ".");
      git(work, "commit", "-qm", "one");
      put(work, {
        ".env": "canary\n",
        "deep/.netrc": "canary\n",
        ".aws/credentials": "canary\n",
        ".bridle/agent/log": "canary\n",
      });
      const cat =
        "cat .env deep/.netrc .aws/credentials .bridle/agent/log; cat .npmrc sub/.env .bridle/models.json; git status --short";
      const { text } = await run("read", cat);
      expect(text).not.toContain("canary\n");
      expect(text).toContain("registry=https://tracked\ntracked=1\n{}\n");
      expect(text).not.toMatch(/^ [MD] /m);
      // Somebody was asked: the settings of the program are there, keys are not.
      expect((await run("write", "cat .env")).text).toBe("canary\n");
      expect((await run("write", "cat deep/.netrc .aws/credentials")).text).not.toContain("canary\n");
    });
  });

  describe("a linked worktree", () => {
    const linked = () => {
      const all = machine();
      const main = join(all.base, "main");
      put(main, { "a.txt": "one\n", ".premath/issues.jsonl": '{"id":"i-1"}\n', "secret.txt": "canary\n" });
      git(main, "init", "-q");
      git(main, "add", "a.txt");
      git(main, "commit", "-qm", "one");
      rmSync(all.work, { recursive: true });
      git(main, "worktree", "add", "-q", "-b", "side", all.work);
      git(main, "worktree", "add", "-q", "-b", "third", join(all.base, "third"));
      return { ...all, main };
    };

    it("brings git's common folder, whose settings and hooks are protected, and the main tree's issues", async () => {
      const { run, main, work, home } = linked();
      put(home, { ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.org\n" });
      expect((await run("read", "git log --oneline | wc -l; git status --short")).text).toBe("1\n");
      expect((await run("read", `cat ${main}/.premath/issues.jsonl; cat ${main}/secret.txt`)).text).toMatch(
        /^{"id":"i-1"}\n.*No such file/,
      );
      const { text } = await run(
        "write",
        `echo two > a.txt; git commit -qam two; git log -1 --format='%an <%ae>'; echo evil >> ${main}/.git/config; echo evil > ${main}/.git/hooks/x; echo evil > ${main}/.git/worktrees/third/commondir; echo /tmp > ${main}/.git/worktrees/work/commondir; echo x >> ${main}/.premath/issues.jsonl; rm .git; mv ${main}/.git ${main}/x`,
      );
      expect(text).toMatch(/^Ada <ada@example\.org>\n/);
      expect(git(work, "log", "-1", "--format=%s").trim()).toBe("two");
      expect(readFileSync(join(main, ".git/config"), "utf8")).not.toContain("evil");
      expect(readFileSync(join(main, ".git/worktrees/third/commondir"), "utf8")).toBe("../..\n");
      expect(readFileSync(join(main, ".git/worktrees/work/commondir"), "utf8")).toBe("../..\n");
      expect(readFileSync(join(main, ".premath/issues.jsonl"), "utf8")).toBe('{"id":"i-1"}\n');
      expect(readdirSync(join(main, ".git/hooks"))).not.toContain("x");
    });

    it("that only claims to be one brings nothing", async () => {
      const { run, main, work, base } = linked();
      rmSync(join(work, ".git"));
      writeFileSync(join(work, ".git"), `gitdir: ${main}/.git/worktrees/third\n`);
      expect((await run("read", `ls ${main}; cat ${base}/third/a.txt`)).text).not.toMatch(
        /^(?:a\.txt|one)$/m,
      );
    });
  });

  describe("what changed", () => {
    it("is found by the time of change and the size, for what git lists and for what the session read", async () => {
      const { run, work } = machine();
      put(work, { ".gitignore": "*.log\n", "keep.txt": "abc\n", "seen.log": "1\n", "unseen.log": "1\n" });
      git(work, "init", "-q");
      git(work, "add", "a.txt");
      await run("write", "true");
      appendFileSync(join(work, "keep.txt"), "by somebody else\n");
      await new Promise((resolve) => setTimeout(resolve, 60));
      const { changed } = await run(
        "write",
        "t=$(stat -c %y a.txt); echo two > a.txt; touch -d \"$t\" a.txt; echo x > seen.log; echo x > unseen.log; mkdir d; echo n > 'd/with space'; echo q > $'d/li\\nne'",
        { seen: ["seen.log"] },
      );
      expect(changed).toEqual(["a.txt", "d/li\nne", "d/with space", "seen.log"]);
      expect((await run("host", "rm d/*; false")).changed).toEqual(["d/li\nne", "d/with space"]);
      expect((await run("write", "cat a.txt")).changed).toEqual([]);
    });
  });

  describe("limits of all that a command starts", () => {
    it("end it when it has too many processes, root or not", async () => {
      const { run } = machine({ limits: { processes: 100 } });
      const end = await run("read", "for i in $(seq 400); do sleep 20 & done; wait", { timeoutMs: 15_000 });
      expect([end.how, end.text.includes("Resource temporarily unavailable")]).toEqual(
        isRoot ? ["processes", false] : [expect.any(String), true],
      );
    });

    it("end it when all of it takes too much memory, and bind each process on its own", async () => {
      const { run } = machine({ limits: { memoryBytes: 256 * 1024 ** 2 } });
      const hold = (megabytes: number) => `perl -e '$x = "x" x (${megabytes} << 20); sleep 20'`;
      const many = await run("read", `${hold(100)} & ${hold(100)} & ${hold(100)} & ${hold(100)} & wait`, {
        timeoutMs: 15_000,
      });
      expect(many.how).toBe("memory");
      expect((await run("read", hold(400))).text).toMatch(/Out of memory/);
    });
  });
}
