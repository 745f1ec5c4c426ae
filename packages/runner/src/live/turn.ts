/**
 * The turn of a step, closed or not. A command that wrote evidence of its own tool use is judged by that; for every
 * other the command is the one call, told what `step/views.ts` made of the journal.
 */
import { digest, isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import { joinCheck } from "@bridle/work";
import { before, queuePolicy, remindersOf, stateView, viewPolicy } from "../step/views.js";
import type { Begun, JournalRow, Outcome } from "../types.js";
import { isProblem, StepFiles } from "../work/step-files.js";
import type { WorkerContext } from "./context.js";
import { failed, failedBy } from "./failed.js";
import { stepFolder } from "./names.js";

export async function turn(
  step: Begun,
  { runFolder, ports, journal, settings }: WorkerContext,
): Promise<Outcome> {
  const files = new StepFiles(stepFolder(runFolder, step), ports);
  const told = await files.told("evidence");
  if (isProblem(told)) return failed("harness_join_check_invalid", told.problem);
  const input = told === undefined ? commandTurn(step, await journal.rows()) : told;
  if (!isJsonObject(input))
    return failed("harness_join_check_invalid", "the turn evidence is no JSON object");
  const verdict = joinCheck({ ...input, ...decomposition(input, settings.partsMax) });
  if (isRefusal(verdict)) return failedBy(verdict);
  const { failureClasses, witness } = verdict;
  const { joinSetDigest, stateViewSetDigest, reminderQueueSetDigest } = witness.digests;
  const [first] = failureClasses;
  if (first !== undefined)
    return failed(first, `the turn is not closed: ${failureClasses.join(", ")}`, { joinSetDigest });
  return { joinSetDigest, stateViewSetDigest, reminderQueueSetDigest, own: told !== undefined };
}

/** How calls are made one after the other; everything else divides the work and joins it again. */
const alone: ReadonlySet<string> = new Set(["single", "sequential"]);

/** Work that was divided counts only where the project allows that. */
function decomposition({ evidence }: JsonObject, partsMax: number): JsonObject {
  const spec = isJsonObject(evidence) && isJsonObject(evidence["callSpec"]) ? evidence["callSpec"] : {};
  const pattern = String(spec["executionPattern"] ?? "single")
    .trim()
    .toLowerCase();
  return alone.has(pattern) ? {} : { decompositionConstraints: { admissible: partsMax > 0 } };
}

const policy = (says: string) => digest("pol1_", { policyKind: "bridle.runner.turn.v1", says });
const renderPolicy = policy("the step file and the prompt");

export function commandTurn({ id, done, claimed }: Begun, rows: readonly JournalRow[]): JsonObject {
  const work = done.get("work") ?? {};
  const call = `${id}.work`;
  const seen = before(rows, id);
  const reminders = remindersOf(seen, id);
  const of = (value: JsonObject) => digest("sha256:", value);
  return {
    evidence: {
      callSpec: {
        ...{ callId: id, modelRef: "model://work-command", actionMode: "code", executionPattern: "single" },
        normalizerId: "nf.v1",
        mutationPolicyDigest: policy("instruction-linked"),
        governancePolicyDigest: policy("none"),
        toolRenderProtocolDigest: renderPolicy,
        reminderQueuePolicyDigest: queuePolicy,
        stateViewPolicyDigest: viewPolicy,
        decompositionPolicyDigest: policy("single"),
      },
      toolRequests: [{ toolCallId: call, toolName: "work_command" }],
      toolResults: [{ toolCallId: call, status: "ok", payload: work }],
      toolUse: [{ toolCallId: call, disposition: "consumed" }],
      toolRender: [
        {
          ...{ toolCallId: call, injectionPoint: "step_file", policyDigest: renderPolicy },
          ...{ operatorPayloadDigest: of(work), reminderRenderDigest: of({ reminders }) },
        },
      ],
      reminderQueue: [
        {
          queueId: `queue://issue/${claimed.issueId}`,
          reducedDigest: of({ reminders }),
          policyDigest: queuePolicy,
        },
      ],
      stateViews: [
        {
          ...{ viewId: `view://step/${id}`, viewDigest: of(stateView(seen, id)), policyDigest: viewPolicy },
          sourceRefs: [`journal://step/${id}`],
        },
      ],
      protocolState: { stopReason: "end_turn", continuationAllowed: false },
      sessionRefs: [`session://step/${id}`],
      trajectoryRefs: [`trajectory://step/${id}`],
    },
  };
}
