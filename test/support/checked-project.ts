/** A git project with issue memory and a map of required checks, for tests that finish issues. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeGit } from "@bridle/host";
import type { Git, JsonObject } from "@bridle/record";
import { inject } from "vitest";
import { sealedDigest } from "../../packages/work/src/seal.js";
import { newFolder } from "./folder.js";
import { git, newRepository } from "./git.js";

export interface ProjectOptions {
  readonly checks?: readonly JsonObject[];
  readonly map?: JsonObject;
  /** Without a map. */
  readonly unchecked?: boolean;
}

/** Whether commands can be held on this machine, as the tests of the wall ask it. */
export function hasWall(): boolean {
  try {
    execFileSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Projects that were made here before, each to be copied. */
const made = new Map<string, string>();

export class CheckedProject {
  readonly home = newFolder();
  readonly folder = join(this.home, "project");
  readonly issues = join(this.folder, ".premath/issues.jsonl");

  constructor(options: ProjectOptions = {}) {
    const key = JSON.stringify(options);
    const known = made.get(key);
    if (known !== undefined) {
      cpSync(known, this.folder, { recursive: true });
      return;
    }
    this.make(options);
    const copy = join(inject("runFolder"), `checked project ${process.pid}.${made.size}`);
    cpSync(this.folder, copy, { recursive: true });
    made.set(key, copy);
  }

  private make({ checks, map = {}, unchecked = false }: ProjectOptions): void {
    mkdirSync(this.folder);
    newRepository(this.folder);
    this.put("test/sum.test.sh", "grep -q good src/sum.sh\n");
    this.put("src/sum.sh", "# good\n");
    this.put(".premath/.gitignore", "*\n");
    this.put(
      ".premath/issues.jsonl",
      '{"id":"bd-1","title":"Sum two numbers"}\n{"id":"bd-2","title":"Another"}\n',
    );
    if (!unchecked) this.putMap({ ...(checks === undefined ? {} : { checks: [...checks] }), ...map });
    this.commit("a project");
  }

  /** What the commands of this project see. */
  get env(): Record<string, string> {
    return { HOME: this.home };
  }

  /** As the commands have it. */
  get gitPort(): Git {
    return nodeGit({ PATH: process.env["PATH"], ...this.env });
  }

  get state(): string {
    return join(this.home, ".local/state/bridle/checks");
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  putMap(more: JsonObject = {}): void {
    const map: JsonObject = {
      schema: 1,
      policyKind: "premath.required_checks.v1",
      policyId: "policy.test.v1",
      checks: [{ id: "test", command: "bash test/sum.test.sh" }],
      rules: [],
      fallback: { checks: ["test"], reason: "every_change" },
      tests: ["test/**"],
      protected: ["policies/**", ".ci/**", "package.json#scripts"],
      ...more,
    };
    const fallback = {
      checks: (map["checks"] as { id: string }[]).map(({ id }) => id),
      reason: "every_change",
    };
    const whole = { ...map, fallback: more["fallback"] ?? fallback };
    const sealed = { ...whole, policyDigest: sealedDigest(whole) };
    this.put("policies/control/required-checks-v1.json", `${JSON.stringify(sealed, null, 2)}\n`);
  }

  commit(message: string): string {
    git(this.folder, "add", "--all");
    git(this.folder, "commit", "--quiet", "--allow-empty", `--message=${message}`);
    return this.head();
  }

  head(): string {
    return git(this.folder, "rev-parse", "HEAD").trim();
  }

  row(id: string): JsonObject {
    // Whole lines only: a worker may be writing the last one.
    const lines = this.read(".premath/issues.jsonl").split("\n").slice(0, -1);
    const rows = lines.map((line) => JSON.parse(line) as JsonObject);
    return rows.findLast((row) => row["id"] === id) ?? {};
  }
}
