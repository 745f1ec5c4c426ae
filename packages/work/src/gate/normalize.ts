/**
 * Evidence in its normal form: texts trimmed, words in lower case, every list sorted
 * by its id, each id once.
 *
 * Members of rows stand in the order of their names, in which they are digested: that is what
 * makes a turn of thousands of calls cheap. The same row twice is one row; one id with two contents is refused, because nothing
 * could tell which of them happened.
 */
import { compareCodePoints, digest, isJsonObject, type JsonValue, present, sha256Hex } from "@bridle/record";
import { EvidenceInvalid, Fields } from "./fields.js";
import {
  type CallSpec,
  dispositions,
  type Evidence,
  type Handoff,
  type QueueReduction,
  type StateView,
  type ToolRender,
  type ToolRequest,
  type ToolResult,
  type ToolUse,
} from "./types.js";

/** Throws `EvidenceInvalid`. */
export function normalizeEvidence(given: unknown): Evidence {
  const evidence = Fields.of("evidence", given);
  const list = (name: string) => Fields.each(name, evidence.raw(name));
  const results = list("toolResults").map((row) => ({ row, result: resultOf(row) }));
  const handoff = evidence.part("handoff", handoffOf);
  const protocol = Fields.of("protocolState", evidence.raw("protocolState"));
  return {
    callSpec: callSpecOf(Fields.of("callSpec", evidence.raw("callSpec"))),
    toolRequests: byId("toolRequests", "toolCallId", list("toolRequests").map(requestOf)),
    toolResults: byId(
      "toolResults",
      "toolCallId",
      results.map(({ result }) => result),
    ),
    toolUse: byId("toolUse", "toolCallId", list("toolUse").map(useOf)),
    protocolState: {
      continuationAllowed: protocol.maybeFlag("continuationAllowed") ?? false,
      stopReason: protocol.text("stopReason").toLowerCase(),
    },
    ...(handoff === undefined ? {} : { handoff }),
    toolRender: byId("toolRender", "toolCallId", list("toolRender").map(renderOf)),
    reminderQueue: byId("reminderQueue", "queueId", list("reminderQueue").map(queueOf)),
    stateViews: byId("stateViews", "viewId", list("stateViews").map(viewOf)),
    sessionRefs: evidence.texts("sessionRefs"),
    trajectoryRefs: evidence.texts("trajectoryRefs"),
    untypedErrorCallIds: results
      .filter(({ row, result }) => isUntyped(row, result))
      .map(({ result }) => result.toolCallId)
      .sort(compareCodePoints),
  };
}

function byId<Name extends string, Row extends Readonly<Record<Name, string>>>(
  list: string,
  id: Name,
  rows: readonly Row[],
): readonly Row[] {
  const known = new Map<string, Row>();
  for (const row of rows) {
    const before = known.get(row[id]);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(row))
      throw new EvidenceInvalid(`${list} contains conflicting duplicate ${id}: ${row[id]}`);
    known.set(row[id], row);
  }
  return [...known.keys()].sort(compareCodePoints).map((key) => known.get(key) as Row);
}

/** In the order of their names. */
const specNames = [
  ...(["actionMode", "callId", "decompositionPolicyDigest", "executionPattern"] as const),
  ...(["governancePolicyDigest", "modelRef", "mutationPolicyDigest", "normalizerId"] as const),
  ...(["reminderQueuePolicyDigest", "stateViewPolicyDigest", "toolRenderProtocolDigest"] as const),
];

function callSpecOf(fields: Fields): CallSpec {
  const spec = fields.all(...specNames);
  spec.actionMode = spec.actionMode.toLowerCase();
  spec.executionPattern = spec.executionPattern.toLowerCase();
  return spec;
}

function requestOf(row: Fields): ToolRequest {
  return present({
    callerId: row.maybeText("callerId"),
    schemaDigest: row.maybeText("schemaDigest"),
    searchRefDigest: row.maybeText("searchRefDigest"),
    toolCallId: row.text("toolCallId"),
    toolName: row.text("toolName"),
  });
}

// --- Results ---------------------------------------------------------------------------------------

/** What a result says of its error, in its own members or in what the tool itself had said. */
function errorIn(row: Fields): {
  readonly code: string | undefined;
  readonly retryable: boolean | undefined;
  readonly message: string | undefined;
} {
  const raw = row.raw("rawError");
  const inner = isJsonObject(raw) ? raw : {};
  const innerText = (...names: readonly string[]) => {
    const found = names
      .map((name) => inner[name])
      .find((value) => typeof value === "string" && value.trim() !== "");
    return typeof found === "string" ? found.trim() : undefined;
  };
  const innerFlag = typeof inner["retryable"] === "boolean" ? inner["retryable"] : undefined;
  return {
    code: row.maybeText("errorCode") ?? innerText("errorCode", "code"),
    retryable: row.maybeFlag("retryable") ?? innerFlag,
    message: row.maybeText("errorMessage") ?? innerText("errorMessage", "message"),
  };
}

function resultOf(row: Fields): ToolResult {
  const error = errorIn(row);
  const said = row.maybeText("status")?.toLowerCase();
  if (said !== undefined && said !== "ok" && said !== "error")
    throw new EvidenceInvalid(`toolResults[].status must be ok or error, not ${JSON.stringify(said)}`);
  const isError = (error.code ?? error.retryable ?? error.message) !== undefined;
  const status: ToolResult["status"] = said ?? (isError ? "error" : "ok");
  const payload = row.raw("payload");
  return present({
    error:
      status === "ok"
        ? undefined
        : {
            errorCode: error.code ?? "unknown_error",
            errorMessageDigest: `sha256:${sha256Hex(error.message ?? "")}`,
            retryable: error.retryable ?? false,
          },
    resultDigest:
      row.maybeText("resultDigest") ??
      (payload === undefined ? undefined : digest("sha256:", payload as JsonValue)),
    status,
    toolCallId: row.text("toolCallId"),
  });
}

/** An error that a program could not act on: all three are needed, and none may be guessed. */
function isUntyped(row: Fields, { status }: ToolResult): boolean {
  const raw = row.raw("rawError") !== undefined;
  if (status !== "error" && !(row.maybeText("status") === undefined && raw)) return false;
  const error = errorIn(row);
  return error.code === undefined || error.retryable === undefined || error.message === undefined;
}

// --- What became of them ---------------------------------------------------------------------------

function useOf(row: Fields): ToolUse {
  const said = row.text("disposition").toLowerCase();
  const disposition = dispositions.find((known) => known === said);
  if (disposition === undefined)
    throw new EvidenceInvalid(
      `toolUse[].disposition must be one of ${dispositions.join(", ")}, not ${JSON.stringify(said)}`,
    );
  return present({
    disposition,
    resultDigest: row.maybeText("resultDigest"),
    toolCallId: row.text("toolCallId"),
  });
}

function renderOf(row: Fields): ToolRender {
  const ids = row.all("toolCallId", "operatorPayloadDigest", "reminderRenderDigest");
  return {
    ...ids,
    injectionPoint: row.text("injectionPoint").toLowerCase(),
    policyDigest: row.text("policyDigest"),
  };
}

function queueOf(row: Fields): QueueReduction {
  return row.all("queueId", "reducedDigest", "policyDigest");
}

function viewOf(row: Fields): StateView {
  const sourceRefs = row.texts("sourceRefs");
  const view = row.all("viewId", "viewDigest", "policyDigest");
  return sourceRefs.length === 0 ? view : { ...view, sourceRefs };
}

function handoffOf(row: Fields): Handoff {
  const refs = row.texts("requiredArtifactRefs");
  return present({
    target: row.text("target"),
    requiredArtifactRefs: refs.length === 0 ? undefined : refs,
    returnPathRef: row.maybeText("returnPathRef"),
  });
}
