/**
 * A tool call on its way: as the model wrote it, as one that could be carried out,
 * and what the model is told about it in the end.
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
export interface CheckedCall {
  readonly id: string;
  readonly round: number;
  readonly tool: AgentTool;
  readonly args: JsonObject;
  readonly intent: Intent;
}

/** What the model is told, and whether anything ran for it. */
export interface CallAnswer {
  readonly report: ToolReport;
  readonly ran: boolean;
  /** As they were carried out. */
  readonly args?: JsonObject;
  /** The report is as the model reads it: secrets are hidden in it and it is short enough. */
  readonly final?: true;
  /** What the call was after is never allowed. */
  readonly forbidden?: true;
}

export function refused(refusal: CallRefusal): CallAnswer {
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
