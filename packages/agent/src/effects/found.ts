/**
 * `find` and `xargs`: what they run, on what they find or are handed.
 *
 * What a newcomer gets wrong: what `grep -l` hands on is known to nobody, so a
 * change of it is one somewhere below where grep looked, not a change of that
 * folder's files.
 */
import type { LineCommand } from "../shell/line-commands.js";
import { type Call, has, of, operands, type Program, valuesOf } from "./call.js";
import type { Effect } from "./effect.js";

const starts = /^-(?:exec|execdir|ok|okdir)$/;

export const find: Program = (call) => {
  const { args } = call;
  const targets = foundBy(args);
  const effects: Effect[] = has(args, /^-delete$/) ? [...of("delete", targets, call, { deep: true })] : [];
  for (const [at, arg] of args.entries()) {
    if (!starts.test(arg) && !(call.program === "fd" && /^(?:-[xX]|--exec(?:-batch)?)$/.test(arg))) continue;
    const found = onEach(args.slice(at + 1, endOf(args, at + 1)), call);
    if (found === undefined) return undefined;
    effects.push(
      ...found.flatMap((effect) =>
        effect.path === undefined ? [effect] : of(effect.kind, targets, call, { deep: true }),
      ),
    );
  }
  return effects;
};

function endOf(args: readonly string[], from: number): number | undefined {
  const at = args.findIndex((arg, i) => i >= from && /^(?:;|\\;|\+)$/.test(arg));
  return at < 0 ? undefined : at;
}

/** What a command would do to a file that it is handed; undefined where that is not known. */
function onEach(words: readonly string[], call: Call): readonly Effect[] | undefined {
  const handed = words.filter((word) => word !== "{}");
  const { effects, unknown } = call.other([...handed, "handed.file"]);
  return unknown ? undefined : effects;
}

/** The folders, or the patterns, that `find` goes through. */
function foundBy(args: readonly string[]): readonly string[] {
  const [path] = valuesOf(args, /^-i?(?:path|wholename)$/);
  if (path !== undefined) return [path];
  const until = args.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = args.slice(0, until < 0 ? undefined : until).filter((arg) => arg !== "");
  const [name] = valuesOf(args, /^-i?name$/);
  return (roots.length === 0 ? ["."] : roots).map((root) =>
    name === undefined ? root : `${root}/**/${name}`,
  );
}

export const xargs: Program = (call) => {
  const at = firstOperand(call.args);
  const replaced = valuesOf(call.args.slice(0, at), /^(?:-I|-J|--replace)$/);
  const words = call.args.slice(at).filter((word) => !replaced.includes(word));
  const found = onEach(words, call);
  if (found === undefined) return undefined;
  const kind = found.find(({ path }) => path !== undefined)?.kind;
  // What it does whatever it is handed, to paths that stand in the line.
  const always = call.other(words).effects;
  if (kind === undefined) return always;
  const { before } = call;
  const isFound = before?.run[0] === "find";
  const handed = isFound ? foundBy(before.run.slice(1)) : [lookedIn(before)];
  return [...always, ...of(kind, handed, call, { deep: true, ...(isFound ? {} : { how: "fix" as const }) })];
};

/** Where the command begins that `xargs` runs. */
function firstOperand(args: readonly string[]): number {
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] ?? "";
    if (/^-(?:[nPILsdEaJ])$|^--(?:max-args|max-procs|replace|delimiter|arg-file)$/.test(word)) i += 1;
    else if (!word.startsWith("-")) return i;
  }
  return args.length;
}

/** Where the names that are handed on come from. */
function lookedIn(before: LineCommand | undefined): string {
  const [program = "", ...rest] = before?.run ?? [];
  const named = operands(rest);
  if (/^(?:[ef]?grep|rg|ag|ack)$/.test(program))
    return named.slice(has(rest, /^-\w*e$/) ? 0 : 1).at(-1) ?? ".";
  return /^(?:ls|cat|echo|printf)$/.test(program) ? (named.at(-1) ?? ".") : ".";
}
