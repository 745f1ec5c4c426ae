/**
 * One program with its arguments, and the little that nearly every program needs
 * to be read: operands, options and their values.
 *
 * What a newcomer gets wrong: which option takes a value is known by the program
 * alone, so `operands` may hold values of options; whoever minds says which.
 */
import type { LineCommand } from "../shell/line-commands.js";
import type { Effect, EffectKind } from "./effect.js";

export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** A path of the command, from where the line began. */
  place(path: string): string;
  readonly heredoc: string | undefined;
  readonly fed: boolean;
  /** Whose output it reads. */
  readonly before: LineCommand | undefined;
  /** What another command would do in its place. */
  other(words: readonly string[]): CommandReading;
}

export interface CommandReading {
  readonly effects: readonly Effect[];
  /** Nothing is known of this use of the program. */
  readonly unknown: boolean;
}

/** Undefined: this use of the program is not understood. */
export type Program = (call: Call) => readonly Effect[] | undefined;

export const operands = (args: readonly string[]) => args.filter((arg) => !arg.startsWith("-"));
export const has = (args: readonly string[], option: RegExp) => args.some((arg) => option.test(arg));

/** Values of an option, as the next word or after `=`. */
export function valuesOf(args: readonly string[], option: RegExp): readonly string[] {
  return args.flatMap((word, i) => {
    if (option.test(word)) return args[i + 1] ?? [];
    const [, name = "", value = ""] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    return option.test(name) ? [value] : [];
  });
}

/** Without options that take a value, and their values. */
export function withoutValues(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((_, i) => !option.test(args[i - 1] ?? "") && !option.test(args[i] ?? ""));
}

export function of(
  kind: EffectKind,
  paths: readonly string[],
  { place }: Pick<Call, "place">,
  more: Pick<Effect, "deep" | "how"> = {},
): readonly Effect[] {
  return paths.map((path) => ({ kind, path: place(path), ...more }));
}

export const only = (...kinds: readonly EffectKind[]): readonly Effect[] => kinds.map((kind) => ({ kind }));
