/**
 * What one command does: the table of programs, and what is done about those that
 * do not stand in it.
 *
 * What a newcomer gets wrong: no effects is no proof of innocence. Only a command
 * that is not `unknown` and has none is known to change nothing.
 */
import type { LineCommand } from "../shell/line-commands.js";
import { placed } from "../shell/walk.js";
import { type Call, type CommandReading, has, only, type Program } from "./call.js";
import type { Effect } from "./effect.js";
import { filePrograms } from "./files.js";
import { formatterPrograms } from "./formatters.js";
import { find, xargs } from "./found.js";
import { git } from "./git.js";
import { interpreterPrograms } from "./interpreters.js";
import { actsByName, deploysByName, onlyAsks, output, readers } from "./known.js";
import { packagePrograms } from "./packages.js";
import { namedFile, scriptPrograms } from "./scripts.js";
import { servicePrograms } from "./services.js";

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...filePrograms,
    ...formatterPrograms,
    ...packagePrograms,
    ...scriptPrograms,
    ...interpreterPrograms,
    ...servicePrograms,
    ...{ git, find, fd: find, xargs },
  }),
);

const readings = new Map<LineCommand, CommandReading>();
const readingsMax = 2_000;

export function readCommand(command: LineCommand): CommandReading {
  const known = readings.get(command);
  if (known !== undefined) return known;
  const { effects, unknown } = readWords(command.run, command, 0);
  const written = command.writesTo.map((path): Effect => ({ kind: "write", path }));
  const reading = { effects: written.length === 0 ? effects : [...written, ...effects], unknown };
  if (readings.size >= readingsMax) readings.clear();
  readings.set(command, reading);
  return reading;
}

const depthMax = 4;
const nothing: CommandReading = { effects: [], unknown: false };

function readWords(words: readonly string[], command: LineCommand, depth: number): CommandReading {
  const [first = "", ...args] = words;
  if (first === "") return nothing;
  if (depth > depthMax) return { effects: [], unknown: true };
  const program = programName(first);
  const { folder, fed, heredoc, before } = command;
  const call: Call = {
    program,
    args,
    fed,
    heredoc,
    before,
    place: (path) => placed(folder, path),
    other: (inner) => readWords(inner, command, depth + 1),
  };
  const found = programs.get(program)?.(call) ?? byName(call, first);
  const deploys = deploysByName(program, args) ? only("deploy") : [];
  // To ask what would happen may reach the network, and does nothing else.
  if (has(args, /^--(?:help|version|check|dry-run|list)$/))
    return { effects: (found ?? []).filter(({ kind }) => kind === "network"), unknown: false };
  return found === undefined
    ? { effects: [...(output(call) ?? []), ...deploys], unknown: true }
    : { effects: [...found, ...deploys], unknown: false };
}

/** Of what stands in no table, or is used in a way that its table does not know. */
function byName(call: Call, first: string): readonly Effect[] | undefined {
  const { program, args } = call;
  if (readers.has(program) || onlyAsks(program, args)) return [];
  if (actsByName(program, args)) return only("act");
  const isShell = /^(?:ba|z|da|k)?sh$/.test(program);
  if (isShell && args[0] === "-n") return [];
  const file = isShell ? args.find((arg) => !arg.startsWith("-")) : first;
  return file !== undefined && (isShell || file.includes("/")) ? namedFile(file) : undefined;
}

/** Without its folder, unless it is a script of the project, and without its version. */
function programName(first: string): string {
  if (/^\.{1,2}\//.test(first) && !/\/\.?bin\/[^/]+$/.test(first)) return first;
  const name = first.replace(/^.*\/(?=[\w.@-]+$)/, "").replace(/(?<=.)@[\w.-]+$/, "");
  if (name !== first && /\.\w+$/.test(name)) return first;
  return name.replace(/^(python|pip)[\d.]+$/, "$1");
}
