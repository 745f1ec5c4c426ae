/** The lines of `bridle chat --json`: what is printed beside the events, and what may stand on stdin. */
import type { AgentEvent, ApprovalDecision } from "@bridle/agent";
import { isJsonObject, type JsonObject } from "@bridle/record";

/** One line of stdout. */
export type ChatLine =
  | AgentEvent
  /** The first line. */
  | {
      readonly type: "session";
      readonly session: string;
      readonly model: string;
      readonly workspace: string;
      /** It was in the middle of something, which is gone on with first. */
      readonly interrupted: boolean;
    }
  | { readonly type: "input_refused"; readonly message: string }
  /** Instead of a session: nothing could begin. */
  | {
      readonly type: "failed";
      readonly failureClass: string;
      readonly message: string;
      readonly hint?: string;
    };

export type InputLine =
  | { readonly kind: "ask" | "steer"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "approval"; readonly callId: string; readonly decision: ApprovalDecision }
  | { readonly kind: "refused"; readonly message: string };

const lineCharsMax = 1_000_000;

/** Undefined for a blank line. What is no JSON object is taken as words, unless it begins like one. */
export function readInputLine(line: string): InputLine | undefined {
  const text = line.trim();
  if (text === "") return undefined;
  if (text.length > lineCharsMax)
    return refused(`the line has ${text.length} characters, and ${lineCharsMax} is the limit`);
  if (!text.startsWith("{")) return { kind: "ask", text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("the line begins like a JSON object and is none");
  }
  return isJsonObject(value) ? objectLine(value) : refused("the line is no JSON object");
}

function objectLine(value: JsonObject): InputLine {
  if ("approve" in value) return approvalLine(value);
  const { text, steer, stop } = value;
  if (typeof text === "string" && text.trim() !== "") return { kind: "ask", text };
  if (typeof steer === "string" && steer.trim() !== "") return { kind: "steer", text: steer };
  if (stop === true) return { kind: "stop" };
  return refused('expected {"text": …}, {"steer": …}, {"stop": true} or {"approve": callId, "decision": …}');
}

function approvalLine({ approve, decision, reason, args }: JsonObject): InputLine {
  if (typeof approve !== "string") return refused("approve is the callId of a tool_approval");
  switch (decision) {
    case "approve":
      return { kind: "approval", callId: approve, decision: { decision } };
    case "reject": {
      const why = typeof reason === "string" && reason.trim() !== "" ? reason : "the user said no";
      return { kind: "approval", callId: approve, decision: { decision, reason: why } };
    }
    case "edit":
      if (!isJsonObject(args)) return refused("an edit has args, the object of arguments to run with");
      return { kind: "approval", callId: approve, decision: { decision, args } };
    default:
      return refused("decision is approve, reject or edit");
  }
}

function refused(message: string): InputLine {
  return { kind: "refused", message };
}
