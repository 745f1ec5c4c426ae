/**
 * The lines of `bridle chat --json` and `bridle agent run --json`, and those that
 * a program may write back, as published schemas.
 *
 * The compiler holds them against the types that the code uses; a kind of event
 * that has no schema here does not compile.
 */
import { endReasons } from "@bridle/agent";
import * as Type from "typebox";
import type { ChatLine } from "./json-lines.js";

export const eventKind = "bridle.agent.event.v1";
export const inputKind = "bridle.agent.input.v1";

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const count = () => Type.Integer({ minimum: 0 });
const anyObject = () => Type.Record(Type.String(), Type.Unsafe<never>({}));
const callId = text("Of the call, within the session.");

const event = <Name extends string, Members extends Type.TProperties>(
  name: Name,
  description: string,
  members: Members,
) => Type.Object({ type: Type.Literal(name), ...members }, { description });

const Refusal = Type.Object({
  code: text(),
  rule: Type.Optional(text("The rule behind it.")),
  message: text(),
  remedy: text("What to do instead."),
});

const Report = Type.Object({
  ok: Type.Boolean(),
  text: text("What the model reads."),
  facts: Type.Optional(anyObject()),
  refusal: Type.Optional(Refusal),
});

const Bounds = Type.Object({
  maxSteps: Type.Optional(Type.Number()),
  maxMinutes: Type.Optional(Type.Number()),
  maxToolCalls: Type.Optional(Type.Number()),
  maxCostUsd: Type.Optional(Type.Number()),
});

const Plan = Type.Object({
  title: Type.Optional(text()),
  steps: Type.Array(Type.Object({ title: text(), status: Type.Enum(["todo", "doing", "done"]) })),
  doneWhen: Type.Array(text()),
  bounds: Bounds,
  commitments: Type.Array(
    Type.Object({
      text: text(),
      paths: Type.Array(text()),
      tools: Type.Array(text()),
      needs: Type.Array(Type.Enum(["read", "write", "network", "host"])),
    }),
  ),
});

const Usage = Type.Object({
  inputTokens: count(),
  outputTokens: count(),
  cacheReadTokens: count(),
  cacheWriteTokens: count(),
  costUsd: Type.Number(),
});

const Result = Type.Object({
  reason: Type.Enum([...endReasons]),
  text: text("Never empty."),
  rounds: count(),
  toolCalls: count(),
  usage: Usage,
  costUsd: Type.Number({ description: "Of everybody who worked on it, its children too; usage is its own." }),
  refusal: Type.Optional(
    Type.Unsafe<never>({
      type: "object",
      properties: { refused: { type: "string" }, message: { type: "string" } },
    }),
  ),
});

const Cut = Type.Object({ path: text(), bytes: count(), tail: text(), staged: Type.Boolean() });

export const ChatLineSchema = Type.Union(
  [
    event("session", "The first line.", {
      session: text("Its name, for --resume."),
      model: text(),
      workspace: text(),
      interrupted: Type.Boolean({
        description: "It was in the middle of something, which is gone on with first.",
      }),
    }),
    event("failed", "Instead of a session: nothing could begin.", {
      failureClass: text(),
      message: text(),
      hint: Type.Optional(text()),
    }),
    event("input_refused", "A line on stdin was not understood; it changed nothing.", { message: text() }),
    event("send_start", "A turn begins.", { send: count(), text: text(), depth: count() }),
    event("round_start", "The model is asked.", { round: count() }),
    event("text", "A piece of what the model says.", {
      delta: text(),
      channel: Type.Enum(["user", "thinking"]),
    }),
    event("provider_retry", "Forget the text and the calls of this round so far.", {
      attempt: count(),
      backoffMs: Type.Number(),
      message: text(),
    }),
    event("tool_start", "A call begins to arrive.", { callId, name: text() }),
    event("tool_delta", "A piece of its arguments.", { callId, argsDelta: text() }),
    event("tool_update", "How far a call is.", { callId, details: Type.Unsafe<never>({}) }),
    event("tool_approval", "A call waits for a yes: answer with an approve line.", {
      callId,
      name: text(),
      says: text("What is asked, in one line."),
      args: anyObject(),
      timeoutMs: Type.Number({ description: "Then it is a no." }),
    }),
    event("approval_decision", "What was decided.", {
      callId,
      name: text(),
      decision: Type.Enum(["approve", "edit", "reject", "timeout"]),
      reason: Type.Optional(text()),
    }),
    event("tool_result", "What became of a call.", { callId, name: text(), report: Report, round: count() }),
    event("rule_violation", "A rule was broken, or would have been.", {
      rule: text(),
      what: text(),
      prevented: Type.Boolean(),
    }),
    event("contract_violation", "A bound of the plan is reached.", { bound: text(), message: text() }),
    event("plan", "The plan as it stands.", { plan: Plan }),
    event("length_resume", "What was cut off is gone on with.", {
      resume: count(),
      of: count(),
      cut: Type.Optional(Cut),
    }),
    event("context_compressed", "The conversation was made smaller.", {
      tokensBefore: count(),
      tokensAfter: count(),
      rounds: count(),
    }),
    event("subtask_spawned", "A child begins.", {
      taskId: text(),
      goal: text(),
      issue: Type.Optional(text()),
    }),
    event("subtask_event", "Something happens in a child.", {
      taskId: text(),
      event: Type.Unsafe<never>({ $ref: "#" }),
    }),
    event("subtask_complete", "A child has ended.", {
      taskId: text(),
      status: Type.Enum(["ok", "error", "cancelled", "timeout", "cap"]),
    }),
    event("status", "Once a round: what was used.", {
      round: count(),
      contextTokens: count(),
      contextMax: count(),
      costUsd: Type.Number(),
      toolCalls: count(),
      bounds: Bounds,
    }),
    event("notice", "Something that a person should know.", { message: text() }),
    event("turn_end", "The last line of a turn.", { send: count(), result: Result }),
  ],
  { title: "A line of an agent's event stream" },
);

/** Contract: every line has a schema, and every schema is a line. */
type Written = Type.Static<typeof ChatLineSchema>;
type Covers<All, Some extends All> = Some;
export type LinesAreCovered = Covers<Written["type"], ChatLine["type"]> &
  Covers<ChatLine["type"], Written["type"]>;
export const asChatLine = (line: Written): ChatLine => line;

export const ChatInputSchema = Type.Union(
  [
    Type.Object({ text: Type.String({ minLength: 1, description: "Asked when the turn before is over." }) }),
    Type.Object({
      steer: Type.String({ minLength: 1, description: "Told to the agent before its next step." }),
    }),
    Type.Object({ stop: Type.Literal(true, { description: "Ends the turn that runs." }) }),
    Type.Object({
      approve: text("The callId of a tool_approval."),
      decision: Type.Enum(["approve", "reject", "edit"]),
      reason: Type.Optional(text("Of a no; the model reads it.")),
      args: Type.Optional(anyObject()),
    }),
  ],
  {
    title: "A line for an agent on stdin",
    description: "A line that does not begin with { is taken as text.",
  },
);

export const artifactKinds = [
  { kind: eventKind, schema: ChatLineSchema },
  { kind: inputKind, schema: ChatInputSchema },
];
