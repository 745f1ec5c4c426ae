/**
 * Which commands a launcher has, and what the command line answers itself.
 *
 * `bridle` has every command; `premath` and `hlq` have those that their
 * contracts froze, spelled the same and with the same code behind them.
 */
import type { Example, Family, Manifest, ManifestEntry } from "@bridle/operation";
import { type CommandEntry, joinModes } from "./modes.js";
import { spokenCommands } from "./spoken-commands.js";

export type Launcher = Family;

/** The first line of a launcher's help; a program of somebody's own adds its line. */
export const launcherSummaries: Record<Launcher, string> = {
  bridle: "Bridle runs agents on long work in steps that survive a crash and replay exactly.",
  premath: "Issues, sessions and trajectories that agents share, and the server that offers them.",
  hlq: "Search over Hyperliquid evidence: replay packs, episodes, bounded decisions.",
};

export interface BuiltIn {
  readonly word: "help" | "version" | "completion";
  readonly usage: string;
  readonly summary: string;
  /** Without the launcher. */
  readonly example: Example;
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export const builtIns: readonly BuiltIn[] = [
  {
    word: "completion",
    usage: "completion <bash|zsh|fish>",
    summary: "Print a script that completes commands and flags.",
    example: {
      command: "completion bash",
      says: "prints the script; put it where your shell loads completions",
    },
  },
  {
    word: "help",
    usage: "help [command or words]",
    summary: "Explain a command, or find it by what it does; --all lists every one.",
    example: { command: "help stop a run", says: "finds commands by these words" },
  },
  {
    word: "version",
    usage: "version",
    summary: "Print the version.",
    example: { command: "version", says: "prints the version" },
  },
];

export function commandsOf(manifest: Manifest, launcher: Launcher): readonly CommandEntry[] {
  const offered = manifest.operations.filter(
    ({ surfaces, family }) => surfaces.includes("cli") && (launcher === "bridle" || family === launcher),
  );
  const sharing = new Map<string, ManifestEntry[]>();
  for (const entry of offered) {
    const words = entry.names.command.join(" ");
    const first = sharing.get(words)?.[0];
    // Where two families spell a command alike, `bridle` has the first and each launcher its own.
    if (first === undefined) sharing.set(words, [entry]);
    else if (first.family === entry.family) sharing.get(words)?.push(entry);
  }
  const entries = [...sharing.values()].map(joinModes);
  return [...entries, ...spokenEntries(entries, launcher)];
}

/** Other words for commands of the launcher, where no command has them. */
function spokenEntries(entries: readonly CommandEntry[], launcher: Launcher): CommandEntry[] {
  return spokenCommands.flatMap(({ words, means, launchers }) => {
    const meant = launchers.includes(launcher) ? entryOf(entries, means) : undefined;
    if (meant === undefined || entryOf(entries, words) !== undefined) return [];
    return [{ ...meant, names: { ...meant.names, command: words }, saidFor: means }];
  });
}

/** The words that may follow `words`, each once, in the order of the manifest. */
export function nextWords(entries: readonly ManifestEntry[], words: readonly string[]): string[] {
  const next = new Set<string>();
  for (const { names } of entriesUnder(entries, words)) {
    const word = names.command[words.length];
    if (word !== undefined) next.add(word);
  }
  return [...next];
}

export function entriesUnder(entries: readonly CommandEntry[], words: readonly string[]): CommandEntry[] {
  return entries.filter(({ names }) => words.every((word, i) => names.command[i] === word));
}

/** The entry whose command is exactly these words. */
export function entryOf(
  entries: readonly CommandEntry[],
  words: readonly string[],
): CommandEntry | undefined {
  return entriesUnder(entries, words).find(({ names }) => names.command.length === words.length);
}
