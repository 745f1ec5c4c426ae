/**
 * The walk over the tree of a command line, which tells what lies around each of
 * its commands: the folder, the pipe, what hides how it ended.
 *
 * What a newcomer gets wrong: `cd` in a subshell, in a pipe or in the background
 * goes nowhere for those that follow.
 */
import { plainPath } from "../plan/paths.js";
import type { LineCommand } from "./line-commands.js";
import { likelyScript } from "./parse.js";
import { spelled } from "./spelling.js";
import type { Command, Item, Part, Pipeline, Redirect, Script, SimpleCommand, Word } from "./syntax.js";
import { unwrapped } from "./unwrap.js";

/** Its simple commands, those of substitutions last. */
export function commandsIn(script: Script): readonly LineCommand[] {
  const walk = new Walk();
  walk.script(script, top);
  return walk.commands();
}

/** What lies around a command. */
interface Around {
  readonly depth: number;
  readonly background: boolean;
  readonly otherwise: boolean;
  /** How it ends is hidden: in any case, unless failures stop the script, unless the whole pipe fails with it. */
  readonly hidden: boolean;
  readonly hiddenByNext: boolean;
  readonly hiddenByPipe: boolean;
  readonly substituted: boolean;
  readonly piped: boolean;
  readonly before: LineCommand | undefined;
}

const top: Around = {
  ...{ depth: 0, background: false, otherwise: false, substituted: false },
  ...{ hidden: false, hiddenByNext: false, hiddenByPipe: false, piped: false, before: undefined },
};
const inSubstitution: Around = { ...top, substituted: true, hidden: true };
/** Texts of `sh -c` within texts of `sh -c`. */
const depthMax = 4;
/** Of one command, with what its variables hold. */
const wordsMax = 4_000;
/** Of a variable; a longer one counts as unknown. */
const valueCharsMax = 1_000;

class Walk {
  private readonly found: LineCommand[] = [];
  /** What lies around each of those that were found. */
  private readonly places: Around[] = [];
  private readonly inner: { readonly script: Script; readonly folder: string }[] = [];
  private readonly variables = new Map<string, readonly string[]>();
  private readonly functions = new Set<string>();
  private readonly left: string[] = [];
  private folder = "";
  private previous = "";
  private stopsAtErrors = false;
  private pipesTell = false;

  commands(): readonly LineCommand[] {
    // What is substituted may substitute in turn, which makes this list longer while it is read.
    for (const { script, folder } of this.inner) {
      this.folder = folder;
      this.script(script, inSubstitution);
    }
    return this.found.map((command, i) =>
      this.isHidden(this.places[i] ?? top) ? { ...command, statusHidden: true } : command,
    );
  }

  private isHidden({ hidden, hiddenByNext, hiddenByPipe }: Around): boolean {
    return hidden || (hiddenByNext && !this.stopsAtErrors) || (hiddenByPipe && !this.pipesTell);
  }

  script({ items }: Script, around: Around): void {
    const last = items.length - 1;
    const followed = around.hiddenByNext || last < 1 ? around : { ...around, hiddenByNext: true };
    for (const [index, item] of items.entries()) this.item(item, index === last ? around : followed);
  }

  private item({ pipelines, background }: Item, around: Around): void {
    const start = this.folder;
    const fallback = pipelines.findLastIndex((later) => later.after === "||" && !givesUp(later));
    for (const [index, pipeline] of pipelines.entries()) {
      this.pipeline(pipeline, {
        ...around,
        background: around.background || background,
        otherwise: around.otherwise || pipeline.after === "||",
        hidden: around.hidden || background || index < fallback || pipeline.negated,
      });
    }
    // What runs beside goes nowhere for the others.
    if (background) this.folder = start;
  }

  private pipeline({ commands }: Pipeline, around: Around): void {
    const [only] = commands;
    if (commands.length === 1 && only !== undefined) {
      this.command(only, around);
      return;
    }
    const start = this.folder;
    let before: LineCommand | undefined;
    for (const [index, command] of commands.entries()) {
      const count = this.found.length;
      const hiddenByPipe = around.hiddenByPipe || index < commands.length - 1;
      this.command(command, { ...around, hiddenByPipe, piped: index > 0, before });
      before = this.found.length === count ? undefined : this.found.at(-1);
      this.folder = start;
    }
  }

  private command(command: Command, outside: Around): void {
    if (command.kind === "simple") {
      this.simple(command, outside);
      return;
    }
    const start = this.folder;
    // Which of the commands within reads from the pipe, nobody says.
    const around: Around = { ...outside, piped: false, before: undefined };
    const loops: Around = { ...around, hiddenByNext: true };
    const asked: Around = { ...around, hidden: true };
    switch (command.kind) {
      case "subshell":
        this.script(command.body, around);
        this.folder = start;
        break;
      case "group":
        this.script(command.body, around);
        break;
      case "if":
        for (const { test, body } of command.branches) {
          this.script(test, asked);
          this.script(body, around);
        }
        if (command.otherwise !== undefined) this.script(command.otherwise, around);
        break;
      case "loop":
        this.script(command.test, asked);
        this.script(command.body, loops);
        break;
      case "for":
        this.set(command.name, command.words ?? []);
        this.script(command.body, loops);
        break;
      case "count":
        this.script(command.body, loops);
        break;
      case "case":
        this.substitutions(command.subject.parts);
        for (const { body } of command.arms) this.script(body, around);
        break;
      case "test":
        this.add({ words: ["[[", ...this.texts(command.words), "]]"], redirects: [] }, asked);
        break;
      case "function":
        this.functions.add(command.name);
        this.command(command.body, loops);
        this.folder = start;
        break;
      case "arithmetic":
        break;
    }
    if (command.redirects.length > 0) this.add({ words: [], redirects: command.redirects }, around);
  }

  private simple({ assignments, words, redirects }: SimpleCommand, around: Around): void {
    const assigned = assignments.map(({ name, append, values }) => {
      const texts = this.set(name, values);
      return `${name}${append ? "+" : ""}=${values.length > 1 ? `(${texts.join(" ")})` : texts.join(" ")}`;
    });
    this.add({ words: [...assigned, ...this.texts(words)], redirects }, around);
  }

  private add(
    { words, redirects }: { readonly words: readonly string[]; readonly redirects: readonly Redirect[] },
    around: Around,
  ): void {
    const { words: run, detached } = unwrapped(words);
    const { writesTo, heredoc, fed } = this.redirected(redirects);
    const [program = ""] = run;
    const script = innerScript(run, heredoc);
    const isInner = script !== undefined && around.depth < depthMax;
    if (isInner) this.inline(script, program === "eval", around);
    // What a function or an inner script does stands where its commands do.
    const isShown = !isInner && !this.functions.has(program) && words.length > 0;
    if (isShown || writesTo.length > 0) {
      const { background, otherwise, piped, before, substituted } = around;
      this.found.push({
        words: isShown ? words : [],
        run: isShown ? run : [],
        writesTo,
        folder: this.folder,
        heredoc: isShown ? heredoc : undefined,
        fed,
        piped,
        before,
        background,
        leavesRunning: background || detached,
        otherwise,
        substituted,
        statusHidden: false,
      });
      this.places.push(around);
    }
    this.afterwards(run);
  }

  private redirected(redirects: readonly Redirect[]): Pick<LineCommand, "writesTo" | "heredoc" | "fed"> {
    if (redirects.length === 0) return { writesTo: [], heredoc: undefined, fed: false };
    const writesTo: string[] = [];
    let heredoc: string | undefined;
    let fed = false;
    for (const { operator, target } of redirects) {
      const texts = this.texts([target]);
      fed ||= operator.startsWith("<") && operator !== "<&";
      if (operator === "<<") heredoc = texts.join(" ");
      if (!operator.includes(">")) continue;
      for (const text of texts) {
        const isHandle = operator === ">&" && /^(?:\d+-?|-)$/.test(text);
        if (!isHandle && text !== "" && !/^\/dev\/|^<\(/.test(text)) writesTo.push(placed(this.folder, text));
      }
    }
    return { writesTo, heredoc, fed };
  }

  /** `sh -c "…"` stands for what is in it; only `eval` stays in the folder to which that went. */
  private inline(text: string, lasts: boolean, around: Around): void {
    const start = this.folder;
    this.script(likelyScript(text), { ...around, depth: around.depth + 1 });
    if (!lasts) this.folder = start;
  }

  /** What a command leaves behind for the next. */
  private afterwards([program = "", ...args]: readonly string[]): void {
    const [operand] = args.filter((word) => word === "-" || !word.startsWith("-"));
    if (program === "cd" || program === "pushd") {
      if (program === "pushd") this.left.push(this.folder);
      const next = operand === "-" ? this.previous : placed(this.folder, operand ?? "~");
      this.previous = this.folder;
      this.folder = next;
    } else if (program === "popd") this.folder = this.left.pop() ?? this.folder;
    else if (program === "set") {
      this.stopsAtErrors ||= args.some((word) => /^-\w*e/.test(word)) || args.includes("errexit");
      this.pipesTell ||= args.includes("pipefail");
    }
  }

  private set(name: string, words: readonly Word[]): readonly string[] {
    const values = this.texts(words);
    const isKnown = (value: string) => value.length <= valueCharsMax && !/[$`]/.test(value);
    if (values.length > 0 && values.every(isKnown)) this.variables.set(name, values);
    else this.variables.delete(name);
    return values;
  }

  private texts(words: readonly Word[]): readonly string[] {
    const texts: string[] = [];
    for (const word of words) {
      this.substitutions(word.parts);
      if (texts.length < wordsMax) texts.push(...spelled(word, this.variables));
    }
    return texts;
  }

  private substitutions(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.kind === "command" || part.kind === "process")
        this.inner.push({ script: part.script, folder: this.folder });
      else if (part.kind === "variable") this.substitutions(part.parts ?? []);
      else if (part.kind === "number") this.substitutions(part.expression.parts);
    }
  }
}

/** `|| exit 1` lets the failure through. */
function givesUp({ commands }: Pipeline): boolean {
  const [command] = commands;
  const first = command?.kind === "simple" ? command.words[0] : undefined;
  return first !== undefined && /^(?:exit|return)$/.test(spelled(first).join(" "));
}

/** The commands that `sh -c`, `eval` or a shell with a here-document is given. */
function innerScript([program = "", ...args]: readonly string[], heredoc?: string): string | undefined {
  if (program === "eval") return args.join(" ");
  if (!/^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(program)) return undefined;
  const at = args.findIndex((arg) => /^-\w*c$/.test(arg));
  if (at >= 0) return args[at + 1];
  return args.some((arg) => !arg.startsWith("-")) ? undefined : heredoc;
}

/** Seen from where the line began; a home, and what only bash knows, is nobody's folder. */
export function placed(folder: string, path: string): string {
  return /^[/~$]/.test(path) ? plainPath(path) : plainPath(path, folder);
}
