/**
 * The repository's merge driver for issue memory: a line in `.gitattributes`,
 * which is committed, and two settings in `.git/config`, which are each clone's
 * own. Without the settings git merges the file line by line, as before.
 */
import { isAbsolute, join, relative, sep } from "node:path";
import { type Ports, putFile, refuse, type Refusal } from "@bridle/record";
import { askGit, runGit } from "./git.js";

const driver = "bridle-issues";
const settings = {
  name: `merge.${driver}.name`,
  command: `merge.${driver}.driver`,
} as const;

export interface DriverPlace {
  /** The issue memory, absolute. */
  readonly issues: string;
  /** A folder in the repository. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: Ports;
}

export interface DriverChange {
  readonly changed: boolean;
  /** Absolute. */
  readonly attributesPath: string;
  readonly command: string;
}

/** `program` is the launcher, absolute. */
export async function installDriver(place: DriverPlace, program: string): Promise<DriverChange | Refusal> {
  const { folder, env, ports } = place;
  const found = await repositoryOf(place);
  if ("refused" in found) return found;
  const { attributesPath, line } = found;
  const command = `${shellQuoted(program)} issue merge %O %A %B --name %P`;
  const wanted = [
    [settings.name, "Bridle's merge of issue memory"],
    [settings.command, command],
  ] as const;
  let changed = false;
  for (const [key, value] of wanted) {
    const { stdout } = await askGit(folder, ["config", "--local", "--get", key], env);
    if (stdout === `${value}\n`) continue;
    await runGit(folder, ["config", "--local", "--replace-all", key, value], env);
    changed = true;
  }
  const before = await textAt(attributesPath, ports);
  if (!before.split(/\r?\n/).some((other) => sameLine(other, line))) {
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    await putFile(attributesPath, Buffer.from(`${start}${line}\n`), ports);
    changed = true;
  }
  return { changed, attributesPath, command };
}

export async function uninstallDriver(place: DriverPlace): Promise<DriverChange | Refusal> {
  const { folder, env, ports } = place;
  const found = await repositoryOf(place);
  if ("refused" in found) return found;
  const { attributesPath, line } = found;
  const { code, stdout } = await askGit(folder, ["config", "--local", "--get", settings.command], env);
  const removed = await askGit(folder, ["config", "--local", "--remove-section", `merge.${driver}`], env);
  const before = await textAt(attributesPath, ports);
  const lines = before.split("\n");
  const kept = lines.filter((other) => !sameLine(other, line));
  if (kept.length < lines.length) {
    const text = kept.join("\n");
    if (text === "") await ports.files.remove(attributesPath);
    else await putFile(attributesPath, Buffer.from(text), ports);
  }
  return {
    changed: removed.code === 0 || kept.length < lines.length,
    attributesPath,
    command: code === 0 ? stdout.trim() : "",
  };
}

async function repositoryOf({ issues, folder, env, ports }: DriverPlace) {
  const asked = await askGit(folder, ["rev-parse", "--show-toplevel"], env);
  if (asked.code !== 0) return noRepository(folder);
  const top = await ports.files.realPath(asked.stdout.replace(/\n$/, ""));
  const path = relative(top, issues).split(sep).join("/");
  if (path.startsWith("../") || isAbsolute(path)) return outside(issues, top);
  const line = `${attributePattern(path)} merge=${driver}`;
  return { attributesPath: join(top, ".gitattributes"), line };
}

function sameLine(left: string, right: string): boolean {
  return left.trim().replace(/\s+/g, " ") === right.replace(/\s+/g, " ");
}

/** From the top of the repository; glob characters are meant as they stand, and blanks need quotes. */
function attributePattern(path: string): string {
  const plain = path.replace(/[*?[\\]/g, "\\$&");
  return /[\s"\\]/.test(plain) ? JSON.stringify(plain) : plain;
}

async function textAt(path: string, { files }: Ports): Promise<string> {
  const stat = await files.stat(path);
  if (stat === undefined) return "";
  const file = await files.open(path, "read");
  try {
    return Buffer.from(await file.read(0, stat.size)).toString("utf8");
  } finally {
    await file.close();
  }
}

/** As a POSIX shell reads it, which is what git runs a driver with. */
export function shellQuoted(text: string): string {
  // A percent sign would be a placeholder to git.
  return `'${text.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;
}

function noRepository(folder: string): Refusal {
  return refuse("git_unavailable", {
    message: `${folder} is not in a git repository`,
    hint: "Go to the repository whose issues are to be merged, or make one with `git init`.",
  });
}

function outside(issues: string, top: string): Refusal {
  return refuse("git_unavailable", {
    message: `${issues} is not in the repository ${top}`,
    hint: "Name the issue memory of this repository with --issues.",
  });
}
