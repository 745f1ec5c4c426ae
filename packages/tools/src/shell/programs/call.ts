/**
 * One program with its arguments, as the tables of programs see it.
 */
import type { Judgement } from "../judgement.js";
import type { Scene } from "../scene.js";
import type { Value } from "../values.js";

export interface Call {
  readonly name: string;
  readonly args: readonly Value[];
  readonly judgement: Judgement;
  readonly scene: Scene;
  /** Judges the program that these words start. */
  start(words: readonly Value[]): void;
  /** Judges a text as commands of a shell. */
  script(text: string, shell: string): void;
  /** The command before it in a pipe prints names of files of the workspace. */
  readonly fedWithNames: boolean;
}

export type Handler = (call: Call) => void;

/** Every argument whose text is known. */
export function texts(call: Call): string[] {
  return call.args.flatMap((arg) => (arg.text === undefined ? [] : [arg.text]));
}

/** Options and operands apart, by `--` and by letters in `taking`, whose value is the next argument. */
export function split(call: Call, taking = ""): { options: Value[]; values: Value[]; operands: Value[] } {
  const options: Value[] = [];
  const values: Value[] = [];
  const operands: Value[] = [];
  let ended = false;
  for (let i = 0; i < call.args.length; i += 1) {
    const arg = call.args[i];
    if (arg === undefined) break;
    const text = arg.text;
    if (ended || text === undefined || text === "-" || !text.startsWith("-")) {
      operands.push(arg);
      continue;
    }
    if (text === "--") {
      ended = true;
      continue;
    }
    options.push(arg);
    const next = call.args[i + 1];
    if (takesNext(text, taking) && next !== undefined) {
      values.push(next);
      i += 1;
    }
  }
  return { options, values, operands };
}

/** A cluster like `-nA`, whose last letter wants a value; `-A3` has it already. */
function takesNext(option: string, taking: string): boolean {
  if (option.startsWith("--")) return false;
  const first = [...option.slice(1)].findIndex((letter) => taking.includes(letter));
  return first >= 0 && first === option.length - 2;
}

/** It might come to be an option: nothing stands before what bash fills in. */
export function mayBeOption(value: Value): boolean {
  if (value.text !== undefined) return false;
  return value.glob === undefined || value.glob.head === "" || value.glob.head.startsWith("-");
}
