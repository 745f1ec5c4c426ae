/**
 * R-SEQ-SETUP: numbered prerequisites are carried out in the user's order.
 *
 * What a newcomer gets wrong: only what names a command or a file can be seen to
 * happen, and there is more than one way to do it. A prerequisite that was tried and
 * failed is no skipped one, as long as the user hears of it.
 */
import type { LineCommand } from "../../shell/line-commands.js";
import { mayBeDoneBy, wordsDone } from "../reading/command-words.js";
import { prerequisitesOf, type Prerequisite } from "../reading/prerequisites.js";
import { joined, pathOf, samePath } from "../reading/paths.js";
import { changedPaths, commandsOf, effectOf, lineEffect } from "../reading/shell-effects.js";
import type { Detector, Finding, ProposedCall } from "../types.js";
import { reportsOf } from "../reading/step-reports.js";

const writers = new Set(["write_file", "edit_file"]);
const readers = new Set(["read_file", "read_file_chunked", "grep_file", "list_dir"]);
/** They carry nothing out, whatever they mention. */
const idle = /^(?:plan|think|remember|forget|memory_|recall_|web_search|check_context|compress_context)/;

type State = "tried" | "failed" | "excused";

export const seqSetup: Detector = {
  begin(ask) {
    const all = prerequisitesOf(ask.text);
    if (all.length < 2) return {};
    const state = new Map<Prerequisite, State>();
    let told = false;
    let finished = false;

    /** One is begun: were all before it? */
    const take = (one: Prerequisite, also: readonly Prerequisite[]): Finding | undefined => {
      const missed = all
        .slice(0, all.indexOf(one))
        .find((earlier) => !state.has(earlier) && !also.includes(earlier));
      state.set(one, "tried");
      if (missed === undefined || finished || one.reads) return undefined;
      finished = true;
      return {
        what: `Prerequisite ${one.number} (${one.says}) was begun before prerequisite ${missed.number} (${missed.says}).`,
        remedy: `Carry out ${missed.says} first, or tell the user why it cannot be done.`,
      };
    };

    return {
      proposed(call) {
        let finding: Finding | undefined;
        for (const { one, also } of doneBy(call, all, state)) {
          if (one !== undefined) finding = take(one, also) ?? finding;
          for (const other of also) if (!state.has(other)) state.set(other, "tried");
        }
        return finding;
      },
      ran(call, outcome) {
        const meant = doneBy(call, all, new Map()).flatMap(({ one }) => one ?? []);
        if (outcome.ok) for (const one of meant) state.set(one, "tried");
        else if (meant.length > 0) {
          // Which of several failed is not said; the last is the one that did not get through.
          state.set(meant.at(-1)!, "failed");
          told = false;
        }
        return undefined;
      },
      said(text) {
        const report = reportsOf(text);
        told ||= report.failure;
        if (report.failure || report.alreadyDone)
          for (const one of all) if (!state.has(one) && report.names(one)) state.set(one, "excused");
        return undefined;
      },
      answered(text): Finding | undefined {
        if (finished || told || reportsOf(text).failure) return undefined;
        const failed = all.find(
          (one, index) =>
            state.get(one) === "failed" && all.slice(index + 1).some((later) => state.has(later)),
        );
        if (failed === undefined) return undefined;
        return {
          what: `Prerequisite ${failed.number} (${failed.says}) failed, a later one was carried out, and the user is not told.`,
          remedy: `Say in the answer that ${failed.says} failed and what follows from it.`,
        };
      },
    };
  },
};

interface Deed {
  /** What it surely carries out. */
  readonly one?: Prerequisite;
  /** What it may carry out beside. */
  readonly also: readonly Prerequisite[];
}

/** What a call carries out, in its order. */
function doneBy(
  call: ProposedCall,
  all: readonly Prerequisite[],
  state: ReadonlyMap<Prerequisite, State>,
): Deed[] {
  if (idle.test(call.tool)) return [];
  const path = pathOf(call.args);
  const onPath = (one: Prerequisite) => path !== undefined && one.files.some((file) => samePath(file, path));
  if (readers.has(call.tool)) {
    return [
      firstOf(
        all.filter((one) => one.reads && onPath(one)),
        state,
        all.filter((one) => !one.makes && onPath(one)),
      ),
    ];
  }
  const mentioned = all.filter((one) => isMentioned(one, call));
  if (writers.has(call.tool))
    return [
      firstOf(
        all.filter((one) => !one.reads && onPath(one)),
        state,
        mentioned,
      ),
    ];
  const line = call.args["command"];
  if (typeof line !== "string") return [{ also: mentioned }];
  const commands = commandsOf(line);
  const reads = lineEffect(commands) === "reads";
  const deeds = commands.map((command): Deed => {
    const sure = surelyDone(command, all, state);
    // Who does a thing once has not done it twice.
    const also = all.filter(
      (one) =>
        one.says !== sure?.says && (isSurely(command, one) || (sure === undefined && mayBe(command, one))),
    );
    return { ...(sure === undefined ? {} : { one: sure }), also };
  });
  // A file that is mentioned stands in one of them; in which does not matter to an excuse.
  const beside = mentioned.filter((one) => !reads || !one.makes);
  return deeds.map((deed) => ({
    ...deed,
    also: [...deed.also, ...beside.filter((one) => !deeds.some((other) => other.one?.says === one.says))],
  }));
}

/** The first that is not done yet, for one file may be due twice. */
function firstOf(
  fits: readonly Prerequisite[],
  state: ReadonlyMap<Prerequisite, State>,
  also: readonly Prerequisite[],
): Deed {
  const one = fits.find((fit) => !state.has(fit)) ?? fits[0];
  return one === undefined ? { also } : { one, also: also.filter((other) => other.says !== one.says) };
}

function surelyDone(
  command: LineCommand,
  all: readonly Prerequisite[],
  state: ReadonlyMap<Prerequisite, State>,
): Prerequisite | undefined {
  let best: { one: Prerequisite; words: number } | undefined;
  for (const one of all) {
    const words = scoreOf(command, one);
    const better = words > (best?.words ?? 0);
    // The same command may be due twice: then the first that is not done yet.
    const next = words > 0 && words === best?.words && state.has(best.one) && !state.has(one);
    if (better || next) best = { one, words };
  }
  return (
    best?.one ??
    firstOf(
      all.filter((one) => isSurely(command, one)),
      state,
      [],
    ).one
  );
}

const scoreOf = (command: LineCommand, { commands }: Prerequisite) =>
  Math.max(0, ...commands.map((wanted) => wordsDone(wanted, command)));

function isSurely(command: LineCommand, one: Prerequisite): boolean {
  if (scoreOf(command, one) > 0) return true;
  if (one.files.length === 0) return false;
  const effect = effectOf(command);
  if (one.reads) {
    const named = command.run.slice(1).map((word) => joined(command.folder, word));
    return effect === "reads" && one.files.some((file) => named.includes(file));
  }
  const changed = changedPaths(command);
  return effect === "changes" && one.files.some((file) => changed.includes(file));
}

function mayBe(command: LineCommand, { commands, means }: Prerequisite): boolean {
  return (
    commands.some((wanted) => mayBeDoneBy(wanted, command)) ||
    means.some((program) => command.run.includes(program))
  );
}

const mentionCharsMax = 20_000;

/** Its file, its address or its whole command stands in what the call was given. */
function isMentioned({ commands, marks, means }: Prerequisite, { args }: ProposedCall): boolean {
  const text = Object.values(args)
    .filter((value) => typeof value === "string")
    .join("\n")
    .slice(0, mentionCharsMax);
  const words = new Set(text.split(/[\s"'`=:,;()<>|&]+/).map((word) => word.replace(/^\.\/|\/+$/g, "")));
  const isNamed = (mark: string) =>
    words.has(mark) ||
    (/^https?:/.test(mark) && text.includes(mark)) ||
    [...words].some((word) => word.startsWith(`${mark}/`) || word.endsWith(`/${mark}`));
  return (
    marks.some((mark) => mark !== "" && isNamed(mark)) ||
    means.some((program) => words.has(program)) ||
    commands.some((wanted) => wanted.length > 1 && text.includes(wanted.join(" ")))
  );
}
