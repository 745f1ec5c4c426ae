/**
 * The planner as a run uses it: with a live model whose calls are taped, or with
 * the tape of an earlier run and no model at all.
 */
import { type ModelCall, openModels, TapeRecorder, TapeReplay } from "@bridle/model";
import { Failure, failureFrom, isRefusal, type Ports } from "@bridle/record";
import { plannerPolicy } from "./planner.js";
import type { Policy } from "./types.js";

export interface Tape {
  /** Absolute. */
  readonly path: string;
  /** True: answers come from the tape, and a call that is not on it is an error. */
  readonly replay: boolean;
}

export interface OpenPlannerOptions {
  /** `provider/id`; chosen by settings when left out, and required with a tape to replay. */
  readonly model?: string;
  readonly tape?: Tape;
  readonly ports: Ports;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export async function openPlanner(options: OpenPlannerOptions): Promise<Policy> {
  const { tape, ports } = options;
  let cost = 0;
  const spent = (usd: number) => void (cost += usd);
  if (tape?.replay === true) {
    const { model } = options;
    if (model === undefined) {
      throw new Failure("policy_params_invalid", {
        message: "a tape is replayed for the model that it was recorded with",
        hint: 'Name it, as in --params \'{"model": "provider/id"}\'; run.json of the recorded run has it.',
      });
    }
    const replay = await TapeReplay.open({ path: tape.path, ports });
    return plannerPolicy({ call: replay.call, model, live: false });
  }
  const { model, cwd, env, signal } = options;
  const opened = await openModels({
    cwd,
    env,
    ports,
    signal,
    ...(model === undefined ? {} : { flags: { model } }),
  });
  if (isRefusal(opened)) throw failureFrom(opened);
  const recorder =
    tape === undefined
      ? undefined
      : await TapeRecorder.open({ path: tape.path, ports, secrets: opened.secrets });
  const call: ModelCall = recorder === undefined ? opened.call : recorder.record(opened.call);
  return {
    ...plannerPolicy({ call, model: opened.main.ref, live: true, spent }),
    costUsd: () => cost,
    close: async () => recorder?.close(),
  };
}
