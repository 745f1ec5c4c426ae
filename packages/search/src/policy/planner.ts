/**
 * The planner: a frontier model that operates the environment through its tools.
 *
 * What it answers is a proposal like any other: checked by the environment, and
 * refused when it does not fit. An answer without a tool call, or with arguments
 * that are no JSON, is a proposal too, of an action that does not exist: it is on
 * record and the model is told. Of several calls in one answer the first counts.
 */
import {
  type AssistantPart,
  type ModelCall,
  type ModelRequest,
  type ModelResponse,
  parseArguments,
  runLoop,
  type Tool,
} from "@bridle/model";
import { Failure, failureFrom } from "@bridle/record";
import type { Brief, Observation, Proposal } from "../types.js";
import { plannerRequest } from "./planner-request.js";
import type { EpisodePolicy, Policy } from "./types.js";

export const plannerPolicyId = "planner.v1";

export interface PlannerOptions {
  readonly call: ModelCall;
  /** `provider/id`. */
  readonly model: string;
  /** False where the calls come from a tape or a script: then the run is deterministic. */
  readonly live: boolean;
  /** Told what each call cost; what it throws ends the episode. */
  readonly spent?: (costUsd: number) => void;
}

export function plannerPolicy(options: PlannerOptions): Policy {
  const { model, live } = options;
  return {
    policyId: plannerPolicyId,
    params: { model },
    nondeterministicComponents: live ? [`model ${model}`] : [],
    reasons: true,
    begin: (brief, { signal }) => new PlannerEpisode(options, brief, signal),
  };
}

class PlannerEpisode implements EpisodePolicy {
  private lastAction: string | undefined;

  constructor(
    private readonly options: PlannerOptions,
    private readonly brief: Brief,
    private readonly signal: AbortSignal,
  ) {}

  async propose(observation: Observation): Promise<Proposal> {
    const { call, model, spent } = this.options;
    const request = plannerRequest({
      model,
      brief: this.brief,
      observation,
      ...(this.lastAction === undefined ? {} : { lastAction: this.lastAction }),
    });
    const response = await this.ask(call, request);
    spent?.(response.usage.costUsd);
    const proposal = proposalIn(response);
    this.lastAction = proposal.action_name;
    return proposal;
  }

  /** One turn of pi's loop. The environment acts on the proposal, so the loop's own tools do nothing. */
  private async ask(call: ModelCall, request: ModelRequest): Promise<ModelResponse> {
    const { model, system, session, messages, tools = [] } = request;
    let response: ModelResponse | undefined;
    const { refusal } = await runLoop({
      call,
      model,
      prompts: messages as [(typeof messages)[number]],
      tools: tools.map((tool): Tool => ({ ...tool, unchecked: true, execute: proposedOnly })),
      unknownTool: (name) => ({
        name,
        description: "",
        parameters: {},
        unchecked: true,
        execute: proposedOnly,
      }),
      turnsMax: 1,
      signal: this.signal,
      onEvent(event) {
        if (event.type === "model" && event.event.type === "done") response = event.event.response;
      },
      ...(system === undefined ? {} : { system }),
      ...(session === undefined ? {} : { session }),
    });
    if (refusal === undefined && response !== undefined) return response;
    const failure = failureFrom(
      refusal ?? { refused: "model_answer_invalid", message: "the model gave no answer" },
    );
    throw outages.has(failure.failureClass)
      ? new Failure("model_unavailable", { message: failure.message, cause: failure })
      : failure;
  }
}

const proposedOnly: Tool["execute"] = async () => ({ content: "proposed", terminate: true });

/** Of these the model or its provider is the cause; the episode ends in an abstention that says so. */
const outages: ReadonlySet<string> = new Set([
  "model_unavailable",
  "model_stalled",
  "model_timeout",
  "model_rate_limited",
  "model_refused",
  "model_unauthorized",
  "model_answer_invalid",
]);

export function proposalIn(response: ModelResponse): Proposal {
  const said = response.content
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join(" ")
    .trim();
  const notes = said === "" ? {} : { notes: said };
  const asked = response.content.find(
    (part): part is Extract<AssistantPart, { kind: "tool_call" }> => part.kind === "tool_call",
  );
  if (asked === undefined) return { action_args: {}, action_name: "no_tool_call", ...notes };
  const parsed = parseArguments(asked, response);
  if (!parsed.whole) {
    return { action_args: { tool: asked.name }, action_name: "arguments_not_whole", notes: parsed.reason };
  }
  return { action_args: parsed.arguments, action_name: asked.name, ...notes };
}
