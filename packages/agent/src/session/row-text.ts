/**
 * A row as its line of the log: what `JSON.stringify` says, and for the rows that
 * every round has, at a third of its cost.
 *
 * What a newcomer gets wrong: members stand in the order in which the harness makes
 * them, here as there. The test compares the two.
 */
import type { RowOf, SessionRow } from "./rows.js";

export function rowText(row: SessionRow): string {
  switch (row.type) {
    case "tool_render":
      return renderText(row);
    case "tool_use":
      return useText(row);
    case "state_view":
      return viewText(row);
    case "reminder_queue":
      return queueText(row);
    case "request":
      return requestText(row);
    default:
      return JSON.stringify(row);
  }
}

const quote = (text: string) => JSON.stringify(text);

function renderText(row: RowOf<"tool_render">): string {
  const { toolCallId, operatorPayloadDigest, reminderRenderDigest, injectionPoint, policyDigest } = row;
  return `{"type":"tool_render","send":${row.send},"round":${row.round},"toolCallId":${quote(toolCallId)},"operatorPayloadDigest":${quote(operatorPayloadDigest)},"reminderRenderDigest":${quote(reminderRenderDigest)},"injectionPoint":${quote(injectionPoint)},"policyDigest":${quote(policyDigest)}}`;
}

function useText({ send, round, uses }: RowOf<"tool_use">): string {
  let text = "";
  for (const { toolCallId, disposition, resultDigest } of uses)
    text += `${text === "" ? "" : ","}{"toolCallId":${quote(toolCallId)},"disposition":"${disposition}","resultDigest":${quote(resultDigest)}}`;
  return `{"type":"tool_use","send":${send},"round":${round},"uses":[${text}]}`;
}

function viewText({
  send,
  round,
  viewId,
  viewDigest,
  policyDigest,
  sourceRefs,
}: RowOf<"state_view">): string {
  return `{"type":"state_view","send":${send},"round":${round},"viewId":${quote(viewId)},"viewDigest":${quote(viewDigest)},"policyDigest":${quote(policyDigest)},"sourceRefs":[${sourceRefs.map(quote).join(",")}]}`;
}

function queueText(row: RowOf<"reminder_queue">): string {
  const { send, round, queueId, reducedDigest, policyDigest, notes } = row;
  const queue = notes.length === 0 ? "[]" : JSON.stringify(notes);
  return `{"type":"reminder_queue","send":${send},"round":${round},"queueId":${quote(queueId)},"reducedDigest":${quote(reducedDigest)},"policyDigest":${quote(policyDigest)},"notes":${queue}}`;
}

function requestText({ send, round, elapsedMs, othersUsd, closing }: RowOf<"request">): string {
  const others = othersUsd === undefined ? "" : `,"othersUsd":${JSON.stringify(othersUsd)}`;
  const why = closing === undefined ? "" : `,"closing":"${closing}"`;
  return `{"type":"request","send":${send},"round":${round},"elapsedMs":${JSON.stringify(elapsedMs)}${others}${why}}`;
}
