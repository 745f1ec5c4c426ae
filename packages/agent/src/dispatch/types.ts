/**
 * How a call goes through the harness: one stage after the other, each of which may
 * answer it or hand it on. A stage knows nothing of the other stages.
 */
import type { CallAnswer, CheckedCall } from "../outside/calls.js";

export type Next = (call: CheckedCall) => CallAnswer | Promise<CallAnswer>;
export type Stage = (call: CheckedCall, next: Next) => CallAnswer | Promise<CallAnswer>;

/** The first stage sees a call first. */
export function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
