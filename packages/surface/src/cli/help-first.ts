/**
 * `bridle help`: the few commands to begin with, on one screen.
 *
 * Each row names a command that is there, and a row whose command is not built in is left out; a
 * test counts the lines. Everything else is behind `bridle help --all` and `bridle help <words>`.
 */
import { type Paint, wrap } from "@bridle/operation";
import { entriesUnder, launcherSummaries } from "./commands.js";
import type { CommandEntry } from "./modes.js";

/** At most this many lines. */
export const firstHelpLinesMax = 30;

type Row = readonly [typed: string, says: string];

const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    "Start",
    [
      ["init", "make this repository ready, after a yes"],
      ["doctor", "what is wrong here, and what mends it"],
      ["status", "what is ready, what runs, what waits for you"],
    ],
  ],
  [
    "Work",
    [
      ["ready", "the issues that can be begun now"],
      ['add "…" -p 1', "a new issue"],
      ["claim-next", "take the most urgent one"],
      ["close <id>", "it is done; `issue finish` runs the checks"],
      ["work start", "let workers work on them, through the night"],
      ["work report", "what they did, and what it cost"],
    ],
  ],
  [
    "Agent",
    [
      ["chat", "talk with an agent that works in this folder"],
      ["agent run", "let it work on an issue"],
      ["models", "which models there are; choose one"],
    ],
  ],
  ["Connect", [["mcp-serve", "offer all of this to an MCP client"]]],
  [
    "Research",
    [
      ["pack build", "hlq: market evidence that replays to the byte"],
      ["run", "hlq: a policy on it; `hlq help` has the rest"],
    ],
  ],
];

const typedWidth = 22;
const titleWidth = 10;

export function firstHelp(entries: readonly CommandEntry[], paint: Paint): string {
  const blocks = groups.flatMap(([title, rows]) => {
    const there = rows.filter(([typed]) => isThere(typed, entries));
    return there.map(([typed, says], i) => {
      const head = (i === 0 ? title : "").padEnd(titleWidth);
      return `  ${paint.strong(head)}${`bridle ${typed}`.padEnd(typedWidth)}${says}`;
    });
  });
  return [
    ...wrap(launcherSummaries.bridle, 80),
    "",
    ...(blocks.length === 0 ? ["  No command is available in this version."] : blocks),
    "",
    "  premath   the same program under the name that the contract of issues freezes",
    "  hlq       the same program under the name that the contract of search freezes",
    "",
    ...[
      ["bridle help --all", "every command"],
      ["bridle help stop a run", "finds a command by what it does"],
      ["bridle ready --help", "explains one; every command has --json as well"],
    ].map(([typed = "", says = ""]) => `  $ ${typed.padEnd(typedWidth + titleWidth - 2)}${paint.dim(says)}`),
    "",
  ].join("\n");
}

/** The words before the first argument are a command, or a group of them. */
function isThere(typed: string, entries: readonly CommandEntry[]): boolean {
  const words = typed.split(" ").filter((word) => /^[a-z][a-z-]*$/.test(word));
  return entriesUnder(entries, words).length > 0;
}
