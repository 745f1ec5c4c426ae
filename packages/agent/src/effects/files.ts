/**
 * Programs that make, change, move and take away the files that they are given.
 *
 * What a newcomer gets wrong: a text does not say whether `b` of `cp a b` is a
 * folder. Both places are named then, the one that the text does not show as
 * `aside`.
 */
import { type Call, has, of, only, operands, type Program, valuesOf, withoutValues } from "./call.js";
import type { Effect } from "./effect.js";

const removes: Program = (call) => of("delete", operands(call.args), call, { deep: true });
const writes: Program = (call) => of("write", operands(call.args), call);
const setsRights: Program = (call) =>
  of("write", operands(call.args).slice(1), call, {
    how: "aside",
    ...(has(call.args, /^-\w*R|^--recursive/) ? { deep: true as const } : {}),
  });

// --- Copies ----------------------------------------------------------------------------------------

const elsewhere = /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)/;

const copies: Program = (call) => {
  const { args } = call;
  if (call.program === "rsync" && has(args, /^-\w*n|^--dry-run$/)) return [];
  const [into] = valuesOf(args, /^(?:-t|--target-directory)$/);
  const given = operands(args).filter((word) => word !== into);
  if (given.some((word) => elsewhere.test(word))) {
    const to = given.at(-1) ?? "";
    return [
      ...only("network"),
      ...(elsewhere.test(to) ? only("act") : arrivals(given.slice(0, -1), to, call)),
    ];
  }
  if (call.program === "install" && has(args, /^-d$/)) return of("write", given, call, { how: "aside" });
  if (into !== undefined) return arrivals(given, into, call, true);
  if (given.length === 1 && call.program === "ln") return arrivals(given, ".", call, true);
  return given.length < 2 ? [] : arrivals(given.slice(0, -1), given.at(-1) ?? "", call);
};

/** What comes to lie where. */
function arrivals(sources: readonly string[], to: string, call: Call, into = false): readonly Effect[] {
  const within = sources.map((source) => `${to}/${baseName(source)}`);
  const isFolder = into || sources.length > 1 || /(?:\/|^\.{1,2})$/.test(to);
  return isFolder
    ? [...of("write", [to], call, { how: "aside" }), ...of("write", within, call)]
    : [...of("write", [to], call), ...of("write", within, call, { how: "aside" })];
}

function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export const moves: Program = (call) => {
  const [into] = valuesOf(call.args, /^(?:-t|--target-directory)$/);
  const given = operands(call.args).filter((word) => word !== into);
  const sources = into === undefined ? given.slice(0, -1) : given;
  // What is moved is still there, unless it goes where things are thrown away.
  const gone = /^(?:\/dev\/null|\/tmp(?:\/|$)|.*\.?trash(?:\/|$))/i.test(into ?? given.at(-1) ?? "");
  return [
    ...(copies(call) ?? []),
    ...of("rename", sources, call, { deep: true }),
    ...(gone ? of("delete", sources, call, { deep: true }) : []),
  ];
};

// --- Editors in place ------------------------------------------------------------------------------

/** Operands after the script of `sed` or `perl`, which is either the value of `-e` or the first of them. */
function afterScript(args: readonly string[]): readonly string[] {
  const found: string[] = [];
  let scriptSeen = false;
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] ?? "";
    if (/^-\w*[ef]$|^--(?:expression|file)$/.test(word)) {
      scriptSeen = true;
      i += 1;
    } else if (/^--(?:expression|file)=/.test(word)) scriptSeen = true;
    else if (word !== "" && !word.startsWith("-")) found.push(word);
  }
  return scriptSeen ? found : found.slice(1);
}

const edits: Program = (call) =>
  has(call.args, /^-[a-zA-HJ-Z]*i|^--in-place/) ? of("write", afterScript(call.args), call) : [];
/** perl and ruby: a program of one line that goes over files; everything else is a script. */
export const editsInPlace = (args: readonly string[]) => has(args, /^-\w*i/) && has(args, /^-\w*e/);
export const lineEditor: Program = (call) => of("write", afterScript(call.args), call);

const awk: Program = (call) => {
  const [first, ...rest] = operands(call.args);
  return first === "inplace" ? of("write", rest.slice(1), call) : [];
};

const yq: Program = (call) =>
  has(call.args, /^-\w*i$|^--inplace$/) ? of("write", operands(call.args).slice(1), call) : [];

/** The files that a patch names as those it changes. */
const patch: Program = (call) => {
  if (has(call.args, /^--dry-run$/)) return [];
  const named = patchedIn(call.heredoc ?? "");
  const given = operands(withoutValues(call.args, /^-[pid]$|^--(?:input|strip|directory)$/)).slice(0, 1);
  const files = [...given, ...named];
  return files.length === 0 ? only("act") : of("write", files, call);
};

export function patchedIn(text: string): readonly string[] {
  return [...text.matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)].map(([, file = ""]) => file);
}

const unpacks =
  (folder: RegExp): Program =>
  (call) =>
    of("write", [valuesOf(call.args, folder)[0] ?? "."], call, { deep: true, how: "aside" });

export const filePrograms: Readonly<Record<string, Program>> = {
  ...{ rm: removes, unlink: removes, shred: removes, trash: removes, "trash-put": removes },
  rmdir: (call) => of("delete", operands(call.args), call, { deep: true, how: "aside" }),
  ...{ mv: moves, cp: copies, ln: copies, install: copies, rsync: copies, scp: copies },
  ...{
    touch: writes,
    tee: writes,
    sponge: writes,
    ed: writes,
    ex: writes,
    dos2unix: writes,
    unix2dos: writes,
  },
  mkdir: (call) => of("write", operands(withoutValues(call.args, /^-m$/)), call, { how: "aside" }),
  truncate: (call) => of("write", operands(withoutValues(call.args, /^(?:-[sr]|--size)$/)), call),
  ...{ chmod: setsRights, chown: setsRights, chgrp: setsRights },
  ...{ sed: edits, gsed: edits, awk, gawk: awk, mawk: () => [], yq },
  sd: (call) => of("write", operands(call.args).slice(2), call),
  dd: (call) =>
    of(
      "write",
      call.args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3)),
      call,
    ),
  sort: (call) => of("write", valuesOf(call.args, /^(?:-o|--output)$/), call),
  tar: (call) => {
    if (/^-?\w*t/.test(call.args[0] ?? "")) return [];
    if (/^-?\w*x|^--extract$/.test(call.args[0] ?? "") || has(call.args, /^--extract$/))
      return unpacks(/^(?:-C|--directory)$/)(call);
    const file = valuesOf(call.args, /^-\w*f$|^--file$/)[0] ?? "";
    return file === "" || file === "-" ? only("act") : of("write", [file], call, { how: "aside" });
  },
  unzip: (call) => (has(call.args, /^-\w*[lptz]/) ? [] : unpacks(/^-d$/)(call)),
  patch,
  jscodeshift: (call) =>
    of("write", operands(withoutValues(call.args, /^(?:-t|--transform)$/)), call, {
      deep: true,
      how: "sweep",
    }),
};
