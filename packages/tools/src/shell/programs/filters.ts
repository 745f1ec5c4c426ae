/**
 * find, sed, awk and xargs: readers that can also write and run things.
 */
import { forbidden } from "../forbidden.js";
import { exactly, type Value } from "../values.js";
import { type Call, type Handler, mayBeOption, split } from "./call.js";
import { isHarmlessSed } from "./sed.js";

export const filters: Readonly<Record<string, Handler>> = {
  find,
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  xargs,
};

/** Tests and settings of find with one value, with none, and what it prints. */
const findTaking =
  /^-(?:name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|[acm]time|[acm]min|newer[aBcm]?[aBcmt]?|maxdepth|mindepth|perm|user|group|uid|gid|links|inum|samefile|lname|printf|used|fstype)$/;
const findPlain =
  /^(?:-(?:print|print0|ls|prune|not|o|or|a|and|empty|depth|follow|xdev|mount|quit|true|false|readable|writable|executable|daystart|nouser|nogroup|noleaf|L|H|P)|!|\(|\)|,)$/;
const findRunning = /^-(?:exec|execdir|ok|okdir)$/;

function find(call: Call): void {
  const { args, judgement, scene } = call;
  const firstTest = args.findIndex(({ text }) => text === undefined || /^(?:-(?![LHP]$)|[!(])/.test(text));
  const leading = firstTest < 0 ? args : args.slice(0, firstTest);
  const starts = leading.filter(({ text }) => !/^-[LHP]$/.test(text ?? ""));
  const from = starts.length === 0 ? [exactly(".")] : starts;
  for (const start of from) scene.read(start, judgement);
  if (args.some(({ text }) => text === "-L" || text === "-follow"))
    for (const start of from) scene.follow(start, judgement);
  let filters = 0;
  judgement.listsFiles = true;
  for (let i = leading.length; i < args.length; i += 1) {
    const text = args[i]?.text;
    if (text !== undefined && findTaking.test(text)) {
      const value = args[i + 1];
      if (value?.text === undefined)
        judgement.anything("destructive", "what find is told is only known when it runs");
      if (/^-(?:newer|samefile)/.test(text) && value !== undefined) scene.mention(value, judgement);
      if (text === "-printf") judgement.listsFiles = false;
      filters += /^-(?:maxdepth|mindepth|printf|regextype)$/.test(text) ? 0 : 1;
      i += 1;
    } else if (text !== undefined && findRunning.test(text)) i = runs(call, i, from, filters);
    else if (text === "-delete") deletes(call, from, filters);
    else if (text === undefined || !findPlain.test(text)) {
      judgement.anything(
        "destructive",
        `find ${text ?? "with something filled in"} is not known to be harmless`,
      );
    }
  }
}

function deletes({ judgement, scene }: Call, from: readonly Value[], filters: number): void {
  judgement.raise("destructive", "it removes what find finds");
  for (const start of from) {
    if (filters === 0) scene.remove(start, judgement);
    else {
      const outside = start.text === undefined || scene.inside(start.text) === undefined;
      if (outside && scene.takesEverything(start)) judgement.forbid(forbidden.everything);
      judgement.removes.add(start.text ?? "anything");
      judgement.changesAnything = true;
    }
  }
}

/** The index of the last word of the inner command. */
function runs(call: Call, at: number, from: readonly Value[], filters: number): number {
  const { args, judgement } = call;
  let end = at + 1;
  while (end < args.length && !/^[;+]$/.test(args[end]?.text ?? "")) end += 1;
  const inner = args.slice(at + 1, end).flatMap((arg) => filled(arg, from, filters));
  judgement.listsFiles = false;
  for (const start of from) call.scene.follow(start, judgement);
  if (args[at]?.text !== "-exec")
    judgement.anything("destructive", "it runs a command in folders that are only known when it runs");
  call.start(inner);
  return end;
}

/** `{}` stands for what was found below the places where find starts; `{}` within something is left to find. */
function filled(arg: Value, from: readonly Value[], filters: number): readonly Value[] {
  if (arg.text === undefined || !arg.text.includes("{}")) return [arg];
  if (arg.text !== "{}") return [{ guesses: arg.guesses }];
  if (filters === 0) return from;
  return from.map((start) =>
    start.text === undefined ? start : exactly(`${start.text.replace(/\/+$/, "")}/{}`),
  );
}

function sed(call: Call): void {
  const { judgement, scene } = call;
  const { options, values, operands } = split(call, "e");
  const known = options.every(({ text = "" }) =>
    /^-(?:[nErsuz]*e?|i|[nErz]*i|i\.[A-Za-z0-9]+)$|^--(?:quiet|silent|regexp-extended|in-place|expression=.*|posix|debug)$/s.test(
      text,
    ),
  );
  if (!known) judgement.anything("destructive", "sed with such an option is not known to be harmless");
  const inline = options.flatMap(({ text = "" }) => /^--expression=(.*)$/s.exec(text)?.[1] ?? []);
  const named = [...values.map(({ text }) => text), ...inline];
  const [first, ...rest] = operands;
  const scripts = named.length > 0 ? named : [first?.text];
  if (!scripts.every((script) => script !== undefined && isHarmlessSed(script))) {
    judgement.anything("destructive", "the sed script is not known to be harmless");
  }
  if (operands.some(mayBeOption))
    judgement.anything("destructive", "what sed is told is only known when it runs");
  const inPlace = options.some(({ text = "" }) => /^-[nErz]*i|^--in-place/.test(text));
  for (const file of named.length > 0 ? operands : rest) {
    if (inPlace) scene.change(file, judgement);
    else scene.read(file, judgement);
  }
}

function awk(call: Call): void {
  const { judgement, scene } = call;
  const { options, values, operands } = split(call, "Fv");
  const [program, ...files] = operands;
  judgement.raise("cautious", "awk runs a program");
  const known = options.every(({ text = "" }) => /^-[Fv]/.test(text));
  if (
    !known ||
    program?.text === undefined ||
    /[|>@]|\b(?:system|getline|close|ARGV|ARGC|ENVIRON|PROCINFO)\b/.test(program.text)
  ) {
    judgement.anything("destructive", "the awk program may run commands or write files");
  }
  for (const value of values)
    if (value.text === undefined)
      judgement.raise("destructive", "what awk is told is only known when it runs");
  for (const file of files) {
    scene.read(file, judgement);
    if (file.text?.includes("=") === true)
      judgement.raise("destructive", "the awk program is told more than files");
  }
  if (operands.some(mayBeOption))
    judgement.anything("destructive", "what awk is told is only known when it runs");
}

function xargs(call: Call): void {
  const { args, judgement } = call;
  let at = 0;
  while (at < args.length) {
    const text = args[at]?.text ?? "";
    if (!text.startsWith("-")) break;
    if (/^-(?:[0rtx]+|[nLPs].+|d.+)$|^--(?:null|no-run-if-empty|verbose)$/.test(text)) at += 1;
    else if (/^-[0rtx]*[nLPsd]$/.test(text)) at += 2;
    else {
      judgement.anything("destructive", `xargs ${text} is not known to be harmless`);
      at += 1;
    }
  }
  const inner = args.slice(at);
  if (call.fedWithNames) {
    judgement.raise("cautious", "the files it works on are only known when it runs");
    call.start([...(inner.length === 0 ? [exactly("echo")] : inner), exactly("./{}")]);
  } else call.start([...(inner.length === 0 ? [exactly("echo")] : inner), { guesses: [] }]);
}
