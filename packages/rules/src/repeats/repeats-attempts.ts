/**
 * Attempts that failed, and whether another one like them has become worth it:
 * something relevant was changed since, or what it waits for had time.
 *
 * What a newcomer gets wrong: `running` is whether the send has left something
 * running in the background, which may need a while before it answers.
 */
import type { JsonObject } from "@bridle/record";
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
import type { RepeatCall } from "./repeats-keys.js";
import { aboutTools, mattersTo, pathsNamed, type Weight, weightOf, weightsFor } from "./repeats-relevance.js";
import { Versions } from "./versions.js";

export interface Attempt {
  readonly tool: string;
  readonly key: string;
  readonly args: JsonObject;
  readonly failure: string;
  readonly output: string;
  readonly count: number;
  readonly version: number;
  readonly waited: number;
}

const attemptsKept = 16;

export class FailedAttempts {
  /** By tool, the latest last. */
  readonly #attempts = new Map<string, Attempt[]>();
  /** Changes that were new. */
  readonly #moved = new Versions();
  /** New changes by what they may mean to a command. */
  readonly #changed: Record<Weight, number> = { anything: 0, settings: 0, code: 0, looks: 0, aside: 0 };
  /** Families of tools that were activated. */
  #activated = 0;
  #waits = 0;

  /** The failed attempts that this call would repeat, as long as nothing relevant happened since. */
  like(call: RepeatCall, running: boolean): Attempt | undefined {
    const attempt = this.#attempts.get(call.tool)?.findLast((one) => isSame(one, call));
    if (attempt === undefined) return undefined;
    const version = this.#versionFor({ ...call, args: attempt.args }, attempt.output);
    if (attempt.version !== version) return undefined;
    if (attempt.waited !== this.#waits && isWorthWaiting(attempt.output, running)) return undefined;
    return attempt;
  }

  /** Behind `|| true` or a pipe: it ends well and tells the same failure as before. */
  failedUnseen(call: RepeatCall, output: string, running: boolean): boolean {
    if (call.tool !== "run_shell" || !/\|/.test(String(call.args["command"] ?? ""))) return false;
    const before = this.like(call, running);
    return before !== undefined && sameFailure(before.failure, failureClass(output));
  }

  failed(call: RepeatCall, output: string, running: boolean): void {
    const failure = failureClass(output);
    const before = this.like(call, running);
    const again =
      before !== undefined && sameFailure(before.failure, failure) && !movesOn(call, before, output);
    const hopeful =
      call.intent.waits === true &&
      !over(output) &&
      (call.tool !== "run_shell" || isWorthWaiting(output, running));
    const attempt: Attempt = {
      ...{ tool: call.tool, key: call.intent.key, args: call.args, failure, output },
      count: hopeful ? 0 : again ? before.count + 1 : 1,
      version: this.#versionFor(call, output),
      waited: this.#waits,
    };
    const others = (this.#attempts.get(call.tool) ?? []).filter(
      (one) => one !== before && !isSame(one, call),
    );
    this.#attempts.set(call.tool, [...others, attempt].slice(-attemptsKept));
  }

  succeeded(call: RepeatCall): void {
    const attempts = this.#attempts.get(call.tool);
    if (attempts === undefined) return;
    const left = attempts.filter((attempt) => !isSame(attempt, call));
    this.#attempts.set(call.tool, left);
  }

  /** Something new: a success that this send has not seen. */
  happened(call: RepeatCall): void {
    const { changes } = call.intent;
    if (call.tool === "activate_tool_family") this.#activated += 1;
    if (changes === undefined) return;
    this.#moved.change(changes);
    this.#weigh(changes);
    if (changes !== "anything") this.#forgive(call);
  }

  /** A call that waits came to its end. */
  waited(): void {
    this.#waits += 1;
  }

  /** A change that names what a command failed on, such as its port, makes it worth another try. */
  #forgive({ tool, args }: RepeatCall): void {
    const attempts = this.#attempts.get("run_shell");
    if (attempts === undefined || tool === "run_shell") return;
    const text = JSON.stringify(args);
    const left = attempts.filter(({ output }) => !tokensOf(output).some((token) => text.includes(token)));
    this.#attempts.set("run_shell", left);
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

  #weigh(changes: readonly string[] | "anything"): void {
    const weights = changes === "anything" ? (["anything"] as const) : changes.map(weightOf);
    for (const weight of new Set(weights)) this.#changed[weight] += 1;
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

/** It was told to wait, or something was started that may need time. */
function isWorthWaiting(output: string, running: boolean): boolean {
  return toldToWait(output) || (running && passing(output));
}
