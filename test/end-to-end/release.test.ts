/**
 * `npm run release` in a repository of its own: it tags what was tried, and nothing else.
 *
 * The repository has the script and what it looks at; `--proved` and `--package` leave out what takes long, as they
 * do where CI has proved the commit. npm really installs the tarball, from a registry on loopback.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect } from "vitest";
import { madeOnce, repository } from "../support/built.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { packageScript } from "../support/installed.js";
import { startRegistry } from "../support/registry.js";

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
let tarball = "";
let folder = "";

beforeAll(async () => {
  const { makePackage } = await packageScript();
  await madeOnce("the package to release", async (out) => {
    tarball = (await makePackage({ out, types: false })).file;
  });
});

beforeEach(() => {
  folder = join(newFolder(), "a checkout");
  const rooms = readdirSync(join(repository, "packages")).map((room) => `packages/${room}/package.json`);
  for (const name of ["scripts", "package.json", "CHANGELOG.md", ...rooms]) copy(name);
  copy(`test/golden/release-${version.replace(/\.\d+$/, ".0")}/README.md`);
  const changes = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
  put("CHANGELOG.md", changes.replace(/(?<=^## \[Unreleased\]\n)[^]*?(?=^## )/m, "\n"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  commit();
});

function copy(name: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  cpSync(join(repository, name), join(folder, name), { recursive: true });
}

function put(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function commit(): void {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=a release");
}

async function release(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(folder, "scripts/release.mjs"), ...words], {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, said };
}

const tags = () => git(folder, "tag", "--list").trim();

/** Where npm finds what the package depends on, and puts what it fetched; and who tags. */
async function npmHere(): Promise<Record<string, string>> {
  const home = newFolder();
  return {
    npm_config_registry: await startRegistry(["typebox", "minisearch"]),
    npm_config_cache: join(home, "npm"),
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
}

describe("a release", () => {
  it("installs the tarball, types its commands, and tags the commit with the tarball's digest", async () => {
    const env = await npmHere();
    const tried = await release(["--proved", "--package", tarball, "--dry-run"], env);
    expect(tried).toMatchObject({ code: 0, said: expect.stringContaining(`v${version} could be tagged`) });
    expect(tags()).toBe("");
    const { code, said } = await release(["--proved", "--package", tarball], env);
    expect([code, said]).toEqual([0, expect.stringContaining("install and try is in order")]);
    expect(tags()).toBe(`v${version}`);
    expect(git(folder, "rev-parse", `v${version}^{commit}`)).toBe(git(folder, "rev-parse", "HEAD"));
    const digest = createHash("sha256").update(readFileSync(tarball)).digest("hex");
    expect(git(folder, "tag", "-n9", "--list")).toMatch(
      new RegExp(`Bridle ${version}\\s+Proved elsewhere\\.\\s+${basename(tarball)} sha256:${digest}`),
    );
    const again = await release(["--proved", "--package", tarball], env);
    expect(again).toEqual({ code: 1, said: expect.stringContaining(`v${version} is tagged already`) });
  });

  it("of a tarball that does not work, is of another version, or is not there, tags nothing", async () => {
    const env = await npmHere();
    const broken = repacked((unpacked) => writeFileSync(join(unpacked, "dist/cli/entry.js"), "throw 1;\n"));
    const older = repacked((unpacked) => {
      const file = join(unpacked, "bin/bridle");
      writeFileSync(file, '#!/usr/bin/env node\nconsole.log("bridle 0.0.1");\n');
    });
    for (const [file, why] of [
      [broken, "`bridle --version` ended with 1"],
      [older, `\`bridle --version\` does not say "bridle ${version}`],
      ["gone.tgz", "gone.tgz is not there"],
    ] as const) {
      const { code, said } = await release(["--proved", "--package", file], env);
      expect([code, said]).toEqual([1, expect.stringContaining(why)]);
      expect(said).toMatch(/nothing was tagged/i);
    }
    expect(tags()).toBe("");
  });

  it("that cannot be in order is refused before anything is tried, with everything that is missing", async () => {
    put("new.txt", "not committed\n");
    const changes = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
    put("CHANGELOG.md", changes.replace("## [Unreleased]\n", "## [Unreleased]\n\n- Something new.\n"));
    await refused("there are changes that are not committed", 'lines under "Unreleased"');
    rmSync(join(folder, "new.txt"));
    put("CHANGELOG.md", changes.replace(`## [${version}]`, "## [0.0.7]"));
    put("package.json", readFileSync(join(folder, "package.json"), "utf8").replace(version, "7.0.0"));
    commit();
    await refused(
      'no section "## [7.0.0] - <date>"',
      "test/golden has no files of 7.0.0",
      "packages/record/package.json has another version",
    );

    async function refused(...why: readonly string[]): Promise<void> {
      const { code, said } = await release(["--proved", "--package", tarball]);
      expect(code).toBe(1);
      for (const each of why) expect(said).toContain(each);
      expect(said).not.toContain("install and try");
      expect(tags()).toBe("");
    }
  });
});

/** The package with something changed in it. */
function repacked(change: (unpacked: string) => void): string {
  const place = newFolder();
  execFileSync("tar", ["xzf", tarball, "-C", place]);
  change(join(place, "package"));
  const file = join(place, basename(tarball));
  execFileSync("tar", ["czf", file, "-C", place, "package"]);
  return file;
}
