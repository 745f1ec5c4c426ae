/**
 * What every change of issues can be told about the one who asks.
 *
 * A worker that the environment names with PREMATH_WORKER_ID is who acts where a
 * call does not say: as `--actor` of a change, as `--assignee` of a claim or a
 * lease; never as the assignee that a change sets.
 */
import type { Call } from "@bridle/operation";
import * as Type from "typebox";
import { optionalText } from "../text.js";

/** Undefined where the environment names none. */
export function workerId({ env }: Call): string | undefined {
  return optionalText(env["PREMATH_WORKER_ID"]);
}

/** The input with its actor, if only the environment names one. */
export function asActor<Input extends { readonly actor?: string }>(input: Input, call: Call): Input {
  const actor = input.actor ?? workerId(call);
  return actor === undefined ? input : { ...input, actor };
}

export const mutationInput = {
  fence: Type.Optional(
    Type.Integer({
      minimum: 0,
      "x-placeholder": "number",
      "x-brief": "Your claim's fence.",
      description: "The fence of the claim that you work under; an old one is refused.",
    }),
  ),
  actor: Type.Optional(
    Type.String({
      "x-placeholder": "name",
      "x-brief": "Who asks.",
      description: "Who asks; whoever holds the lease may change the issue. PREMATH_WORKER_ID when left out.",
    }),
  ),
  instructionId: Type.Optional(
    Type.String({
      "x-placeholder": "id",
      "x-brief": "",
      description: "The instruction that this follows, where a policy asks for one.",
    }),
  ),
} as const;
