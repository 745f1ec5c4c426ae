/**
 * A command line as the simple commands that it would run, in plain texts.
 *
 * What a newcomer gets wrong: this is no gate. It reads what an honest model
 * writes, to tell what a command is for; whether a command may run at all is
 * decided by the policy of the shell tool, from the strict tree. Commands stand in
 * the order in which they are written, whether or not they would be reached; those
 * of substitutions come last.
 */
import { plainPath } from "../plan/paths.js";
import { likelyScript } from "./parse.js";
import { spelled } from "./spelling.js";
import type { Command, Item, Part, Pipeline, Redirect, Script, SimpleCommand, Word } from "./syntax.js";
import { unwrapped } from "./unwrap.js";

export interface LineCommand {
  /** Assignments before it, then its words, without quotes and redirections. */
  readonly words: readonly string[];
  /** What is really run: without assignments and wrappers such as `sudo` or `npx`. */
  readonly run: readonly string[];
  /** Files that its output goes to, from where the line began. */
  readonly writesTo: readonly string[];
  /** The folder that an earlier `cd` of the line chose; `""` where none did. */
  readonly folder: string;
  /** What is written into it on the lines below. */
  readonly heredoc?: string;
  /** A file or a text is its input. */
  readonly fed: boolean;
  /** It reads the output of the one before. */
  readonly piped: boolean;
  /** Whose output it reads, where that is a simple command. */
  readonly before?: LineCommand;
  /** It goes on while the next one begins. */
  readonly background: boolean;
  /** It, or what it starts, may go on after the line returned. */
  readonly leavesRunning: boolean;
  /** After `||`: it runs only if what stands before failed. */
  readonly otherwise: boolean;
  /** Something else decides how the line ends. */
  readonly statusHidden: boolean;
}

const known = new Map<string, readonly LineCommand[]>();
const knownMax = 400;

export function lineCommands(line: string): readonly LineCommand[] {
  const before = known.get(line);
  if (before !== undefined) return before;
  const walk = new Walk();
  walk.script(likelyScript(line), top);
  const commands = walk.commands();
  if (known.size >= knownMax) known.clear();
  known.set(line, commands);
  return commands;
}

/** What lies around a command. */
interface Around {
  readonly depth: number;
  readonly background: boolean;
  readonly otherwise: boolean;
  /** Whether `set -e`, or `pipefail`, would let a failure through. */
  readonly hiddenBy: Hidden;
  readonly piped: boolean;
  readonly before?: LineCommand;
}

interface Hidden {
  readonly always: boolean;
  /** Unless failures stop the script. */
  readonly next: boolean;
  /** Unless the whole pipe fails with it. */
  readonly pipe: boolean;
}

const top: Around = {
  depth: 0,
  background: false,
  otherwise: false,
  hiddenBy: { always: false, next: false, pipe: false },
  piped: false,
};
/** Texts of `sh -c` within texts of `sh -c`. */
const depthMax = 4;
/** Of one command, with what its variables hold. */
const wordsMax = 4_000;

type Found = { readonly command: LineCommand; readonly hiddenBy: Hidden };

class Walk {
  private readonly found: Found[] = [];
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
      this.script(script, { ...top, hiddenBy: { ...top.hiddenBy, always: true } });
    }
    return this.found.map(({ command, hiddenBy: { always, next, pipe } }) =>
      always || (next && !this.stopsAtErrors) || (pipe && !this.pipesTell)
        ? { ...command, statusHidden: true }
        : command,
    );
  }

  script({ items }: Script, around: Around): void {
    for (const [index, item] of items.entries()) {
      const { hiddenBy } = around;
      const next = hiddenBy.next || index < items.length - 1;
      this.item(item, { ...around, hiddenBy: { ...hiddenBy, next } });
    }
  }

  private item({ pipelines, background }: Item, around: Around): void {
    const start = this.folder;
    for (const [index, pipeline] of pipelines.entries()) {
      const replaced = pipelines.slice(index + 1).some((later) => later.after === "||" && !givesUp(later));
      const { hiddenBy } = around;
      this.pipeline(pipeline, {
        ...around,
        background: around.background || background,
        otherwise: around.otherwise || pipeline.after === "||",
        hiddenBy: { ...hiddenBy, always: hiddenBy.always || background || replaced || pipeline.negated },
      });
    }
    // What runs beside goes nowhere for the others.
    if (background) this.folder = start;
  }

  private pipeline({ commands }: Pipeline, around: Around): void {
    const start = this.folder;
    let before: LineCommand | undefined;
    for (const [index, command] of commands.entries()) {
      const { hiddenBy } = around;
      const count = this.found.length;
      this.command(command, {
        ...around,
        hiddenBy: { ...hiddenBy, pipe: hiddenBy.pipe || index < commands.length - 1 },
        ...(index === 0 ? {} : { piped: true }),
        ...(before === undefined ? {} : { before }),
      });
      before = this.found.length === count ? undefined : this.found.at(-1)?.command;
      if (commands.length > 1) this.folder = start;
    }
  }

  private command(command: Command, around: Around): void {
    if (command.kind === "simple") {
      this.simple(command, around);
      return;
    }
    const start = this.folder;
    const loops: Around = { ...around, hiddenBy: { ...around.hiddenBy, next: true } };
    const asked: Around = { ...around, hiddenBy: { ...around.hiddenBy, always: true } };
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
    for (const { target } of redirects) this.substitutions(target.parts);
    const { words: run, detached } = unwrapped(words);
    const fed = redirects.filter(({ operator }) => operator.startsWith("<") && operator !== "<&");
    const heredoc = fed.findLast(({ operator }) => operator === "<<");
    const input = heredoc === undefined ? undefined : this.texts([heredoc.target]).join(" ");
    const writesTo = this.targets(redirects);
    const [program = ""] = run;
    const script = innerScript(run, input);
    if (script !== undefined && around.depth < depthMax) {
      this.inline(script, program === "eval", around);
      if (writesTo.length === 0) return;
    } else if (this.functions.has(program) && writesTo.length === 0) return;
    if (words.length > 0 || writesTo.length > 0) {
      const { background, otherwise, piped, before } = around;
      const isInner = script !== undefined;
      const command: LineCommand = {
        ...{ words: isInner ? [] : words, run: isInner ? [] : run, writesTo, folder: this.folder },
        ...(input === undefined || isInner ? {} : { heredoc: input }),
        ...{ fed: fed.length > 0, piped, ...(before === undefined ? {} : { before }) },
        ...{ background, leavesRunning: background || detached, otherwise, statusHidden: false },
      };
      this.found.push({ command, hiddenBy: around.hiddenBy });
    }
    this.afterwards(run);
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

  private targets(redirects: readonly Redirect[]): readonly string[] {
    return redirects
      .filter(({ operator }) => operator.includes(">"))
      .flatMap(({ operator, target }) => {
        const texts = this.texts([target]);
        return operator === ">&" ? texts.filter((text) => !/^(?:\d+-?|-)$/.test(text)) : texts;
      })
      .filter((text) => text !== "" && !/^\/dev\/|^<\(/.test(text))
      .map((text) => placed(this.folder, text));
  }

  private set(name: string, words: readonly Word[]): readonly string[] {
    const values = this.texts(words);
    if (values.length > 0 && values.every((value) => !/[$`]/.test(value))) this.variables.set(name, values);
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
