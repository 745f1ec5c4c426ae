/** How every surface carries an operation out: one pipeline, one list of gates. */
import {
  type Authority,
  type Call,
  type Envelope,
  type Gate,
  type Operation,
  perform,
  standardGates,
} from "@bridle/operation";
import { isFailureClass } from "./manifest/failure-classes.js";

export interface Carrying {
  readonly call: Call;
  readonly authority: Authority;
  /** The standard ones when left out. */
  readonly gates?: readonly Gate[];
  readonly onBug?: (error: unknown) => void;
}

export function performOperation(
  operation: Operation,
  input: unknown,
  { call, authority, gates = standardGates, onBug }: Carrying,
): Promise<Envelope> {
  return perform(operation, input, {
    ...{ call, authority, gates, isFailureClass },
    ...(onBug === undefined ? {} : { onBug }),
  });
}
