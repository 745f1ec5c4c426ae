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
import { readLine } from "../effects/line.js";
import { near } from "./near.js";
import {
  asideFromPayload,
  failureClass,
  movedOn,
  ofTheTarget,
  over,
  passing,
  sameFailure,
  tokensOf,
  toldToWait,
  wantsRoom,
} from "./repeats-failures.js";
import type { RepeatIntent } from "./repeats-keys.js";
import { aboutTools, mattersTo, pathsNamed, type Weight, weightOf, weightsFor } from "./repeats-relevance.js";
import { Versions } from "./versions.js";

export const dedupRule = "R-DEDUP-TOOLS";
export const retryRule = "R-ONE-SHOT-RETRY";

export interface RepeatCall {
  readonly id: string;
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

interface Judged {
  readonly rule: typeof dedupRule | typeof retryRule;
  /** What was done, in one sentence. */
  readonly what: string;
  readonly remedy: string;
}

export type RepeatVerdict =
  | (Judged & {
      readonly answer: { readonly callId: string; readonly round: number; readonly output: string };
    })
  | (Judged & { readonly refuse: true });

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
  /** Of the calls whose results are in the context, by their ids. */
  readonly #keys = new Map<string, string>();
  /** Results of each wish that came to something. */
  readonly #seen = new Map<string, Set<string>>();
  /** Failed attempts by tool, the latest last. */
  readonly #attempts = new Map<string, Attempt[]>();
  /** Every change, for what may be answered again. */
  readonly #touched = new Versions();
  /** Changes that were new, for what is worth another try. */
  readonly #moved = new Versions();
  /** New changes by what they may mean to a command. */
  readonly #changed: Record<Weight, number> = { anything: 0, settings: 0, code: 0, looks: 0, aside: 0 };
  /** Families of tools that were activated. */
  #activated = 0;
  #news = 0;
  #waited = 0;
  #running = false;

  /** Before the call runs. */
  judge(call: RepeatCall): RepeatVerdict | undefined {
    const { intent } = call;
    const attempt = this.#attemptLike(call);
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
    const outcome = this.#failedUnseen(call, told) ? { ...told, ok: false } : told;
    const result = sha256Hex(`${outcome.ok ? "ok" : "failed"} ${outcome.output.trim()}`);
    const isNew = this.#notice(call, outcome, result);
    this.#keep(call, outcome, { result, isNew });
    if (outcome.ok) this.#succeeded(call);
    else this.#failed(call, outcome);
  }

  /** The results of these calls are no longer in the context: who asks again is answered in full. */
  compacted(callIds: readonly string[]): void {
    for (const id of callIds) {
      const key = this.#keys.get(id);
      this.#keys.delete(id);
      if (key !== undefined && this.#wishes.get(key)?.callId === id) this.#wishes.delete(key);
    }
  }

  // --- Success -------------------------------------------------------------------------------------

  #notice(call: RepeatCall, { ok, output }: RepeatOutcome, result: string): boolean {
    const { changes, key, waits } = call.intent;
    const isNew = ok && this.#isFirst(key, result);
    // A command that failed half-way may have changed something all the same.
    if (changes !== undefined && (ok || changes === "anything")) this.#touched.change(changes);
    if (isNew) this.#news += 1;
    if (isNew && changes !== undefined) this.#moved.change(changes);
    if (isNew && changes !== undefined) this.#weigh(changes);
    if (isNew && Array.isArray(changes)) this.#forgive(call);
    if (isNew && call.tool === "activate_tool_family") this.#activated += 1;
    if (ok && waits) this.#waited += 1;
    if (leavesRunning(call)) this.#running = true;
    else if (this.#running && call.tool === "run_shell" && over(output)) this.#running = false;
    return isNew;
  }

  #isFirst(key: string, result: string): boolean {
    const seen = this.#seen.get(key);
    if (seen?.has(result) === true) return false;
    if (seen === undefined) this.#seen.set(key, new Set([result]));
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

  #isStuck({ intent }: RepeatCall, wish: Wish): boolean {
    if (!wish.ok || wish.news !== this.#news) return false;
    if (intent.waits && !over(wish.output)) return false;
    return wish.same >= (this.#running && !over(wish.output) ? samesWhileRunningMax : samesMax);
  }

  #isAnswered(call: RepeatCall, wish: Wish): boolean {
    const { intent, round } = call;
    // Two equal calls of one answer are one wish, whatever they do.
    if (!wish.ok) return false;
    if (round === wish.round && !intent.waits && wish.news === this.#news) return true;
    if (intent.repeat !== "answer" || intent.waits) return false;
    if (this.#running && intent.reads !== undefined) return false;
    return wish.version === this.#touched.of(readsOf(call));
  }

  /** Behind `|| true` or a pipe: it ends well and tells the same failure as before. */
  #failedUnseen(call: RepeatCall, { ok, output }: RepeatOutcome): boolean {
    if (!ok || call.tool !== "run_shell" || !/\|/.test(String(call.args["command"] ?? ""))) return false;
    const before = this.#attemptLike(call);
    return before !== undefined && sameFailure(before.failure, failureClass(output));
  }

  /** A change that names what a command failed on, such as its port, makes it worth another try. */
  #forgive({ tool, args }: RepeatCall): void {
    const attempts = this.#attempts.get("run_shell");
    if (attempts === undefined || tool === "run_shell") return;
    const text = JSON.stringify(args);
    const left = attempts.filter(({ output }) => !tokensOf(output).some((token) => text.includes(token)));
    this.#attempts.set("run_shell", left);
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
    if (attempt === undefined) return undefined;
    const version = this.#versionFor({ ...call, args: attempt.args }, attempt.output);
    if (attempt.version !== version) return undefined;
    if (attempt.waited !== this.#waited && this.#isWorthWaiting(attempt.output)) return undefined;
    return attempt;
  }

  /** Grows when something happened that may make a failed call succeed. */
  #versionFor(call: RepeatCall, output: string): number {
    const matters = mattersTo(call);
    const activated = aboutTools(output) ? this.#activated : 0;
    if (matters !== "anything") return activated + this.#moved.of(matters);
    const weights = weightsFor(call, output);
    const named = this.#moved.of(pathsNamed(call, output));
    return weights.reduce((sum, weight) => sum + this.#changed[weight], activated + named);
  }

  /** It was told to wait, or something was started that may need time. */
  #isWorthWaiting(output: string): boolean {
    return toldToWait(output) || (this.#running && passing(output));
  }

  #weigh(changes: readonly string[] | "anything"): void {
    const weights = changes === "anything" ? (["anything"] as const) : changes.map(weightOf);
    for (const weight of new Set(weights)) this.#changed[weight] += 1;
  }

  #failed(call: RepeatCall, { output }: RepeatOutcome): void {
    const failure = failureClass(output);
    const before = this.#attemptLike(call);
    const again =
      before !== undefined && sameFailure(before.failure, failure) && !movesOn(call, before, output);
    const hopeful =
      call.intent.waits === true &&
      !over(output) &&
      (call.tool !== "run_shell" || this.#isWorthWaiting(output));
    const attempt: Attempt = {
      ...{ tool: call.tool, key: call.intent.key, args: call.args, failure, output },
      count: hopeful ? 0 : again ? before.count + 1 : 1,
      version: this.#versionFor(call, output),
      waited: this.#waited,
    };
    const others = (this.#attempts.get(call.tool) ?? []).filter(
      (one) => one !== before && !isSame(one, call),
    );
    this.#attempts.set(call.tool, [...others, attempt].slice(-attemptsKept));
  }
}

function isSame(attempt: Attempt, call: RepeatCall): boolean {
  return (
    attempt.tool === call.tool &&
    near(attempt.args, call.args, {
      payloadAside: asideFromPayload(attempt.failure),
      settingsAside: !wantsRoom(attempt.failure, attempt.output),
      rangeAside: ofTheTarget(attempt.failure),
    })
  );
}

/** The same call, and its failure tells of progress. */
function movesOn(call: RepeatCall, before: Attempt, output: string): boolean {
  return before.key === call.intent.key && movedOn(before.output, output);
}

function leavesRunning({ tool, args }: RepeatCall): boolean {
  const { command } = args;
  return tool === "run_shell" && typeof command === "string" && readLine(command).leavesRunning;
}

const readsOf = ({ intent }: RepeatCall) => intent.reads ?? [];

function answered({ tool }: RepeatCall, { callId, round, output }: Wish): RepeatVerdict {
  return {
    rule: dedupRule,
    what: `${tool} asks again for what call ${callId} returned, and nothing that it reads has changed since.`,
    remedy: "Use the result that is there; ask again only for something else.",
    answer: { callId, round, output },
  };
}

function retried({ tool }: RepeatCall, { failure, count }: Attempt): RepeatVerdict {
  return {
    rule: retryRule,
    what: `${tool} failed ${count} times with nearly these arguments (${failure}), and nothing relevant has changed since (${retryRule}).`,
    remedy:
      "Read the error, make another plan and take another way; if there is none, tell the user what is in the way.",
    refuse: true,
  };
}

function stuck({ tool }: RepeatCall, { same, callId }: Wish): RepeatVerdict {
  return {
    rule: dedupRule,
    what: `${tool} was called ${same + 1} times with the same result (last in call ${callId}), and nothing new happened in between (${dedupRule}).`,
    remedy:
      "Use the result that is there. If it is not enough, do something else; if nothing is left to do, answer.",
    refuse: true,
  };
}
