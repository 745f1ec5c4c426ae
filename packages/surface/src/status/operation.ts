/** `bridle status`: on one screen what is ready, what runs, what waits for a person, how the last run ended. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { paintFor, safeText, wantsColour } from "../cli/paint.js";
import { gather } from "./gather.js";
import { Status } from "./schema.js";
import { statusText } from "./screen.js";

/** Where `--watch` draws. */
export interface Screen {
  readonly isTerminal: boolean;
  write(text: string): void;
}

const lookEveryMs = 1_000;
/** Home, and everything below it gone. */
const afresh = "\u001b[H\u001b[J";

export function statusOperation(screenOf: () => Screen) {
  return defineOperation({
    names: { id: "op/bridle.status", action: "bridle.status", command: ["status"], tool: "bridle_status" },
    family: "bridle",
    effect: "read",
    surfaces: ["cli"],
    summary: "Say what is ready, what runs, what waits for you, and what it cost.",
    description:
      "From issue memory and the journal of the latest run, so from any terminal. With --watch it is drawn again whenever " +
      "it changes, until Ctrl-C; where no terminal is, and with --json, each change is told once.",
    examples: [
      { command: "bridle status", says: "on one screen" },
      { command: "bridle status --watch", says: "and again whenever it changes" },
    ],
    input: Type.Object(
      { watch: Type.Optional(Type.Boolean({ description: "Draw it again whenever it changes." })) },
      { additionalProperties: false },
    ),
    output: Status,
    async run({ watch = false }, call) {
      let status = await gather(call);
      if (!watch) return status;
      const screen = screenOf();
      const colour = wantsColour(call.env, screen.isTerminal);
      let drawn = "";
      while (!call.signal.aborted) {
        const text = safeText(statusText(status, paintFor(colour)), colour);
        if (text !== drawn) {
          drawn = text;
          if (call.wantsJson === true) await call.emit?.(status);
          else if (screen.isTerminal) screen.write(`${afresh}${text}\n`);
          else await call.emit?.(status, text);
        }
        await call.ports.clock.sleep(lookEveryMs, call.signal);
        if (!call.signal.aborted) status = await gather(call);
      }
      return status;
    },
    present: statusText,
  });
}
