/**
 * The tool `run_shell`: a command line, run by bash in the workspace, held to what
 * it says it needs.
 *
 * What a newcomer gets wrong: the command is not read. `needs` decides whether
 * somebody is asked and which wall the command gets (`@bridle/host`), and a command
 * that said too little fails and says so. docs/guides/tools-shell.md says what is promised.
 */
import { posix } from "node:path";
import {
  type AgentTool,
  type Intent,
  oneOf,
  parametersOf,
  type ToolReport,
  type ToolRun,
} from "@bridle/agent";
import { type CommandEnd, type Commands, needs as tiers, type Needs } from "@bridle/host";
import { canonicalJson, Failure, type JsonObject, type Ports, present, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { neverRun } from "./never-run.js";
import { BoundedOutput } from "./output.js";
import { reportOf } from "./report.js";

export interface RunShellOptions {
  readonly ports: Ports;
  /** Absolute, with every link resolved. */
  readonly workspaceRoot: string;
  /** Who runs them; asked for when a command is to run, and not before. */
  commands(): Commands;
  /** Files that the session has read: they are compared even where git ignores them. */
  readonly seen?: ReadonlySet<string>;
}

export const shellToolLimits = {
  commandCharsMax: 30_000,
  timeoutMsDefault: 120_000,
  timeoutMsMax: 3_600_000,
  headBytes: 64 * 1024,
  tailBytes: 64 * 1024,
  outputBytesMax: 256 * 1024 * 1024,
} as const;

const members = {
  command: Type.String({
    minLength: 1,
    maxLength: shellToolLimits.commandCharsMax,
    description: "A command line for bash. It has no input; what it leaves running is ended with it.",
  }),
  needs: Type.Optional(
    oneOf(tiers, {
      description:
        "What it needs; read when left out. read: sees the workspace, what it writes vanishes, no network, never asks. write: changes the workspace. network: that, and the network. host: no wall at all; always asks.",
    }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: shellToolLimits.timeoutMsMax,
      description: `How long it may take; ${shellToolLimits.timeoutMsDefault} when left out.`,
    }),
  ),
  cwd: Type.Optional(
    Type.String({ description: "The folder of the workspace that it runs in; its root when left out." }),
  ),
};

export function runShellTool(options: RunShellOptions): AgentTool {
  let isTold = false;
  return {
    name: "run_shell",
    description:
      "Runs a command line with bash in the workspace and gives its exit code and what it printed. Say what it needs: with read, the default, it runs at once and what it writes is gone afterwards; tests, builds that only check, and git queries need no more.",
    parameters: parametersOf(members),
    family: "shell",
    intent: (args) => intentOf(read(args)),
    async asks() {
      const wall = await options.commands().wall();
      if (wall.stands) return undefined;
      const whole = `nothing holds it back, because ${wall.because}. ${wall.remedy}`;
      const said = isTold ? "nothing holds it back here" : whole;
      isTold = true;
      return said;
    },
    async run(args, run) {
      const asked = read(args);
      const wall = await options.commands().wall();
      const never = wall.stands && asked.needs !== "host" ? undefined : neverRun(asked.command);
      if (never !== undefined) {
        const refusal = { code: never.code, message: `Not run: ${never.because}.`, remedy: never.remedy };
        return { ok: false, text: `${refusal.message} ${refusal.remedy}`, refusal };
      }
      return perform(asked, run, options);
    },
  };
}

function read(args: JsonObject) {
  const {
    command,
    cwd = ".",
    needs = "read",
    timeout_ms,
  } = args as Type.Static<Type.TObject<typeof members>>;
  return { command, cwd, needs: needs as Needs, timeoutMs: timeout_ms ?? shellToolLimits.timeoutMsDefault };
}
type Asked = ReturnType<typeof read>;

const riskOf = { read: "safe", write: "cautious", network: "cautious", host: "destructive" } as const;

function intentOf({ command, needs, cwd }: Asked): Intent {
  const forbidden = needs === "host" ? neverRun(command) : undefined;
  return {
    key: `run_shell:${sha256Hex(canonicalJson([posix.normalize(cwd), needs, command.trim()]))}`,
    repeat: "run",
    risk: riskOf[needs],
    needs,
    says: `run (${needs}): ${inOneLine(command)}`,
    ...(needs === "read" ? { reads: [""] } : { changes: "anything" }),
    ...present({ forbidden }),
  };
}

/** What cannot be seen is written out, so that nothing hides from who has to say yes. */
function inOneLine(command: string): string {
  const line = command.trim().replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => {
    if (c === "\n") return "⏎ ";
    return c === "\t" ? " " : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return line.length > 400 ? `${line.slice(0, 300)} … ${line.slice(-90)}` : line;
}

async function perform(asked: Asked, run: ToolRun, options: RunShellOptions): Promise<ToolReport> {
  const { command, needs, timeoutMs } = asked;
  const commands = options.commands();
  if (command.includes("\0")) {
    throw new Failure("input_invalid", {
      message: "run_shell: the command has a NUL",
      hint: "Leave it out.",
    });
  }
  const output = new BoundedOutput(shellToolLimits);
  const end: CommandEnd = await commands.run({
    needs,
    command,
    cwd: await folderOf(asked.cwd, options),
    timeoutMs,
    outputBytesMax: shellToolLimits.outputBytesMax,
    keep: run.keep ?? [],
    seen: options.seen ?? [],
    signal: run.signal,
    onOutput: (chunk) => output.push(chunk),
    onTick: (elapsedMs) => run.update({ elapsedMs, bytes: output.bytes }),
  });
  return reportOf(end, {
    needs,
    timeoutMs,
    output,
    keep: run.keep ?? [],
    walled: (await commands.wall()).stands && needs !== "host",
  });
}

/** Of the workspace, with every link resolved. */
async function folderOf(cwd: string, { ports, workspaceRoot }: RunShellOptions): Promise<string> {
  const root = await ports.files.realPath(workspaceRoot);
  const wanted = posix.resolve(workspaceRoot, cwd);
  const facts = cwd.includes("\0") ? undefined : await ports.files.stat(wanted);
  const folder = facts?.kind === "directory" ? await ports.files.realPath(wanted) : undefined;
  if (folder !== undefined && (folder === root || folder.startsWith(`${root}/`))) return folder;
  throw new Failure("shell_folder_invalid", {
    message: `run_shell: cwd is ${JSON.stringify(cwd)}, which is no folder of the workspace`,
    hint: "Name a folder that is there, relative to the workspace, or leave it out.",
  });
}
