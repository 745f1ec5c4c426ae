/**
 * The workspace itself: what is pinned, what is not committed, how the scripts behave.
 *
 * Files are those that git knows or would add, so that a machine's own leftovers
 * do not matter and a file that is about to be committed does.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { newFolder } from "../support/folder.js";

interface PackageJson {
  readonly name: string;
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly engines?: Record<string, string>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const committed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));
const manifests = committed
  .filter((file) => /^(packages\/[^/]+\/)?package\.json$/.test(file))
  .map((file) => [file, JSON.parse(text(file)) as PackageJson] as const);

describe("what is installed", () => {
  it.each(manifests)("%s pins every dependency to one version", (_, manifest) => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(ranges.filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))).toEqual([]);
  });

  it.each(manifests)("%s does nothing on its own when it is installed", (file, { scripts = {} }) => {
    const lifecycle = /^(pre|post)?(install|prepare|publish|pack|prepublishOnly)$/;
    // npm runs it in a clone that it made for a git URL; a checkout turns it off, and the tarball has no scripts.
    const forGit = file === "package.json" ? ["prepare"] : [];
    expect(Object.keys(scripts).filter((name) => lifecycle.test(name))).toEqual(forGit);
    expect(text(".npmrc")).toContain("ignore-scripts=true");
  });

  it("the lockfile names no download address", () => {
    const lock = text("package-lock.json");
    expect(lock.match(/"resolved": "(?!packages\/)[^"]*"/g)).toBeNull();
    expect(lock.match(/\b(?:https?|git\+\w+|ssh):\/\/[^"]*\.tgz/g)).toBeNull();
    expect(text(".npmrc").split("\n")).toContain("omit-lockfile-registry-resolved=true");
  });

  it("the lockfile is complete, so that npm ci accepts it wherever it was written", () => {
    const script = path.join(root, "scripts/lockfile.mjs");
    const { stdout } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect(stdout).toMatch(/^\d+ packages, complete\n$/);
  });

  it("needs the Node that .nvmrc names", () => {
    const [, root = { name: "" }] = manifests.find(([file]) => file === "package.json") ?? [];
    expect(text(".nvmrc").trim()).toMatch(new RegExp(`^${root.engines?.["node"]?.replace(">=", "")}\\.`));
  });
});

describe("what is committed", () => {
  it("names no place on somebody's machine", () => {
    // Put together here, so that this file does not find itself. The people of our examples live nowhere.
    const invented = "(?!(?:ada|nobody|wei|dkim)\\b)";
    const places = new RegExp(
      `(?<![\\w.])/(?:${["work/(?:main|shared)", "root/(?!\\.ssh/)", `home/${invented}\\w`, "Users/\\w"].join("|")})`,
    );
    const found = committed.filter((file) => places.test(text(file)));
    expect(found).toEqual([]);
  });

  it("is plain text with the line ends of .editorconfig", () => {
    const found = committed.filter((file) => text(file).includes("\r\n") || text(file).includes("\0"));
    expect(found).toEqual([]);
  });
});

describe("the scripts", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(root, "scripts/run.mjs"), ...args], {
      encoding: "utf8",
      timeout: 60_000,
    });

  it("every npm script goes through the one that installs what is missing", () => {
    const [, { scripts = {} } = { scripts: {} }] = manifests.find(([file]) => file === "package.json") ?? [];
    const { prepare, ...others } = scripts;
    // npm has installed what it needs, or refused to.
    expect(prepare).toBe("node scripts/package.mjs --prepare");
    for (const [name, line] of Object.entries(others)) expect(line).toBe(`node scripts/run.mjs ${name}`);
    expect(Object.keys(scripts).length).toBeGreaterThan(0);
  });

  it("a task that does not exist is answered with those that do", () => {
    const { status, stderr } = run("tset");
    expect(status).toBe(2);
    expect(stderr).toContain("there is no task tset");
    expect(stderr).toContain("npm run test ");
  });

  it("a task ends with the exit code of what it ran", () => {
    expect(run("check", "no-such-check").status).toBe(2);
    expect(run("clauses", "--no-such-flag").status).toBe(2);
    expect(run("doctrine").status).toBe(0);
  });

  it("a signal that ends a task ends what it ran", async () => {
    const task = spawn(process.execPath, ["scripts/run.mjs", "check", "types"], {
      cwd: root,
      stdio: "ignore",
    });
    const ended = once(task, "exit") as Promise<[number | null, string | null]>;
    const [child = 0] = await vi.waitFor(() => {
      const children = childrenOf(task.pid ?? 0);
      expect(children).not.toEqual([]);
      return children;
    });
    task.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow("ESRCH"), 10_000);
  });

  it("a skipped test, a file that cannot be loaded and a part that broke all count as failed", () => {
    const folder = newFolder();
    const file = (status: string, ...results: string[]) => ({
      status,
      name: "a.test.ts",
      message: "",
      assertionResults: results.map((result) => ({ status: result, fullName: result, failureMessages: [] })),
    });
    const report = (name: string, testResults: ReturnType<typeof file>[]) => {
      const results = testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ status }) => status),
      );
      const count = (wanted: string) => results.filter((status) => status === wanted).length;
      const text = JSON.stringify({
        numPassedTests: count("passed"),
        numFailedTests: count("failed"),
        numPendingTests: count("skipped"),
        numTodoTests: count("todo"),
        testResults,
      });
      writeFileSync(path.join(folder, name), text);
    };
    const sum = (...parts: string[]) =>
      spawnSync(process.execPath, [path.join(root, "scripts/reports.mjs"), folder, ...parts], {
        encoding: "utf8",
      });

    report("test.json", [file("passed", "passed", "passed")]);
    expect([sum().stdout, sum().status]).toEqual(["2 passed, 0 failed\n", 0]);
    expect([sum("check").stdout, sum("check").status]).toEqual(["check failed\n2 passed, 1 failed\n", 1]);
    report("proofs-000.json", [file("failed", "failed", "passed"), file("failed")]);
    expect(sum("proofs").stdout).toBe("3 passed, 2 failed\n");
    report("proofs-000.json", [file("passed", "skipped")]);
    expect([sum().stdout.split("\n").at(-2), sum().status]).toEqual(["2 passed, 1 failed", 1]);
  });

  it("making sure costs nothing when everything is there", () => {
    const timed = `const { ensure } = await import("./scripts/ensure.mjs");
      const started = performance.now();
      await ensure();
      console.log(performance.now() - started);`;
    const times = Array.from({ length: 5 }, () =>
      Number(
        execFileSync(process.execPath, ["--input-type=module", "-e", timed], { cwd: root, encoding: "utf8" }),
      ),
    );
    console.log(`ensure: ${Math.min(...times).toFixed(1)} ms when nothing is missing`);
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

it("typebox is imported as a namespace: its object as a value keeps all of it, parser included, in every command", () => {
  const taken = committed
    .filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file) && existsSync(path.join(root, file)))
    .filter((file) => /import (?:Type|\{[^}]*(?<!type )\bType\b[^}]*\}) from "typebox"/.test(text(file)));
  expect(taken).toEqual([]);
});
