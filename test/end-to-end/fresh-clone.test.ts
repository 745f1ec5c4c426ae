/**
 * A fresh clone works, from a path with spaces, and its commands work from anywhere.
 *
 * The clone is a copy of what git knows or would add, so that a change is tried
 * before it is committed. In `npm test` it borrows the installed packages; in
 * `npm run prove` nothing is installed beforehand and npm fetches them, as root
 * and as a user who owns nothing else.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { full } from "../support/scale.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A person's environment: nothing of ours, nothing of the npm that may have started us. */
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(npm_|BRIDLE_|PREMATH_|VITEST|NODE_OPTIONS$)/i.test(key)),
);

interface Clone {
  /** Has a space in its name. */
  readonly root: string;
  /** A folder of a project that is somewhere else. */
  readonly project: string;
  readonly home: string;
}

function clone(): Clone {
  const parent = newFolder();
  const made = {
    root: path.join(parent, "a fresh clone"),
    project: path.join(parent, "project"),
    home: parent,
  };
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(path.join(root, name)))) {
    const target = path.join(made.root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    cpSync(path.join(root, file), target);
  }
  mkdirSync(made.project);
  return made;
}

describe("a clone that borrows the installed packages", () => {
  const run = (copy: Clone, command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: copy.project, env: plainEnv, encoding: "utf8" });

  it("builds, and its commands run from another folder and through a link", () => {
    const copy = clone();
    symlinkSync(path.join(root, "node_modules"), path.join(copy.root, "node_modules"));
    const built = run(copy, process.execPath, path.join(copy.root, "scripts/run.mjs"), "build");
    expect({ status: built.status, stderr: built.stderr }).toEqual({ status: 0, stderr: "" });

    const written = run(
      copy,
      path.join(copy.root, "bin/premath"),
      "harness-session",
      "write",
      "--issue-id",
      "bd-1",
    );
    expect([written.status, written.stderr]).toEqual([0, ""]);

    const link = path.join(copy.home, "linked");
    symlinkSync(path.join(copy.root, "bin/bridle"), link);
    const read = run(copy, link, "harness-session", "read", "--json");
    expect([read.status, read.stderr]).toEqual([0, ""]);
    expect((JSON.parse(read.stdout) as { session: { issueId: string } }).session.issueId).toBe("bd-1");
  });

  it("names what is missing when it was not built", () => {
    const copy = clone();
    const { status, stderr } = run(copy, path.join(copy.root, "bin/premath"), "--version");
    expect(status).toBe(1);
    expect(stderr).toContain("npm run build");
  });
});

// --- With nothing installed ------------------------------------------------------------------------

interface Person {
  readonly uid: number;
  readonly gid: number;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly seconds: number;
}

const nobody: Person = { uid: 65534, gid: 65534 };

/** `npm run <args>` in the clone, as that person, who has a home of their own and no npm settings. */
function npm(copy: Clone, person: Person | undefined, ...args: string[]): Promise<Ended> {
  const started = performance.now();
  const env = {
    ...plainEnv,
    HOME: copy.home,
    npm_config_registry: registry(),
    npm_config_prefer_offline: "true",
  };
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", ...args], {
      cwd: copy.root,
      env,
      ...person,
      stdio: "pipe",
    });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output, seconds: (performance.now() - started) / 1000 }));
  });
}

function registry(): string {
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" });
  return stdout.trim();
}

function give(folder: string, { uid, gid }: Person): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    chownSync(path.join(folder, name), uid, gid);
  }
  chownSync(folder, uid, gid);
}

async function livesFromNothing(person: Person | undefined, who: string): Promise<void> {
  const copy = clone();
  if (person !== undefined) give(copy.home, person);

  // Two at once: one installs, the other waits for it, and both do their work.
  const [one, other] = await Promise.all([npm(copy, person, "doctrine"), npm(copy, person, "build")]);
  expect([one.status, other.status], one.output + other.output).toEqual([0, 0]);
  expect(`${one.output}${other.output}`.match(/installing \(once\)/g)).toHaveLength(1);

  const again = await npm(copy, person, "doctrine");
  expect(again.output).not.toContain("installing");

  const start = await npm(copy, person, "start");
  expect(start.status, start.output).toBe(0);
  expect(start.output).toContain("11 closed with witnesses and merged");

  // What is installed is asked for again when what should be installed changes.
  rmSync(path.join(copy.root, "node_modules/.package-lock.json"));
  rmSync(path.join(copy.root, "node_modules/.bridle-installed.json"));
  const repaired = await npm(copy, person, "doctrine");
  expect(repaired.output).toContain("installing (once)");

  const stamp = JSON.parse(
    readFileSync(path.join(copy.root, "node_modules/.bridle-installed.json"), "utf8"),
  ) as object;
  expect(stamp).toHaveProperty("digest");
  const installed = Math.max(one.seconds, other.seconds).toFixed(0);
  console.log(
    `proof: as ${who}: installed once for two scripts in ${installed} s, npm start in ${start.seconds.toFixed(1)} s`,
  );
}

const isRoot = process.getuid?.() === 0;

if (full) {
  describe("a clone with nothing installed", () => {
    it(
      "installs once, builds and starts",
      () => livesFromNothing(undefined, isRoot ? "root" : "this user"),
      300_000,
    );
  });
}
if (full && isRoot) {
  describe("a clone of a user who owns nothing else", () => {
    it("installs once, builds and starts", () => livesFromNothing(nobody, "an ordinary user"), 300_000);
  });
}
