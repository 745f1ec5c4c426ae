/**
 * Programs that only read, and with which arguments that is so.
 *
 * What a newcomer gets wrong: "only reads" is a property of a program together
 * with its options. `sort -o`, `uniq a b`, `tree -o`, `date -s` write; `rg --pre`
 * and `sort --compress-program` run something. An option that is not known to be
 * harmless is not harmless.
 */
import { Judgement } from "../judgement.js";
import { exactly } from "../values.js";
import { type Call, type Handler, mayBeOption, split, texts } from "./call.js";

interface Reading {
  /** What its arguments without a dash are: paths, a pattern and then paths, or nothing that is opened. */
  readonly operands: "paths" | "pattern" | "text";
  /** Letters of options whose value is the next argument. */
  readonly taking?: string;
  /** Options that are harmless; every option when left out. */
  readonly options?: RegExp;
  readonly operandsMax?: number;
  /** Even an option that a pattern of names came to be could do no more than read. */
  readonly globs?: true;
  /** Operands that may stand there. */
  readonly only?: RegExp;
}

/** Without a path they look at the folder they are in. */
const listing = new Set(["ls", "du", "tree", "rg", "grep", "egrep", "fgrep"]);

/** They say where a link leads and how it is, and open nothing. */
const showsNamesOnly = new Set(["readlink", "realpath", "stat"]);

const anyPaths: Reading = { operands: "paths" };
const anyText: Reading = { operands: "text" };
/** Not `--files0-from` and its abbreviations: a list of paths that nobody has seen. */
const noLists = /^(?!--f)/;

const readings: Readonly<Record<string, Reading>> = {
  ...each(
    ["cat", "head", "nl", "tac", "rev", "fold", "cut", "paste", "join", "comm", "cmp", "expand"],
    anyPaths,
  ),
  ...each(
    ["unexpand", "stat", "readlink", "realpath", "od", "hexdump", "ls", "df", "fmt", "column"],
    anyPaths,
  ),
  ...each(["wc", "du"], { operands: "paths", options: noLists, globs: true }),
  ...each(
    [
      "md5sum",
      "sha1sum",
      "sha224sum",
      "sha256sum",
      "sha384sum",
      "sha512sum",
      "b2sum",
      "cksum",
      "sum",
      "shasum",
    ],
    {
      operands: "paths",
      options: /^(?:-[abt0-9]+|--(?:binary|text|tag|zero))$/,
      globs: true,
    },
  ),
  ...each(
    [
      "basename",
      "dirname",
      "seq",
      "tr",
      "whoami",
      "id",
      "groups",
      "uname",
      "uptime",
      "free",
      "nproc",
      "arch",
    ],
    anyText,
  ),
  ...each(["tty", "true", "false", ":", "pwd", "echo", "printenv", "which", "logname", "expr"], anyText),
  diff: {
    operands: "paths",
    options: /^(?:-[abBcdeEiNnpqrstTuwyZ0-9UC]+|--(?!pag|from|to)[a-z-]+(?:=.*)?)$/,
  },
  sort: {
    operands: "paths",
    taking: "kt",
    options:
      /^(?:-[bdfgiMhnRrVcCmsuz]*(?:k[0-9.,bdfgiMhnRrV]*|t.*)?|--(?:numeric-sort|reverse|unique|version-sort|human-numeric-sort|ignore-case|check|stable|zero-terminated|key=.*|field-separator=.*))$/s,
  },
  uniq: { operands: "paths", taking: "fsw", options: /^-[cdDuizfsw0-9]+$/, operandsMax: 1 },
  xxd: {
    operands: "paths",
    taking: "clsg",
    options: /^-(?:[abeupizdgcls][0-9a-fx]*|ps|cols)$/,
    operandsMax: 1,
  },
  strings: { operands: "paths", taking: "nte", options: /^-[afnte0-9dx]+$/, only: /^[^@]/ },
  file: { operands: "paths", options: /^-[bikhLNnprs0]+$|^--(?:brief|mime|mime-type|mime-encoding)$/ },
  tree: {
    operands: "paths",
    taking: "LIP",
    options: /^-[adfxlNqsphugDFvtrcUiACnSJXLIP0-9]+$|^--(?:dirsfirst|noreport|gitignore|prune)$/,
  },
  date: {
    operands: "text",
    taking: "d",
    options: /^-(?:u|R|I[a-z]*|d.*)$|^--(?:utc|iso-8601(?:=[a-z]+)?|date=.*)$/,
    only: /^\+/,
  },
  hostname: { operands: "text", options: /^-[fisdIA]+$/, operandsMax: 0 },
  grep: { operands: "pattern", taking: "efmABCdD" },
  egrep: { operands: "pattern", taking: "efmABCdD" },
  fgrep: { operands: "pattern", taking: "efmABCdD" },
  rg: {
    operands: "pattern",
    taking: "efgtTmABCEMjrd",
    options:
      /^(?:-[abcFhHiIlLnNoPqsSuUvVwxp.0]*(?:[efgtTmABCEMjrd].*)?|--(?:files|files-with(?:out)?-match(?:es)?|hidden|no-ignore|no-ignore-vcs|glob(?:=.*)?|iglob(?:=.*)?|type(?:=.*)?|type-not(?:=.*)?|type-list|count|count-matches|line-number|no-line-number|no-heading|heading|no-filename|with-filename|ignore-case|smart-case|case-sensitive|fixed-strings|word-regexp|line-regexp|invert-match|multiline|pcre2|only-matching|json|stats|sort(?:=.*)?|sortr(?:=.*)?|max-count(?:=.*)?|max-depth(?:=.*)?|max-columns(?:=.*)?|context(?:=.*)?|after-context(?:=.*)?|before-context(?:=.*)?|color(?:=.*)?|colors(?:=.*)?|regexp(?:=.*)?|file(?:=.*)?|text|null|vimgrep|column|trim|replace=.*|no-config|no-messages|version|passthru|threads(?:=.*)?|debug))$/s,
  },
  jq: {
    operands: "pattern",
    options:
      /^(?:-[cnrsSjaeCM]+|--(?:compact-output|null-input|raw-output|slurp|sort-keys|tab|exit-status|arg|argjson|indent))$/,
  },
  tail: { operands: "paths", taking: "nc" },
  printf: { operands: "text", options: /^(?!-)/ },
  sleep: { operands: "text", only: /^[0-9.]+[smhd]?$/ },
};

export const readers: Readonly<Record<string, Handler>> = Object.fromEntries(
  Object.entries(readings).map(([name, reading]) => [name, (call: Call) => judge(call, reading)]),
);

function judge(call: Call, reading: Reading): void {
  const { judgement, scene } = call;
  const { options, values, operands } = split(call, reading.taking);
  for (const option of options) {
    if (reading.options !== undefined && !reading.options.test(option.text ?? "")) {
      judgement.anything("destructive", `${call.name} ${option.text} is not known to be harmless`);
    }
  }
  if (operands.length > (reading.operandsMax ?? Number.POSITIVE_INFINITY)) {
    judgement.anything("destructive", `${call.name} with so many arguments may write`);
  }
  for (const operand of operands) {
    if (reading.only !== undefined && !reading.only.test(operand.text ?? "")) {
      judgement.anything("destructive", `${call.name} with such an argument is not known to be harmless`);
    }
    const counts = call.name !== "printf" || operand === operands[0];
    if (reading.options !== undefined && counts && mayBeOption(operand) && !(reading.globs && operand.glob)) {
      judgement.anything("destructive", `what ${call.name} is told is only known when it runs`);
    }
  }
  if (call.name === "sleep" || (call.name === "tail" && follows(options))) judgement.waits = true;
  if (call.name === "rg" && texts(call).includes("--files")) judgement.listsFiles = true;
  if (reading.operands === "text") return;
  const opened = reading.operands === "pattern" ? behindPattern(call, options, operands) : operands;
  for (const value of [...options, ...values]) scene.mention(value, judgement);
  if (showsNamesOnly.has(call.name)) {
    const names = new Judgement();
    for (const operand of opened) scene.read(operand, names);
    names.opens.clear();
    judgement.add(names);
    return;
  }
  for (const operand of opened) scene.read(operand, judgement);
  for (const value of [...options, ...values]) scene.mayOpen(value, judgement);
  if (followsLinks(call.name, options))
    for (const operand of opened.length === 0 ? [exactly(".")] : opened) scene.follow(operand, judgement);
  if (opened.length === 0 && listing.has(call.name)) scene.read(exactly("."), judgement);
}

function behindPattern(
  call: Call,
  options: ReturnType<typeof split>["options"],
  operands: ReturnType<typeof split>["operands"],
) {
  const given = /^-[A-Za-z0-9]*[ef]|^--(?:reg|file|type-list)/;
  if (call.name !== "jq" && options.some((option) => given.test(option.text ?? ""))) return operands;
  const [pattern, ...rest] = operands;
  if (pattern !== undefined && pattern.text === undefined) {
    // A pattern that is filled in may bring further words, or an option, with it.
    call.judgement.anything("destructive", `what ${call.name} is told is only known when it runs`);
  }
  const programs = operands.map(({ text = "" }) => text);
  if (call.name === "jq" && programs.some((text) => /\b(?:import|include|modulemeta)\b/.test(text))) {
    call.judgement.raise("destructive", "the jq program may read other files");
  }
  return rest;
}

/** Whether it opens links that it comes across. */
function followsLinks(name: string, options: readonly { readonly text?: string }[]): boolean {
  const found = (pattern: RegExp) => options.some(({ text = "" }) => pattern.test(text));
  switch (name) {
    case "diff":
      return found(/^-[A-Za-z]*r|^--rec/);
    case "grep":
    case "egrep":
    case "fgrep":
      return found(/^-[A-Za-z]*R|^--de|^--d.*=rec/);
    case "rg":
      return found(/^-[A-Za-z.0]*L|^--fo/);
    default:
      return name === "tree" && found(/^-[A-Za-z]*l/);
  }
}

function follows(options: readonly { readonly text?: string }[]): boolean {
  return options.some(({ text = "" }) => /^-[a-z0-9]*[fF]|^--(?:follow|retry)/.test(text));
}

function each(names: readonly string[], reading: Reading): Record<string, Reading> {
  return Object.fromEntries(names.map((name) => [name, reading]));
}
