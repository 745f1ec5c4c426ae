/** `bridle work pause`, `resume` and `stop`: what people tell a run while it runs, from any terminal. */
import { defineOperation, type Operation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { Journal } from "../journal/journal.js";
import type { Wish } from "../run/run-files.js";
import { byPerson, flag, flags, named } from "./define.js";
import { runOf, runOfInput } from "./run-of.js";

interface Told {
  readonly word: "pause" | "resume" | "stop";
  readonly summary: string;
  readonly description: string;
  readonly says: string;
}

function wishOperation({ word, summary, description, says }: Told): Operation {
  const now = word === "stop" ? { now: flag("End the commands that run; their issues are given back.") } : {};
  return defineOperation({
    names: named("work", word),
    ...byPerson,
    summary,
    description,
    examples: [{ command: `bridle work ${word}`, says }],
    input: flags({ ...runOfInput, ...now }),
    output: Type.Object({ action: Type.Literal(`work.${word}`), run: Type.String(), wish: Type.String() }),
    async run(given, call) {
      const found = await runOf(given, call);
      if (isRefusal(found)) return found;
      const { files, alive } = found;
      if (!alive)
        return refuse("run_unknown", {
          message: `${files.run} is over`,
          hint: "`bridle work start` begins another, `bridle work report` says how this one went.",
        });
      const wish = wishOf(word, (given as { now?: boolean }).now === true);
      if (word === "resume") {
        // What made the tool rest is forgotten: a person has looked at it.
        const journal = await Journal.open(files.journal, call.ports);
        await journal.append({ kind: "note", worker: "person", effect: "resumed", data: {} });
        await journal.close();
      }
      await files.wish(wish);
      return { action: `work.${word}` as const, run: files.run, wish };
    },
    present: ({ run }, paint) => `  ${paint.strong(run)} ${said[word]}`,
  }) as Operation;
}

function wishOf(word: Told["word"], now: boolean): Wish {
  if (word === "resume") return "go";
  return word === "pause" ? "pause" : now ? "stop_now" : "stop";
}

const said = {
  pause: "ends the steps that run and begins no other; `bridle work resume` goes on",
  resume: "goes on",
  stop: "ends; `bridle work status` shows what still runs",
} as const;

export const wishOperations: readonly Operation[] = [
  wishOperation({
    word: "pause",
    summary: "Let a run finish the steps that run, and begin no other.",
    description: "Nothing is interrupted and nothing is lost; the run waits for `bridle work resume`.",
    says: "until `bridle work resume`",
  }),
  wishOperation({
    word: "resume",
    summary: "Let a paused run go on.",
    description: "Also after a tool failed on three issues in a row: say so once its cause is gone.",
    says: "goes on with the issues that are ready",
  }),
  wishOperation({
    word: "stop",
    summary: "End a run.",
    description:
      "The steps that run are finished first; with --now their commands are ended and their issues given back.",
    says: "once the steps that run are finished",
  }),
];
