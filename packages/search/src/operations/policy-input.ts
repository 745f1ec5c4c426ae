/** How a policy is named on the command line: by name, with parameters, or as the run that is there recorded it. */
import type { Call } from "@bridle/operation";
import { Failure, failureAt, type JsonObject, type JsonValue } from "@bridle/record";
import { readWhole } from "../read-whole.js";
import * as Type from "typebox";
import { catalogue, makePolicy } from "../policy/catalogue.js";
import { isPolicyFile, ownPolicy, ownPolicyId } from "../policy/own.js";
import type { Policy } from "../policy/types.js";
import type { RunManifest } from "../run/types.js";
import { pathOf } from "./pack-input.js";

export const policyInput = {
  policy: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "name|./file.mjs",
      description: `Who decides: ${Object.keys(catalogue).join(", ")}; or a module of your own that exports propose.`,
    }),
  ),
  params: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        "x-placeholder": "json",
        description: "What the policy is told, as JSON.",
      },
    ),
  ),
  seed: Type.Optional(Type.Integer({ description: "Short for the parameter seed." })),
  script: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "file",
      "x-path": true,
      "x-cli-only": true,
      description: "For the policy scripted: a JSON file with its proposals.",
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "file",
      "x-path": true,
      "x-cli-only": true,
      description: "For the policy assisted: what `hlq train` wrote.",
    }),
  ),
  tape: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "file",
      "x-path": true,
      "x-cli-only": true,
      description:
        "For the policy planner: where its model's calls are written down; beside the run without it.",
    }),
  ),
  fromTape: Type.Optional(
    Type.Boolean({
      description: "For the policy planner: answers come from the tape, and no model is called.",
    }),
  ),
} as const;

export interface PolicyInput {
  readonly model?: string;
  readonly tape?: string;
  readonly fromTape?: boolean;
  readonly policy?: string;
  readonly params?: object;
  readonly seed?: number;
  readonly script?: string;
}

/** `recorded`: the run whose policy is meant when none is named. `out`: the folder that is written, absolute. */
export async function policyFrom(
  input: PolicyInput,
  call: Call,
  recorded: RunManifest | undefined,
  out: string,
): Promise<Policy> {
  const { ports, cwd, env, signal } = call;
  const { tape, fromTape = false } = input;
  const surroundings = {
    ports,
    cwd,
    env,
    signal,
    tape: { path: tape === undefined ? `${out}.tape.jsonl` : pathOf(call, tape), replay: fromTape },
  };
  const told = await paramsOf(input, call);
  const name = input.policy ?? (input.script === undefined ? undefined : "scripted");
  if (name !== undefined && isPolicyFile(name)) {
    if (Object.keys(told).length > 0)
      throw new Failure("policy_params_invalid", {
        message: `${name} takes no parameters`,
        hint: "Leave out --params, --seed and --model: what it depends on stands in the file.",
      });
    return ownPolicy(pathOf(call, name), surroundings);
  }
  if (name !== undefined) return makePolicy(name, told, surroundings);
  if (recorded === undefined) {
    throw new Failure("policy_unknown", {
      message: "no policy was named",
      hint: `Add --policy, one of ${Object.keys(catalogue).join(", ")}.`,
    });
  }
  if (recorded.policy_id === ownPolicyId) {
    throw new Failure("policy_unknown", {
      message: `the run was made by a policy of its own (${String(recorded.policy_params["file"])}), and a record starts no code`,
      hint: "Name the file with --policy.",
    });
  }
  return makePolicy(recorded.policy_id, { ...recorded.policy_params, ...told }, surroundings);
}

async function paramsOf({ params, seed, script, model }: PolicyInput, call: Call): Promise<JsonObject> {
  return {
    ...(params as JsonObject | undefined),
    ...(seed === undefined ? {} : { seed }),
    ...(model === undefined ? {} : { trained_model: pathOf(call, model) }),
    ...(script === undefined ? {} : { script: await readJson(pathOf(call, script), call) }),
  };
}

async function readJson(path: string, { ports }: Call): Promise<JsonValue> {
  let text: string;
  try {
    text = await readWhole(path, ports.files);
  } catch (error) {
    throw failureAt(path, error);
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Failure("policy_params_invalid", {
      message: `${path} is not JSON`,
      hint: 'A script looks like [{"action_name": "abstain", "action_args": {…}}].',
      cause: error,
    });
  }
}
