/**
 * Help for a launcher, a group of commands or one command, from the manifest.
 *
 * `bridle help` is the few commands to begin with (help-first.ts); every command is behind `--all`.
 *
 * Everything fits 80 columns, and every command shows at least one example.
 */
import {
  columns,
  displayWidth,
  type ManifestEntry,
  type Paint,
  propertiesOf,
  type Property,
  wrap,
} from "@bridle/operation";
import type { JsonValue } from "@bridle/record";
import { builtIns, entriesUnder, entryOf, type Launcher, launcherSummaries } from "./commands.js";
import { firstHelp } from "./help-first.js";
import { withGuidePaths } from "./guides.js";
import type { CommandEntry } from "./modes.js";

const width = 80;
/** Names longer than this have their description on the next line. */
const nameWidthMax = 30;
const choicesWidthMax = 60;

export interface HelpOptions {
  readonly launcher: Launcher;
  readonly entries: readonly CommandEntry[];
  readonly topic: readonly string[];
  /** Every command of the launcher, not only those to begin with. */
  readonly all?: boolean;
  readonly paint: Paint;
}

export function helpText(options: HelpOptions): string {
  const { entries, topic } = options;
  const builtIn = topic.length === 1 ? builtIns.find(({ word }) => word === topic[0]) : undefined;
  if (builtIn) return builtInHelp(builtIn, options);
  const found = entriesUnder(entries, topic);
  const command = entryOf(found, topic);
  if (command) return commandHelp(command, options);
  if (topic.length > 0) return groupHelp(found, options);
  return options.launcher === "bridle" && options.all !== true
    ? firstHelp(entries, options.paint)
    : launcherHelp(options);
}

/** What `--help --json` prints: the same entries, whole. */
export function helpJson({ entries, topic }: Pick<HelpOptions, "entries" | "topic">): JsonValue {
  return {
    action: "help",
    topic,
    operations: unspoken(entriesUnder(entries, topic), topic) as unknown as JsonValue,
  };
}

/** Without other words for what is listed anyway. */
function unspoken(entries: readonly CommandEntry[], topic: readonly string[]): CommandEntry[] {
  return entries.filter(
    ({ saidFor, names }) => saidFor === undefined || names.command.length === topic.length,
  );
}

function launcherHelp({ launcher, entries, paint }: HelpOptions): string {
  const commands: Line[] = unspoken(entries, []).map((entry) => [usageWords(entry), entry.summary]);
  const own: Line[] = builtIns.map(({ usage, summary }) => [usage, summary]);
  const first = entries[0]?.examples[0];
  return page(paint, [
    ["", [...wrap(launcherSummaries[launcher] ?? "", width)]],
    ["Usage", [`  ${launcher} <command> [flags]`]],
    commands.length > 0
      ? ["Commands", described(commands)]
      : ["Commands", [`  No ${launcher} command is available in this version.`]],
    ["Always there", described(own)],
    ["Flags", described(globalFlags)],
    ["Examples", first ? exampleLines([first], launcher) : [`  $ ${launcher} --version`]],
  ]);
}

function groupHelp(under: readonly CommandEntry[], { launcher, topic, paint }: HelpOptions): string {
  const found = unspoken(under, topic);
  const examples = found.flatMap((entry) => entry.examples.slice(0, 1));
  return page(paint, [
    ["Usage", [`  ${[launcher, ...topic].join(" ")} <command> [flags]`]],
    ["Commands", described(found.map((entry) => [usageWords(entry), entry.summary]))],
    ["Examples", exampleLines(examples, launcher)],
  ]);
}

function commandHelp(entry: CommandEntry, { launcher, entries, paint }: HelpOptions): string {
  const below = entriesUnder(entries, entry.names.command).filter((other) => other !== entry);
  const properties = propertiesOf(entry.input);
  const placed = properties.filter(({ position }) => position !== undefined);
  placed.sort((a, b) => a.position! - b.position!);
  const flags = properties.filter(({ position }) => position === undefined);
  const required = flags.filter((property) => property.required);
  const usage = [
    launcher,
    ...entry.names.command,
    ...placed.map(placeText),
    ...required.map((property) => `${flagText(property)}`),
    "[flags]",
  ];
  const [start = "", ...more] = wrap(usage.join(" "), width - 6);
  return page(paint, [
    ["", wrap(entry.summary, width)],
    ["Usage", [`  ${start}`, ...more.map((line) => `      ${line}`)]],
    ["", entry.description === undefined ? [] : wrap(withGuidePaths(entry.description), width)],
    ["", entry.saidFor === undefined ? [] : [`The same as \`${launcher} ${entry.saidFor.join(" ")}\`.`]],
    ["Commands", described(below.map((other) => [usageWords(other), other.summary]))],
    ["Arguments", described(placed.map((property) => [placeText(property), explained(property)]))],
    [
      "Flags",
      described([
        ...flags.map((property): Line => [flagText(property), explained(property)]),
        ...commandFlags,
      ]),
    ],
    ["Examples", exampleLines(entry.examples, launcher)],
  ]);
}

function builtInHelp(
  { usage, summary, example }: (typeof builtIns)[number],
  { launcher, paint }: HelpOptions,
): string {
  return page(paint, [
    ["", wrap(summary, width)],
    ["Usage", [`  ${launcher} ${usage}`]],
    ["Flags", described(commandFlags)],
    ["Examples", exampleLines([{ ...example, command: `${launcher} ${example.command}` }], launcher)],
  ]);
}

const commandFlags: readonly Line[] = [
  ["--json", "Print the answer as JSON."],
  ["--help, -h", "Explain the command."],
];
const globalFlags: readonly Line[] = [...commandFlags, ["--version, -V", "Print the version."]];

type Line = readonly [name: string, says: string];
type Section = readonly [title: string, lines: readonly string[]];

function page(paint: Paint, sections: readonly Section[]): string {
  const shown = sections.filter(([, lines]) => lines.length > 0);
  const blocks = shown.map(([title, lines]) =>
    [...(title === "" ? [] : [paint.strong(title)]), ...lines].join("\n"),
  );
  return `${blocks.join("\n\n")}\n`;
}

/** Names in one column, what they are in the other. */
function described(lines: readonly Line[]): string[] {
  const nameWidth = Math.max(
    0,
    ...lines.map(([name]) => displayWidth(name)).filter((cells) => cells <= nameWidthMax),
  );
  return lines.flatMap(([name, says]) => {
    const [first = "", ...rest] = wrap(says, width - nameWidth - 4);
    const below = rest.map((line) => `${" ".repeat(nameWidth + 4)}${line}`);
    if (displayWidth(name) > nameWidth)
      return [`  ${name}`, `${" ".repeat(nameWidth + 4)}${first}`, ...below];
    return [...columns([[name.padEnd(nameWidth), first]]), ...below];
  });
}

/** The command as typed, with this launcher, and below it what it does. */
function exampleLines(examples: ManifestEntry["examples"], launcher: Launcher): string[] {
  return examples.flatMap(({ command, says }) => {
    const own = command.replace(/^\S+/, launcher);
    const [first = "", ...rest] = wrap(own, width - 8);
    const lines = [first, ...rest.map((line) => `    ${line}`)];
    const typed = lines.map(
      (line, i) => `${i === 0 ? "  $ " : "    "}${line}${i < lines.length - 1 ? " \\" : ""}`,
    );
    return [...typed, ...wrap(says, width - 6).map((line) => `      ${line}`)];
  });
}

function usageWords({ names, input }: ManifestEntry): string {
  const placed = propertiesOf(input).filter(({ position }) => position !== undefined);
  placed.sort((a, b) => a.position! - b.position!);
  return [...names.command, ...placed.map(placeText)].join(" ");
}

function placeText({ flag, required, list }: Property): string {
  const name = `<${flag}>${list ? "…" : ""}`;
  return required ? name : `[${name}]`;
}

function flagText({ flag, short, kind, list, choices, placeholder, bare }: Property): string {
  const name = short === undefined ? `--${flag}` : `--${flag}, -${short}`;
  if (kind === "boolean" && !list) return name;
  const value = choices === undefined || areMany(choices) ? placeholder : choices.join("|");
  return bare === undefined ? `${name} <${value}>` : `${name} [<${value}>]`;
}

/** Too many for the line of the flag: they stand in its explanation instead. */
function areMany(choices: readonly unknown[]): boolean {
  return choices.join("|").length > choicesWidthMax;
}

function explained({ description, list, required, position, choices, default: standard }: Property): string {
  const notes = [
    ...(choices !== undefined && areMany(choices) ? [`one of ${choices.join(", ")}`] : []),
    ...(required && position === undefined ? ["required"] : []),
    ...(list && !/repeat|once per|given once/i.test(description) ? ["repeatable"] : []),
    ...(standard === undefined
      ? []
      : [`default ${typeof standard === "string" ? standard : JSON.stringify(standard)}`]),
  ];
  return notes.length === 0 ? description : `${description.replace(/\.$/, "")} (${notes.join("; ")}).`;
}
