/**
 * How a call goes through the harness: one stage after the other, each of which
 * may answer it or hand it on. A stage knows the desk of the send and nothing of
 * the other stages.
 */
import type { ToolInvocation } from "@bridle/model";
import type { JsonObject } from "@bridle/record";
import type { AgentTool, CallRefusal, Intent, ToolReport } from "../types.js";

/** A call as the model wrote it. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly stop: ToolInvocation["stop"];
  /** Whether the answer ended with it. */
  readonly last: boolean;
  readonly round: number;
}

/** A call that is whole and fits its tool's schema. */
export interface Call {
  readonly id: string;
  readonly round: number;
  readonly tool: AgentTool;
  readonly args: JsonObject;
  readonly intent: Intent;
}

/** What the model is told, and whether anything ran for it. */
export interface Answer {
  readonly report: ToolReport;
  readonly ran: boolean;
  /** As they were carried out. */
  readonly args?: JsonObject;
  /** It is what the model was told before: nothing is to be done to it. */
  readonly settled?: true;
  /** What it was after is never allowed. */
  readonly forbidden?: true;
}

export type Next = (call: Call) => Answer | Promise<Answer>;
export type Stage = (call: Call, next: Next) => Answer | Promise<Answer>;

export function refused(refusal: CallRefusal): Answer {
  return { report: refusalReport(refusal), ran: false };
}

export function refusalReport(refusal: CallRefusal): ToolReport {
  const { code, rule, message, remedy } = refusal;
  const named = rule === undefined ? "" : ` (${rule})`;
  return { ok: false, text: `ERROR [${code}]${named} ${sentence(message)} ${sentence(remedy)}`, refusal };
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The first stage sees a call first. */
export function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
