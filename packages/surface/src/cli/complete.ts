/**
 * Completion scripts for bash, zsh and fish, from the manifest.
 *
 * A script holds all the words itself and never calls back, so that pressing Tab
 * starts no process. It is as old as the version that printed it.
 */
import { type ManifestEntry, propertiesOf } from "@bridle/operation";
import { builtIns, type Launcher, nextWords, type Shell, shells } from "./commands.js";

/** Where the cursor may be, and what fits there. */
interface Place {
  /** The words so far, joined by blanks. */
  readonly after: string;
  readonly words: readonly string[];
}

export function completionScript(shell: Shell, launcher: Launcher, entries: readonly ManifestEntry[]): string {
  const commands = places(entries);
  const values = valuePlaces(entries);
  switch (shell) {
    case "bash":
      return bashScript(launcher, commands, values);
    case "zsh":
      return zshScript(launcher, commands, values);
    case "fish":
      return fishScript(launcher, commands, values);
  }
}

function places(entries: readonly ManifestEntry[]): Place[] {
  const found: Place[] = [];
  const visit = (words: readonly string[]): void => {
    const entry = entries.find(({ names }) => names.command.join(" ") === words.join(" "));
    if (entry) {
      const flags = propertiesOf(entry.input).filter(({ position }) => position === undefined);
      const places = propertiesOf(entry.input).filter(({ position }) => position !== undefined);
      const choices = places.flatMap((property) => (property.choices ?? []).map(String));
      found.push({ after: words.join(" "), words: [...choices, ...flags.map(({ flag }) => `--${flag}`), "--json", "--help"] });
      return;
    }
    const next = nextWords(entries, words);
    const own = words.length === 0 ? builtIns.map(({ word }) => word) : [];
    found.push({ after: words.join(" "), words: [...next, ...own, "--help", ...(words.length === 0 ? ["--version"] : [])] });
    for (const word of next) visit([...words, word]);
  };
  visit([]);
  found.push({ after: "completion", words: [...shells] });
  found.push({ after: "help", words: nextWords(entries, []) });
  return found;
}

/** The values of flags that have a fixed set of them; `after` ends with the flag. */
function valuePlaces(entries: readonly ManifestEntry[]): Place[] {
  return entries.flatMap(({ names, input }) =>
    propertiesOf(input)
      .filter(({ position, choices }) => position === undefined && choices !== undefined)
      .map(({ flag, choices }) => ({ after: `${names.command.join(" ")} --${flag}`, words: choices!.map(String) })),
  );
}

function bashScript(launcher: Launcher, commands: readonly Place[], values: readonly Place[]): string {
  return `# Completion of ${launcher} for bash. Load it with:
#   source <(${launcher} completion bash)
_${launcher}_complete() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word i
  # bash splits --flag=value at the equals sign.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = && COMP_CWORD -ge 2 ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == -* || $word == = ]] && break
    case "\${path:+$path }$word" in
${cases(prefixesOf(commands), (word) => `      ${word}) path="\${path:+$path }$word" ;;`)}
      *) break ;;
    esac
  done
  local words=
  case "$path $prev" in
${values.map(({ after, words }) => `    ${quoted(after)}) words=${quoted(words.join(" "))} ;;`).join("\n")}
    *" --"*)
      case "$prev" in
        --json|--help) ;;
        *) ${flagTakesValueTest(launcher)} && return ;;
      esac ;;
  esac
  if [[ -z $words ]]; then
    case "$path" in
${commands.map(({ after, words }) => `      ${quoted(after)}) words=${quoted(words.join(" "))} ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${launcher}_complete ${launcher}
`;
}
