/**
 * What a whole command line is likely to do: which paths it writes or takes away,
 * and whether it pushes, installs, publishes or leaves the machine.
 *
 * What a newcomer gets wrong: an empty list is no proof of innocence. Programs that
 * are not known count as `unknown`, which may change anything; only programs that
 * are known to read alone make a line `readsOnly`.
 */
import { lineCommands } from "../shell/line-commands.js";
import { readCommand } from "./command.js";
import type { Effect } from "./effect.js";

export interface LineReading {
  readonly effects: readonly Effect[];
  /** A program ran of which nothing is known here. */
  readonly unknown: boolean;
  /** Every program is known to change nothing. */
  readonly readsOnly: boolean;
  /** It pauses before it looks, or does nothing but wait. */
  readonly waits: boolean;
  /** Something may go on running after it returned. */
  readonly leavesRunning: boolean;
}

const readings = new Map<string, LineReading>();
const readingsMax = 400;

export function readLine(line: string): LineReading {
  const known = readings.get(line);
  if (known !== undefined) return known;
  const reading = read(line);
  if (readings.size >= readingsMax) readings.clear();
  readings.set(line, reading);
  return reading;
}

function read(line: string): LineReading {
  const commands = lineCommands(line);
  const all = commands.map(readCommand);
  const effects = all.flatMap((one) => one.effects);
  const unknown = all.some((one) => one.unknown);
  return {
    effects,
    unknown,
    readsOnly: !unknown && effects.every(({ kind }) => kind === "network"),
    waits: commands.some(({ run: [program = ""] }) => /^(?:sleep|wait|wait-on|timeout-wait)$/.test(program)),
    leavesRunning: commands.some(
      ({ leavesRunning, run: [program = "", ...args] }) =>
        leavesRunning || (/^(?:docker|docker-compose|podman)$/.test(program) && args.includes("-d")),
    ),
  };
}
