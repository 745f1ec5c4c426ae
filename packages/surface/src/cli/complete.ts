/**
 * Completion scripts for bash, zsh and fish, from the manifest.
 *
 * A script holds all the words itself and never calls back, so that pressing Tab
 * starts no process. It is as old as the version that printed it.
 */
import { type ManifestEntry, propertiesOf } from "@bridle/operation";
import { builtIns, entryOf, type Launcher, nextWords, type Shell, shells } from "./commands.js";

export function completionScript(
  shell: Shell,
  launcher: Launcher,
  entries: readonly ManifestEntry[],
): string {
  const places = placesOf(entries);
  switch (shell) {
    case "bash":
      return bashScript(launcher, places);
    case "zsh":
      return zshScript(launcher, places);
    case "fish":
      return fishScript(launcher, places);
  }
}

/** A point that a command line can have reached, and what may come next. */
interface Completion {
  /** The words so far, each after a blank: "", " log", " log verify". */
  readonly at: string;
  readonly words: readonly string[];
  readonly flags: readonly Flag[];
  /** A file may stand here. */
  readonly files: boolean;
}

interface Flag {
  readonly name: string;
  readonly says: string;
  /** Undefined when the flag takes no value, empty when any value goes. */
  readonly values: readonly string[] | undefined;
}

const json: Flag = { name: "json", says: "Print the answer as JSON.", values: undefined };
const help: Flag = { name: "help", says: "Explain the command.", values: undefined };
const version: Flag = { name: "version", says: "Print the version.", values: undefined };

function placesOf(entries: readonly ManifestEntry[]): Completion[] {
  const top = nextWords(entries, []);
  return [
    {
      at: "",
      words: [...top, ...builtIns.map(({ word }) => word)],
      flags: [json, help, version],
      files: false,
    },
    { at: " help", words: top, flags: [], files: false },
    { at: " completion", words: shells, flags: [], files: false },
    { at: " version", words: [], flags: [json], files: false },
    ...top.flatMap((word) => placesUnder([word], entries)),
  ];
}

function placesUnder(words: readonly string[], entries: readonly ManifestEntry[]): Completion[] {
  const at = words.map((word) => ` ${word}`).join("");
  const entry = entryOf(entries, words);
  const next = nextWords(entries, words);
  const own = entry ? optionsOf(entry) : { words: [], flags: [json, help], files: false };
  return [
    { at, ...own, words: [...next, ...own.words] },
    ...next.flatMap((word) => placesUnder([...words, word], entries)),
  ];
}

function optionsOf(entry: ManifestEntry): Omit<Completion, "at"> {
  const properties = propertiesOf(entry.input);
  const placed = properties.filter(({ position }) => position !== undefined);
  const flags = properties
    .filter(({ position }) => position === undefined)
    .map(({ flag, description, kind, list, choices }): Flag => {
      const values = kind === "boolean" && !list ? undefined : (choices ?? []).map(String);
      return { name: flag, says: description, values };
    });
  return {
    words: placed.flatMap(({ choices }) => (choices ?? []).map(String)),
    flags: [...flags, json, help],
    files: placed.some(({ choices }) => choices === undefined),
  };
}

function bashScript(launcher: Launcher, places: readonly Completion[]): string {
  const name = `_${launcher}_complete`;
  return `# Completion of ${launcher} for bash. Load it with
#   source <(${launcher} completion bash)
${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" words="" i
  # bash cuts --flag=value at the equals sign.
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${knownPlaces(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${valueFlags(places, ({ values }) => (values.length === 0 ? "return" : `words=${quoted(values.join(" "))}`), "    ")}
    *) case "$at" in
${places.map((place) => `      ${quoted(place.at)}) ${bashOffer(place)} ;;`).join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F ${name} ${launcher}
`;
}

/** Where a file may stand, flags are offered once a dash is there; an empty offer leaves it to bash, which offers files. */
function bashOffer({ words, flags, files }: Completion): string {
  const all = quoted([...words, ...flags.map(dashed)].join(" "));
  return files ? `if [[ "$cur" == -* ]]; then words=${all}; else return; fi` : `words=${all}`;
}

function zshScript(launcher: Launcher, places: readonly Completion[]): string {
  return `#compdef ${launcher}
# Completion of ${launcher} for zsh. Load it with
#   source <(${launcher} completion zsh)
_${launcher}() {
  local at="" i
  local -a offer
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${knownPlaces(places)}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueFlags(places, ({ values }) => (values.length === 0 ? "_files; return" : `compadd -- ${values.map(quoted).join(" ")}; return`), "    ")}
  esac
  case "$at" in
${places.map((place) => `    ${quoted(place.at)}) ${zshOffer(place)} ;;`).join("\n")}
  esac
  compadd -a offer
}
if [[ "\${funcstack[1]}" == "_${launcher}" ]]; then _${launcher} "$@"; else compdef _${launcher} ${launcher}; fi
`;
}

function zshOffer({ words, flags, files }: Completion): string {
  const offer = `offer=(${[...words, ...flags.map(dashed)].map(quoted).join(" ")})`;
  return files ? `if [[ "\${words[CURRENT]}" == -* ]]; then ${offer}; else _files; return; fi` : offer;
}

function fishScript(launcher: Launcher, places: readonly Completion[]): string {
  const at = `__${launcher}_at`;
  const lines = places.flatMap(({ at: here, words, flags, files }) => {
    const when = `complete -c ${launcher} -n ${quoted(`${at} ${doubleQuoted(here)}`)}`;
    return [
      ...(files ? [] : [`${when} -f`]),
      ...(words.length === 0 ? [] : [`${when} -a ${quoted(words.join(" "))}`]),
      ...flags.map(({ name, says, values }) => {
        const value =
          values === undefined ? "" : values.length === 0 ? " -r" : ` -x -a ${quoted(values.join(" "))}`;
        return `${when} -l ${name}${value} -d ${quoted(says)}`;
      }),
    ];
  });
  return `# Completion of ${launcher} for fish. Load it with
#   ${launcher} completion fish | source
function ${at} --argument-names wanted
  set -l tokens (commandline -opc)
  set -e tokens[1]
  set -l at ""
  for word in $tokens
    switch "$at $word"
      case ${places
        .filter((place) => place.at !== "")
        .map((place) => quoted(place.at))
        .join(" ")}
        set at "$at $word"
    end
  end
  test "$at" = "$wanted"
end
${lines.join("\n")}
`;
}

/** A shell pattern of every point but the start. */
function knownPlaces(places: readonly Completion[]): string {
  return places
    .filter(({ at }) => at !== "")
    .map(({ at }) => quoted(at))
    .join("|");
}

/** One branch per flag that takes a value, for `case "<place> <flag>"`. */
function valueFlags(
  places: readonly Completion[],
  then: (flag: Flag & { readonly values: readonly string[] }) => string,
  indent: string,
): string {
  const branches = places.flatMap(({ at, flags }) =>
    flags.flatMap((flag) => {
      const { values } = flag;
      return values === undefined
        ? []
        : [`${indent}${quoted(`${at} ${dashed(flag)}`)}) ${then({ ...flag, values })} ;;`];
    }),
  );
  return branches.join("\n");
}

function dashed({ name }: Flag): string {
  return `--${name}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function doubleQuoted(text: string): string {
  return `"${text}"`;
}
