/**
 * Promises: what a plan or the user ruled out, and which calls would break it.
 *
 * A commitment names what is forbidden (`actions`) and where (`paths`; none means
 * everywhere). One without actions forbids nothing: "add an entry to CHANGELOG.md"
 * is a promise too, and keeping it writes that file.
 *
 * What a newcomer gets wrong: a call is judged by what it does, not by the words in
 * it. Reading what is protected breaks nothing, and neither does a neighbour with a
 * similar name. When it is not clear what a call does, it is not held against it;
 * approval is there for that.
 */
import { isJsonObject, type JsonObject } from "@bridle/record";
import type { Effect } from "../effects/effect.js";
import { readLine } from "../effects/line.js";
import { lineCommands } from "../shell/line-commands.js";
import type { Commitment, Intent } from "../types.js";
import { pathSet, plainPath } from "./paths.js";
import { addsDependency } from "./manifests.js";
import { promisesIn } from "./promises.js";

/** A commitment as it was given to `plan`. `paths` that are given are those that count. */
export function commitmentOf(given: {
  readonly text: string;
  readonly paths?: readonly string[];
  /** Tools that it rules out. */
  readonly tools?: readonly string[];
}): Commitment {
  const found = promisesIn(given.text, { promised: true, withPaths: (given.paths ?? []).length > 0 });
  const named = given.paths?.map(cleanPattern) ?? [];
  const onlyThere = found.some(({ paths: [first] }) => first === "**");
  const inWords = [...new Set(found.flatMap((one) => one.paths))];
  const paths = named.length === 0 ? inWords : onlyThere ? ["**", ...named.map((path) => `!${path}`)] : named;
  const inText = found.flatMap((one) => one.actions);
  // Beside "never push" a tool says by what; alone it is what is ruled out.
  const tools = inText.length === 0 || inText.includes("shell") ? (given.tools ?? []) : [];
  const merged = { text: given.text, paths, actions: [...new Set([...inText, ...tools])] };
  const apart = named.length === 0 && new Set(found.map((one) => one.paths.join("\n"))).size > 1;
  return apart
    ? { ...merged, parts: found.map(({ paths: where, actions }) => ({ paths: where, actions })) }
    : merged;
}

/** What the user rules out in so many words; nothing where the words are not clear. */
export function commitmentsFrom(text: string): readonly Commitment[] {
  return promisesIn(text, { promised: false, withPaths: false });
}

function cleanPattern(pattern: string): string {
  if (pattern.startsWith("!")) return `!${cleanPattern(pattern.slice(1))}`;
  // As in an ignore file: a wildcard without a folder means every folder.
  return /^[^/]*[*?][^/]*$/.test(pattern) && pattern !== "**" ? `**/${pattern}` : plainPath(pattern);
}

export interface JudgedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Where there is one, what it says counts beside what the arguments show. */
  readonly intent?: Intent;
}

/** Why the call would break the commitment, in one sentence. */
export function breaks(whole: Commitment, call: JudgedCall): string | undefined {
  const { text, parts = [whole] } = whole;
  for (const part of parts) {
    const reason = breaksPart({ text, ...part }, call);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function breaksPart(commitment: Commitment, call: JudgedCall): string | undefined {
  if (commitment.actions.length === 0 || call.tool === "plan") return undefined;
  const because = (did: string) => `${call.tool} ${did}, against the commitment "${commitment.text}"`;
  if (
    commitment.actions.includes(call.tool) &&
    (commitment.paths.length === 0 || touches(commitment, call))
  ) {
    return because("is ruled out");
  }
  if (commitment.actions.includes("shell") && isShell(call.tool)) return because("runs a command");
  if (commitment.actions.some((action) => runsIt(action, call))) return because("runs it");
  for (const effect of effectsOf(call)) {
    if (!commitment.actions.includes(effect.kind)) continue;
    if (isScratch(effect) && !commitment.paths.some((path) => path.startsWith("/"))) continue;
    if (commitment.paths.length === 0 || ofNoPlace.has(effect.kind) || covers(commitment.paths, effect))
      return because(did(effect));
  }
  return undefined;
}

/** They happen to no file, so that a path beside them bounds nothing. */
const ofNoPlace: ReadonlySet<Effect["kind"]> = new Set([
  ...(["push", "force-push", "commit", "publish", "deploy", "install", "network"] as const),
]);

/** Nobody who rules out changes means what is thrown away anyhow. */
const isScratch = ({ path = "" }: Effect) =>
  /^(?:\/private)?\/(?:tmp|var\/tmp|dev|var\/folders)(?:\/|$)/.test(path);

/** `run make release`: a command that does something and has all these words, by their stems. */
function runsIt(action: string, { tool, args: { command } }: JudgedCall): boolean {
  if (
    !action.startsWith("run ") ||
    !isShell(tool) ||
    typeof command !== "string" ||
    readLine(command).readsOnly
  )
    return false;
  return lineCommands(command).some(({ words }) => {
    const said = words
      .filter((_, i) => !/^-m$|^--message$/.test(words[i - 1] ?? ""))
      .flatMap((word) => word.toLowerCase().split(/[\s:/.=;()-]+/));
    const wanted = action
      .slice(4)
      .split(/[\s:-]+/)
      .filter((word) => word !== "");
    return wanted.every((word) =>
      said.some((one) => one === word || (word.length > 5 && one.length > 4 && stem(one) === stem(word))),
    );
  });
}

const stem = (word: string) => word.replace(/(?:ations?|ates?|ated|ating|ments?|ings?|ions?|ed|es?|s)$/, "");

export interface Broken {
  readonly commitment: Commitment;
  readonly message: string;
  readonly remedy: string;
}

/** The first of them that the call would break. */
export function firstBroken(commitments: readonly Commitment[], call: JudgedCall): Broken | undefined {
  for (const commitment of commitments) {
    const reason = breaks(commitment, call);
    if (reason === undefined) continue;
    return {
      commitment,
      message: `${reason}.`,
      remedy: "Reach the goal without it, or ask the user to lift the commitment and make a new plan then.",
    };
  }
  return undefined;
}

// --- What a call does ------------------------------------------------------------------------------

const isShell = (tool: string) => /^(?:run_shell|run_background|shell|bash|exec(?:ute)?_command)$/.test(tool);
const toolsThatReach = /^(?:web_|browser_|http_|send_mail|send_email)/;

/** From the tool, its arguments and its intent; each kind and path once or more. */
export function effectsOf({ tool, args, intent }: JudgedCall): readonly Effect[] {
  const effects: Effect[] = [];
  const command = args["command"];
  if (isShell(tool) && typeof command === "string") {
    const cwd = args["cwd"];
    effects.push(
      ...readLine(typeof cwd === "string" && cwd !== "" ? `cd '${cwd}' && ${command}` : command).effects,
    );
  } else {
    effects.push(...byName(tool, args));
    if (addsDependency(args)) effects.push({ kind: "install" });
  }
  if (intent === undefined) return effects;
  if (intent.changes !== undefined && intent.changes !== "anything") {
    effects.push(...intent.changes.map((path) => ({ kind: "write" as const, path })));
  }
  effects.push(
    ...(intent.removes ?? []).map((path) => ({ kind: "delete" as const, path, deep: true as const })),
  );
  if (intent.reachesOut) effects.push({ kind: "network" });
  return effects;
}

function byName(tool: string, args: JsonObject): readonly Effect[] {
  const path = ["path", "file_path", "file", "from", "source", "src", "old_path"]
    .map((name) => args[name])
    .find((value) => typeof value === "string");
  if (toolsThatReach.test(tool)) return [{ kind: "network" }];
  const named = /(?:^|_)(push|publish|deploy|commit|install)(?:_|$)/.exec(tool)?.[1];
  if (named !== undefined) return [{ kind: named as Effect["kind"] }];
  if (/^apply_(?:patch|diff)$|^patch_|_patch$/.test(tool)) return patched(args);
  if (typeof path !== "string") return severalOf(tool, args);
  const place = plainPath(path);
  const target = ["to", "new_path", "target", "destination", "dest", "dst"]
    .map((name) => args[name])
    .find((value) => typeof value === "string");
  const arrives = typeof target === "string" ? [{ kind: "write" as const, path: plainPath(target) }] : [];
  if (tool.startsWith("copy_")) return arrives;
  if (/^(?:delete|remove)_/.test(tool)) return [{ kind: "delete", path: place, deep: true }];
  if (/^(?:move|rename)_/.test(tool)) {
    return [{ kind: "rename", path: place, deep: true }, ...arrives];
  }
  if (tool === "write_file") {
    const mode = args["mode"] ?? "create";
    return [
      { kind: "write", path: place },
      ...(mode === "create" ? [{ kind: "create" as const, path: place }] : []),
    ];
  }
  return /^(?:write|edit|append|patch|create)_|^apply_patch$/.test(tool)
    ? [{ kind: "write", path: place }]
    : [];
}

/** The files that a patch names as those it changes. */
function patched(args: JsonObject): readonly Effect[] {
  const text = Object.values(args)
    .filter((value) => typeof value === "string")
    .join("\n")
    .slice(0, 100_000);
  const named = [...text.matchAll(/^(?:\+\+\+ (?:b\/)?|\*\*\* (Update|Add|Delete) File: )(\S+)/gm)];
  return named
    .filter(([, , path]) => path !== "/dev/null")
    .map(([, how, path = ""]) => ({ kind: how === "Delete" ? "delete" : "write", path: plainPath(path) }));
}

/** `paths: […]` and `edits: [{ path }]`. */
function severalOf(tool: string, args: JsonObject): readonly Effect[] {
  const kind = /^(?:delete|remove)_/.test(tool)
    ? "delete"
    : /^(?:write|edit|append|create|multi)/.test(tool)
      ? "write"
      : undefined;
  if (kind === undefined) return [];
  return ["paths", "files", "edits"].flatMap((name) => {
    const list = args[name];
    if (!Array.isArray(list)) return [];
    const paths = list.map((item) => (isJsonObject(item) ? (item["path"] ?? item["file_path"]) : item));
    return paths.flatMap((path) =>
      typeof path === "string" ? [{ kind, path: plainPath(path) } as const] : [],
    );
  });
}

function did({ kind, path }: Effect): string {
  const verbs: Readonly<Record<Effect["kind"], string>> = {
    ...{
      write: "changes",
      create: "makes",
      delete: "deletes",
      rename: "moves",
      push: "pushes",
      "force-push": "pushes by force",
      commit: "commits",
    },
    ...{
      publish: "publishes",
      deploy: "deploys",
      install: "installs a package",
      network: "leaves the machine",
      act: "changes something",
    },
  };
  return path === undefined ? verbs[kind] : `${verbs[kind]} ${path === "" ? "the whole workspace" : path}`;
}

// --- Where -----------------------------------------------------------------------------------------

function touches({ paths }: Commitment, call: JudgedCall): boolean {
  const { path } = call.args;
  if (typeof path === "string" && pathSet(paths).has(plainPath(path))) return true;
  return effectsOf(call).some((effect) => covers(paths, effect));
}

function covers(paths: readonly string[], { path, deep }: Effect): boolean {
  if (path === undefined) return false;
  const set = pathSet(paths);
  // From the root of the machine the workspace lies somewhere on the way.
  if (path.startsWith("/") && !paths.some((pattern) => pattern.startsWith("/") || pattern === "**")) {
    return insides(path).some((inside) => set.has(inside));
  }
  if (/[*?]/.test(path)) return set.has(path) || set.within(path);
  return set.has(path) || (deep === true && set.within(path));
}

const foldersAbove = 5;

function insides(path: string): readonly string[] {
  const parts = path.split("/").slice(1);
  return parts.slice(0, foldersAbove).map((_, i) => parts.slice(i).join("/"));
}
