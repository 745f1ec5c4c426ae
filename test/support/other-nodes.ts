/**
 * Other versions of Node, from the npm registry, kept under node_modules/.cache.
 *
 * The package `node` fetches its program with an install script, and we run none:
 * what is installed is the package that the script would have fetched. A version
 * that cannot be had is an error, so that no proof passes without it.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../node_modules/.cache/bridle/nodes", import.meta.url));
const versions = ["20.20.2", "22.23.3", "24.21.0"] as const;
/** What a release is tried with: the oldest that `engines` allows, and the newest of each later even number. */
const supported = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"] as const;

export interface NodeProgram {
  readonly version: string;
  /** Absolute. */
  readonly program: string;
}

export const thisNode: NodeProgram = { version: process.versions.node, program: process.execPath };

/** Every major version that we support, this process's own first. */
export function everyNode(): NodeProgram[] {
  const others = versions.filter((version) => majorOf(version) !== majorOf(thisNode.version));
  return [thisNode, ...others.map(nodeOf)];
}

export function supportedNodes(): NodeProgram[] {
  return supported.map(nodeOf);
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? "";
}

/** That version, fetched when it is not here yet. */
export function nodeOf(version: string): NodeProgram {
  const name = packageName();
  const folder = join(cache, `${name}-${version}`);
  const program = join(
    folder,
    "node_modules",
    name,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (versionOf(program) !== version) install({ name, version, folder });
  const found = versionOf(program);
  if (found !== version)
    throw new Error(`${program} should be Node ${version} and says ${found ?? "nothing"}`);
  return { version, program };
}

/** As the package `node` chooses it. */
function packageName(): string {
  const { platform, arch } = process;
  if (platform === "win32") return `node-win-${arch === "ia32" ? "x86" : arch}`;
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

function versionOf(program: string): string | undefined {
  try {
    return execFileSync(program, ["-p", "process.versions.node"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

/** Made beside its place and renamed, so that one who is stopped leaves nothing half there. */
function install({ name, version, folder }: { name: string; version: string; folder: string }): void {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    writeFileSync(join(draft, "package.json"), '{ "private": true }\n');
    const quiet = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", ...quiet, `${name}@${version}`], {
      cwd: draft,
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error).trim();
    throw new Error(
      `Node ${version} is part of this proof and could not be installed (${name} from the npm registry): ${said}`,
      { cause: error },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
