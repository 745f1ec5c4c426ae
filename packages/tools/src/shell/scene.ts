/**
 * Where a command is judged: the workspace, and the folders that it may be in.
 *
 * What a newcomer gets wrong: `cd` can fail, so after it the command may be in
 * either folder, and a path has to be inside from both.
 */
import type { ShellWord as Word } from "@bridle/agent";
import { sensitivePath } from "../write/sensitive-path.js";
import { forbidden } from "./forbidden.js";
import type { Judgement } from "./judgement.js";
import * as paths from "./paths.js";
import { type Value, valueOf } from "./values.js";

const foldersMax = 8;

export class Scene {
  constructor(
    readonly place: paths.Place,
    /** Absolute; never empty. */
    public folders: readonly string[],
    readonly depth: number,
    /** Within something that may run more than once. */
    readonly repeats: boolean,
  ) {}

  /** Its own folders, so that a `cd` within does not last. */
  inner(more: { readonly repeats?: boolean } = {}): Scene {
    return new Scene(this.place, this.folders, this.depth + 1, this.repeats || more.repeats === true);
  }

  value(word: Word): Value {
    const cwd = this.folders.length === 1 ? this.folders[0] : undefined;
    const { home } = this.place;
    return valueOf(word, { ...(home === undefined ? {} : { home }), ...(cwd === undefined ? {} : { cwd }) });
  }

  enter(value: Value, judgement: Judgement): void {
    const inside = value.text === undefined || value.text === "-" ? undefined : this.inside(value.text);
    if (inside === undefined || this.repeats) {
      judgement.anything("destructive", "it goes to a folder that cannot be followed");
      return;
    }
    for (const path of inside) judgement.enters.add(path);
    const next = this.folders.map((folder) => paths.absolute(value.text ?? "", folder));
    this.folders = [...new Set([...this.folders, ...next])].slice(0, foldersMax);
    if (this.folders.length === foldersMax) judgement.anything("destructive", "it changes folders too often");
  }

  /** From every folder that it may be in; undefined as soon as one leads outside. */
  inside(text: string): readonly string[] | undefined {
    const found: string[] = [];
    for (const folder of this.folders) {
      const relative = paths.within(this.place, text, folder);
      if (relative === undefined) return undefined;
      found.push(relative);
    }
    return found;
  }

  read(value: Value, judgement: Judgement): void {
    if (this.namesSecret(value)) judgement.forbid(forbidden.secret);
    const inside = this.located(value, judgement, "reads");
    for (const path of inside) judgement.reads.add(path);
    for (const path of inside) judgement.open(path, levelsOf(value));
    if (inside.some(paths.isEnvironmentFile))
      judgement.raise("destructive", "it reads a file of settings that may hold keys");
  }

  /** It opens what stands there, however deep below it, and follows links. */
  follow(value: Value, judgement: Judgement): void {
    for (const path of (value.text === undefined ? undefined : this.inside(value.text)) ?? [])
      judgement.open(path, Number.POSITIVE_INFINITY);
  }

  /** The value of an option that may be the name of a file. */
  mayOpen(value: Value, judgement: Judgement): void {
    for (const text of value.text === undefined ? [] : [value.text, ...pathsWithin(value.text)])
      for (const path of this.inside(text) ?? []) judgement.open(path, 0);
  }

  change(value: Value, judgement: Judgement): void {
    judgement.raise("cautious");
    if (this.namesSecret(value)) judgement.forbid(forbidden.secret);
    if (this.guessed(value).some(paths.isRawDevice)) judgement.forbid(forbidden.device);
    if (this.guessed(value).some(paths.isSocket)) judgement.outbound("it opens a connection");
    if (value.text !== undefined && paths.isHarmlessDevice(value.text)) return;
    this.protect(value, judgement);
    const inside = this.located(value, judgement, "writes");
    for (const path of inside) judgement.changes.add(path);
    if (value.text === undefined) judgement.changesAnything = true;
    if (inside.some(paths.isGitData)) judgement.raise("destructive", "it changes the data of git itself");
    for (const path of inside) {
      const runs = sensitivePath(path);
      if (runs !== undefined) judgement.raise("destructive", `it changes ${shown(path)}: ${runs}`);
    }
  }

  /** `all`: with everything below it. */
  remove(value: Value, judgement: Judgement): void {
    judgement.raise("destructive");
    if (this.namesSecret(value)) judgement.forbid(forbidden.secret);
    if (this.takesEverything(value)) judgement.forbid(forbidden.everything);
    this.protect(value, judgement);
    const inside = this.located(value, judgement, "removes");
    if (inside.some((path) => paths.isGitData(path) && !path.endsWith(".lock")))
      judgement.forbid(forbidden.everything);
    const names =
      value.text === undefined
        ? [value.glob?.pattern ?? "anything"]
        : inside.length > 0
          ? inside
          : [value.text];
    for (const name of names) judgement.removes.add(name);
    // What is gone has changed: whoever read it before has to look again.
    for (const path of inside) judgement.changes.add(path);
    if (inside.length === 0) judgement.changesAnything = true;
  }

  /** It, or what it may come to, is a whole machine, home or workspace. */
  takesEverything(value: Value): boolean {
    return value.guesses.some((guess) => {
      if (/^~[^/]*\/*(?:\.?\*|\.)?$/.test(guess)) return true;
      if (guess.startsWith("~")) return false;
      const folder = guess.replace(/(^|\/)(?:\*|\.\*|\.\[!?\.\]\*|\{\*,\.\*\})$/, "$1.");
      if (guess === "" || folder === "") return false;
      return this.folders.some((from) => paths.isEverything(this.place, paths.absolute(folder, from)));
    });
  }

  /** An argument of a program that may read what it names: nothing but a path that leads out matters. */
  mention(value: Value, judgement: Judgement): void {
    if (this.namesSecret(value)) judgement.forbid(forbidden.secret);
    if (value.text === undefined) {
      this.located(value, judgement, "uses");
      return;
    }
    for (const text of pathsWithin(value.text)) {
      if (paths.isHarmlessDevice(text) || this.inside(text) !== undefined) continue;
      judgement.raise("destructive", `it uses ${shown(text)}, outside the workspace`);
    }
  }

  namesSecret(value: Value): boolean {
    return value.guesses
      .flatMap((guess) => [guess, ...pathsWithin(guess)])
      .some((guess) =>
        guess.startsWith("~")
          ? paths.isSecret(this.place, guess)
          : this.folders.some((from) => paths.isSecret(this.place, paths.absolute(guess, from))),
      );
  }

  private guessed(value: Value): string[] {
    return value.guesses.flatMap((guess) => this.folders.map((folder) => paths.absolute(guess, folder)));
  }

  private protect(value: Value, judgement: Judgement): void {
    const touched = this.guessed(value).map((path) => paths.within(this.place, path, "/"));
    if (touched.some((path) => path !== undefined && paths.isHarnessState(path)))
      judgement.forbid(forbidden.harness);
  }

  private located(value: Value, judgement: Judgement, verb: string): readonly string[] {
    const text = value.text ?? folderOf(value);
    if (text === undefined) {
      judgement.raise("destructive", `what it ${verb} is only known when it runs`);
      return [];
    }
    if (paths.isHarmlessDevice(text)) return [];
    const inside = this.inside(text);
    if (inside === undefined)
      judgement.raise("destructive", `it ${verb} ${shown(text)}, outside the workspace`);
    return inside ?? [];
  }
}

/** The folder whose names a pattern matches; undefined where it might match the folder above or something hidden. */
function folderOf(value: Value): string | undefined {
  if (value.glob === undefined) return undefined;
  const { pattern, head } = value.glob;
  if (/(?:^|\/)\.[^/]*[*?[]|(?:^|\/)\.\.(?:\/|$)|(?:^|\/)[[?][^/]*/.test(pattern)) return undefined;
  return head.includes("/") ? head.slice(0, head.lastIndexOf("/") + 1) : ".";
}

/** How many levels below its folder a pattern reaches. */
function levelsOf({ glob }: Value): number {
  if (glob === undefined) return 0;
  return glob.pattern.slice(glob.head.lastIndexOf("/") + 1).split("/").length;
}

/** An argument, and what may be a path within it: behind `=`, or behind the letters of an option. */
function pathsWithin(text: string): string[] {
  const behind = /^-[A-Za-z0-9-]*=?(.*)$/s.exec(text)?.[1];
  const assigned = /=(.*)$/s.exec(text)?.[1];
  return [...(text.startsWith("-") ? [] : [text]), behind, assigned].filter(
    (part): part is string => part !== undefined && part !== "",
  );
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
