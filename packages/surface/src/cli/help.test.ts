import { displayWidth } from "@bridle/operation";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../manifest/load.js";
import { commandsOf, entriesUnder, type Launcher } from "./commands.js";
import { demoManifest } from "./demo-table.js";
import { helpJson, helpText } from "./help.js";
import { findCommands } from "./help-find.js";
import { firstHelpLinesMax } from "./help-first.js";
import { plainPaint } from "./paint.js";

function help(
  topic: readonly string[],
  launcher: Launcher = "premath",
  manifest = demoManifest,
  all = false,
) {
  return helpText({ launcher, topic, all, entries: commandsOf(manifest, launcher), paint: plainPaint });
}

describe("help", () => {
  test("for one command says everything there is to type", () => {
    expect(help(["note", "add"])).toBe(`Add a note.

Usage
  premath note add <text> [flags]

A note has a text and may have tags.

Arguments
  <text>  What to note.

Flags
  --state <open|done>  Its state (default open).
  --tag <text>         A tag (repeatable).
  --priority <number>  How urgent it is.
  --weight <number>    How heavy it is.
  --pinned             Keep it on top.
  --extra <json>       Anything else.
  --json               Print the answer as JSON.
  --help, -h           Explain the command.

Examples
  $ premath note add "Buy milk" --tag home --tag food
      adds a note with two tags
`);
  });

  test("for a launcher lists its commands and no others", () => {
    expect(help([])).toContain("note add <text>");
    expect(help([])).not.toContain("tools");
    expect(help([])).not.toContain("secret");
    expect(help([], "bridle", demoManifest, true)).toContain("tools [<files>…]");
  });

  test("examples name the launcher that was asked", () => {
    expect(help(["note", "check"], "bridle")).toContain("$ bridle note check");
  });

  test("a launcher without commands says so", () => {
    expect(help([], "hlq")).toContain("No hlq command is available in this version.");
  });

  test("for a command that has others below it says what it takes and names them", () => {
    const text = help(["harness-kpi"], "premath", loadManifest());
    expect(text).toContain("Usage\n  premath harness-kpi [flags]\n");
    expect(text).toContain("Commands\n  harness-kpi remediate  Record");
    expect(text).toContain("--window-hours <number>");
    expect(help(["harness-kpi", "remediate"], "premath", loadManifest())).toContain("--reason <text>");
  });

  test("as JSON is the entries, whole", () => {
    const entries = commandsOf(demoManifest, "bridle");
    expect(helpJson({ entries, topic: ["note"] })).toMatchObject({ operations: entries.slice(0, 2) });
  });
});

describe("bridle help", () => {
  const entries = commandsOf(loadManifest(), "bridle");

  test("is one screen, and every command that it names is there", () => {
    const lines = help([], "bridle", loadManifest()).split("\n");
    expect(lines.length).toBeLessThanOrEqual(firstHelpLinesMax);
    const named = lines.flatMap(
      (line) => /^ {2}[A-Z]?[a-z]* +bridle ((?:[a-z-]+ )*[a-z-]+)/.exec(line)?.[1] ?? [],
    );
    expect(named).toEqual(expect.arrayContaining(["ready", "chat", "mcp-serve", "work start", "pack build"]));
    for (const words of named) expect(entriesUnder(entries, words.split(" ")), words).not.toEqual([]);
  });

  test("--all has every command, each once and without other words for it", () => {
    const text = help([], "bridle", loadManifest(), true);
    for (const { names, saidFor } of entries) {
      const line = new RegExp(`^  ${names.command.join(" ")}( |$)`, "m");
      if (saidFor === undefined) expect(text).toMatch(line);
      else expect(text).not.toMatch(line);
    }
  });

  test("other words for a command are explained as that command", () => {
    expect(help(["ready"], "bridle", loadManifest())).toContain("The same as `bridle issue ready`.");
    expect(help(["issue", "add"], "bridle", loadManifest())).toContain("--priority, -p <number>");
  });
});

describe("bridle help <words>", () => {
  const entries = commandsOf(loadManifest(), "bridle");
  const first = (asked: string) => findCommands(asked.split(" "), entries)[0]?.names.command.join(" ");

  test.each([
    ["new ticket", "issue add"],
    ["take a task", "issue claim-next"],
    ["stop a run", "work stop"],
    ["api key", "models"],
    ["talk", "chat"],
    ["accept a change", "change accept"],
    ["overnight", "work start"],
    ["merge conflict", "issue merge"],
    ["what did the night cost", "work report"],
    ["damaged log", "log repair"],
  ])("%s", (asked, command) => {
    expect(first(asked)).toBe(command);
  });

  test("finds nothing where nothing fits", () => {
    expect(first("zzzz")).toBeUndefined();
    expect(first("the of")).toBeUndefined();
  });
});

describe("[TUSK-9.5] every command of the real manifest", () => {
  const launchers: Launcher[] = ["bridle", "premath", "hlq"];
  const topics = launchers.flatMap((launcher) => {
    const commands = commandsOf(loadManifest(), launcher).map(({ names }) => names.command);
    const groups = commands.flatMap((words) => words.map((_, i) => words.slice(0, i)));
    const all = [[], ["help"], ["completion"], ["version"], ...groups, ...commands];
    return [...new Set(all.map((words) => words.join(" ")))].map((words) => [launcher, words] as const);
  });

  test.each(topics)(
    "%s %s: has help with an example, in 80 columns, without trailing blanks",
    (launcher, words) => {
      const text = help(words === "" ? [] : words.split(" "), launcher, loadManifest());
      expect(text).toMatch(/^ {2}\$ \S/m);
      for (const line of text.split("\n")) {
        expect(displayWidth(line), line).toBeLessThanOrEqual(80);
        expect(line).toBe(line.trimEnd());
      }
    },
  );
});
