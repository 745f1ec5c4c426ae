/**
 * What a model reads about a command that has ended: how, what of it was not kept,
 * and, where it failed, what its tier lacks. The line about the tier is always
 * there; whether the tier was the reason is for whoever reads the output.
 */
import { pathTest, type ToolReport } from "@bridle/agent";
import type { CommandEnd, Needs } from "@bridle/host";
import { present } from "@bridle/record";
import { printable } from "../read/walk.js";
import type { BoundedOutput } from "./output.js";

export interface Reporting {
  readonly needs: Needs;
  readonly timeoutMs: number;
  readonly output: BoundedOutput;
  /** Whether it ran behind a wall. */
  readonly walled: boolean;
  /** Paths and globs of what was to stay as it is; the wall holds those that are there, the rest is compared. */
  readonly keep: readonly string[];
}

const lacks = {
  read: `It ran with needs "read": no network, no other folders, credentials covered, and what it writes is not kept. "write" keeps changes of the workspace, "network" reaches out as well, "host" has no wall.`,
  write: `It ran with needs "write": no network, no other folders, and git's settings and hooks, .premath, .bridle and kept paths are read-only. "network" reaches out as well, "host" has no wall.`,
  network: `It ran with needs "network": no other folders, and git's settings and hooks, .premath, .bridle and kept paths are read-only. "host" has no wall.`,
} as const;

const namesMax = 20;

export function reportOf(end: CommandEnd, { needs, timeoutMs, output, walled, keep }: Reporting): ToolReport {
  const { vanished, setAside, changed } = end;
  const broken = keep.length === 0 ? [] : (changed ?? []).filter(pathTest(keep));
  const ok = end.how === "exit" && end.code === 0 && broken.length === 0;
  const before = [
    headline(end, timeoutMs),
    ...(end.leftovers > 0 && end.how === "exit" ? ["what it left running was ended"] : []),
    ...(end.survivors > 0 ? [`${end.survivors} processes could not be ended`] : []),
    ...(vanished.length === 0 ? [] : [`not kept, because needs was "read": ${named(vanished)}`]),
    ...(changed === undefined || changed.length === 0 ? [] : [`changed: ${named(changed)}`]),
    ...(broken.length === 0 ? [] : [`changed, although it was to stay as it is: ${named(broken)}`]),
    ...setAside.map(({ path, to }) => `set aside: ${path} is protected; what appeared there is now ${to}`),
  ];
  const text = output.text();
  const after =
    !(end.how === "exit" && end.code === 0) && walled && needs !== "host" && end.how !== "aborted"
      ? [lacks[needs]]
      : [];
  const whole = [before.join("\n"), ...(text === "" ? [] : [text]), ...after];
  return {
    ok,
    text: whole.map((part, i) => (i === whole.length - 1 ? part : part.replace(/\n?$/, "\n"))).join(""),
    facts: {
      how: end.how,
      ...present({ exit: end.code, signal: end.signal }),
      bytes: output.bytes,
      needs,
      ...present({ changed }),
    },
    ...(broken.length === 0
      ? {}
      : {
          refusal: {
            code: "commitment_broken",
            rule: "R-COMMITMENT-CHECK",
            message: `The command changed ${named(broken)}, which was to stay as it is.`,
            remedy: "Put it back as it was, and tell the user.",
          },
        }),
  };
}

function named(paths: readonly string[]): string {
  const more = paths.length - namesMax;
  return `${paths.slice(0, namesMax).map(printable).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function headline(end: CommandEnd, timeoutMs: number): string {
  switch (end.how) {
    case "exit":
      return `exit=${end.code}`;
    case "signal":
      return `signal=${end.signal}`;
    case "timeout":
      return `timeout after ${timeoutMs} ms; it was ended with everything that it started`;
    case "aborted":
      return "aborted; it was ended with everything that it started";
    case "flooded":
      return "ended, because it printed more than anybody reads";
    case "memory":
      return "ended, because it and what it started took too much memory";
    case "processes":
      return "ended, because it started too many processes";
    case "failed":
      return `it could not be started: ${end.message}`;
  }
}
