/**
 * The rows of a session log, in the order in which a send writes them:
 *
 *     session
 *     send (tool_use? state_view reminder_queue request assistant
 *           (approval? tool_call? tool_result tool_render)* judgement? violation* user?)* end
 *
 * What comes from outside in its own time has a row where it took effect: `stop`,
 * `resume` as the first of those that somebody wrote who took up the session, and
 * `steer` and `commitment`, which may stand anywhere.
 *
 * Everything that the harness knows is reduced from these rows, live and when a
 * session is resumed: one path, so a resumed send cannot differ from one that was
 * never interrupted. No row holds a time of day; `elapsedMs` of a request is the
 * only clock that decides anything.
 */
import type { AssistantMessage, Message, Usage } from "@bridle/model";
import type { JsonObject } from "@bridle/record";
import type { ApprovalDecision, Commitment, EndReason } from "../types.js";
import type { SessionSettings } from "./settings.js";

export const sessionKind = "bridle.agent.session.v1";

/**
 * Why a send was stopped.
 *
 * - `user`: somebody stopped it, or its parent did.
 * - `timeout`: its time was up; an answer without tools follows.
 * - `late`: that answer took too long.
 * - `broken`: a bug, or a disk that failed.
 */
export type StopWhy = "user" | "timeout" | "late" | "broken";

/**
 * Where a send looks whether it is to stop, in this order:
 *
 * - `call`: a call is about to be looked at. `lock`: it has its locks. `run`: it may
 *   run. `begin`: it is announced, and begins now.
 * - `answered`: every call of an answer is over. `judged`: so is what the harness
 *   does about it.
 * - `over`: nothing more is asked. `closed`: nor is the answer of a send that ran out of time.
 */
export type StopPoint = "call" | "lock" | "run" | "begin" | "answered" | "judged" | "over" | "closed";

/** By which declared policies a session reduces its log; digests, so a change is noticed. */
export interface PolicyDigests {
  readonly mutation: string;
  readonly governance: string;
  readonly toolRender: string;
  readonly reminderQueue: string;
  readonly stateView: string;
  readonly decomposition: string;
}

export interface NoteRecord {
  readonly id: string;
  readonly text: string;
}

/** A request of a session, by its send and its round. */
export interface At {
  readonly send: number;
  readonly round: number;
}

export type SessionRow =
  | {
      readonly type: "session";
      readonly kind: typeof sessionKind;
      readonly id: string;
      readonly model: string;
      readonly harness: string;
      readonly depth: number;
      readonly policies: PolicyDigests;
      /** The settings of the session; older versions did not write them down. */
      readonly under?: SessionSettings;
    }
  | {
      readonly type: "send";
      readonly send: number;
      readonly text: string;
      /** The person asked for room before the first request. */
      readonly compact?: true;
      /** The settings, where they differ from those that an earlier row states. */
      readonly under?: SessionSettings;
    }
  | ({
      readonly type: "state_view";
      readonly viewId: string;
      readonly viewDigest: string;
      readonly policyDigest: string;
      readonly sourceRefs: readonly string[];
    } & At)
  | ({
      readonly type: "reminder_queue";
      readonly queueId: string;
      readonly reducedDigest: string;
      readonly policyDigest: string;
      readonly notes: readonly NoteRecord[];
    } & At)
  | ({
      readonly type: "request";
      /** Since the send began, read once a round. */
      readonly elapsedMs: number;
      /** What its parent, siblings and children have cost in this send, read once a round; 0 when left out. */
      readonly othersUsd?: number;
      /** Why no tool is offered any more. */
      readonly closing?: EndReason;
    } & At)
  | ({ readonly type: "assistant"; readonly message: AssistantMessage; readonly usage: Usage } & At)
  | ({
      readonly type: "approval";
      readonly callId: string;
      readonly decision: ApprovalDecision["decision"] | "timeout";
      /** What was edited instead of `proposed`. */
      readonly args?: JsonObject;
      readonly proposed?: JsonObject;
      readonly reason?: string;
    } & At)
  /** What was learnt from a round in which everything failed. */
  | ({
      readonly type: "reflexion";
      readonly text: string;
      /** Of the model that drew the lesson; left out when none was asked. */
      readonly usage?: Usage;
    } & At)
  /** The call is about to change something: with no result behind it, it is in doubt. */
  | ({
      readonly type: "tool_call";
      readonly callId: string;
      readonly tool: string;
      readonly says: string;
    } & At)
  | ({
      readonly type: "tool_result";
      readonly callId: string;
      readonly tool: string;
      /** The arguments as they were carried out; left out when they never parsed. */
      readonly args?: JsonObject;
      readonly ok: boolean;
      readonly text: string;
      readonly digest: string;
      /** False where the call was refused, or answered with an earlier result. */
      readonly ran: boolean;
      readonly code?: string;
      readonly rule?: string;
      readonly facts?: JsonObject;
      /** What the call was after is never allowed, whoever approves it. */
      readonly forbidden?: true;
    } & At)
  | ({
      readonly type: "tool_render";
      readonly toolCallId: string;
      readonly operatorPayloadDigest: string;
      readonly reminderRenderDigest: string;
      readonly injectionPoint: string;
      readonly policyDigest: string;
    } & At)
  | ({
      readonly type: "tool_use";
      readonly uses: readonly {
        readonly toolCallId: string;
        /** Shown to the model, or never used. */
        readonly disposition: "consumed" | "discarded";
        readonly resultDigest: string;
      }[];
    } & At)
  | ({
      readonly type: "violation";
      readonly rule: string;
      readonly what: string;
      readonly remedy: string;
      readonly prevented: boolean;
      /** Where the model reads of it: in the refusal itself, or in a note. */
      readonly told: "refusal" | "note" | "message";
    } & At)
  /** From here on the send ends. Written where that was noticed first, so a replay ends it at the same place. */
  | ({
      readonly type: "stop";
      readonly why: StopWhy;
      /** Left out where the harness broke down. */
      readonly point?: StopPoint;
      readonly callId?: string;
      /** How it broke down. */
      readonly message?: string;
    } & At)
  /** The log ended in the middle of this send, and somebody goes on with it. */
  | { readonly type: "resume"; readonly send: number; readonly under?: SessionSettings }
  /** The user said something to an agent that works; a row of type `user` says when the model was told. */
  | { readonly type: "steer"; readonly send: number; readonly text: string }
  /** A person ruled something out; it holds from here on, in every send. */
  | ({ readonly type: "commitment"; readonly send: number; readonly from: "person" } & Commitment)
  /** The fast model was asked, once in a send, which rules of prose it broke. */
  | ({
      readonly type: "judgement";
      readonly broken: readonly { readonly rule: string; readonly why: string }[];
      /** Why nobody was heard, where that is so. */
      readonly unheard?: string;
      readonly usage?: Usage;
    } & At)
  /** A message to the model in the user's place: a continuation, a revision, or the user steering. */
  | ({ readonly type: "user"; readonly origin: "continue" | "revise" | "steer"; readonly text: string } & At)
  | ({
      readonly type: "compacted";
      readonly messages: readonly Message[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly rounds: number;
      /** Calls whose results are no longer there in full. */
      readonly left: readonly string[];
    } & At)
  | ({
      readonly type: "end";
      readonly reason: EndReason;
      readonly text: string;
      readonly toolCalls: number;
      readonly refusal?: JsonObject;
    } & At);

export type RowOf<Type extends SessionRow["type"]> = Extract<SessionRow, { readonly type: Type }>;

export function commitmentOf({ text, paths, tools, needs }: RowOf<"commitment">): Commitment {
  return { text, paths, tools, needs };
}
