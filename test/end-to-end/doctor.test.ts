/**
 * `bridle doctor` against planted faults: each is found and nothing else is said, what it tells to
 * type mends it, and then nothing is said at all.
 *
 * One repository goes through all of them, so that what a mend leaves behind would show. Files, git and
 * settings are real. In `npm test` the command runs here and is told of the machine (Node, the disk, the
 * wall); at full size it is typed at the launcher in a process of its own, and the machine is real too:
 * another Node, programs that are not on the PATH, a small disk.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { doctorOperation } from "../../packages/surface/src/doctor/operation.js";
import type { Machine } from "../../packages/surface/src/doctor/types.js";
import { thisMachine } from "../../packages/surface/src/doctor/machine.js";
import { loadOperation } from "../../packages/surface/src/manifest/rooms.js";
import { commandHere } from "../support/command-here.js";
import { git } from "../support/git.js";
import { nodeOf } from "../support/other-nodes.js";
import { Premath } from "../support/premath.js";
import { full, seed } from "../support/scale.js";

interface Row {
  readonly fault: string;
  readonly level: string;
  readonly says: string;
  readonly mend: string;
}

const soundMachine: Machine = {
  node: "24.11.0",
  freeBytes: async () => 10 ** 12,
  wall: async () => undefined,
  setMode: thisMachine({}).setMode,
};

/** The Node that runs the launcher, and what is other there: a disk that is nearly full, a bubblewrap that nobody can run. */
interface RealMachine {
  readonly node: string;
  readonly other?: "disk" | "wall";
}

const soundNode = "24.21.0";

let program: Premath;
let inProcesses = false;
let processes = 0;
let home = "";
let folder = "";
/** What a person's shell has exported, and what the machine is: as it is told, and as it is at full size. */
let env: Record<string, string> = {};
let machine: Machine = soundMachine;
let real: RealMachine = { node: soundNode };

const usual = () => ({ HOME: home, AGENT_MODEL: "anthropic/claude-opus-4-5", ANTHROPIC_API_KEY: "a-key" });

beforeAll(async () => {
  // Where the machine has no wall, it can only be told of a sound one.
  inProcesses = full && (await thisMachine(process.env).wall(inject("runFolder"))) === undefined;
  if (inProcesses) program = await Premath.build();
  home = join(inject("runFolder"), "doctor");
  folder = join(home, "a project");
  mkdirSync(folder, { recursive: true });
  env = usual();
  git(folder, "init", "--quiet", "--initial-branch=main");
  put("package.json", '{"scripts": {"test": "true"}}\n');
  for (const words of [
    ["issue", "add", "One"],
    ["issue", "add", "Two"],
    ["issue", "merge", "--install"],
    ["required-checks", "init"],
    ["harness-trajectory", "append", "--step-id", "s-1", "--action", "write", "--result-class", "accepted"],
    ["harness-session", "write", "--state", "stopped"],
    ["lane", "open", "editor"],
  ])
    await premath(...words);
  put(".mcp.json", JSON.stringify({ mcpServers: { bridle: server("premath") } }));
  put(".gitignore", ".premath/*\n!.premath/issues.jsonl\n");
  commit();
}, 300_000);

function server(command: string) {
  return { command, args: ["mcp-serve", "--lane", "editor"] };
}

function put(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function commit(): void {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=as it should be");
}

async function premath(...words: string[]): Promise<void> {
  const { code, stderr } = await (inProcesses
    ? typed(words)
    : commandHere(words, { cwd: folder, env, launcher: "bridle" }));
  if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
}

/** At the launcher, in a process of its own. */
function typed(words: readonly string[]) {
  processes += 1;
  const { program: node } = nodeOf(real.node);
  return real.other === undefined
    ? program.bridle(words, { cwd: folder, env, node }).ended
    : program.bridle(words, { cwd: home, env, node: onOtherMachine(node, real.other) }).ended;
}

/** A program that runs Node where the disk has 60 MB, which the project is copied to, or where bubblewrap is a file like any other. */
function onOtherMachine(node: string, other: "disk" | "wall"): string {
  const aside = join(home, "aside");
  mkdirSync(aside, { recursive: true });
  const script = join(home, `with another ${other}`);
  const [options, first] =
    other === "disk"
      ? [
          `--bind '${folder}' '${aside}' --size 60000000 --tmpfs '${folder}'`,
          `cp -a '${aside}/.' '${folder}'`,
        ]
      : [`--ro-bind /dev/null "$(readlink -f "$(command -v bwrap)")"`, "true"];
  const lines = [
    "#!/bin/bash",
    `exec bwrap --dev-bind / / ${options} bash -c '${first.replaceAll("'", `'\\''`)} && cd "$0" && exec "$@"' '${folder}' '${node}' "$@"`,
  ];
  writeFileSync(script, `${lines.join("\n")}\n`, { mode: 0o755 });
  return script;
}

async function doctor(...flags: string[]) {
  const words = ["doctor", "--json", ...flags];
  const asked = await (inProcesses ? typed(words) : doctorHere(words));
  const { findings, fixed } = asked.json() as unknown as { findings: Row[]; fixed: string[] };
  return { code: asked.code, findings, fixed };
}

function doctorHere(words: readonly string[]) {
  return commandHere(words, {
    cwd: folder,
    env,
    launcher: "bridle",
    load: async (entry) =>
      entry.names.action === "bridle.doctor" ? doctorOperation(() => machine) : loadOperation(entry),
  });
}

/** Every program that is on the PATH but git. */
function pathWithoutGit(): string {
  const links = join(home, "all but git");
  mkdirSync(links, { recursive: true });
  for (const place of (process.env["PATH"] ?? "").split(":").filter((each) => existsSync(each)))
    for (const each of readdirSync(place))
      if (each !== "git" && !existsSync(join(links, each))) symlinkSync(join(place, each), join(links, each));
  return links;
}

/** As it was told, word by word: our own commands here, the rest in a shell, which may also set a variable. */
async function type(command: string): Promise<void> {
  for (const part of command.split(" && ")) {
    const [first = "", ...words] = part.split(" ");
    if (first === "unset") delete env[words[0] ?? ""];
    else if (first === "export") env = { ...env, ...exported(words[0] ?? "") };
    else if (first === "bridle" || first === "premath") await premath(...words);
    else if (first === "git" && words[0] === "commit")
      git(folder, "commit", "--quiet", "-m", "as told", "--", words.at(-1) ?? "");
    else execFileSync("bash", ["-c", part], { cwd: folder });
  }
}

/** `KEY=value`; a placeholder is a key that a person has. */
function exported(word: string): Record<string, string> {
  const [key = "", value = ""] = word.split("=");
  return { [key]: value.startsWith("<") ? "a-key" : value };
}

interface Planted {
  readonly fault: string;
  readonly level?: "note";
  plant(): void | Promise<void>;
  /** In the place of what is told, where that would change this machine. */
  readonly mended?: () => void;
  /** Whether --fix mends it as well. */
  readonly harmless?: true;
}

const soundAgain = () => {
  machine = soundMachine;
  real = { node: soundNode };
};
const issues = () => join(folder, ".premath/issues.jsonl");
const own = (name: string) => join(home, ".config/bridle", name);
const set = (key: string, value: string) => () => {
  env = { ...env, [key]: value };
};

const planted: readonly Planted[] = [
  {
    fault: "node_too_old",
    plant() {
      machine = { ...soundMachine, node: "18.20.4" };
      real = { node: "20.18.3" };
    },
    mended: soundAgain,
  },
  {
    fault: "node_unsupported",
    level: "note",
    plant() {
      machine = { ...soundMachine, node: "21.7.0" };
      real = { node: "23.11.1" };
    },
    mended: soundAgain,
  },
  {
    fault: "disk_low",
    plant() {
      machine = { ...soundMachine, freeBytes: async () => 1_000_000 };
      real = { node: soundNode, other: "disk" };
    },
    mended: soundAgain,
  },
  {
    fault: "wall_missing",
    plant() {
      const because = "bwrap is not installed";
      machine = { ...soundMachine, wall: async () => ({ because, remedy: "apt-get install bubblewrap" }) };
      real = { node: soundNode, other: "wall" };
    },
    mended: soundAgain,
  },
  {
    fault: "git_missing",
    plant: () => set("PATH", inProcesses ? pathWithoutGit() : "/nonexistent")(),
    mended: () => void delete env["PATH"],
  },
  {
    fault: "git_too_old",
    plant() {
      const old = join(home, "old");
      mkdirSync(old, { recursive: true });
      const real = execFileSync("bash", ["-c", "command -v git"], { encoding: "utf8" }).trim();
      writeFileSync(
        join(old, "git"),
        `#!/bin/bash\nfor word in "$@"; do [ "$word" = --version ] && { echo git version 2.30.2; exit; }; done\nexec ${real} "$@"\n`,
        { mode: 0o755 },
      );
      env = { ...env, PATH: `${old}:${process.env["PATH"]}` };
    },
    mended: () => void delete env["PATH"],
  },
  {
    fault: "home_missing",
    plant: set("HOME", ""),
    mended: () => void (env = usual()),
  },
  { fault: "setting_unknown", plant: set("AGENT_RULE_RECAL", "0") },
  { fault: "setting_unfit", plant: set("AGENT_RETRY_FOREVER", "yes") },
  { fault: "setting_unread", plant: set("AGENT_WEB_READABILITY", "1") },
  {
    fault: "settings_invalid",
    plant: () => put(".bridle/settings.json", '{"AGENT_MAX_ROUND": 3}'),
  },
  { fault: "issues_damaged", plant: () => appendFileSync(issues(), "not a row\n") },
  {
    fault: "trajectory_damaged",
    plant: () => appendFileSync(join(folder, ".premath/harness_trajectory.jsonl"), "{]\n"),
  },
  { fault: "session_invalid", plant: () => put(".premath/harness_session.json", "{") },
  {
    fault: "issues_two_sides",
    plant() {
      const [one = "", ...rest] = readFileSync(issues(), "utf8").split("\n");
      const side = (title: string) => JSON.stringify({ ...(JSON.parse(one) as object), title });
      const sides = ["<<<<<<< HEAD", side("Ours"), "=======", side("Theirs"), ">>>>>>> other"];
      writeFileSync(issues(), [...sides, ...rest].join("\n"));
    },
  },
  { fault: "memory_unwritable", plant: () => chmodSync(issues(), 0o444) },
  {
    fault: "driver_missing",
    harmless: true,
    plant: () => void git(folder, "config", "--remove-section", "merge.bridle-issues"),
  },
  {
    fault: "driver_stale",
    harmless: true,
    plant: () =>
      void git(folder, "config", "merge.bridle-issues.driver", "'/gone/premath' issue merge %O %A %B"),
  },
  {
    fault: "issues_ignored",
    plant() {
      git(folder, "rm", "--cached", "-q", ".premath/issues.jsonl");
      put(".gitignore", ".premath/\n");
    },
  },
  {
    fault: "worktree_gone",
    harmless: true,
    plant() {
      const away = join(home, "away");
      git(folder, "worktree", "add", "--quiet", "--detach", away);
      rmSync(away, { recursive: true });
    },
  },
  {
    fault: "lease_left",
    plant: () =>
      append({ status: "in_progress", assignee: "ada", lease: lease("ada", "2020-01-01T01:00:00Z") }),
  },
  {
    fault: "dependency_cycle",
    plant() {
      append({ dependencies: [edge("bd-1", "bd-2")] });
      append({ dependencies: [edge("bd-2", "bd-1")] }, "bd-2");
    },
  },
  {
    fault: "checks_unsealed",
    plant() {
      const path = join(folder, "policies/control/required-checks-v1.json");
      writeFileSync(path, readFileSync(path, "utf8").replace("npm test", "npm test -- --all"));
    },
  },
  {
    fault: "checks_uncommitted",
    plant() {
      git(folder, "rm", "--cached", "-q", "policies/control/required-checks-v1.json");
      git(folder, "commit", "--quiet", "--message=without checks");
    },
  },
  { fault: "lane_closed", plant: () => premath("lane", "close", "editor") },
  { fault: "mcp_invalid", plant: () => put(".mcp.json", "{ half") },
  {
    fault: "mcp_program_gone",
    plant: () => put(".mcp.json", JSON.stringify({ mcpServers: { bridle: server("/gone/premath") } })),
  },
  {
    fault: "agent_files_tracked",
    plant() {
      put(".agent_notes.json", "{}\n");
      git(folder, "add", "-f", ".agent_notes.json");
    },
  },
  { fault: "models_invalid", plant: () => putOwn("models.json", "{", 0o600) },
  {
    fault: "models_readable",
    harmless: true,
    plant: () =>
      putOwn(
        "models.json",
        '{"providers":{"local":{"baseUrl":"http://127.0.0.1:1/v1","apiKey":"k"}}}',
        0o644,
      ),
  },
  {
    fault: "credentials_readable",
    harmless: true,
    plant: () => putOwn("credentials.json", "{}", 0o644),
  },
  {
    fault: "model_unknown",
    plant: set("AGENT_MODEL", "anthropic/claude-opus-4-55"),
  },
  { fault: "key_missing", plant: () => void delete env["ANTHROPIC_API_KEY"] },
  {
    fault: "model_unset",
    level: "note",
    plant: () => void (env = { HOME: home }),
    mended: () => void (env = usual()),
  },
];

/** In `npm test` a third of them, another third after each commit. */
const tried = full ? planted : planted.filter((_, i) => i % 3 === seed % 3);

function putOwn(name: string, text: string, mode: number): void {
  mkdirSync(dirname(own(name)), { recursive: true });
  rmSync(own(name), { force: true });
  writeFileSync(own(name), text, { mode });
}

/** A row of the issue with these members. */
function append(members: object, id = "bd-1"): void {
  const rows = readFileSync(issues(), "utf8").trimEnd().split("\n");
  const row = rows.map((line) => JSON.parse(line) as { id: string }).findLast((each) => each.id === id);
  appendFileSync(issues(), `${JSON.stringify({ ...row, ...members })}\n`);
}

function edge(from: string, to: string) {
  return { issue_id: from, depends_on_id: to, type: "blocks" };
}

function lease(owner: string, expires: string) {
  return {
    lease_id: `lease1_bd-1_${owner}`,
    owner,
    acquired_at: "2020-01-01T00:00:00Z",
    expires_at: expires,
    renewed_at: "2020-01-01T00:00:00Z",
  };
}

describe.sequential("doctor", () => {
  test("has nothing to say where nothing is wrong", async () => {
    expect(await doctor()).toEqual({ code: 0, findings: [], fixed: [] });
  });

  test.each(tried.map((each) => [each.fault, each] as const))(
    "%s is found alone, and what is told mends it",
    async (fault, { plant, mended, level = "fault", harmless }) => {
      await plant();
      const { code, findings } = await doctor();
      expect(findings.map((row) => row.fault)).toEqual([fault]);
      const [found] = findings;
      expect(found).toMatchObject({ level, says: expect.stringMatching(/^\S/) });
      expect(code).toBe(level === "note" ? 0 : 1);
      if (harmless) {
        expect(await doctor("--fix")).toEqual({ code: 0, findings: [], fixed: [fault] });
        await plant();
      }
      if (mended === undefined) await type(found!.mend);
      else mended();
      expect((await doctor()).findings).toEqual([]);
    },
  );

  test("there are 25 and more", () => {
    const faults = planted.filter(({ level }) => level === undefined);
    expect(faults.length).toBeGreaterThanOrEqual(25);
    process.stdout.write(
      `proof: doctor found ${tried.length} of ${planted.length} planted faults, each alone, and what it told mended ` +
        `each; ${tried.filter(({ harmless }) => harmless).length} also with --fix; ${processes} commands in processes of ` +
        `their own\n`,
    );
  });
});
