/** What init would change here: the place is looked at, and nothing else happens. */
import { delimiter, dirname, join, relative, sep } from "node:path";
import type { Call } from "@bridle/operation";
import {
  Failure,
  failureAt,
  type Files,
  gitFoldersOf,
  type GitFolders,
  isRefusal,
  readFailureAt,
  refuse,
  type Refusal,
} from "@bridle/record";
import { requireInside } from "../cli/inside.js";
import { checkMapPath, draftChecks, driverParts, Lanes } from "@bridle/work";
import { settingsCopy } from "./leftovers.js";
import { ignoredLines, laneName, withIgnored, withLine, withSection, withServer } from "./sections.js";
import type { Change, Plan } from "./types.js";

const anyMayWrite = 0o222;

export async function planFor(call: Call, program: string): Promise<Plan | Refusal> {
  const { files } = call.ports;
  const git = await gitFoldersOf(call.cwd, files);
  const top = git?.top ?? call.cwd;
  const refused = await unready(call, git, top);
  if (refused !== undefined) return refused;
  const gather = new Gather(top, files);
  await gather.file(".premath/issues.jsonl", (text) => text ?? "", "issue memory");
  // Earlier versions let all of `.bridle` be ignored; settings there are meant to be committed.
  if ((await files.stat(join(top, ".bridle/.gitignore"))) !== undefined)
    await gather.file(
      ".bridle/.gitignore",
      (text = "") => (text === "*\n" ? "agent/\n" : text),
      "settings show",
    );
  await gather.file(".bridle/settings.json", (text) => text ?? "{}\n", "settings of the project");
  if (git !== undefined) {
    const issues = ".premath/issues.jsonl";
    await gather.file(".gitignore", (text = "") => withIgnored(text), `${ignoredLines.length} lines`);
    const { line } = driverParts(program, issues);
    await gather.file(".gitattributes", (text = "") => withLine(text, line), "one line");
    await gather.config(git, program, call);
  }
  await gather.file("AGENTS.md", (text = "") => withSection(text), "a section: how an agent finds work");
  const server = await gather.file(".mcp.json", await serverIn(top, program, call), "one server");
  if (isRefusal(server)) return server;
  const checks = git === undefined ? undefined : await gather.checks();
  const beads = (await files.stat(join(top, ".beads/issues.jsonl"))) !== undefined;
  return {
    top,
    changes: gather.changes,
    opensLane: !(await laneIsOpen(call)),
    checks: checks ?? [],
    notes: [
      ...(isOfNpx(program)
        ? ["this Bridle runs from npx's cache, which npm may clear: install it, then `bridle init` again"]
        : []),
      ...(top === call.cwd ? [] : [`all of this is for ${top}`]),
      ...(git === undefined ? ["no git repository: merging and checks are left out until there is one"] : []),
      ...(beads
        ? [
            "found .beads: `premath issue import --from .beads/issues.jsonl --format beads` takes its issues over",
          ]
        : []),
      ...(git !== undefined && checks === undefined
        ? ["nothing says how this is checked: `premath required-checks init` once there is a test"]
        : []),
    ],
  };
}

/** Why nothing can be made here. */
async function unready(call: Call, git: GitFolders | undefined, top: string): Promise<Refusal | undefined> {
  const { files, git: run } = call.ports;
  if (git === undefined && run !== undefined) {
    const bare = await run.run(call.cwd, ["rev-parse", "--is-bare-repository"]).catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
    if (bare?.code === 0 && Buffer.from(bare.stdout).toString("utf8").trim() === "true")
      return refuse("init_refused", {
        message: `${call.cwd} is a bare repository: there is no work tree to put files into`,
        hint: "Clone it, and go there.",
      });
  }
  const stat = await files.stat(top);
  if (stat !== undefined && (stat.mode & anyMayWrite) === 0)
    return refuse("init_refused", {
      message: `${top} is read-only`,
      hint: "Make it writable (`chmod u+w .`), or work on a copy.",
    });
  return undefined;
}

class Gather {
  readonly changes: Change[] = [];

  constructor(
    private readonly top: string,
    private readonly files: Files,
  ) {}

  async file(
    name: string,
    wanted: (text: string | undefined) => string | Refusal,
    says: string,
  ): Promise<Refusal | undefined> {
    const path = join(this.top, name);
    await this.refuseLink(path);
    const before = await bytesOf(path, this.files);
    const text = wanted(before === undefined ? undefined : Buffer.from(before).toString("utf8"));
    if (isRefusal(text)) return text;
    this.add({ path, before, after: Buffer.from(text), says });
    return undefined;
  }

  private refuseLink(path: string): Promise<void> {
    return requireInside(path, { top: this.top, files: this.files, failureClass: "init_refused" });
  }

  /** Commands of the map; empty where there is one, undefined where none can be drafted. */
  async checks(): Promise<readonly string[] | undefined> {
    const path = join(this.top, checkMapPath);
    await this.refuseLink(path);
    if ((await this.files.stat(path)) !== undefined) return [];
    const drafted = await draftChecks(this.top, this.files);
    if (drafted === undefined) return undefined;
    const commands = drafted.draft.checks.map(({ command }) => command);
    this.add({ path, before: undefined, after: Buffer.from(drafted.text), says: "sealed" });
    return commands;
  }

  /** As git itself would write it, tried on a copy. */
  async config(git: GitFolders, program: string, { ports }: Call): Promise<void> {
    const path = join(git.commonDir, "config");
    const before = await bytesOf(path, this.files);
    if (before === undefined || ports.git === undefined) return;
    const copy = join(git.commonDir, settingsCopy(await ports.ids.next()));
    const draft = await this.files.open(copy, "create").catch((error: unknown) => {
      throw failureAt(copy, error);
    });
    try {
      await draft.append(before);
    } finally {
      await draft.close();
    }
    try {
      for (const [key, value] of driverParts(program, "").settings) {
        const args = ["config", "--file", copy];
        const now = await ports.git.run(git.top, [...args, "--get", key]);
        if (now.code === 0 && Buffer.from(now.stdout).toString("utf8") === `${value}\n`) continue;
        await ports.git.run(git.top, [...args, "--replace-all", key, value]);
      }
      const after = await bytesOf(copy, this.files);
      if (after !== undefined) this.add({ path, before, after, says: "merge driver for issues" });
    } finally {
      await this.files.remove(copy);
    }
  }

  private add(change: Change): void {
    const same = change.before !== undefined && Buffer.compare(change.before, change.after) === 0;
    if (!same) this.changes.push(change);
  }
}

/** How a client starts our server: as a project's dependency, from the PATH, or from where this program is. */
async function serverIn(top: string, program: string, { ports: { files }, env }: Call) {
  const args = ["mcp-serve", "--lane", laneName];
  const onPath: string[] = [];
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter((each) => !isOfNpx(each)))
    if (folder.startsWith(sep) && (await files.stat(join(folder, "premath")))?.kind === "file")
      onPath.push(folder);
  const isDependency = (await files.stat(join(top, "node_modules/.bin/premath"))) !== undefined;
  const server = isDependency
    ? { command: "npx", args: ["--no-install", "premath", ...args] }
    : onPath.length > 0
      ? { command: "premath", args }
      : { command: program, args };
  const named = new Set<string>();
  const text = await bytesOf(join(top, ".mcp.json"), files);
  for (const [, path = ""] of Buffer.from(text ?? [])
    .toString("utf8")
    .matchAll(/"command"\s*:\s*"(\/[^"]*)"/g))
    if ((await files.stat(path)) !== undefined) named.add(path);
  const isThere = (command: string) => !command.startsWith(sep) || named.has(command);
  return (before: string | undefined) => withServer(before, server, isThere);
}

/** npx keeps what it ran in a folder that npm may clear; nothing that stays may name it. */
function isOfNpx(path: string): boolean {
  return path.split(sep).includes("_npx");
}

async function laneIsOpen(call: Call): Promise<boolean> {
  const lanes = await Lanes.open(call);
  const living = await lanes.living(await call.ports.clock.now());
  return living.some(({ name }) => name === laneName);
}

export async function bytesOf(path: string, files: Files): Promise<Uint8Array | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== "file")
    throw new Failure("init_refused", { message: `${path} is no regular file`, hint: "Move it away." });
  try {
    const file = await files.open(path, "read");
    try {
      return await file.read(0, stat.size);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw readFailureAt(path, error);
  }
}

/** As it is shown: from the top, or as git's own. */
export function shownIn(top: string, path: string): string {
  const near = relative(top, path).split(sep).join("/");
  return near.startsWith("..") ? `${dirname(path).split(sep).at(-1)}/config` : near;
}
