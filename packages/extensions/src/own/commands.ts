/**
 * A project's slash commands, `.bridle/commands/<name>.md`: what is said to the agent when
 * somebody types `/<name>`, with `$1` to `$9` for the words behind it and `$ARGUMENTS` for
 * all of them. Above the text there may be a description:
 *
 *     ---
 *     description: Review one file
 *     arguments: <path>
 *     ---
 *     Review $1. Name what is wrong, worst first.
 *
 * What a newcomer gets wrong: such a file is text. It starts nothing and allows nothing;
 * what it says is shown to the person when it is said.
 */
import { join } from "node:path";
import { Failure, type Files } from "@bridle/record";
import { visibleLine } from "@bridle/operation";
import { extensionLimits } from "../limits.js";
import { readText } from "../read-text.js";

export const ownCommandsFolder = ".bridle/commands";

export interface OwnCommand {
  readonly name: string;
  /** One line, made visible. */
  readonly says: string;
  readonly takes?: string;
  readonly text: string;
}

export interface OwnCommands {
  readonly commands: readonly OwnCommand[];
  /** Why a file does not count, a sentence each. */
  readonly faults: readonly string[];
}

export async function ownCommands(
  root: string,
  { files, taken }: { readonly files: Files; readonly taken: readonly string[] },
): Promise<OwnCommands> {
  const folder = join(root, ownCommandsFolder);
  if ((await files.stat(folder))?.kind !== "directory") return { commands: [], faults: [] };
  const names = (await files.list(folder)).filter((name) => name.endsWith(".md"));
  const commands: OwnCommand[] = [];
  const faults: string[] = [];
  for (const file of names.slice(0, extensionLimits.commandsMax)) {
    const name = file.slice(0, -".md".length);
    const leave = (why: string) =>
      faults.push(`the command ${ownCommandsFolder}/${visibleLine(file, 80)} does not count: ${why}`);
    if (!/^[A-Za-z][\w-]{0,39}$/.test(name)) leave("its name must be letters, digits, _ and -, 40 at most");
    else if (taken.includes(name)) leave(`/${name} is one of ours`);
    else {
      try {
        commands.push(
          commandIn(name, (await readText(join(folder, file), files, extensionLimits.fileBytesMax)) ?? ""),
        );
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        leave(error.message);
      }
    }
  }
  return { commands, faults };
}

function commandIn(name: string, file: string): OwnCommand {
  const [whole, head = ""] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(file) ?? ["", ""];
  const text = file.slice(whole.length).trim();
  if (text === "") throw new Failure("document_invalid", { message: "it says nothing" });
  const member = (key: string) => new RegExp(`^${key}:[ \\t]*(\\S.*)$`, "m").exec(head)?.[1];
  const says = member("description") ?? text.split("\n")[0] ?? "";
  const takes = member("arguments") ?? (/\$(?:ARGUMENTS|[1-9])/.test(text) ? "[words]" : undefined);
  return {
    name,
    says: visibleLine(unquoted(says), 80),
    ...(takes === undefined ? {} : { takes: visibleLine(unquoted(takes), 40) }),
    text,
  };
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}

/** What is said for a typed line; undefined where it is none of these commands. */
export function ownCommandText(typed: string, commands: readonly OwnCommand[]): string | undefined {
  const [, name, given = ""] = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(typed.trim()) ?? [];
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return undefined;
  const all = given.trim();
  const words = [...all.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const places = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;
  // In one go: what was given is not looked at for more places.
  const text = command.text.replace(places, (_, at: string | undefined) =>
    at === undefined ? all : (words[Number(at) - 1] ?? ""),
  );
  return all === "" || command.text.search(places) >= 0 ? text : `${text}\n\n${all}`;
}
