/**
 * The evidence of a turn, as the join check of the work room wants it: which calls
 * were requested, what came back, what became of each result, and by which
 * policies notes, views and renderings were made.
 *
 * Taken from the rows and from nothing else, so anybody who has the log can check
 * a turn long after it.
 */
import type { AssistantMessage, StopReason } from "@bridle/model";
import type { JsonObject } from "@bridle/record";
import type { RowOf, SessionRow } from "../session/rows.js";

/** In the words of the typestate contract. */
const stopWords: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  none: "end_turn",
  length: "max_tokens",
  tool_use: "tool_use",
};

export type TurnEvidence = { readonly evidence: JsonObject };

/** Of the given send, the last one when left out; undefined when there is none. */
export function turnEvidence(rows: readonly SessionRow[], send?: number): TurnEvidence | undefined {
  const session = rows.find((row): row is RowOf<"session"> => row.type === "session");
  const wanted = send ?? rows.findLast((row) => row.type === "send")?.send;
  if (session === undefined || wanted === undefined) return undefined;
  const turn = rows.filter((row) => "send" in row && row.send === wanted);
  if (turn.length === 0) return undefined;
  const of = <Type extends SessionRow["type"]>(type: Type) =>
    turn.filter((row): row is RowOf<Type> => row.type === type);
  const answers = of("assistant");
  const last = answers.at(-1)?.message;
  return {
    evidence: {
      callSpec: callSpec(session, wanted),
      toolRequests: answers.flatMap(({ message }) => requestsIn(message)),
      toolResults: of("tool_result").map(resultOf),
      toolUse: of("tool_use").flatMap(({ uses }) => uses.map((use) => ({ ...use }))),
      protocolState: {
        stopReason: last === undefined ? "end_turn" : stopWords[last.stop],
        continuationAllowed: of("end").length === 0,
      },
      toolRender: of("tool_render").map(({ type: _, send: _s, round: _r, ...render }) => render),
      reminderQueue: lastOf(of("reminder_queue"), ({ queueId }) => queueId).map(
        ({ queueId, reducedDigest, policyDigest }) => ({
          queueId,
          reducedDigest,
          policyDigest,
        }),
      ),
      stateViews: lastOf(of("state_view"), ({ viewId }) => viewId).map(
        ({ viewId, viewDigest, policyDigest, sourceRefs }) => ({
          viewId,
          viewDigest,
          policyDigest,
          sourceRefs: [...sourceRefs],
        }),
      ),
      sessionRefs: [session.id],
      trajectoryRefs: [`${session.id}#${wanted}`],
    },
  };
}

/** A request that a crash came before is prepared again; what counts is what it was sent with. */
function lastOf<Row>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()];
}

function callSpec({ id, model, policies: digests }: RowOf<"session">, send: number): JsonObject {
  return {
    callId: `${id}#${send}`,
    modelRef: model,
    actionMode: "json",
    executionPattern: "sequential",
    normalizerId: "agent.tool-render.v1",
    mutationPolicyDigest: digests.mutation,
    governancePolicyDigest: digests.governance,
    toolRenderProtocolDigest: digests.toolRender,
    reminderQueuePolicyDigest: digests.reminderQueue,
    stateViewPolicyDigest: digests.stateView,
    decompositionPolicyDigest: digests.decomposition,
  };
}

function requestsIn(message: AssistantMessage): JsonObject[] {
  return message.content.flatMap((part) =>
    part.kind === "tool_call" ? [{ toolCallId: part.id, toolName: part.name }] : [],
  );
}

function resultOf({ callId, ok, digest, code, text }: RowOf<"tool_result">): JsonObject {
  const result = { toolCallId: callId, status: ok ? "ok" : "error", resultDigest: digest };
  return ok
    ? result
    : { ...result, errorCode: code ?? "tool_error", retryable: code !== "in_doubt", errorMessage: text };
}
