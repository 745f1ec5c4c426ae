/** A real git repository with issue memory in it, for tests of what git does to issues. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { newFolder } from "./folder.js";
import { git, newRepository } from "./git.js";

export const memoryFile = ".premath/issues.jsonl";

export const issueRow = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: id,
  status: "open",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  ...more,
});

export class IssueRepository {
  readonly folder: string;

  constructor(parent = newFolder()) {
    this.folder = join(parent, "project");
    mkdirSync(this.folder);
    newRepository(this.folder);
  }

  git(...words: string[]): string {
    return git(this.folder, ...words);
  }

  /** What git said, and whether it went through. */
  tried(...words: string[]): { readonly ok: boolean; readonly said: string } {
    try {
      return { ok: true, said: git(this.folder, ...words) };
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return { ok: false, said: stdout + stderr };
    }
  }

  get path(): string {
    return join(this.folder, memoryFile);
  }

  get text(): string {
    return readFileSync(this.path, "utf8");
  }

  write(...rows: (JsonObject | string)[]): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const lines = rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`);
    writeFileSync(this.path, lines.join(""));
  }

  append(...rows: JsonObject[]): void {
    writeFileSync(this.path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""), { flag: "a" });
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", `--message=${message}`);
  }

  branch(name: string): void {
    this.git("checkout", "--quiet", "-b", name);
  }

  checkout(name: string): void {
    this.git("checkout", "--quiet", name);
  }
}
