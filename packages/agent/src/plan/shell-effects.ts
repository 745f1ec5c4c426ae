/**
 * What a shell command is likely to do: which paths it writes or takes away, and
 * whether it pushes, installs, publishes or leaves the machine.
 *
 * What a newcomer gets wrong: an empty list is no proof of innocence. Programs that
 * are not known here count as `unknown`, which may change anything; only programs
 * that are known to read alone make a command `readsOnly`.
 */
import type { Effect } from "./effects.js";
import { plainPath } from "./paths.js";
import { type SimpleCommand, simpleCommands } from "./shell-words.js";
import { programs, readers } from "./shell-programs.js";

export interface ShellReading {
  readonly effects: readonly Effect[];
  /** A program ran of which nothing is known here. */
  readonly unknown: boolean;
  /** Every program is known to change nothing. */
  readonly readsOnly: boolean;
  /** It pauses before it looks, or does nothing but wait. */
  readonly waits: boolean;
  /** Something may go on running after it returned. */
  readonly leavesRunning: boolean;
}

const readings = new Map<string, ShellReading>();
const readingsMax = 200;

export function readShell(commandLine: string): ShellReading {
  const known = readings.get(commandLine);
  if (known !== undefined) return known;
  const reading = read(commandLine, 0);
  if (readings.size >= readingsMax) readings.clear();
  readings.set(commandLine, reading);
  return reading;
}

const depthMax = 4;

function read(commandLine: string, depth: number): ShellReading {
  const effects: Effect[] = [];
  const variables = new Map<string, readonly string[]>();
  let folder = "";
  let unknown = false;
  let waits = false;
  let leavesRunning = false;
  let source: readonly string[] = [];
  for (const command of simpleCommands(commandLine)) {
    leavesRunning ||= command.background;
    remember(command.words, variables);
    const { words, detached } = bare(command.words.flatMap((word) => expanded(word, variables)));
    leavesRunning ||= detached;
    const place = (text: string) => plainPath(text, folder);
    effects.push(...redirects(command, variables, place));
    const [program = "", ...args] = words;
    if (program === "cd" || program === "pushd") folder = plainPath(args[0] ?? "", folder);
    if (waiters.has(program)) waits = true;
    const script = innerScript(program, args, command.heredoc);
    if (script !== undefined && depth < depthMax) {
      const inner = read(script, depth + 1);
      effects.push(...inner.effects);
      unknown ||= inner.unknown;
      waits ||= inner.waits;
      leavesRunning ||= inner.leavesRunning;
    } else {
      const read = programs[program]?.(given(program, args, command.heredoc), place);
      const found = read ?? (readers.has(program) || onlyAsks(args) ? [] : undefined);
      if (found === undefined && program !== "") {
        unknown = true;
        effects.push(...output(args, place));
      }
      effects.push(...(found ?? []), ...handedOn(program, args, source, place));
    }
    if (deploys(program, args)) effects.push({ kind: "deploy" });
    if (/^(?:docker|docker-compose|podman)$/.test(program) && args.includes("-d")) leavesRunning = true;
    source = args.filter((arg) => !arg.startsWith("-"));
  }
  const readsOnly = !unknown && effects.every(({ kind }) => kind === "network");
  return { effects, unknown, readsOnly, waits, leavesRunning };
}

/** Of a program that is not known, where it is told to put its result. */
function output(args: readonly string[], place: (text: string) => string): readonly Effect[] {
  const at = args.findIndex((arg) => /^(?:-o|--out|--output|--outfile|--out-file|-out)$/.test(arg));
  const file = at < 0 ? /^--(?:out|output|outfile|out-file)=(.+)$/m.exec(args.join("\n"))?.[1] : args[at + 1];
  return file === undefined || file.startsWith("-") ? [] : [{ kind: "write", path: place(file) }];
}

const asking =
  /^(?:status|list|ls|info|show|describe|inspect|version|help|whoami|doctor|view|logs|history|search|is-active|is-enabled|list-\w+)$/;
const groups =
  /^(?:network|volume|compose|container|image|config|auth|context|pr|issue|repo|cluster|nodes?|profile|workspace|service|services|jobs?|account|env|cache|secret|plugin|run|release|domains?|apps?|db)$/;

/** By the words that most programs use for it: `systemctl status`, `docker network ls`, `x --version`. */
function onlyAsks(args: readonly string[]): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--?version|-V|--help|-h)$/.test(arg))) return true;
  const [verb = "", second = ""] = args.filter((arg) => !arg.startsWith("-"));
  return (
    asking.test(verb) || (groups.test(verb) && (asking.test(second) || /^(?:get|ps|config)$/.test(second)))
  );
}

/** `NAME=value` and `for name in …`. */
function remember(words: readonly string[], variables: Map<string, readonly string[]>): void {
  if (words[0] === "for" && words[2] === "in") variables.set(words[1] ?? "", words.slice(3));
  for (const word of words) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.+)$/s.exec(word) ?? [];
    if (name === undefined) break;
    variables.set(name, [value ?? ""]);
  }
}

const valuesMax = 50;

function expanded(word: string, variables: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const [whole, name = ""] = /\$\{?([A-Za-z_]\w*)\}?/.exec(word) ?? [];
  const values = whole === undefined ? undefined : variables.get(name);
  if (whole === undefined || values === undefined) return [word];
  return values.slice(0, valuesMax).map((value) => word.split(whole).join(value));
}

/** Scripts and patches that are written into a program stand among its arguments. */
function given(program: string, args: readonly string[], heredoc: string | undefined): readonly string[] {
  if (heredoc === undefined) return args;
  if (/^(?:python3?|node|ruby|perl|deno)$/.test(program)) return ["-c", heredoc];
  if (program !== "patch" && !(program === "git" && args[0] === "apply")) return args;
  const files = [...heredoc.matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)].map(([, file = ""]) => file);
  return program === "git" ? ["apply", ...files] : files;
}

/** `grep -rl x src | xargs sed -i …` works on what lies in `src`. */
function handedOn(
  program: string,
  args: readonly string[],
  source: readonly string[],
  place: (text: string) => string,
): readonly Effect[] {
  if (program !== "xargs") return [];
  const removes = args.some((arg) => /^(?:rm|unlink|shred)$/.test(arg));
  const edits = args.includes("sed") && args.some((arg) => /^-\w*i|^--in-place/.test(arg));
  if (!removes && !edits) return [];
  const kind = removes ? "delete" : "write";
  return source.slice(-1).map((text) => ({ kind, path: place(text), deep: true }));
}

/** `./deploy.sh`, `fly deploy`: by its name, unless it only asks. */
function deploys(program: string, args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:status|logs|--dry-run|--help|list)$/.test(arg)) || readers.has(program))
    return false;
  return (
    /(?:^|\/)deploy(?:\.\w+)?$/.test(program) ||
    (!/^(?:git|gh|cp|mv|rm|mkdir|touch)$/.test(program) && args[0] === "deploy")
  );
}

const waiters: ReadonlySet<string> = new Set(["sleep", "wait", "wait-on", "timeout-wait"]);
/** Programs that only run another one. */
const wrappers =
  /^(?:sudo|time|command|exec|env|nice|nohup|setsid|stdbuf|xvfb-run|timeout|npx|bunx|pnpx|uvx)$/;

/** The command without variables, keywords and wrappers in front. */
function bare(words: readonly string[]): { readonly words: readonly string[]; readonly detached: boolean } {
  let rest = words;
  let detached = false;
  for (;;) {
    const [first = ""] = rest;
    if (/^[A-Za-z_]\w*=/.test(first) || /^(?:if|then|else|do|while|until|!|\{|\}|fi|done)$/.test(first)) {
      rest = rest.slice(1);
    } else if (wrappers.test(first) && rest.length > 1) {
      detached ||= first === "nohup" || first === "setsid";
      rest = rest.slice(1);
      while (/^-|^\d+(?:\.\d+)?[smhd]?$/.test(rest[0] ?? "") && rest.length > 1) rest = rest.slice(1);
    } else {
      const program = first.replace(/^.*\/(?=[\w.-]+$)/, "").replace(/@[\w.-]+$/, "");
      return {
        words: rest.length === 0 ? [] : [/^\.{1,2}\//.test(first) ? first : program, ...rest.slice(1)],
        detached,
      };
    }
  }
}

function redirects(
  { writesTo }: SimpleCommand,
  variables: ReadonlyMap<string, readonly string[]>,
  place: (text: string) => string,
): readonly Effect[] {
  return writesTo
    .flatMap((target) => expanded(target, variables))
    .filter((target) => !/^(?:\/dev\/|&|\d+$|-$)/.test(target))
    .map((target) => ({ kind: "write" as const, path: place(target) }));
}

/** `sh -c "…"`, `eval "…"`, `xargs rm`: what is really run. */
function innerScript(program: string, args: readonly string[], heredoc?: string): string | undefined {
  if (program === "eval") return args.join(" ");
  if (!/^(?:ba|z|da|k)?sh$/.test(program)) return undefined;
  const at = args.findIndex((arg) => /^-\w*c$/.test(arg));
  return at < 0 ? heredoc : args[at + 1];
}
