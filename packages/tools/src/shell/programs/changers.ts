/**
 * Programs that change or remove files by name.
 */
import { forbidden } from "../forbidden.js";
import type { Value } from "../values.js";
import { type Call, type Handler, mayBeOption, split } from "./call.js";

export const changers: Readonly<Record<string, Handler>> = {
  mkdir: (call) => changes(call, "m"),
  touch: (call) => changes(call, "drt"),
  tee: (call) => changes(call, ""),
  cp: copies,
  mv: copies,
  ln: links,
  install: copies,
  rm: removes,
  rmdir: removes,
  unlink: removes,
  shred: removes,
  truncate: (call) => {
    changes(call, "sr");
    call.judgement.raise("destructive", "it cuts files off");
  },
  chmod: permissions,
  chown: permissions,
  chgrp: permissions,
  dd,
  patch: (call) => {
    call.judgement.anything("cautious", "it applies a patch");
    mentions(call);
  },
};

export function mentions(call: Call): void {
  for (const arg of call.args) call.scene.mention(arg, call.judgement);
}

function changes(call: Call, taking: string): void {
  const { options, values, operands } = split(call, taking);
  for (const value of [...options, ...values]) call.scene.mention(value, call.judgement);
  for (const operand of operands) call.scene.change(operand, call.judgement);
  if (operands.some(mayBeOption)) call.judgement.raise("destructive", mayBecome);
}

const mayBecome = "a name that it matches may be an option; `./*` is not";

function isForced(options: readonly Value[]): boolean {
  return options.some(({ text = "" }) => /^-[A-Za-z]*f|^--(?:force|remove-dest)/.test(text));
}

function copies(call: Call): void {
  const { judgement, scene, name } = call;
  const { options, operands } = split(call);
  judgement.raise("cautious");
  if (isForced(options)) judgement.raise("destructive", `${name} overwrites by force`);
  const odd = options.some(({ text = "" }) => /^-[A-Za-z]*[tSmog]|^--(?:target|suffix|backup)/.test(text));
  if (odd && name !== "install")
    judgement.anything("destructive", `${name} with such an option is not understood`);
  if (name === "install") judgement.raise("destructive", "it installs files");
  for (const option of options) scene.mention(option, judgement);
  if (operands.some(mayBeOption)) judgement.raise("destructive", mayBecome);
  for (const source of operands.slice(0, -1)) {
    scene.read(source, judgement);
    if (name !== "mv") continue;
    if (scene.takesEverything(source)) judgement.forbid(forbidden.everything);
    scene.change(source, judgement);
  }
  const target = operands.at(-1);
  if (target !== undefined) scene.change(target, judgement);
}

function links(call: Call): void {
  const { options, operands } = split(call);
  call.judgement.raise("cautious");
  if (isForced(options)) call.judgement.raise("destructive", "it replaces by force");
  mentions(call);
  const target = operands.at(-1);
  if (target !== undefined && operands.length > 1) call.scene.change(target, call.judgement);
  // A relative target of a link counts from the link, which may stand anywhere.
  for (const { text = ".." } of operands.slice(0, -1)) {
    if (/(?:^|\/)\.\.(?:\/|$)/.test(text))
      call.judgement.raise("destructive", "the link may lead outside the workspace");
  }
}

function removes(call: Call): void {
  const { operands } = split(call, call.name === "shred" ? "ns" : "");
  call.judgement.raise("destructive", "it removes files");
  const texts = call.args.map(({ text }) => text ?? "");
  if (texts.some((text) => text.startsWith("--no-preserve"))) call.judgement.forbid(forbidden.everything);
  for (const operand of operands) {
    if (call.name === "shred") call.scene.change(operand, call.judgement);
    call.scene.remove(operand, call.judgement);
  }
}

function permissions(call: Call): void {
  const { judgement, scene, name } = call;
  const options = call.args.filter(({ text = "" }) => /^-[A-Za-z]*R|^--rec/.test(text));
  const files = call.args.filter(({ text = "x" }) => !text.startsWith("-")).slice(1);
  judgement.raise("cautious");
  if (name !== "chmod") judgement.raise("destructive", "it changes whose files they are");
  for (const file of files) {
    scene.change(file, judgement);
    if (
      options.length > 0 &&
      file.text !== undefined &&
      scene.inside(file.text) === undefined &&
      scene.takesEverything(file)
    ) {
      judgement.forbid(forbidden.everything);
    }
  }
  if (options.length > 0) judgement.raise("destructive", "it changes permissions of everything below");
}

function dd(call: Call): void {
  const { judgement, scene } = call;
  judgement.anything("destructive", "dd writes raw data");
  for (const arg of call.args) {
    scene.mention(arg, judgement);
    for (const guess of arg.guesses) {
      const [, kind, path = ""] = /^(if|of)=(.*)$/s.exec(guess) ?? [];
      if (kind === "of")
        scene.change({ ...(arg.text === undefined ? {} : { text: path }), guesses: [path] }, judgement);
    }
  }
}
