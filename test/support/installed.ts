/**
 * The package as a user has it: packed, and unpacked into the node_modules of a
 * folder that knows nothing of this checkout. What it depends on is linked from
 * here instead of fetched, so that no test of `npm test` asks the registry.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./built.js";
import { newFolder } from "./folder.js";

export interface Packed {
  readonly file: string;
  /** Bytes. */
  readonly packed: number;
  readonly unpacked: number;
  readonly files: readonly string[];
}

interface PackageScript {
  readonly packageLimits: { readonly packedMax: number; readonly unpackedMax: number };
  makePackage(options: { readonly out: string; readonly types: boolean }): Promise<Packed>;
}

export function packageScript(): Promise<PackageScript> {
  return import(pathToFileURL(join(repository, "scripts/package.mjs")).href) as Promise<PackageScript>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

/** A person's folder and home; there is nothing of this checkout in their environment. */
export class CleanPlace {
  /** Has a space in its name. */
  readonly folder: string;
  readonly home: string;

  constructor(parent = newFolder()) {
    this.folder = join(parent, "my project");
    this.home = join(parent, "home of ada");
    mkdirSync(this.folder);
    mkdirSync(this.home);
  }

  get env(): Record<string, string> {
    return {
      PATH: [
        join(this.folder, "node_modules/.bin"),
        dirname(process.execPath),
        "/usr/local/bin:/usr/bin:/bin",
      ].join(":"),
      HOME: this.home,
      NO_COLOR: "1",
    };
  }

  /** As npm would leave it, without npm. */
  unpack({ file }: Packed): void {
    const modules = join(this.folder, "node_modules");
    mkdirSync(modules);
    execFileSync("tar", ["xzf", file, "-C", modules]);
    renameSync(join(modules, "package"), join(modules, "bridle"));
    for (const name of ["typebox", "minisearch"])
      symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }

  bin(name: "bridle" | "premath" | "hlq"): string {
    return join(this.folder, "node_modules/bridle/bin", name);
  }

  /** Copied here, as a reader of ours would. */
  copy(example: string): string {
    const target = join(this.folder, example);
    cpSync(join(repository, "examples", example), target, { recursive: true });
    return target;
  }

  run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: options.cwd ?? this.folder,
        env: { ...this.env, ...options.env },
        ...(options.user === undefined ? {} : options.user),
        stdio: ["ignore", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) =>
        resolve({ code, stdout, stderr, seconds: (performance.now() - started) / 1000 }),
      );
    });
  }

  node(...args: readonly string[]): Promise<Ended> {
    return this.run(process.execPath, args);
  }
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
}
