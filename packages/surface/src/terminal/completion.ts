/**
 * What Tab and a slash offer: commands by their beginning, and files of the folder.
 *
 * Names of files come from whoever made the folder. One that would steer the
 * terminal is not offered.
 */
import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { visible } from "../agent/visible.js";
import type { Pi } from "./pi.js";

export interface CompletableCommand {
  readonly name: string;
  readonly says: string;
  readonly takes?: string;
  /** The words that can follow it, where they are few. */
  readonly words?: readonly string[];
}

export function completion(
  pi: Pi,
  { folder, commands }: { readonly folder: string; readonly commands: readonly CompletableCommand[] },
): AutocompleteProvider {
  const files = new pi.CombinedAutocompleteProvider([], folder);
  return {
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const offered = cursorLine === 0 ? commandItems(before, commands) : undefined;
      if (offered !== undefined) return offered.items.length === 0 ? null : offered;
      if (before.startsWith("/") && options.force !== true) return null;
      const found = await files.getSuggestions(lines, cursorLine, cursorCol, options);
      const items = found?.items.filter(({ label, value }) => isPlain(label) && isPlain(value)) ?? [];
      return found === null || items.length === 0 ? null : { ...found, items };
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) =>
      files.applyCompletion(lines, cursorLine, cursorCol, item, prefix),
  };
}

/** Undefined where no command is being typed. */
function commandItems(
  before: string,
  commands: readonly CompletableCommand[],
): { readonly items: AutocompleteItem[]; readonly prefix: string } | undefined {
  const [, name, argument] = /^\/(\w*)(?: +(\S*))?$/.exec(before) ?? [];
  if (name === undefined) return undefined;
  if (argument === undefined) {
    const items = commands
      .filter((command) => command.name.startsWith(name))
      .map(({ name: value, says, takes }) => ({
        value,
        label: takes === undefined ? value : `${value} ${takes}`,
        description: says,
      }));
    return { items, prefix: before };
  }
  const { words = [] } = commands.find((command) => command.name === name) ?? {};
  if (words.length === 0 || words.includes(argument)) return undefined;
  const items = words.filter((word) => word.startsWith(argument)).map((value) => ({ value, label: value }));
  return { items, prefix: argument };
}

function isPlain(text: string): boolean {
  return visible(text) === text && !/[\n\t]/.test(text);
}
