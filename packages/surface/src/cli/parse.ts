/**
 * From argv to what was asked for, by the manifest alone: no room is loaded.
 *
 * Only the form is judged here (is there such a flag, is this a number). Whether
 * the values fit (required, allowed, in range) is judged by the pipeline, as on
 * every other surface, so that there is one opinion about it.
 */
import { type ManifestEntry, nearest, propertiesOf } from "@bridle/operation";
import { type JsonObject, refuse, type Refusal } from "@bridle/record";
import { type BuiltIn, builtIns, entryOf, type Launcher, nextWords, type Shell, shells } from "./commands.js";
import { complaint, flagName, meant, quote, unexpected } from "./complaints.js";
import { parseInput } from "./flags.js";
import { type CommandEntry, meantEntry } from "./modes.js";

/** `json` holds for every kind, errors too. */
export type Invocation = { readonly json: boolean } & Asked;

type Asked =
  | { readonly kind: "call"; readonly entry: ManifestEntry; readonly input: JsonObject }
  /** `all`: every command, not only those to begin with. */
  | { readonly kind: "help"; readonly topic: readonly string[]; readonly all?: true }
  /** Words that are no command: those commands are meant that they fit. */
  | { readonly kind: "find"; readonly words: readonly string[]; readonly otherwise: Refusal }
  | { readonly kind: "version" }
  | { readonly kind: "completion"; readonly shell: Shell }
  /** `entry` is the command that was meant, where that much was clear. */
  | { readonly kind: "invalid"; readonly refusal: Refusal; readonly entry?: ManifestEntry };

export interface ParseOptions {
  readonly launcher: Launcher;
  /** The commands of this launcher. */
  readonly entries: readonly CommandEntry[];
  /** Every command, to say where one lives that this launcher lacks. */
  readonly everywhere?: readonly ManifestEntry[];
}

export function parse(argv: readonly string[], options: ParseOptions): Invocation {
  const end = argv.indexOf("--");
  const json = (end < 0 ? argv : argv.slice(0, end)).includes("--json");
  return { json, ...read(argv, options) };
}

function read(argv: readonly string[], options: ParseOptions): Asked {
  const { launcher, entries } = options;
  const words: string[] = [];
  let wantsHelp = false;
  for (const [i, token] of argv.entries()) {
    if (token === "--json") continue;
    if (token === "--help" || token === "-h") {
      wantsHelp = true;
      continue;
    }
    if (words.length === 0 && (token === "--version" || token === "-V")) return { kind: "version" };
    const builtIn = words.length === 0 ? builtIns.find(({ word }) => word === token) : undefined;
    if (builtIn)
      return readBuiltIn(builtIn, [...(wantsHelp ? ["--help"] : []), ...argv.slice(i + 1)], options);

    if (token.startsWith("-")) return invalid(strayFlag(token, words, options));
    if (!nextWords(entries, words).includes(token)) return invalid(unknownCommand(token, words, options));
    words.push(token);
    const entry = entryOf(entries, words);
    // A command may have others below it; the next word then says which one is meant.
    const next = argv.slice(i + 1).find((word) => !["--json", "--help", "-h"].includes(word));
    const below = nextWords(entries, words);
    if (!entry || (next !== undefined && below.includes(next))) continue;
    const takesWords = propertiesOf(entry.input).some(({ yields }) => yields);
    if (below.length > 0 && !takesWords && next !== undefined && !next.startsWith("-"))
      return invalid(unknownCommand(next, words, options));
    if (wantsHelp) return { kind: "help", topic: words };
    const parsed = parseInput(argv.slice(i + 1), entry, [launcher, ...words].join(" "));
    switch (parsed.kind) {
      case "input": {
        const chosen = meantEntry(entry, parsed.input, [launcher, ...words].join(" "));
        return "refused" in chosen
          ? { kind: "invalid", refusal: chosen, entry }
          : { kind: "call", ...chosen };
      }
      case "help":
        return { kind: "help", topic: words };
      case "refused":
        return { kind: "invalid", refusal: parsed.refusal, entry };
    }
  }
  if (wantsHelp || words.length === 0) return { kind: "help", topic: words };
  const usage = [launcher, ...words].join(" ");
  return invalid(
    complaint(`${words.join(" ")} needs one more word: ${nextWords(entries, words).join(", ")}`, usage),
  );
}

function invalid(refusal: Refusal): Asked {
  return { kind: "invalid", refusal };
}

function readBuiltIn({ word }: BuiltIn, rest: readonly string[], options: ParseOptions): Asked {
  const given = rest.filter((token) => !["--json", "--help", "-h"].includes(token));
  const wantsHelp = rest.includes("--help") || rest.includes("-h");
  if (word === "help" && given.includes("--all"))
    return given.length === 1
      ? { kind: "help", topic: [], all: true }
      : invalid(unexpected(given.find((token) => token !== "--all") ?? "--all", `${options.launcher} help`));
  if (word === "help") return readTopic(given, options);
  if (wantsHelp) return { kind: "help", topic: [word] };
  const usage = `${options.launcher} ${word}`;
  if (word === "version")
    return given[0] === undefined ? { kind: "version" } : invalid(unexpected(given[0], usage));
  const [name, extra] = given;
  if (name === undefined)
    return invalid(complaint("completion needs the name of a shell: bash, zsh or fish", usage));
  if (extra !== undefined) return invalid(unexpected(extra, usage));
  const shell = shells.find((known) => known === name);
  if (shell) return { kind: "completion", shell };
  const near = meant(nearest(name, shells)) || "; there is for bash, zsh and fish";
  return invalid(complaint(`there is no completion for ${quote(name)}${near}`, usage));
}

function readTopic(topic: readonly string[], options: ParseOptions): Asked {
  if (topic.length === 1 && builtIns.some(({ word }) => word === topic[0])) return { kind: "help", topic };
  for (const [i, token] of topic.entries()) {
    const words = topic.slice(0, i);
    if (!nextWords(options.entries, words).includes(token))
      return { kind: "find", words: topic, otherwise: unknownCommand(token, words, options) };
  }
  return { kind: "help", topic };
}

function strayFlag(token: string, words: readonly string[], { launcher, entries }: ParseOptions): Refusal {
  const usage = [launcher, ...words].join(" ");
  const flags = words.length === 0 ? ["json", "help", "version"] : ["json", "help"];
  const near = nearest(token.replace(/^-+/, ""), flags);
  if (near) return complaint(`unknown flag ${flagName(token)}${meant(`--${near}`)}`, usage);
  const [first] = nextWords(entries, words);
  const instead =
    first === undefined ? "" : `; flags of a command come after it, as in \`${usage} ${first} …\``;
  return complaint(`unknown flag ${flagName(token)}${instead}`, usage);
}

function unknownCommand(token: string, words: readonly string[], options: ParseOptions): Refusal {
  const { launcher, entries, everywhere = [] } = options;
  const usage = [launcher, ...words].join(" ");
  const asked = `there is no command ${quote([...words, token].join(" "))}`;
  const home = words.length === 0 ? everywhere.find(({ names }) => names.command[0] === token) : undefined;
  if (home && home.family !== launcher) {
    return refuse("invocation_invalid", {
      message: `${asked} in ${launcher}`,
      hint: `It belongs to ${home.family}: see \`${home.family} help ${token}\`.`,
    });
  }
  const known = nextWords(entries, words);
  const near = nearest(token, words.length === 0 ? [...known, ...builtIns.map(({ word }) => word)] : known);
  if (near !== undefined) return complaint(asked + meant(`"${[...words, near].join(" ")}"`), usage);
  return complaint(words.length === 0 ? asked : `${asked}; there is ${known.join(", ")}`, usage);
}
