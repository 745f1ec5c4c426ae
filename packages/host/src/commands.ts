/**
 * Commands of one workspace: what is known about it is gathered here, and each
 * command gets the wall that its tier asks for.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { certificateNames, commandEnvironment, searchPath } from "./environment.js";
import { changesBetween, readSnapshot, type Snapshot, snapshotScript } from "./changes.js";
import { entryAt, isFolder, textOf } from "./disk.js";
import { type CommandLimits, commandLimits } from "./limits.js";
import { isWithin } from "./paths.js";
import { runBare, markVariable } from "./process/run-bare.js";
import { runWalled, type WalledEnd, type WalledRun } from "./process/run-walled.js";
import type { CommandEnd, CommandRequest, Commands, CommandsOptions, Needs, WallState } from "./types.js";
import { canLayer, type Ground, layerArguments, wallArguments } from "./wall/arguments.js";
import { coveredIn } from "./wall/covered.js";
import { noWall, refusalOf, workspaceTooWide } from "./wall/no-wall.js";
import { type Protection, protectionOf, setAside } from "./wall/protected.js";
import { type Repository, repositoryOf } from "./wall/repository.js";
import { seccompFilter } from "./wall/seccomp.js";
import { resolverFile, socketsBelow, systemFolders } from "./wall/system.js";
import { type Toolchains, toolchains } from "./wall/toolchains.js";
import { findProgram, shells } from "./programs.js";

export function openCommands(options: CommandsOptions): Commands {
  return new WalledCommands(options);
}

/** Of a command that needs no wall, when nobody asks what it changed. */
const notAsked: WallState = { stands: false, because: "nobody asked", remedy: "" };

type Tier = Exclude<Needs, "host">;
interface Author {
  readonly name?: string;
  readonly email?: string;
}

class WalledCommands implements Commands {
  private readonly workspace: string;
  private readonly home: string | undefined;
  private readonly path: string;
  private readonly shell = shells.find((each) => existsSync(each)) ?? "/bin/bash";
  private readonly bwrap: string | undefined;
  private readonly limits: CommandLimits;
  private state: Promise<WallState> | undefined;
  private tools: Toolchains | undefined;
  private who: Promise<Author> | undefined;
  private last: Snapshot | undefined;
  /** Named by any command so far. */
  private readonly seen = new Set<string>();

  constructor(private readonly options: CommandsOptions) {
    this.workspace = options.workspace;
    this.limits = { ...commandLimits, ...options.limits };
    const home = options.env["HOME"];
    this.home = home?.startsWith("/") === true && home !== "/" ? home.replace(/\/+$/, "") : undefined;
    this.path = searchPath(options.env["PATH"], this.workspace);
    this.bwrap = findProgram("bwrap", this.path);
  }

  wall(): Promise<WallState> {
    this.state ??= this.probe();
    return this.state;
  }

  async run(request: CommandRequest): Promise<CommandEnd> {
    if (request.signal.aborted) {
      return { how: "aborted", leftovers: 0, survivors: 0, vanished: [], changed: [], setAside: [] };
    }
    const { needs } = request;
    if (needs === "host" && request.compares === false) return this.runWithout(request, notAsked);
    const wall = await this.wall();
    if (needs === "host" || !wall.stands) return this.runWithout(request, wall);
    return needs === "read" ? this.runReading(request, wall.layer) : this.runWriting(request, needs);
  }

  // --- The tiers -----------------------------------------------------------------------------------

  private async runReading(request: CommandRequest, layer: boolean): Promise<CommandEnd> {
    const walled = await this.walled("read", { layer, cwd: request.cwd, env: request.env });
    const { written, ...end } = await runWalled(request, walled);
    return { ...end, vanished: vanishedOf(written), changed: [], setAside: [] };
  }

  private async runWriting(request: CommandRequest, needs: Tier): Promise<CommandEnd> {
    const before = await this.before(request);
    const repository = repositoryOf(this.workspace);
    const protection = protectionOf(this.workspace, { repository, keep: request.keep ?? [] });
    const { cwd, env } = request;
    const walled = await this.walled(needs, { layer: false, cwd, env, repository, protection });
    const beganMs = Date.now();
    const { written: _written, ...end } = await runWalled(request, walled);
    const moved = setAside(this.workspace, protection);
    return { ...end, vanished: [], changed: await this.compare(before, beganMs, request), setAside: moved };
  }

  private async runWithout(request: CommandRequest, wall: WallState): Promise<CommandEnd> {
    // Without a wall git does not run for the comparison either: it obeys the repository.
    const before = wall.stands ? await this.before(request) : undefined;
    const env = { ...(await this.environment("host", false)), ...request.env };
    const beganMs = Date.now();
    const end = await runBare(request, {
      shell: this.shell,
      env,
      outerMark: this.options.env[markVariable],
      limits: this.limits,
    });
    const changed = wall.stands ? await this.compare(before, beganMs, request) : undefined;
    return { ...end, vanished: [], changed, setAside: [] };
  }

  // --- What changed --------------------------------------------------------------------------------

  private async before(request: CommandRequest): Promise<Snapshot | undefined> {
    return this.options.comparing === false ? undefined : (this.last ?? (await this.snapshot(request)));
  }

  private async compare(
    before: Snapshot | undefined,
    beganMs: number,
    request: CommandRequest,
  ): Promise<readonly string[] | undefined> {
    if (this.options.comparing === false) return undefined;
    this.last = await this.snapshot(request);
    if (before === undefined || this.last === undefined) return undefined;
    return changesBetween(before, this.last, beganMs);
  }

  private async snapshot({ seen = [] }: CommandRequest): Promise<Snapshot | undefined> {
    for (const path of seen) this.seen.add(path);
    const text = await this.look(`set -- ${asWords(this.seen)}\n${snapshotScript}`);
    return text === undefined ? undefined : readSnapshot(text);
  }

  async look(command: string): Promise<string | undefined> {
    if (!(await this.wall()).stands) return undefined;
    const chunks: Uint8Array[] = [];
    const end = await this.runPlain(command, { layer: false, onOutput: (chunk) => void chunks.push(chunk) });
    return end.how === "exit" && end.code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined;
  }

  /** Of our own: nothing is covered. */
  private async runPlain(
    command: string,
    { layer, onOutput = () => {} }: { readonly layer: boolean } & Partial<Pick<CommandRequest, "onOutput">>,
  ): Promise<WalledEnd> {
    const { signal } = new AbortController();
    return runWalled(
      { command, timeoutMs: 60_000, outputBytesMax: 256 * 1024 ** 2, signal, onOutput },
      await this.walled("read", { layer, cwd: this.workspace, plain: true }),
    );
  }

  // --- The wall ------------------------------------------------------------------------------------

  private async walled(tier: Tier, choice: Choice): Promise<WalledRun> {
    const env = { ...(await this.environment(tier, true)), ...choice.env };
    const repository = choice.repository ?? repositoryOf(this.workspace);
    const as: Ground["as"] = tier === "read" ? (choice.layer ? "write" : "read") : "write";
    const outside = outsideOf(repository);
    const { repositoryReadOnly = false } = this.options;
    const grounds: Ground[] = [
      ...outside.map((path) => ({ path, as: repositoryReadOnly ? "read" : as })),
      { path: this.workspace, as },
      ...(this.options.writable ?? []).map((path) => ({ path, as })),
    ];
    this.tools ??= toolchains(this.path, this.home, this.options.readable ?? []);
    const mainState = repository?.mainTree === undefined ? [] : [join(repository.mainTree, ".premath")];
    const readable = [
      ...this.tools.folders,
      ...mainState.filter((path) => existsSync(path)),
      ...(tier === "network" ? this.networkFiles() : []),
    ];
    const covered = choice.plain === true ? [] : await this.covered(tier);
    const system = systemFolders();
    const sockets = socketsBelow([...system.folders, ...readable, ...grounds.map(({ path }) => path)]);
    const inner = wallArguments({
      ...{ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      ...{ network: tier === "network", system, home: this.home, readable, grounds, cwd: choice.cwd },
      protects: tier === "read" ? this.stateIn(choice.layer) : (choice.protection?.present ?? []),
      opens: tier === "read" || repositoryReadOnly || repository?.own === undefined ? [] : [repository.own],
      covers: [...system.covered, ...this.tools.covered, ...covered, ...sockets].map((path) => ({
        path,
        folder: isFolder(path),
      })),
    });
    const bwrap = this.bwrap ?? "bwrap";
    const folders = [...outside, this.workspace];
    const place = choice.layer ? this.layerPlace() : undefined;
    const root = process.getuid?.() === 0;
    return {
      words: (limiting) => [
        bwrap,
        ...(place === undefined ? [] : [...layerArguments({ root, place, folders, limiting }), bwrap]),
        ...inner,
      ],
      layer: place !== undefined,
      shell: this.shell,
      env,
      filter: seccompFilter(process.arch) ?? new Uint8Array(),
      limits: this.limits,
    };
  }

  /** A folder of the machine that a command never sees. */
  private layerPlace(): string | undefined {
    const used = [this.workspace, this.home, ...(this.tools?.folders ?? [])];
    const isFree = (place: string) => !used.some((path) => path !== undefined && isWithin(path, place));
    return ["/mnt", "/media", "/srv", "/boot"].find(
      (place) => isFree(place) && entryAt(place)?.isDirectory() === true,
    );
  }

  /** Our own commands read issues in every tier and write nothing there. */
  private stateIn(layer: boolean): string[] {
    const premath = join(this.workspace, ".premath");
    return layer && entryAt(premath)?.isDirectory() === true ? [premath] : [];
  }

  private covered(tier: Tier): Promise<readonly string[]> {
    return coveredIn(this.workspace, {
      tier,
      tracked: async (paths) => {
        const text = await this.look(`git ls-files -z -- ${asWords(paths)} 2>/dev/null; exit 0`);
        return (text ?? "").split("\0").filter((path) => path !== "");
      },
    });
  }

  private networkFiles(): string[] {
    const named = certificateNames.map((name) => this.options.env[name]);
    return [resolverFile(), ...named].filter(
      (path): path is string => path?.startsWith("/") === true && existsSync(path),
    );
  }

  private async environment(needs: Needs, walled: boolean): Promise<Record<string, string>> {
    this.who ??= authorOf(this.options.env);
    const { workspace, shell } = this;
    return commandEnvironment(this.options.env, { shell, workspace, needs, walled, author: await this.who });
  }

  // --- Whether it stands ---------------------------------------------------------------------------

  private async probe(): Promise<WallState> {
    if (process.platform !== "linux") return noWall.system;
    if (workspaceTooWide(this.workspace, this.home)) return noWall.workspace;
    if (this.bwrap === undefined) return noWall.missing;
    if (seccompFilter(process.arch) === undefined) return noWall.machine;
    const folders = [...outsideOf(repositoryOf(this.workspace)), this.workspace];
    if (
      this.options.comparing !== false &&
      canLayer(folders) &&
      !folders.some((folder) => hasMountsBelow(folder)) &&
      (await this.runPlain("true", { layer: true })).code === 0
    )
      return { stands: true, layer: true };
    const plain = await this.runPlain("true", { layer: false });
    return plain.how === "exit" && plain.code === 0
      ? { stands: true, layer: false }
      : refusalOf(plain.message ?? `bubblewrap ended with ${plain.code}`);
  }
}

interface Choice {
  readonly layer: boolean;
  readonly cwd: string;
  readonly env?: CommandRequest["env"];
  /** For looks of our own: nothing of the workspace is covered. */
  readonly plain?: boolean;
  readonly repository?: Repository | undefined;
  readonly protection?: Protection;
}

/** As words of a command line. */
function asWords(paths: Iterable<string>): string {
  return [...paths].map((path) => `'${path.replaceAll("'", `'\\''`)}'`).join(" ");
}

/** What of a repository lies outside the workspace. */
function outsideOf(repository: Repository | undefined): string[] {
  return repository?.own === undefined ? [] : [repository.common];
}

/** Of what the layers told: paths of the workspace; what git keeps is one name. */
function vanishedOf(written: readonly string[]): string[] {
  const names = written.map((each) => each.slice(1));
  return [...new Set(names.map((name) => (isWithin(name, ".git") ? ".git" : name)))].toSorted();
}

function hasMountsBelow(folder: string): boolean {
  const mounts = textOf("/proc/self/mountinfo").split("\n");
  return mounts.some((line) => {
    const at = line
      .split(" ")[4]
      ?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    return at !== undefined && at !== folder && isWithin(at, folder);
  });
}

/** As git knows the user; asked where no repository can answer. */
async function authorOf(env: CommandsOptions["env"]): Promise<Author> {
  const ask = (key: string) =>
    new Promise<string>((resolve) => {
      const some = { PATH: env["PATH"], HOME: env["HOME"], XDG_CONFIG_HOME: env["XDG_CONFIG_HOME"] };
      execFile("git", ["config", "--global", "--get", key], { cwd: "/", env: some }, (_, out) =>
        resolve(out.trim()),
      );
    });
  const [name, email] = await Promise.all([ask("user.name"), ask("user.email")]);
  return { ...(name === "" ? {} : { name }), ...(email === "" ? {} : { email }) };
}
