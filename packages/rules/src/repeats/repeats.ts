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
 * answer for hours.
 */
import { sha256Hex } from "@bridle/record";
import { type Attempt, FailedAttempts } from "./attempts.js";
import { isWaiting, type RepeatCall } from "./keys.js";
import type { CallOutcome, Finding } from "../types.js";
import { Versions } from "./versions.js";

export const dedupRule = "R-DEDUP-TOOLS";
export const retryRule = "R-ONE-SHOT-RETRY";

export interface RepeatOutcome extends CallOutcome {
  /** Of the output, where somebody has it. */
  readonly digest?: string;
}

export interface RepeatVerdict extends Finding {
  readonly rule: typeof dedupRule | typeof retryRule;
  /** The earlier result that answers the call; it is refused when left out. */
  readonly answer?: { readonly callId: string; readonly output: string };
}

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

const failuresMax = 2;
const samesMax = 2;
/** While something runs in the background its files may be looked at more often. */
const samesWhileRunningMax = 10;

export class Repeats {
  readonly #wishes = new Map<string, Wish>();
  /** Of the calls whose results are in the context, by their ids. */
  readonly #keys = new Map<string, string>();
  /** Results of each wish that came to something: most have one, and a set for each would weigh more than the rest. */
  readonly #seen = new Map<string, string | Set<string>>();
  readonly #attempts = new FailedAttempts();
  /** Every change, for what may be answered again. */
  readonly #touched = new Versions();
  #news = 0;
  #running = false;

  /** Before the call runs. */
  judge(call: RepeatCall): RepeatVerdict | undefined {
    const { intent } = call;
    const attempt = this.#attempts.like(call);
    if (attempt !== undefined && attempt.count >= failuresMax) return retried(call, attempt);
    const wish = this.#wishes.get(intent.key);
    if (wish === undefined) return undefined;
    if (this.#isStuck(call, wish)) return stuck(call, wish);
    return this.#isAnswered(call, wish) ? answered(call, wish) : undefined;
  }

  /** After the call: what came of it. */
  record(call: RepeatCall, told: RepeatOutcome): void {
    const wish = this.#wishes.get(call.intent.key);
    if (told.ran === false) {
      if (told.ok && wish !== undefined) this.#countSame(wish);
      return;
    }
    const result = `${told.ok ? "ok" : "failed"} ${digestOf(told)}`;
    const isNew = this.#notice(call, told, result);
    this.#keep(call, told, { result, isNew });
    if (told.ok) this.#attempts.succeeded(call);
    else this.#attempts.failed(call, told.output);
  }

  /** The results of these calls are no longer in the context: who asks again is answered in full. */
  compacted(callIds: readonly string[]): void {
    for (const id of callIds) {
      const key = this.#keys.get(id);
      this.#keys.delete(id);
      if (key !== undefined && this.#wishes.get(key)?.callId === id) this.#wishes.delete(key);
    }
  }

  #notice(call: RepeatCall, { ok, changed }: RepeatOutcome, result: string): boolean {
    const { key } = call.intent;
    const isNew = ok && this.#isFirst(key, result);
    // Where it is known what it changed, what the intent says does not count.
    const changes = changed ?? call.intent.changes;
    const isChange = changes === "anything" || (changes ?? []).length > 0;
    // A command that failed half-way may have changed something all the same.
    if (changes !== undefined && isChange && (ok || changes === "anything" || changed !== undefined))
      this.#touched.change(changes);
    if (isNew) this.#news += 1;
    if ((isNew && (isChange || call.tool === "activate_tool_family")) || (ok && isWaiting(call)))
      this.#attempts.happened();
    if (leavesRunning(call)) this.#running = true;
    return isNew;
  }

  #isFirst(key: string, result: string): boolean {
    const seen = this.#seen.get(key);
    if (seen === undefined) this.#seen.set(key, result);
    else if (typeof seen === "string") {
      if (seen === result) return false;
      this.#seen.set(key, new Set([seen, result]));
    } else if (seen.has(result)) return false;
    else seen.add(result);
    return true;
  }

  #keep(
    call: RepeatCall,
    { ok, output }: RepeatOutcome,
    { result, isNew }: { readonly result: string; readonly isNew: boolean },
  ): void {
    const wish = this.#wishes.get(call.intent.key);
    const again = wish !== undefined && wish.result === result && wish.news === this.#news && !isNew;
    const { id: callId, round } = call;
    const version = this.#touched.of(readsOf(call));
    const same = again ? wish.same + 1 : 0;
    this.#keys.set(callId, call.intent.key);
    this.#wishes.set(call.intent.key, { callId, round, ok, output, result, version, same, news: this.#news });
  }

  #countSame(wish: Wish): void {
    wish.same = wish.news === this.#news ? wish.same + 1 : 0;
    wish.news = this.#news;
  }

  #isStuck(call: RepeatCall, wish: Wish): boolean {
    if (!wish.ok || wish.news !== this.#news) return false;
    const over = hasEnded(wish.output);
    if (!over && isWaiting(call)) return false;
    return wish.same >= (this.#running && !over ? samesWhileRunningMax : samesMax);
  }

  #isAnswered(call: RepeatCall, wish: Wish): boolean {
    const { intent, round } = call;
    // Two equal calls of one answer are one wish, whatever they do.
    if (!wish.ok) return false;
    if (isWaiting(call)) return false;
    if (round === wish.round && wish.news === this.#news) return true;
    if (intent.repeat !== "answer") return false;
    if (this.#running && intent.reads !== undefined) return false;
    return wish.version === this.#touched.of(readsOf(call));
  }
}

function leavesRunning({ tool, args: { command } }: RepeatCall): boolean {
  return tool === "run_shell" && typeof command === "string" && /[^&>|]&(?![&>\d])|\bnohup\b/.test(command);
}

/** What was waited for is gone, in the words of shells: to wait on changes nothing. */
function hasEnded(output: string): boolean {
  return /\b(?:exited|killed|no such process)\b/i.test(output.slice(0, 400));
}

/** Spaces around it make no other result. */
function digestOf({ output, digest }: RepeatOutcome): string {
  const text = output.trim();
  return digest !== undefined && text.length === output.length ? digest : `sha256:${sha256Hex(text)}`;
}

const readsOf = ({ intent }: RepeatCall) => intent.reads ?? [];

function answered({ tool }: RepeatCall, { callId, output }: Wish): RepeatVerdict {
  return {
    rule: dedupRule,
    what: `${tool} asks again for what call ${callId} returned, and nothing that it reads has changed since.`,
    remedy: "Use the result that is there; ask again only for something else.",
    answer: { callId, output },
  };
}

function retried({ tool }: RepeatCall, { failure, count }: Attempt): RepeatVerdict {
  return {
    rule: retryRule,
    what: `${tool} failed ${count} times with nearly these arguments (${failure}), and nothing relevant has changed since (${retryRule}).`,
    remedy:
      "Read the error, make another plan and take another way; if there is none, tell the user what is in the way.",
  };
}

function stuck({ tool }: RepeatCall, { same, callId }: Wish): RepeatVerdict {
  return {
    rule: dedupRule,
    what: `${tool} was called ${same + 1} times with the same result (last in call ${callId}), and nothing new happened in between (${dedupRule}).`,
    remedy:
      "Use the result that is there. If it is not enough, do something else; if nothing is left to do, answer.",
  };
}
