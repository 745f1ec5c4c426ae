/**
 * A copy of the working tree in a folder of its own, in which code can be broken and tests run.
 *
 * The dependencies are linked, but the rooms are the copy's own: nothing in it reaches back to the
 * tree that it was made from.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyChange, type Change } from "./broken-copy.js";

export const treeRoot = fileURLToPath(new URL("../..", import.meta.url));

/** Written by the build whenever the code that it reflects has changed. */
const generated = ["packages/surface/src/manifest/manifest.generated.json"];

export interface TestRun {
  /** Full names, the groups' included. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Why a file of tests did not run, or what vitest said when it left no report. */
  readonly trouble: readonly string[];
}

export class TreeCopy {
  private constructor(readonly root: string) {}

  static make(): TreeCopy {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "bridle-tree-")));
    const copy = new TreeCopy(root);
    try {
      copy.fill();
      return copy;
    } catch (error) {
      copy.remove();
      throw error;
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private fill(): void {
    const listing = ["-C", treeRoot, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const files = execFileSync("git", listing, { encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
    // Somebody may have removed one since it was added.
    const there = files.filter((file) => file !== "" && existsSync(join(treeRoot, file)));
    for (const folder of new Set(there.map((file) => dirname(file)))) {
      mkdirSync(join(this.root, folder), { recursive: true });
    }
    for (const file of there) {
      copyFileSync(join(treeRoot, file), join(this.root, file));
    }
    this.linkModules();
  }

  private linkModules(): void {
    const modules = join(this.root, "node_modules");
    mkdirSync(join(modules, "@bridle"), { recursive: true });
    for (const entry of readdirSync(join(treeRoot, "node_modules"), { withFileTypes: true })) {
      const { name } = entry;
      const [from, to] = [join(treeRoot, "node_modules", name), join(modules, name)];
      // Notes of what is installed are copied and caches are left out: a copy must not write to the tree's own.
      if (entry.isFile()) copyFileSync(from, to);
      else if (name === ".bin" || !/^(\.|@bridle$)/.test(name)) symlinkSync(from, to);
    }
    for (const room of readdirSync(join(this.root, "packages"))) {
      symlinkSync(join(this.root, "packages", room), join(modules, "@bridle", room));
    }
  }

  /** The copy with the changes in it while `act` runs, and as it was afterwards. */
  async changed<Result>(changes: readonly Change[], act: () => Promise<Result>): Promise<Result> {
    const touched = new Set([...changes.map(({ file }) => file), ...generated]);
    const before = new Map([...touched].map((file) => [file, this.read(file)]));
    try {
      for (const change of changes) {
        writeFileSync(join(this.root, change.file), applyChange(this.read(change.file), change));
      }
      return await act();
    } finally {
      for (const [file, content] of before) writeFileSync(join(this.root, file), content);
    }
  }

  private read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** Runs the tests of these files whose full name matches. */
  async test(options: {
    readonly files: readonly string[];
    readonly pattern: string;
    readonly withinMs: number;
  }): Promise<TestRun> {
    const report = join(this.root, "node_modules", ".report.json");
    rmSync(report, { force: true });
    const vitest = join(this.root, "node_modules/vitest/vitest.mjs");
    const output = ["--reporter=json", `--outputFile=${report}`, "--no-file-parallelism"];
    const words = [vitest, "run", ...options.files, "-t", options.pattern, ...output];
    const said = await this.run(words, options.withinMs);
    if (!existsSync(report)) return { passed: [], failed: [], trouble: [said] };
    return readReport(JSON.parse(readFileSync(report, "utf8")) as Report);
  }

  /** What it printed. It stays in our process group, so that whoever ends us ends it too. */
  private run(words: readonly string[], withinMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, {
        cwd: this.root,
        env: ownEnvironment(),
        stdio: ["ignore", "pipe", "pipe"],
        timeout: withinMs,
        killSignal: "SIGKILL",
      });
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(`${said.trim()}\nended with ${signal ?? code}`));
    });
  }
}

/** Without what the tests that we are part of were told; tests that are long are among those that run, proofs are small. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const told = /^(VITEST|BRIDLE_(PROVE|PROVE_PART|SEED|MUTANTS|TEST_REPORTS)$)/;
  const others = Object.entries(process.env).filter(([key]) => !told.test(key));
  return { ...Object.fromEntries(others), BRIDLE_PROVE: "1", BRIDLE_PROVE_PART: "0" };
}

/** As much of vitest's JSON report as is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function readReport({ testResults }: Report): TestRun {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (wanted: string) =>
    tests.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return {
    passed: named("passed"),
    failed: named("failed"),
    trouble: broken.map(({ name, message }) => `${name}: ${message}`),
  };
}
