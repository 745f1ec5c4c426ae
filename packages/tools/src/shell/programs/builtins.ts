/**
 * What bash does itself. What is not here is judged like an unknown program.
 */
import { type Call, type Handler, texts } from "./call.js";

export const builtins: Readonly<Record<string, Handler>> = {
  cd: (call) => {
    const [first] = call.args;
    if (call.args.length === 1 && first !== undefined) {
      call.scene.mention(first, call.judgement);
      call.scene.enter(first, call.judgement);
    } else call.judgement.anything("destructive", "it goes to a folder that cannot be followed");
  },
  test,
  "[": test,
  set: (call) => {
    const known = /^(?:[-+][eux]+(?:o)?|-o|pipefail|errexit|nounset|xtrace)$/;
    if (!all(call, known)) call.judgement.anything("destructive", "it changes how the shell works");
  },
  exit: (call) => only(call, /^\d*$/),
  return: (call) => only(call, /^\d*$/),
  break: (call) => only(call, /^\d*$/),
  continue: (call) => only(call, /^\d*$/),
  shift: (call) => only(call, /^\d*$/),
  umask: (call) => only(call, /^$/),
  type: (call) => only(call, /^[\w.+-]*$/),
  jobs: (call) => only(call, /^-[lprs]$/),
  wait: (call) => {
    call.judgement.waits = true;
    only(call, /^(?:\d+|%\d+|-n)$/);
  },
  read: (call) => only(call, /^(?:-r|[a-z][a-z0-9_]*)$/),
  export: exports,
  declare: exports,
  local: exports,
  readonly: exports,
  unset: (call) => {
    call.judgement.raise("cautious");
    for (const name of call.args) judgeName(call, name.text?.replace(/^-[fv]$/, "x"));
  },
  kill: (call) => {
    const args = texts(call).filter((text) => !/^-(?:[A-Z0-9]+|s)$/.test(text));
    const own = call.args.length > 0 && args.every((text) => /^%\d+$/.test(text));
    if (call.args.some(({ text }) => text === undefined) || !own) {
      call.judgement.anything("destructive", "it ends processes");
      call.judgement.removes.add("processes");
    } else call.judgement.raise("cautious", "it ends its own processes");
  },
};

/** Variables that decide which programs run and what they do. */
const dangerous =
  /^(?:PATH|IFS|ENV|CDPATH|HOME|SHELL|PWD|OLDPWD|TMPDIR|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|EXECIGNORE|SHELLOPTS|BASHOPTS|FPATH|FCEDIT|histchars|auto_resume|EDITOR|VISUAL|.*PAGER|LESS.*|BASH.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|NODE_(?!ENV$).*|NPM_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|_JAVA.*|JDK_.*|GOFLAGS|GOPROXY|RUST.*|CARGO.*|CC|CXX|LD|MAKEFLAGS|RIPGREP.*|GREP_.*|XDG_.*|.*_PROXY|.*_proxy|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|MALLOC_.*|.*_OPTIONS|.*_OPTS|.*OPTIONS|BRIDLE_.*|PREMATH_.*|AGENT_.*)$/;
/** Variables that readers of files look at, and that only change how things are shown. */
const shown = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|TERM|CI)$/;

/** `alone`: for the shell itself; otherwise for the program that follows. */
export function judgeName(call: Pick<Call, "judgement">, name: string | undefined, alone = false): void {
  if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || dangerous.test(name)) {
    call.judgement.anything("destructive", `it sets ${name ?? "a variable"}, which decides what programs do`);
  } else if (!shown.test(name) && !(alone && /^[a-z][a-z0-9_]*$/.test(name))) {
    call.judgement.raise("cautious", `it sets ${name}`);
  }
}

function exports(call: Call): void {
  if (call.args.some(({ text }) => text?.startsWith("-") === true)) {
    call.judgement.anything("destructive", "it declares something that is not understood");
  }
  call.judgement.raise("cautious");
  for (const { text } of call.args) judgeName(call, text?.split("=")[0]);
}

/** With at most one word that is filled in, and never the operators that evaluate their operand. */
function test(call: Call): void {
  const args = call.name === "[" && call.args.at(-1)?.text === "]" ? call.args.slice(0, -1) : call.args;
  const open = args.filter(({ text }) => text === undefined);
  const closed = args.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (
    open.length > 1 ||
    open.some(({ single }) => single !== true) ||
    closed.some((text) => /^-[vR]$|\[/.test(text))
  ) {
    call.judgement.anything("destructive", "what it tests is only known when it runs");
  }
  for (const value of args) if (value.text !== undefined) call.scene.mention(value, call.judgement);
  for (const value of open) if (call.scene.namesSecret(value)) call.scene.mention(value, call.judgement);
}

function all(call: Call, pattern: RegExp): boolean {
  return call.args.every(({ text }) => text !== undefined && pattern.test(text));
}

function only(call: Call, pattern: RegExp): void {
  if (!all(call, pattern))
    call.judgement.anything("destructive", `${call.name} with such an argument is not understood`);
}
