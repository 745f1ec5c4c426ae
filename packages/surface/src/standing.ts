/**
 * Who answers for a call, by what the process was started with.
 *
 * Inside a run, which BRIDLE_RUN names, only that run's own instructions hold: neither a
 * person's open policy nor the lane of a server that was started there.
 */
import type { Standing, TurnSoFar } from "@bridle/operation";

type Env = Readonly<Record<string, string | undefined>>;

/** Undefined where this process is no part of a run. */
export function runOf(env: Env): string | undefined {
  const run = env["BRIDLE_RUN"]?.trim();
  return run === undefined || run === "" ? undefined : run;
}

export function standingIn(env: Env, usual: Standing, turn?: TurnSoFar): Standing {
  const id = runOf(env);
  if (id === undefined) return usual;
  return { kind: "run", id, ...(turn === undefined ? {} : { turn }) };
}
