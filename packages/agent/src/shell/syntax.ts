/**
 * What a shell command line is made of: the tree that `parse` gives and
 * everybody who reads commands walks.
 *
 * What a newcomer gets wrong: a word is not a text. Only a word whose parts are
 * all `text` is known before the command runs (`textOf`); everything else is
 * decided by bash, later, from things that are not in the command. Quotes are
 * gone from the tree: what they protected is `text`, what they did not protect
 * and bash would expand has a part of its own.
 */

export interface Script {
  readonly items: readonly Item[];
}

/** Pipelines joined by `&&` and `||`; `&` at the end leaves it running. */
export interface Item {
  readonly pipelines: readonly Pipeline[];
  readonly background: boolean;
}

export interface Pipeline {
  /** How it hangs on the one before it. */
  readonly after?: "&&" | "||";
  readonly negated: boolean;
  readonly commands: readonly Command[];
}

export type Command =
  | SimpleCommand
  | { readonly kind: "subshell"; readonly body: Script; readonly redirects: readonly Redirect[] }
  | { readonly kind: "group"; readonly body: Script; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly test: Script; readonly body: Script }[];
      readonly otherwise?: Script;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "loop";
      readonly until: boolean;
      readonly test: Script;
      readonly body: Script;
      readonly redirects: readonly Redirect[];
    }
  /** `for` and `select`; without `words` over the arguments. */
  | {
      readonly kind: "for";
      readonly name: string;
      readonly words?: readonly Word[];
      readonly body: Script;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "count";
      readonly expressions: readonly Arithmetic[];
      readonly body: Script;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "case";
      readonly subject: Word;
      readonly arms: readonly { readonly patterns: readonly Word[]; readonly body: Script }[];
      readonly redirects: readonly Redirect[];
    }
  /** `[[ … ]]`; its operators are words too. */
  | { readonly kind: "test"; readonly words: readonly Word[]; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: "arithmetic";
      readonly expression: Arithmetic;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "function";
      readonly name: string;
      readonly body: Command;
      readonly redirects: readonly Redirect[];
    };

export interface SimpleCommand {
  readonly kind: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Assignment {
  readonly name: string;
  readonly append: boolean;
  /** Several for an array. */
  readonly values: readonly Word[];
}

export interface Redirect {
  readonly operator: "<" | ">" | ">>" | ">|" | "<>" | "<&" | ">&" | "&>" | "&>>" | "<<" | "<<<";
  /** The handle before the operator. */
  readonly handle?: number;
  /** A file, a handle, or the content of a here-document. */
  readonly target: Word;
}

export interface Word {
  readonly parts: readonly Part[];
}

export interface Arithmetic {
  /** It uses variables, whose values bash would evaluate again as arithmetic. */
  readonly named: boolean;
  /** Expansions within it. */
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly kind: "text"; readonly text: string }
  /** `*`, `?` or `[`, which match names of files. */
  | { readonly kind: "glob"; readonly text: string }
  /** `{`, `}` or `,` that may make several words of one. */
  | { readonly kind: "brace"; readonly text: string }
  /** `~` or `~name`. */
  | { readonly kind: "tilde"; readonly user: string }
  | {
      readonly kind: "variable";
      readonly name: string;
      readonly quoted: boolean;
      /** What stands behind the name within `${…}`; its words are in `parts`. */
      readonly operator?: string;
      readonly parts?: readonly Part[];
    }
  | { readonly kind: "command"; readonly script: Script; readonly quoted: boolean }
  /** `<( … )` or `>( … )`. */
  | { readonly kind: "process"; readonly script: Script }
  | { readonly kind: "number"; readonly expression: Arithmetic };

/** The lists of commands within a command, those of substitutions left out. */
export function bodiesOf(command: Command): readonly Script[] {
  switch (command.kind) {
    case "simple":
    case "test":
    case "arithmetic":
      return [];
    case "function":
      return bodiesOf(command.body);
    case "if":
      return [
        ...command.branches.flatMap(({ test, body }) => [test, body]),
        ...(command.otherwise === undefined ? [] : [command.otherwise]),
      ];
    case "loop":
      return [command.test, command.body];
    case "case":
      return command.arms.map(({ body }) => body);
    default:
      return [command.body];
  }
}

/** What stands there when nothing about the word is left to bash. */
export function textOf(word: Word): string | undefined {
  let text = "";
  for (const part of word.parts) {
    if (part.kind !== "text") return undefined;
    text += part.text;
  }
  return text;
}
