/**
 * Going round in circles: the one place where a call is measured against the calls
 * before it in its send. One `Repeats` a send; each call costs the same.
 *
 * - The same wish again, nothing that it reads having changed: answered with the
 *   earlier result (R-DEDUP-TOOLS), unless that has left the context.
 * - A third attempt after two failures of one class: refused (R-ONE-SHOT-RETRY).
 * - The same call with the same result for the third time again while nothing new
 *   happened in the whole send: refused, whether it stands alone or in a cycle.
 *
 * Something new is a success that this send has not seen: another call, or another
 * result. Doing and undoing the same edit is therefore no progress, and polling whose
 * result changes is.
 *
 * What a newcomer gets wrong: waiting is no loop. A call that waits may give the same
 * answer for hours, until the answer itself says that there is nothing to wait for.
 */
import { type JsonObject, sha256Hex } from "@bridle/record";
import { readShell } from "../plan/shell-effects.js";
import type { CallRefusal } from "../types.js";
import { near } from "./near.js";
import { asideFromPayload, failureClass, looksLikeProgress, over, passing, settled } from "./repeats-failures.js";
import type { RepeatIntent } from "./repeats-keys.js";
import { Versions } from "./versions.js";

export const dedupRule = "R-DEDUP-TOOLS";
export const retryRule = "R-ONE-SHOT-RETRY";

export interface RepeatCall {
  readonly callId: string;
  /** Of the send, from 1. */
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** Live, the tool's own; of a transcript, `usualIntent`. */
  readonly intent: RepeatIntent;
}

export interface RepeatOutcome {
  readonly ok: boolean;
  readonly output: string;
  /** It was answered from an earlier result, or refused. */
  readonly ran?: false;
}

export type RepeatVerdict =
  | {
      readonly kind: "answer";
      readonly rule: typeof dedupRule;
      readonly earlier: { readonly callId: string; readonly round: number; readonly ok: boolean; readonly output: string };
    }
  | { readonly kind: "refuse"; readonly refusal: CallRefusal };

/** What is known of one wish. */
interface Wish {
  callId: string;
  round: number;
  ok: boolean;
  output: string;
  /** Of the result, to compare. */
  result: string;
  /** Of what it reads, when it ran. */
  version: number;
  /** How often the same result came again with nothing new in between. */
  same: number;
  /** The count of new things when it came last. */
  news: number;
}

interface Attempt {
  readonly tool: string;
  readonly key: string;
  readonly args: JsonObject;
  readonly failure: string;
  readonly output: string;
  readonly count: number;
  readonly version: number;
  readonly waited: number;
}

const failuresMax = 2;
const samesMax = 2;
/** While something runs in the background its files may be looked at more often. */
const samesWhileRunningMax = 10;
const attemptsKept = 16;

export class Repeats {
  readonly #wishes = new Map<string, Wish>();
  readonly #seen = new Set<string>();
  /** Failed attempts by tool, the latest last. */
  readonly #attempts = new Map<string, Attempt[]>();
  /** Every change, for what may be answered again. */
  readonly #touched = new Versions();
  /** Changes that were new, for what is worth another try. */
  readonly #moved = new Versions();
  #news = 0;
  #waited = 0;
  #compactedThrough = 0;
  #running = false;

  /** Before the call runs. */
  judge(call: RepeatCall): RepeatVerdict | undefined {
    const { intent } = call;
    const attempt = this.#attemptLike(call);
    if (attempt !== undefined && attempt.count >= failuresMax) return retried(call, attempt);
    const wish = this.#wishes.get(intent.key);
    if (wish === undefined || wish.round <= this.#compactedThrough) return undefined;
    if (this.#isStuck(call, wish)) return stuck(call, wish);
    return this.#isAnswered(call, wish) ? { kind: "answer", rule: dedupRule, earlier: wish } : undefined;
  }

  /** After the call: what came of it. */
  record(call: RepeatCall, outcome: RepeatOutcome): void {
    const wish = this.#wishes.get(call.intent.key);
    if (outcome.ran === false) {
      if (outcome.ok && wish !== undefined) this.#countSame(wish);
      return;
    }
    const result = sha256Hex(`${outcome.ok ? "ok" : "failed"} ${outcome.output.trim()}`);
    const isNew = this.#notice(call, outcome, result);
    this.#keep(call, outcome, { result, isNew });
    if (outcome.ok) this.#succeeded(call);
    else this.#failed(call, outcome);
  }

  /** Results of rounds up to this one are no longer in the context. */
  compacted(throughRound: number): void {
    this.#compactedThrough = Math.max(this.#compactedThrough, throughRound);
  }

  // --- Success -------------------------------------------------------------------------------------

  #notice(call: RepeatCall, { ok, output }: RepeatOutcome, result: string): boolean {
    const { changes, key, waits } = call.intent;
    const mark = sha256Hex(`${key}\n${result}`);
    const isNew = ok && !this.#seen.has(mark);
    if (ok) this.#seen.add(mark);
    // A command that failed half-way may have changed something all the same.
    if (changes !== undefined && (ok || changes === "anything")) this.#touched.change(changes);
    if (isNew) this.#news += 1;
    if (isNew && changes !== undefined) this.#moved.change(changes);
    if (ok && waits) this.#waited += 1;
    if (leavesRunning(call)) this.#running = true;
    else if (this.#running && call.tool === "run_shell" && over(output)) this.#running = false;
    return isNew;
  }

  #keep(call: RepeatCall, { ok, output }: RepeatOutcome, { result, isNew }: { readonly result: string; readonly isNew: boolean }): void {
    const wish = this.#wishes.get(call.intent.key);
    const again = wish !== undefined && wish.result === result && wish.news === this.#news && !isNew;
    const { callId, round } = call;
    const version = this.#touched.of(readsOf(call));
    const same = again && wish.round > this.#compactedThrough ? wish.same + 1 : 0;
    this.#wishes.set(call.intent.key, { callId, round, ok, output, result, version, same, news: this.#news });
  }

  #countSame(wish: Wish): void {
    wish.same = wish.news === this.#news ? wish.same + 1 : 0;
    wish.news = this.#news;
  }

  #isStuck({ intent }: RepeatCall, wish: Wish): boolean {
    if (!wish.ok || wish.news !== this.#news) return false;
    if (intent.waits && !over(wish.output)) return false;
    return wish.same >= (this.#running && !over(wish.output) ? samesWhileRunningMax : samesMax);
  }

  #isAnswered(call: RepeatCall, wish: Wish): boolean {
    const { intent, round } = call;
    // Two equal calls of one answer are one wish, whatever they do.
    if (round === wish.round && !intent.waits && wish.news === this.#news) return true;
    if (!wish.ok || intent.repeat !== "answer" || intent.waits) return false;
    if (this.#running && intent.reads !== undefined) return false;
    return wish.version === this.#touched.of(readsOf(call));
  }

  #succeeded(call: RepeatCall): void {
    const attempts = this.#attempts.get(call.tool);
    if (attempts === undefined) return;
    const left = attempts.filter((attempt) => !isSame(attempt, call));
    this.#attempts.set(call.tool, left);
  }

  // --- Failure -------------------------------------------------------------------------------------

  /** The failed attempts that this call would repeat, as long as nothing relevant happened since. */
  #attemptLike(call: RepeatCall): Attempt | undefined {
    const attempt = this.#attempts.get(call.tool)?.findLast((one) => isSame(one, call));
    if (attempt === undefined || attempt.version !== this.#moved.of(mattersTo(call))) return undefined;
    if (attempt.waited !== this.#waited && passing(attempt.output)) return undefined;
    return attempt;
  }

  #failed(call: RepeatCall, { output }: RepeatOutcome): void {
    const failure = failureClass(output);
    const before = this.#attemptLike(call);
    const again = before !== undefined && before.failure === failure && !movesOn(call, before, output);
    const hopeful = call.intent.waits === true && !over(output);
    const attempt: Attempt = {
      ...{ tool: call.tool, key: call.intent.key, args: call.args, failure, output },
      count: hopeful ? 0 : again ? before.count + 1 : 1,
      version: this.#moved.of(mattersTo(call)),
      waited: this.#waited,
    };
    const others = (this.#attempts.get(call.tool) ?? []).filter((one) => one !== before && !isSame(one, call));
    this.#attempts.set(call.tool, [...others, attempt].slice(-attemptsKept));
  }
}

function isSame(attempt: Attempt, call: RepeatCall): boolean {
  return attempt.tool === call.tool && near(attempt.args, call.args, { payloadAside: asideFromPayload(attempt.failure) });
}

/** The same call, and its failure tells of progress. */
function movesOn(call: RepeatCall, before: Attempt, output: string): boolean {
  if (before.key !== call.intent.key || settled(before.output) === settled(output)) return false;
  return looksLikeProgress(output) || passing(output);
}

function leavesRunning({ tool, args }: RepeatCall): boolean {
  const { command } = args;
  return tool === "run_shell" && typeof command === "string" && readShell(command).leavesRunning;
}

const readsOf = ({ intent }: RepeatCall) => intent.reads ?? [];

/** Tools whose failures no change of a file can mend. */
const elsewhere = /^(?:web_|browser_|memory_|recall_|remember|spawn_agent|wait_for_agents|activate_|list_tool|think|plan|check_context|compress_context)/;

/** What would have to change for a failed call to be worth another try. */
function mattersTo({ tool, intent }: RepeatCall): readonly string[] | "anything" {
  if (tool === "run_shell") return "anything";
  const changes = intent.changes ?? [];
  if (changes === "anything") return "anything";
  const paths = [...(intent.reads ?? []), ...changes];
  return paths.length > 0 || elsewhere.test(tool) ? paths : "anything";
}

function retried({ tool }: RepeatCall, { failure, count }: Attempt): RepeatVerdict {
  return {
    kind: "refuse",
    refusal: {
      code: "retry_refused",
      rule: retryRule,
      message: `${retryRule}: ${tool} failed ${count} times with nearly these arguments (${failure}), and nothing relevant has changed since.`,
      remedy: "Read the error, make another plan and take another way; if there is none, tell the user what is in the way.",
    },
  };
}

function stuck({ tool }: RepeatCall, { same, callId }: Wish): RepeatVerdict {
  return {
    kind: "refuse",
    refusal: {
      code: "loop_refused",
      rule: dedupRule,
      message: `${dedupRule}: ${tool} was called ${same + 1} times with the same result (last ${callId}), and nothing new happened in between.`,
      remedy: "Use the result that is there. If it is not enough, do something else; if nothing is left to do, answer.",
    },
  };
}
