/**
 * Policies by name: one line each, loaded when it is asked for.
 *
 * What stands in run.json as `policy_params` is what the policy is made from, so
 * a run can be resumed or forked without saying it again.
 */
import { nearest, sentencesAbout } from "@bridle/operation";
import { Failure, type JsonObject, type JsonValue, type Ports } from "@bridle/record";
import * as Type from "typebox";
import { decidingPolicies } from "./deciding.js";
import type { Tape } from "./planner-open.js";
import type { Policy } from "./types.js";

/** What a policy may be made with besides its parameters. */
export interface PolicySurroundings {
  readonly ports: Ports;
  /** Relative paths in parameters start here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Of what a model says: where it is written down, or where it is taken from. */
  readonly tape?: Tape;
}

export interface CatalogueEntry {
  readonly summary: string;
  /** What it can be told, with defaults; also shown by `hlq run --help`'s errors. */
  readonly params: Type.TObject;
  /** Contract: may throw `policy_params_invalid`; given parameters that fit. */
  make(params: JsonObject, surroundings: PolicySurroundings): Promise<Policy>;
}

const none = Type.Object({}, { additionalProperties: false });

export const catalogue: Readonly<Record<string, CatalogueEntry>> = {
  "always-signal": {
    summary: "Finalizes every episode as a signal without looking.",
    params: none,
    make: async () => (await import("./always.js")).always("always-signal.v1", "finalize_signal"),
  },
  "always-low": {
    summary: "Finalizes every episode as a low signal without looking.",
    params: none,
    make: async () => (await import("./always.js")).always("always-low.v1", "finalize_low_signal"),
  },
  random: {
    summary: "Draws its proposals from a seed; some of them are meant to be refused.",
    params: Type.Object(
      {
        illegal_percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 10 })),
        seed: Type.Optional(Type.Integer({ default: 1 })),
      },
      { additionalProperties: false },
    ),
    async make({ seed = 1, illegal_percent = 10 }) {
      const { randomPolicy } = await import("./random.js");
      return randomPolicy({ seed: Number(seed), illegalPercent: Number(illegal_percent) });
    },
  },
  ...decidingPolicies,
  planner: {
    summary: "A language model that operates the environment through its tools; its calls are taped.",
    params: Type.Object(
      { model: Type.Optional(Type.String({ minLength: 1, description: "provider/id" })) },
      { additionalProperties: false },
    ),
    async make({ model }, surroundings) {
      const { openPlanner } = await import("./planner-open.js");
      return openPlanner({ ...surroundings, ...(model === undefined ? {} : { model: String(model) }) });
    },
  },
  scripted: {
    summary: "Proposes what a script says.",
    params: Type.Object({ script: Type.Unknown() }, { additionalProperties: false }),
    async make({ script }) {
      return (await import("./scripted.js")).scriptedPolicy(script as JsonValue);
    },
  },
};

/** By its name, or by the id that a run recorded, as in `random.v1`. */
export async function makePolicy(
  name: string,
  params: JsonObject,
  surroundings: PolicySurroundings,
): Promise<Policy> {
  const plain = name.replace(/\.v\d+$/, "");
  const entry = Object.hasOwn(catalogue, plain) ? catalogue[plain] : undefined;
  if (entry === undefined) throw unknown(name);
  const [problem] = sentencesAbout(entry.params, params);
  if (problem !== undefined) {
    throw new Failure("policy_params_invalid", {
      message: `the policy ${plain}: ${problem}`,
      hint: "Parameters are given as JSON, as in --params '{\"seed\": 7}'.",
    });
  }
  const policy = await entry.make(params, surroundings);
  if (plain !== name && policy.policyId !== name) throw unknown(name, policy.policyId);
  return policy;
}

function unknown(name: string, instead?: string): Failure {
  const names = Object.keys(catalogue);
  const near = instead ?? nearest(name, names);
  const meant = near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
  return new Failure("policy_unknown", {
    message: `there is no policy ${name}; ${meant}`,
    hint: "`hlq run --help` names them.",
  });
}
