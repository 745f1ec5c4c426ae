/**
 * A whole run of the command line, with everything it touches handed in.
 *
 * Order matters: help, version and completion work whatever the environment
 * holds, and an unknown setting is found before a command does anything.
 * `bridle config` and `bridle doctor` are let through, because they are where the error sends people.
 */
import type { Manifest, ManifestEntry, Operation } from "@bridle/operation";
import {
  Failure,
  isRefusal,
  type JsonObject,
  type Ports,
  readFailureAt,
  refuse,
  type Refusal,
} from "@bridle/record";
import { carryOut } from "./call.js";
import { commandsOf, type Launcher } from "./commands.js";
import type { CommandEntry } from "./modes.js";
import { paintFor, safeText, wantsColour } from "./paint.js";
import { type Invocation, parse } from "./parse.js";
import { errorText, failureJson, jsonText } from "./render.js";
import { ownSettingsPath, projectSettingsPath } from "./setting-paths.js";
import { settingRefusal, unknownSettings } from "./settings.js";
import type { Terminal } from "./terminal.js";

export interface Run {
  readonly launcher: Launcher;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly manifest: Manifest;
  load(entry: ManifestEntry): Promise<Operation>;
  /** Asked for only when a command is carried out. */
  ports(): Ports;
  cwd(): string;
  /** Aborted with "SIGINT" or "SIGTERM" as its reason. */
  readonly signal: AbortSignal;
}

export async function run(options: Run): Promise<number> {
  const { launcher, argv, manifest } = options;
  const entries = commandsOf(manifest, launcher);
  const asked = parse(argv, { launcher, entries, everywhere: commandsOf(manifest, "bridle") });
  const code = await answer(asked, entries, options);
  const { outState } = options.terminal;
  if (outState === "closed") return 0;
  return outState === "broken" ? Math.max(1, code) : code;
}

async function answer(asked: Invocation, entries: readonly CommandEntry[], options: Run): Promise<number> {
  const { launcher, manifest, terminal, env } = options;
  switch (asked.kind) {
    case "help": {
      const { helpJson, helpText } = await import("./help.js");
      const colour = wantsColour(env, terminal.outIsTerminal);
      const { topic, json, all = false } = asked;
      const text = json
        ? jsonText(helpJson({ entries, topic }))
        : safeText(helpText({ launcher, entries, topic, all, paint: paintFor(colour) }), colour);
      await terminal.out(text);
      return 0;
    }
    case "find": {
      const { foundAnswer } = await import("./help-find.js");
      const colour = wantsColour(env, terminal.outIsTerminal);
      const text = foundAnswer({ ...asked, entries, launcher, colour });
      if (text === undefined)
        return refused(
          { refusal: asked.otherwise, exitCode: 2, action: launcher, json: asked.json },
          options,
        );
      await terminal.out(text);
      return 0;
    }
    case "version": {
      const { versionJson, versionText } = await import("./version.js");
      const { version } = manifest;
      await terminal.out(
        asked.json ? jsonText(versionJson(launcher, version)) : versionText(launcher, version),
      );
      return 0;
    }
    case "completion": {
      const { completionScript } = await import("./complete.js");
      const script = completionScript(asked.shell, launcher, entries);
      const payload = { action: "completion", shell: asked.shell, script };
      await terminal.out(asked.json ? jsonText(payload) : script);
      return 0;
    }
    case "invalid":
      return refused({ ...asked, exitCode: 2, action: asked.entry?.names.action ?? launcher }, options);
    case "call":
      return call(asked.entry, asked.input, asked.json, options);
  }
}

/** They say themselves what is wrong with a setting. */
const tellsOfSettings: ReadonlySet<string> = new Set([
  ...["op/bridle.config", "op/bridle.config_set", "op/bridle.doctor"],
]);

/** The environment with what files of settings say; what is wrong in one is said before anything happens. */
async function withFiles(env: Run["env"], cwd: string, { files }: Ports): Promise<Run["env"] | Refusal> {
  const own = ownSettingsPath(env);
  try {
    const isThere = own !== undefined && (await files.stat(own)) !== undefined;
    if (!isThere && (await projectSettingsPath(cwd, files)) === undefined) return env;
    const { envWithFiles } = await import("./setting-files.js");
    return await envWithFiles({ files, cwd, env });
  } catch (error) {
    const failure = error instanceof Failure ? error : readFailureAt(own ?? cwd, error);
    if (failure instanceof Failure) return failure.toRefusal();
    throw error;
  }
}

async function call(entry: ManifestEntry, input: JsonObject, json: boolean, options: Run): Promise<number> {
  const { terminal, env, signal } = options;
  const [unknown] = tellsOfSettings.has(entry.names.id) ? [] : unknownSettings(env);
  const { action } = entry.names;
  if (unknown) return refused({ refusal: settingRefusal(unknown), exitCode: 2, action, json }, options);
  const cwd = workingDirectory(options);
  if (typeof cwd !== "string") return refused({ refusal: cwd, exitCode: 1, action, json }, options);
  const ports = options.ports();
  const asked = tellsOfSettings.has(entry.names.id) ? env : await withFiles(env, cwd, ports);
  if (isRefusal(asked)) return refused({ refusal: asked, exitCode: 2, action, json }, options);
  const operation = await options.load(entry);
  const closed = new AbortController();
  terminal.onClosed = () => closed.abort("closed");
  return carryOut({
    operation,
    input,
    json,
    terminal,
    env: asked,
    ports,
    cwd,
    signal: AbortSignal.any([signal, closed.signal]),
    onBug: (error) => tellBug(error, options),
  });
}

function workingDirectory(options: Run): string | Refusal {
  try {
    return options.cwd();
  } catch {
    return refuse("file_missing", {
      message: "the folder that you stand in is gone",
      hint: "Go to one that exists and try again.",
    });
  }
}

/** A no that comes before the pipeline. */
interface EarlyRefusal {
  readonly refusal: Refusal;
  readonly exitCode: 1 | 2;
  readonly action: string;
  readonly json: boolean;
}

async function refused(no: EarlyRefusal, { terminal, env }: Run): Promise<number> {
  const { refusal, exitCode, action, json } = no;
  const report = { action, failureClasses: [refusal.refused], ...refusal };
  if (json) await terminal.out(jsonText(failureJson(report)));
  const colour = wantsColour(env, terminal.errIsTerminal);
  terminal.err(safeText(errorText(report, paintFor(colour)), colour));
  return exitCode;
}

/** The whole of a bug, for those who asked to see it. */
export function tellBug(error: unknown, { terminal, env }: Pick<Run, "terminal" | "env">): void {
  if (env["BRIDLE_DEBUG"] !== "1") return;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.err(`${safeText(text, false)}\n`);
}
