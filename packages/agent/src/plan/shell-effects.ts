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
  let folder = "";
  let unknown = false;
  let waits = false;
  let leavesRunning = false;
  for (const command of simpleCommands(commandLine)) {
    leavesRunning ||= command.background;
    const { words, detached } = bare(command.words);
    leavesRunning ||= detached;
    const place = (text: string) => plainPath(text, folder);
    effects.push(...redirects(command, place));
    const [program = "", ...args] = words;
    if (program === "cd" || program === "pushd") folder = plainPath(args[0] ?? "", folder);
    if (waiters.has(program)) waits = true;
    const script = innerScript(program, args);
    if (script !== undefined && depth < depthMax) {
      const inner = read(script, depth + 1);
      effects.push(...inner.effects);
      unknown ||= inner.unknown;
      waits ||= inner.waits;
      leavesRunning ||= inner.leavesRunning;
    } else {
      const found = programs[program]?.(args, place) ?? (readers.has(program) ? [] : undefined);
      if (found === undefined && program !== "") unknown = true;
      effects.push(...(found ?? []));
    }
    if (deploys(program, args)) effects.push({ kind: "deploy" });
    if (/^(?:docker|docker-compose|podman)$/.test(program) && args.includes("-d")) leavesRunning = true;
  }
  return {
    effects,
    unknown,
    readsOnly: !unknown && effects.every(({ kind }) => kind === "network"),
    waits,
    leavesRunning,
  };
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

function redirects({ writesTo }: SimpleCommand, place: (text: string) => string): readonly Effect[] {
  return writesTo
    .filter((target) => !/^(?:\/dev\/|&|\d+$|-$)/.test(target))
    .map((target) => ({ kind: "write" as const, path: place(target) }));
}

/** `sh -c "…"`, `eval "…"`, `xargs rm`: what is really run. */
function innerScript(program: string, args: readonly string[]): string | undefined {
  if (program === "eval") return args.join(" ");
  if (!/^(?:ba|z|da|k)?sh$/.test(program)) return undefined;
  const at = args.findIndex((arg) => /^-\w*c$/.test(arg));
  return at < 0 ? undefined : args[at + 1];
}
