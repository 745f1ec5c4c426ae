/**
 * The tool `run_shell`: a command line, run by bash in the workspace.
 *
 * What a newcomer gets wrong: nothing here holds an approved command back. The
 * policy decides what is asked; the environment, the limits and the clean-up
 * bound what is left behind. docs/guides/tools-shell.md says what is promised.
 */
import { posix } from "node:path";
import type { AgentTool, ToolReport, ToolRun } from "@bridle/agent";
import { Failure, type JsonObject, type Ports } from "@bridle/record";
import { findWayOut } from "../outside/ways-out.js";
import { markVariable, type ProcessEnd, runProcess } from "../outside/run-process.js";
import { commandEnvironment } from "./environment.js";
import { BoundedOutput } from "./output.js";
import { judgeWhole } from "./policy.js";

export interface RunShellOptions {
  readonly ports: Ports;
  /** Absolute. */
  readonly workspaceRoot: string;
  /** Of this program; the command gets a few names of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a command may take when it does not say. */
  readonly timeoutMs?: number;
}

export const shellToolLimits = {
  commandCharsMax: 30_000,
  timeoutMsDefault: 120_000,
  timeoutMsMax: 3_600_000,
  graceMs: 1_000,
  headBytes: 64 * 1024,
  tailBytes: 64 * 1024,
  outputBytesMax: 256 * 1024 * 1024,
} as const;

const shells = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

const parameters: JsonObject = {
  type: "object",
  additionalProperties: false,
  required: ["command"],
  properties: {
    command: {
      type: "string",
      minLength: 1,
      maxLength: shellToolLimits.commandCharsMax,
      description: "A command line for bash. It has no input; what it leaves running is ended with it.",
    },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      maximum: shellToolLimits.timeoutMsMax,
      description: `How long it may take; ${shellToolLimits.timeoutMsDefault} when left out.`,
    },
    cwd: {
      type: "string",
      description: "The folder of the workspace that it runs in; its root when left out.",
    },
  },
};

export function runShellTool(options: RunShellOptions): AgentTool {
  const { workspaceRoot, env } = options;
  const home = env["HOME"]?.startsWith("/") === true ? { home: env["HOME"] } : {};
  const judge = (args: JsonObject) => {
    const { command, cwd } = read(args);
    return judgeWhole(command, { workspaceRoot, cwd, ...home });
  };
  return {
    name: "run_shell",
    description:
      "Runs a command line with bash in the workspace and gives its exit code and what it printed. Commands that only read are run at once; others may need a yes.",
    parameters,
    family: "shell",
    intent: (args) => judge(args).intent,
    async run(args, run) {
      const { intent, judgement } = judge(args);
      const { forbidden } = intent;
      if (forbidden !== undefined) return refused(forbidden.code, forbidden.because, forbidden.remedy);
      // Nobody was asked, because of its text; what the text cannot show is looked at now.
      const out = intent.risk === "safe" ? findWayOut(workspaceRoot, judgement) : undefined;
      if (out !== undefined) return refused("shell_follows_link", out.because, out.remedy);
      return perform(args, run, options);
    },
  };
}

function refused(code: string, because: string, remedy: string): ToolReport {
  const refusal = { code, message: `Not run: ${because}.`, remedy };
  return { ok: false, text: `${refusal.message} ${refusal.remedy}`, refusal };
}

function read(args: JsonObject): { command: string; cwd: string; timeoutMs?: number } {
  const { command, cwd = ".", timeout_ms: timeoutMs } = args;
  if (typeof command !== "string" || typeof cwd !== "string") {
    throw new Failure("input_invalid", {
      message: "run_shell: command and cwd are texts",
      hint: "Give the command as one text.",
    });
  }
  return { command, cwd, ...(typeof timeoutMs === "number" ? { timeoutMs } : {}) };
}

async function perform(args: JsonObject, run: ToolRun, options: RunShellOptions): Promise<ToolReport> {
  const { command, cwd, timeoutMs = options.timeoutMs ?? shellToolLimits.timeoutMsDefault } = read(args);
  const { ports } = options;
  if (command.includes("\0")) {
    throw new Failure("input_invalid", {
      message: "run_shell: the command has a NUL",
      hint: "Leave it out.",
    });
  }
  const shell = await findShell(ports);
  const folder = await folderOf(cwd, options);
  const token = `${await ports.ids.next()}${Buffer.from(await ports.randomness.bytes(12)).toString("hex")}`;
  const odd = 1 + (Buffer.from(await ports.randomness.bytes(4)).readUInt32LE(0) % 2 ** 28);
  const output = new BoundedOutput(shellToolLimits);
  const end = await runProcess({
    shell,
    command,
    cwd: folder,
    env: commandEnvironment(options.env, {
      shell,
      workspaceRoot: options.workspaceRoot,
      mark: [markVariable, token],
    }),
    mark: { token, odd },
    timeoutMs,
    graceMs: shellToolLimits.graceMs,
    outputBytesMax: shellToolLimits.outputBytesMax,
    signal: run.signal,
    onOutput: (chunk) => output.push(chunk),
    onTick: (elapsedMs) => run.update({ elapsedMs, bytes: output.bytes }),
  });
  return report(end, output, timeoutMs);
}

async function findShell(ports: Ports): Promise<string> {
  for (const shell of shells) if ((await ports.files.stat(shell))?.kind === "file") return shell;
  throw new Failure("shell_unavailable", {
    message: `There is no bash at ${shells.join(", ")}`,
    hint: "Install bash, or do it with the file tools.",
  });
}

/** Of the workspace, with every link resolved. */
async function folderOf(cwd: string, { ports, workspaceRoot }: RunShellOptions): Promise<string> {
  const root = await ports.files.realPath(workspaceRoot);
  const wanted = posix.resolve(workspaceRoot, cwd);
  const facts = cwd.includes("\0") ? undefined : await ports.files.stat(wanted);
  const folder = facts?.kind === "directory" ? await ports.files.realPath(wanted) : undefined;
  const isInside = folder !== undefined && (folder === root || folder.startsWith(`${root}/`));
  // Behind a link `..` leads elsewhere than the policy took it to lead.
  if (isInside && (folder === wanted || root !== workspaceRoot)) return folder;
  throw new Failure("shell_folder_invalid", {
    message: `run_shell: cwd is ${JSON.stringify(cwd)}, which is no folder of the workspace`,
    hint: "Name a folder that is there, relative to the workspace and not through a link, or leave it out.",
  });
}

function report(end: ProcessEnd, output: BoundedOutput, timeoutMs: number): ToolReport {
  const text = output.text();
  const lines = [
    headline(end, timeoutMs),
    ...(end.leftovers > 0 && end.how === "exit" ? ["what it left running was ended"] : []),
    ...(end.survivors > 0 ? [`${end.survivors} processes could not be ended`] : []),
  ];
  return {
    ok: end.how === "exit" && end.code === 0,
    text: text === "" ? lines.join("\n") : `${lines.join("\n")}\n${text}`,
    facts: {
      how: end.how,
      ...(end.code === undefined ? {} : { exit: end.code }),
      ...(end.signal === undefined ? {} : { signal: end.signal }),
      bytes: output.bytes,
    },
  };
}

function headline(end: ProcessEnd, timeoutMs: number): string {
  switch (end.how) {
    case "exit":
      return `exit=${end.code}`;
    case "signal":
      return `signal=${end.signal}`;
    case "timeout":
      return `timeout after ${timeoutMs} ms; it was ended with everything that it started`;
    case "aborted":
      return "aborted; it was ended with everything that it started";
    case "flooded":
      return `ended, because it printed more than ${shellToolLimits.outputBytesMax} bytes`;
    case "failed":
      return `it could not be started: ${end.message}`;
  }
}
