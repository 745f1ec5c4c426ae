/**
 * What Tab, a slash and an @ offer: commands by their beginning, and files of the folder.
 *
 * Names of files come from whoever made the folder. One that would steer the
 * terminal is not offered.
 */
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { visible } from "../agent/visible.js";
import type { Pi } from "./pi.js";

const mentionsMax = 50;

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
      const mention = /(?:^|\s)(@[^\s"]*)$/.exec(before)?.[1];
      if (mention !== undefined) return mentionItems(mention, folder);
      if (before.startsWith("/") && options.force !== true) return null;
      const found = await files.getSuggestions(lines, cursorLine, cursorCol, options);
      const items = found?.items.filter(({ label, value }) => isPlain(label) && isPlain(value)) ?? [];
      return found === null || items.length === 0 ? null : { ...found, items };
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) =>
      files.applyCompletion(lines, cursorLine, cursorCol, item, prefix),
  };
}

/** Files and folders whose names begin so; none where it is whole already. */
async function mentionItems(
  typed: string,
  folder: string,
): Promise<{ readonly items: AutocompleteItem[]; readonly prefix: string } | null> {
  const slash = typed.lastIndexOf("/") + 1;
  const above = slash === 0 ? "" : typed.slice(1, slash);
  const begins = typed.slice(Math.max(1, slash));
  const path = resolve(folder, above);
  if (path !== folder && !path.startsWith(`${folder}/`)) return null;
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const items = entries
    .filter(({ name }) => name.startsWith(begins) && (begins !== "" || !name.startsWith(".")))
    .filter(({ name }) => isPlain(name) && !/[\s"]/.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, mentionsMax)
    .map((entry) => {
      const label = entry.isDirectory() ? `${entry.name}/` : entry.name;
      return { value: `@${above}${label}`, label };
    });
  const whole = items.length === 1 && items[0]?.value === typed;
  return items.length === 0 || whole ? null : { items, prefix: typed };
}

/** Undefined where no command is being typed. */
function commandItems(
  before: string,
  commands: readonly CompletableCommand[],
): { readonly items: AutocompleteItem[]; readonly prefix: string } | undefined {
  const [, name, argument] = /^\/([\w-]*)(?: +([^\s@]\S*|))?$/.exec(before) ?? [];
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
