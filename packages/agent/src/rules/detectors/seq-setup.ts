/**
 * R-SEQ-SETUP: numbered prerequisites are carried out in the user's order.
 *
 * What a newcomer gets wrong: only what names a command or a file can be seen to
 * happen. A prerequisite that was tried and failed is no skipped one, as long as
 * the user hears of it.
 */
import { prerequisitesOf, type Prerequisite } from "../reading/prerequisites.js";
import { joined, pathOf, samePath } from "../reading/paths.js";
import { changedPaths, effectOf } from "../reading/shell-effects.js";
import { readShell, type ShellCommand } from "../reading/shell.js";
import type { Detector, Finding, ProposedCall } from "../types.js";

const writers = new Set(["write_file", "edit_file"]);
const readers = new Set(["read_file", "read_file_chunked", "grep_file"]);
const failureTold =
  /(?<![\p{L}\p{N}_])(?:fail\w*|error\w*|could not|couldn't|did not|didn't|cannot|can't|not (?:found|installed|work\w*|possible|available)|missing|refused|denied|broke\w*|unable|skipp\w*|without|fehl\w*|nicht|kein\w*|fall[oóa]\w*|no (?:se )?(?:pudo|puede|funciona|está)|échou\p{L}*|échec|erreur|impossible|pas (?:pu|trouvé|install\w*)|non (?:è|riuscit\w*)|falh\w*|mislukt|niet)(?![\p{L}\p{N}_])|失敗|エラー|できません|ありません|失败|错误|실패|не удалось|ошибк/iu;
const doneAlready =
  /(?<![\p{L}\p{N}_])(?:already|exists|bereits|schon|vorhanden|ya (?:existe|está|estaba)|déjà|già|já existe|al aanwezig)(?![\p{L}\p{N}_])|すでに|既に|已经/iu;

export const seqSetup: Detector = {
  begin(ask) {
    const all = prerequisitesOf(ask.text);
    if (all.length < 2) return {};
    const state = new Map<Prerequisite, "tried" | "failed" | "excused">();
    let told = false;
    let finished = false;

    const take = (one: Prerequisite): Finding | undefined => {
      const missed = all.slice(0, all.indexOf(one)).find((earlier) => !state.has(earlier));
      state.set(one, "tried");
      if (missed === undefined || finished) return undefined;
      finished = true;
      return {
        what: `Prerequisite ${one.number} (${one.says}) was begun before prerequisite ${missed.number} (${missed.says}).`,
        remedy: `Carry out ${missed.says} first, or tell the user why it cannot be done.`,
      };
    };

    return {
      proposed(call) {
        let finding: Finding | undefined;
        for (const one of meantBy(call, all)) finding = take(one) ?? finding;
        return finding;
      },
      ran(call, outcome) {
        const meant = meantBy(call, all);
        if (outcome.ok) for (const one of meant) state.set(one, "tried");
        else if (meant.length > 0) {
          // Which of several failed is not said; the last is the one that did not get through.
          state.set(meant.at(-1)!, "failed");
          told = false;
        }
        return undefined;
      },
      said(text) {
        if (failureTold.test(text)) told = true;
        if (doneAlready.test(text))
          for (const one of all) if (!state.has(one) && one.isNamedIn(text)) state.set(one, "excused");
        return undefined;
      },
      answered(text): Finding | undefined {
        if (finished || told || failureTold.test(text)) return undefined;
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

/** The prerequisites that a call carries out, in its order. */
function meantBy(call: ProposedCall, all: readonly Prerequisite[]): Prerequisite[] {
  const path = pathOf(call.args);
  if (path !== undefined && writers.has(call.tool))
    return all.filter((one) => !one.reads && one.files.some((file) => samePath(file, path))).slice(0, 1);
  if (path !== undefined && readers.has(call.tool))
    return all.filter((one) => one.reads && one.files.some((file) => samePath(file, path))).slice(0, 1);
  const line = call.args["command"];
  if (call.tool !== "run_shell" || typeof line !== "string") return [];
  const found: Prerequisite[] = [];
  for (const command of readShell(line)) {
    const one = byCommand(command, all) ?? byFile(command, all);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function byCommand(command: ShellCommand, all: readonly Prerequisite[]): Prerequisite | undefined {
  let best: { one: Prerequisite; words: number } | undefined;
  for (const one of all) {
    const words = one.wordsMatched(command.words);
    if (words > (best?.words ?? 0)) best = { one, words };
  }
  return best?.one;
}

function byFile(command: ShellCommand, all: readonly Prerequisite[]): Prerequisite | undefined {
  const effect = effectOf(command);
  const named = new Set(command.words.slice(1).map((word) => joined(command.folder, word)));
  const changed = new Set(changedPaths(command));
  return all.find((one) => {
    if (one.reads) return effect === "reads" && one.files.some((file) => named.has(file));
    return effect === "changes" && one.files.some((file) => changed.has(file));
  });
}
