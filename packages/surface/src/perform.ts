/** How every surface carries an operation out: one pipeline, one list of gates. */
import {
  type Authority,
  type Call,
  type Envelope,
  type Gate,
  type Operation,
  perform,
} from "@bridle/operation";
import { workGate } from "@bridle/work";
import { isFailureClass } from "./manifest/failure-classes.js";

/** Loaded only where no person answers for a change: everything else starts without it. */
const mutation: Gate = {
  name: "mutation",
  async judge(asked) {
    const { operation, authority } = asked;
    if (operation.effect !== "mutate" || authority.standing === undefined) return undefined;
    if (authority.standing.kind === "person") return undefined;
    return (await workGate()).mutationGate.judge(asked);
  },
};

/** Judged in this order, on every surface. */
export const mutationGates: readonly Gate[] = [mutation];

export interface Carrying {
  readonly call: Call;
  readonly authority: Authority;
  /** Those of every surface when left out. */
  readonly gates?: readonly Gate[];
  readonly onBug?: (error: unknown) => void;
}

export function performOperation(
  operation: Operation,
  input: unknown,
  { call, authority, gates = mutationGates, onBug }: Carrying,
): Promise<Envelope> {
  return perform(operation, input, {
    ...{ call, authority, gates, isFailureClass },
    ...(onBug === undefined ? {} : { onBug }),
  });
}
