/**
 * The repository's merge driver for issue memory: a line in `.gitattributes`,
 * which is committed, and two settings in `.git/config`, which are each clone's
 * own. Without the settings git merges the file line by line, as before.
 *
 * What git runs tries the program where it was when the driver was installed,
 * and where that is gone or cannot start, the `premath` on the PATH.
 */
import { join } from "node:path";
import { Failure, type Git, type Ports, putFile, refuse, type Refusal } from "@bridle/record";
import { inRepository, type InRepository } from "./repository.js";
import { gitSays } from "./unmerged.js";

const driver = "bridle-issues";
const settings = {
  name: `merge.${driver}.name`,
  command: `merge.${driver}.driver`,
} as const;

export interface DriverChange {
  readonly changed: boolean;
  /** Absolute. */
  readonly attributesPath: string;
  readonly command: string;
}

/**
 * - `missing`: git would merge the file by lines, because `.gitattributes` or the settings do not name the driver.
 * - `stale`: the settings name a program that is not there, or run it in an older way.
 */
export type DriverState = "missing" | "stale" | "sound";

/** `program` is the launcher, absolute; `issues` the real path of the memory. */
export async function installDriver(
  issues: string,
  program: string,
  ports: Ports,
): Promise<DriverChange | Refusal> {
  const found = await repositoryOf(issues, ports);
  if ("refused" in found) return found;
  const { git, attributesPath, line, top } = found;
  const { settings: wanted } = driverParts(program, found.inside);
  const command = driverCommand(program);
  let changed = false;
  for (const [key, value] of wanted) {
    if ((await setting(git, top, key, "--local")) === value) continue;
    await tell(git, top, ["config", "--local", "--replace-all", key, value]);
    changed = true;
  }
  const before = await textAt(attributesPath, ports);
  if (!hasLine(before, line)) {
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    await putFile(attributesPath, Buffer.from(`${start}${line}\n`), ports);
    changed = true;
  }
  return { changed, attributesPath, command };
}

/** What an installed driver consists of: settings of the clone, and the line of `.gitattributes` for a path from the top. */
export function driverParts(program: string, inside: string) {
  return {
    settings: [
      [settings.name, "Bridle's merge of issue memory"],
      [settings.command, driverCommand(program)],
    ] as const,
    line: attributeLine(inside),
  };
}

export async function uninstallDriver(issues: string, ports: Ports): Promise<DriverChange | Refusal> {
  const found = await repositoryOf(issues, ports);
  if ("refused" in found) return found;
  const { git, attributesPath, line, top } = found;
  const command = (await setting(git, top, settings.command, "--local")) ?? "";
  const removed = await git.run(top, ["config", "--local", "--remove-section", `merge.${driver}`]);
  const before = await textAt(attributesPath, ports);
  const lines = before.split("\n");
  const kept = lines.filter((other) => !sameLine(other, line));
  if (kept.length < lines.length) {
    const text = kept.join("\n");
    if (text === "") await ports.files.remove(attributesPath);
    else await putFile(attributesPath, Buffer.from(text), ports);
  }
  return { changed: removed.code === 0 || kept.length < lines.length, attributesPath, command };
}

/** Undefined where there is no repository, or nobody to ask. */
export async function driverState(issues: string, ports: Ports): Promise<DriverState | undefined> {
  const { git } = ports;
  const found = git && (await inRepository(issues, ports.files));
  if (git === undefined || found === undefined) return undefined;
  const command = await setting(git, found.top, settings.command);
  if (command === undefined || !(await isNamed(found, ports))) return "missing";
  const program = /^'((?:[^']|'\\'')*)'/.exec(command)?.[1]?.replaceAll("'\\''", "'").replaceAll("%%", "%");
  if (program === undefined || command !== driverCommand(program)) return "stale";
  return (await ports.files.stat(program))?.kind === "file" ? "sound" : "stale";
}

/** Whether `.gitattributes` asks for the driver and this clone has no settings for it; git is asked only then. */
export async function lacksSettings(issues: string, ports: Ports): Promise<boolean> {
  const { git } = ports;
  const found = git && (await inRepository(issues, ports.files));
  if (git === undefined || found === undefined || !(await isNamed(found, ports))) return false;
  const config = await textAt(join(found.commonDir, "config"), ports);
  if (config.includes(`[merge "${driver}"]`)) return false;
  try {
    return (await setting(git, found.top, settings.command)) === undefined;
  } catch (error) {
    // Where git does not run, it does not merge either.
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** In the `.gitattributes` of the top, which is where it is put. */
async function isNamed({ top, inside }: InRepository, ports: Ports): Promise<boolean> {
  return hasLine(await textAt(join(top, ".gitattributes"), ports), attributeLine(inside));
}

/** As a POSIX shell runs it. 126 and 127 are a program that cannot be started, or whose interpreter cannot. */
function driverCommand(program: string): string {
  const merge = "issue merge %O %A %B --name %P";
  return (
    `${shellQuoted(program)} ${merge}; ended=$?; ` +
    `case $ended in 126|127) premath ${merge};; *) exit $ended;; esac`
  );
}

async function repositoryOf(issues: string, ports: Ports) {
  const { git, files } = ports;
  if (git === undefined) throw new Failure("git_unavailable", { message: "git cannot be run here" });
  // Git is asked too, so that its absence and its own doubts about the repository are told now.
  const found = await inRepository(issues, files);
  const asked = await git.run(found?.top ?? "/", ["rev-parse", "--show-toplevel"]);
  if (found === undefined) return noRepository(issues);
  if (asked.code !== 0) throw gitSays("rev-parse", asked.stderr);
  const attributesPath = join(found.top, ".gitattributes");
  return { ...found, git, attributesPath, line: attributeLine(found.inside) };
}

function attributeLine(inside: string): string {
  return `${attributePattern(inside)} merge=${driver}`;
}

function hasLine(text: string, line: string): boolean {
  return text.split(/\r?\n/).some((other) => sameLine(other, line));
}

function sameLine(left: string, right: string): boolean {
  return left.trim().replace(/\s+/g, " ") === right.replace(/\s+/g, " ");
}

/** From the top of the repository; glob characters are meant as they stand, and blanks need quotes. */
function attributePattern(path: string): string {
  const plain = path.replace(/[*?[\\]/g, "\\$&");
  return /[\s"\\]/.test(plain) ? JSON.stringify(plain) : plain;
}

async function setting(
  git: Git,
  top: string,
  key: string,
  ...where: readonly string[]
): Promise<string | undefined> {
  const { code, stdout } = await git.run(top, ["config", ...where, "--get", key]);
  return code === 0 ? Buffer.from(stdout).toString("utf8").replace(/\n$/, "") : undefined;
}

async function tell(git: Git, top: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await git.run(top, args);
  if (code !== 0) throw gitSays(args[0] ?? "", stderr);
}

async function textAt(path: string, { files }: Ports): Promise<string> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") return "";
  const file = await files.open(path, "read");
  try {
    return Buffer.from(await file.read(0, stat.size)).toString("utf8");
  } finally {
    await file.close();
  }
}

/** As a POSIX shell reads it, which is what git runs a driver with. */
function shellQuoted(text: string): string {
  // A percent sign would be a placeholder to git.
  return `'${text.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;
}

function noRepository(issues: string): Refusal {
  return refuse("git_unavailable", {
    message: `${issues} is not in a git repository`,
    hint: "Go to the repository whose issues are to be merged, or make one with `git init`.",
  });
}
